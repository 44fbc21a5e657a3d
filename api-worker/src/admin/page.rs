//! Pages of the operator's lists: `?limit=` and `?cursor=`.

use std::fmt::Display;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::fields::{Violation, Violations};

use crate::problem::Problem;

const LIMIT: usize = 50;
pub const LIMIT_MAX: usize = 100;

/// Which part of a list: what follows the row with the id `after`.
pub struct Page<I> {
    pub after: Option<I>,
    limit: usize,
}

impl<I: FromStr + Display> Page<I> {
    /// Nothing is the first page; what is not understood is refused.
    pub fn parse(query: Option<&str>) -> Result<Self, Problem> {
        let (mut page, mut wrong) = (Self { after: None, limit: LIMIT }, Violations::default());
        for pair in query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match name {
                "limit" => match value.parse() {
                    Ok(limit) if (1..=LIMIT_MAX).contains(&limit) => page.limit = limit,
                    _ => wrong.add("?limit", format!("must be from 1 to {LIMIT_MAX}")),
                },
                "cursor" => match read(value) {
                    Some(after) => page.after = Some(after),
                    None => wrong.add("?cursor", "must be a next_cursor of this list"),
                },
                _ => wrong.add("?", "takes limit and cursor only"),
            }
        }
        wrong.into_result(Some(page)).map_err(|wrong: Vec<Violation>| Problem::invalid(wrong))
    }

    /// Rows to ask for, so that it shows whether more follow.
    pub fn and_one_more(&self) -> i64 {
        i64::try_from(self.limit).unwrap_or(i64::MAX).saturating_add(1)
    }

    /// The page's rows, and the cursor of the next page if there is one.
    pub fn cut<T>(&self, mut rows: Vec<T>, id: impl Fn(&T) -> I) -> (Vec<T>, Option<String>) {
        let more = rows.len() > self.limit;
        rows.truncate(self.limit);
        let next = rows.last().filter(|_| more).map(|last| write(&id(last)));
        (rows, next)
    }
}

fn write(id: &impl Display) -> String {
    URL_SAFE_NO_PAD.encode(format!("v1:{id}"))
}

fn read<I: FromStr>(cursor: &str) -> Option<I> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    text.strip_prefix("v1:")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_leads_to_the_next_and_the_last_to_none() {
        let page = Page::<i64>::parse(Some("limit=2")).ok().unwrap();
        assert_eq!((page.after, page.and_one_more()), (None, 3));
        let (rows, next) = page.cut(vec![9, 8, 7], |id| *id);
        assert_eq!(rows, [9, 8]);
        let query = format!("limit=2&cursor={}", next.unwrap());
        let page = Page::<i64>::parse(Some(&query)).ok().unwrap();
        assert_eq!(page.after, Some(8));
        assert_eq!(page.cut(vec![7], |id| *id), (vec![7], None));
    }

    #[test]
    fn what_is_no_page_is_refused() {
        for query in ["limit=0", "limit=101", "limit=x", "cursor=", "cursor=eA", "page=2", "limit"] {
            assert!(Page::<i64>::parse(Some(query)).is_err(), "{query}");
        }
    }
}
