//! How somebody waits for a job: `?wait=` on one generation, and its stream of events.

use serde_json::Value;

use crate::fields::{Fields, Violation, Violations};
use crate::query;
use crate::timeline::Mark;
use crate::timing::WAIT_MAX_SECONDS;

/// The seconds that a reader of one generation wants to wait for its end; 0 if it said nothing.
pub fn wait_seconds(query: &str) -> Result<u32, Vec<Violation>> {
    read(query, |fields| match fields.text("wait", 16) {
        None => Some(0),
        Some(text) => match text.parse::<u32>() {
            Ok(wait) if wait <= WAIT_MAX_SECONDS && wait.to_string() == text => Some(wait),
            Ok(_) | Err(_) => fields
                .refuse("wait", format!("must be whole seconds from 0 to {WAIT_MAX_SECONDS}, not {text:?}")),
        },
    })
}

/// What a follower has been told already: the header's word, or `last_event_id` for clients that cannot send it. Both
/// absent or empty: nothing.
pub fn told(header: Option<&str>, query: &str) -> Result<Mark, Vec<Violation>> {
    read(query, |fields| {
        let asked = match fields.take("last_event_id") {
            None => String::new(),
            Some(Value::String(text)) => text,
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                return fields.refuse("last_event_id", "must be a text");
            }
        };
        // The header is newer: a client that comes back sends it with the URL that it began with.
        let last = header.map(str::to_owned).filter(|text| !text.is_empty()).unwrap_or(asked);
        if last.is_empty() {
            return Some(Mark::default());
        }
        match last.parse() {
            Ok(mark) => Some(mark),
            Err(_) => fields
                .refuse("last_event_id", "must be the id of an event of this generation, as it was sent"),
        }
    })
}

fn read<T>(query: &str, one: impl FnOnce(&mut Fields<'_>) -> Option<T>) -> Result<T, Vec<Violation>> {
    let mut wrong = Violations::default();
    let object = query::object(query, &mut wrong);
    let read = Fields::of(object, "", &mut wrong).and_then(|mut fields| {
        let read = one(&mut fields);
        fields.finish();
        read
    });
    wrong.into_result(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_whole_seconds_up_to_a_minute() {
        for (query, wait) in [("", 0), ("wait=0", 0), ("wait=60", 60), ("wait=25", 25)] {
            assert_eq!(wait_seconds(query), Ok(wait), "{query}");
        }
        for query in [
            "wait=61",
            "wait=-1",
            "wait=1.5",
            "wait=01",
            "wait=+1",
            "wait=a",
            "wait=",
            "wait=1&wait=1",
            "wiat=1",
        ] {
            assert!(wait_seconds(query).is_err(), "{query}");
        }
    }

    #[test]
    fn the_header_comes_before_the_query() {
        let mark = |text: &str| Ok(text.parse::<Mark>().unwrap());
        assert_eq!(told(None, ""), mark("0."));
        assert_eq!(told(Some(""), "last_event_id="), mark("0."));
        assert_eq!(told(Some("3.1"), "last_event_id=2."), mark("3.1"));
        assert_eq!(told(None, "last_event_id=2."), mark("2."));
        for (header, query) in
            [(Some("x"), ""), (None, "last_event_id=x"), (None, "last=2."), (None, "last_event_id[a]=2.")]
        {
            assert!(told(header, query).is_err(), "{header:?} {query}");
        }
    }
}
