//! The document in which each bench owns what stands between its two markers.

/// Puts `section` where `name`'s section stands; without one, before the first that comes later in `order`, or at the end.
pub(super) fn put(document: &str, order: &[&str], name: &str, section: &str) -> String {
    let (begin, end) = markers(name);
    let block = format!("{begin}\n{}\n{end}\n", section.trim());
    if let Some((before, rest)) = document.split_once(&format!("{begin}\n")) {
        let after = rest.split_once(&format!("{end}\n")).map_or("", |(_, after)| after);
        return format!("{before}{block}{after}");
    }
    let later = order.iter().skip_while(|other| **other != name).skip(1);
    let found = later.map(|other| markers(other).0).find_map(|marker| document.find(&marker));
    match found.and_then(|at| document.split_at_checked(at)) {
        Some((before, after)) => format!("{before}{block}\n{after}"),
        None => format!("{}\n\n{block}", document.trim_end()),
    }
}

fn markers(name: &str) -> (String, String) {
    (format!("<!-- {name}: begin -->"), format!("<!-- {name}: end -->"))
}

#[cfg(test)]
mod tests {
    use super::put;

    const ORDER: [&str; 3] = ["one", "two", "three"];

    #[test]
    fn a_section_is_replaced_where_it_stands_and_nothing_else_is_touched() {
        let all = ["one", "two", "three"]
            .iter()
            .fold("# Head\n".to_owned(), |text, name| put(&text, &ORDER, name, &format!("old {name}")));
        let changed = put(&all, &ORDER, "two", "new");
        assert_eq!(changed, all.replace("old two", "new"));
        assert_eq!(put(&changed, &ORDER, "two", "old two"), all);
    }

    #[test]
    fn sections_stand_in_their_order_whichever_comes_first() {
        let late_first = put(&put("# Head\n", &ORDER, "three", "c"), &ORDER, "one", "a");
        assert_eq!(
            late_first,
            "# Head\n\n<!-- one: begin -->\na\n<!-- one: end -->\n\n<!-- three: begin -->\nc\n<!-- three: end -->\n"
        );
    }
}
