//! Reads a JSON object member by member and collects everything that is wrong with it.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};

/// One thing that is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// Where: a JSON Pointer (RFC 6901) into the request body.
    pub pointer: String,
    /// What is wrong and what would be right.
    pub detail: String,
}

/// Everything that is wrong with a request, in reading order.
#[derive(Debug, Default)]
pub struct Violations(Vec<Violation>);

impl Violations {
    pub fn add(&mut self, pointer: impl Into<String>, detail: impl Into<String>) {
        self.0.push(Violation { pointer: pointer.into(), detail: detail.into() });
    }

    /// `value` if nothing was wrong.
    pub fn into_result<T>(self, value: Option<T>) -> Result<T, Vec<Violation>> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(self.0),
        }
    }
}

/// Reads a body that is an object with the members that `members` asks for and no other.
pub fn read<T>(body: Value, members: impl FnOnce(&mut Fields<'_>) -> Option<T>) -> Result<T, Vec<Violation>> {
    let mut wrong = Violations::default();
    let read = Fields::of(body, "", &mut wrong).and_then(|mut fields| {
        let read = members(&mut fields);
        fields.finish();
        read
    });
    wrong.into_result(read)
}

/// The members of one object that have not been read yet.
pub struct Fields<'v> {
    pointer: String,
    members: Map<String, Value>,
    known: Vec<&'static str>,
    wrong: &'v mut Violations,
}

impl<'v> Fields<'v> {
    /// `None`, and a violation, when `value` is no object.
    pub fn of(value: Value, pointer: impl Into<String>, wrong: &'v mut Violations) -> Option<Self> {
        let pointer = pointer.into();
        if let Value::Object(members) = value {
            return Some(Self { pointer, members, known: Vec::new(), wrong });
        }
        wrong.add(pointer, format!("must be an object, not {}", kind(&value)));
        None
    }

    /// Takes a member out; an explicit `null` counts as absent.
    pub fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.members.remove(name).filter(|value| !value.is_null())
    }

    /// Takes a member out as it is: an explicit `null` says something.
    pub fn take_or_null(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.members.remove(name)
    }

    /// Like [`Self::take`], and a violation when it is absent.
    pub fn require(&mut self, name: &'static str) -> Option<Value> {
        let value = self.take(name);
        if value.is_none() {
            self.refuse::<()>(name, "is required");
        }
        value
    }

    /// A text of `1..=limit` characters.
    pub fn text(&mut self, name: &'static str, limit: usize) -> Option<String> {
        let value = self.take(name)?;
        self.checked_text(name, value, limit)
    }

    pub fn required_text(&mut self, name: &'static str, limit: usize) -> Option<String> {
        let value = self.require(name)?;
        self.checked_text(name, value, limit)
    }

    pub fn integer(&mut self, name: &'static str, min: i64, max: i64) -> Option<i64> {
        let value = self.take(name)?;
        match value.as_i64() {
            Some(integer) if (min..=max).contains(&integer) => Some(integer),
            Some(integer) => self.refuse(name, format!("must be from {min} to {max}, not {integer}")),
            None => {
                self.refuse(name, format!("must be an integer from {min} to {max}, not {}", kind(&value)))
            }
        }
    }

    pub fn flag(&mut self, name: &'static str) -> Option<bool> {
        let value = self.take(name)?;
        value.as_bool().or_else(|| self.refuse(name, format!("must be true or false, not {}", kind(&value))))
    }

    /// A time as RFC 3339 spells it.
    pub fn time(&mut self, name: &'static str) -> Option<DateTime<Utc>> {
        let value = self.take(name)?;
        self.checked_time(name, value)
    }

    pub fn required_time(&mut self, name: &'static str) -> Option<DateTime<Utc>> {
        let value = self.require(name)?;
        self.checked_time(name, value)
    }

    /// One of the words that `read` knows; `words` are listed to whoever sends another.
    pub fn word<T>(
        &mut self,
        name: &'static str,
        words: &[&str],
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = self.take(name)?;
        self.checked_word(name, &value, words, read)
    }

    pub fn required_word<T>(
        &mut self,
        name: &'static str,
        words: &[&str],
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = self.require(name)?;
        self.checked_word(name, &value, words, read)
    }

    /// Records that a member is wrong.
    pub fn refuse<T>(&mut self, name: &str, detail: impl Into<String>) -> Option<T> {
        let pointer = self.at(name);
        self.wrong.add(pointer, detail);
        None
    }

    /// The pointer of a member.
    pub fn at(&self, name: &str) -> String {
        format!("{}/{}", self.pointer, name.replace('~', "~0").replace('/', "~1"))
    }

    /// For reading a nested object or list while this one is open.
    pub fn violations(&mut self) -> &mut Violations {
        self.wrong
    }

    /// Refuses every member that nobody asked for, with the nearest name that exists.
    pub fn finish(mut self) {
        for name in std::mem::take(&mut self.members).keys() {
            let nearest =
                self.known.iter().map(|known| (strsim::damerau_levenshtein(known, name), known)).min();
            let detail = match nearest {
                Some((distance, known)) if distance <= 3 => {
                    format!("is not a known field; did you mean {known:?}?")
                }
                _ => format!("is not a known field; known are {}", self.known.join(", ")),
            };
            self.refuse::<()>(name, detail);
        }
    }

    /// Postgres stores no NUL in text. Bodies of JSON have none (`json::parse`); forms may.
    fn checked_text(&mut self, name: &str, value: Value, limit: usize) -> Option<String> {
        let Value::String(text) = value else {
            return self.refuse(name, format!("must be a string, not {}", kind(&value)));
        };
        if text.contains('\0') {
            return self.refuse(name, "must not hold U+0000");
        }
        match text.chars().count() {
            0 => self.refuse(name, "must not be empty"),
            length if length > limit => {
                self.refuse(name, format!("must have at most {limit} characters, not {length}"))
            }
            _ => Some(text),
        }
    }

    fn checked_time(&mut self, name: &str, value: Value) -> Option<DateTime<Utc>> {
        let text = self.checked_text(name, value, 64)?;
        match DateTime::parse_from_rfc3339(&text) {
            Ok(time) => Some(time.to_utc()),
            Err(_) => {
                self.refuse(name, "must be a time as in 2026-12-01T08:30:00Z; in a query a + is written %2B")
            }
        }
    }

    fn checked_word<T>(
        &mut self,
        name: &str,
        value: &Value,
        words: &[&str],
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let known = value.as_str().and_then(read);
        known.or_else(|| self.refuse(name, format!("must be one of {}, not {value}", words.join(", "))))
    }
}

/// What a JSON value is, for a person.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
