//! The query of a URL as a JSON object, so that one reader (`fields`) judges bodies and queries alike.

use serde_json::{Map, Value};
use url::form_urlencoded;

use crate::fields::Violations;

/// `a=1&tag[b]=2` → `{"a": "1", "tag": {"b": "2"}}`. A name that stands twice is refused: which of the two would count?
pub fn object(query: &str, wrong: &mut Violations) -> Value {
    let mut members = Map::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if name.contains('\0') || value.contains('\0') {
            wrong.add("", "must not hold U+0000");
            continue;
        }
        let twice = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            None => members.insert(name.to_string(), Value::String(value.into_owned())).is_some(),
            Some((outer, inner)) => insert_nested(&mut members, outer, inner, &value),
        };
        if twice {
            wrong.add(format!("/{name}"), "stands more than once");
        }
    }
    Value::Object(members)
}

fn insert_nested(members: &mut Map<String, Value>, outer: &str, inner: &str, value: &str) -> bool {
    match members.entry(outer).or_insert_with(|| Value::Object(Map::new())) {
        Value::Object(nested) => nested.insert(inner.to_owned(), Value::String(value.to_owned())).is_some(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_query_reads_as_an_object() {
        let mut wrong = Violations::default();
        let read = object("a=1&tag[b]=2&tag%5Bc%20d%5D=%26&empty", &mut wrong);
        assert_eq!(read, json!({"a": "1", "tag": {"b": "2", "c d": "&"}, "empty": ""}));
        assert_eq!(wrong.into_result(Some(())), Ok(()));
    }

    #[test]
    fn what_stands_twice_or_cannot_be_stored_is_refused() {
        for query in ["a=1&a=1", "a=1&a[b]=1", "a[b]=1&a[b]=2", "a=%00", "%00=1"] {
            let mut wrong = Violations::default();
            object(query, &mut wrong);
            assert_eq!(wrong.into_result(Some(())).unwrap_err().len(), 1, "{query}");
        }
    }
}
