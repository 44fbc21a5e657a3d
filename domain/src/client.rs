//! What operators say of clients and their keys.

use serde_json::Value;

use crate::Usd;
use crate::endpoint::Switch;
use crate::fields::{Fields, Violation, kind, read};
use crate::retention::{DAYS_MAX, DAYS_MIN};
use crate::scope::Scope;
use crate::timing::{
    KEY_LIFETIME_MAX_SECONDS, KEY_LIFETIME_MIN_SECONDS, KEY_OVERLAP_DEFAULT_SECONDS, KEY_OVERLAP_MAX_SECONDS,
};

/// Characters of a client's name and of a key's label.
pub const MAX_NAME: usize = 200;

/// More than this at once or in a minute is a slip of the pen, not a limit.
pub const MAX_COUNT: i32 = 100_000;

/// Live keys of a client: far more than a rotation of several applications needs.
pub const MAX_KEYS: i64 = 50;

/// A new client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    pub name: String,
}

/// What an operator changes of a client; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub name: Option<String>,
    /// While it is off none of the client's keys is good.
    pub switch: Option<Switch>,
    /// Generations that are queued, running or waiting.
    pub max_open: Bound<i32>,
    pub creates_per_minute: Bound<i32>,
    /// Of a day and of a month, UTC.
    pub budget_day: Bound<Usd>,
    pub budget_month: Bound<Usd>,
    /// Days that outputs, and payloads, are kept; lifted: as the deployment has it.
    pub output_days: Bound<i32>,
    pub payload_days: Bound<i32>,
}

/// What an operator says of a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound<T> {
    /// It stays as it is.
    #[default]
    Keep,
    /// There is none any more.
    Lift,
    Set(T),
}

impl<T> Bound<T> {
    /// Whether anything was said, and the limit if one was.
    pub fn said(self) -> (bool, Option<T>) {
        match self {
            Self::Keep => (false, None),
            Self::Lift => (true, None),
            Self::Set(limit) => (true, Some(limit)),
        }
    }
}

/// A key to be issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRequest {
    pub label: String,
    pub scopes: Vec<Scope>,
    /// `None`: until it is revoked.
    pub lifetime_seconds: Option<i64>,
}

/// A key to be followed by another of the same label, scopes and lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRotation {
    /// How long the old key is good beside the new one.
    pub overlap_seconds: i64,
}

impl Registration {
    pub fn parse(body: Value) -> Result<Self, Vec<Violation>> {
        read(body, |fields| fields.required_text("name", MAX_NAME).map(|name| Self { name }))
    }
}

impl Settings {
    pub fn parse(body: Value) -> Result<Self, Vec<Violation>> {
        read(body, |fields| {
            Some(Self {
                name: fields.text("name", MAX_NAME),
                switch: fields.flag("enabled").map(|on| if on { Switch::On } else { Switch::Off }),
                max_open: count(fields, "max_open", 0, MAX_COUNT),
                creates_per_minute: count(fields, "creates_per_minute", 1, MAX_COUNT),
                budget_day: amount(fields, "budget_day"),
                budget_month: amount(fields, "budget_month"),
                output_days: count(fields, "output_days", DAYS_MIN, DAYS_MAX),
                payload_days: count(fields, "payload_days", DAYS_MIN, DAYS_MAX),
            })
        })
    }
}

impl KeyRequest {
    pub fn parse(body: Value) -> Result<Self, Vec<Violation>> {
        read(body, |fields| {
            let label = fields.text("label", MAX_NAME).unwrap_or_default();
            let scopes = match fields.take("scopes") {
                None => Some(Scope::DEFAULT.to_vec()),
                Some(value) => scopes(fields, &value),
            };
            let lifetime_seconds =
                fields.integer("expires_in_seconds", KEY_LIFETIME_MIN_SECONDS, KEY_LIFETIME_MAX_SECONDS);
            Some(Self { label, scopes: scopes?, lifetime_seconds })
        })
    }
}

impl KeyRotation {
    pub fn parse(body: Value) -> Result<Self, Vec<Violation>> {
        read(body, |fields| {
            let overlap = fields.integer("overlap_seconds", 0, KEY_OVERLAP_MAX_SECONDS);
            Some(Self { overlap_seconds: overlap.unwrap_or(KEY_OVERLAP_DEFAULT_SECONDS) })
        })
    }
}

/// Null lifts the limit.
pub fn count(fields: &mut Fields<'_>, name: &'static str, least: i32, most: i32) -> Bound<i32> {
    let Some(value) = fields.take_or_null(name) else { return Bound::Keep };
    if value.is_null() {
        return Bound::Lift;
    }
    let count = value.as_i64().and_then(|count| i32::try_from(count).ok());
    let refuse = || format!("must be from {least} to {most}, or null for none");
    let count = count.filter(|count| (least..=most).contains(count));
    let count = count.or_else(|| fields.refuse(name, refuse()));
    count.map_or(Bound::Keep, Bound::Set)
}

/// Null lifts the budget.
fn amount(fields: &mut Fields<'_>, name: &'static str) -> Bound<Usd> {
    let Some(value) = fields.take_or_null(name) else { return Bound::Keep };
    if value.is_null() {
        return Bound::Lift;
    }
    let amount =
        value.as_str().and_then(|text| text.parse::<Usd>().ok()).filter(|amount| *amount >= Usd::ZERO);
    let detail =
        "must be US dollars as a string, \"250.00\", with at most six decimals, or null for no budget";
    amount.or_else(|| fields.refuse(name, detail)).map_or(Bound::Keep, Bound::Set)
}

fn scopes(fields: &mut Fields<'_>, value: &Value) -> Option<Vec<Scope>> {
    let words = Scope::ALL.map(Scope::as_str).join(", ");
    let Value::Array(items) = value else {
        return fields.refuse("scopes", format!("must be a list of {words}, not {}", kind(value)));
    };
    let mut scopes = Vec::new();
    for item in items {
        let Some(scope) = item.as_str().and_then(Scope::from_word) else {
            return fields.refuse("scopes", format!("must be a list of {words}; {item} is none of them"));
        };
        scopes.push(scope);
    }
    scopes.sort_unstable();
    scopes.dedup();
    if scopes.is_empty() {
        return fields.refuse("scopes", format!("must name at least one of {words}"));
    }
    Some(scopes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_key_may_generate_and_read_unless_somebody_says_otherwise() {
        let key = KeyRequest::parse(json!({})).unwrap();
        assert_eq!((key.scopes, key.lifetime_seconds), (vec![Scope::Generate, Scope::Read], None));
        let key = KeyRequest::parse(json!({"scopes": ["admin", "read", "read"]})).unwrap();
        assert_eq!(key.scopes, [Scope::Read, Scope::Admin]);
    }

    #[test]
    fn an_absent_limit_stays_and_a_null_one_goes() {
        let settings =
            Settings::parse(json!({"max_open": null, "budget_day": "0", "creates_per_minute": 60})).unwrap();
        assert_eq!((settings.max_open, settings.creates_per_minute), (Bound::Lift, Bound::Set(60)));
        assert_eq!((settings.budget_day, settings.budget_month), (Bound::Set(Usd::ZERO), Bound::Keep));
    }

    #[test]
    fn what_operators_misspell_is_named() {
        for (wrong, pointer) in [
            (KeyRequest::parse(json!({"scopes": []})).err(), "/scopes"),
            (KeyRequest::parse(json!({"scopes": "read"})).err(), "/scopes"),
            (KeyRequest::parse(json!({"scopes": ["write"]})).err(), "/scopes"),
            (KeyRequest::parse(json!({"expires_in_seconds": 1})).err(), "/expires_in_seconds"),
            (KeyRequest::parse(json!({"scope": ["read"]})).err(), "/scope"),
            (Settings::parse(json!({"name": ""})).err(), "/name"),
            (Settings::parse(json!({"enabled": "no"})).err(), "/enabled"),
            (Settings::parse(json!({"budget_day": 5})).err(), "/budget_day"),
            (Settings::parse(json!({"budget_month": "-1"})).err(), "/budget_month"),
            (Settings::parse(json!({"max_open": -1})).err(), "/max_open"),
            (Settings::parse(json!({"creates_per_minute": 0})).err(), "/creates_per_minute"),
            (Settings::parse(json!({"output_days": 0})).err(), "/output_days"),
            (Settings::parse(json!({"payload_days": 3651})).err(), "/payload_days"),
            (Registration::parse(json!({})).err(), "/name"),
            (KeyRotation::parse(json!({"overlap_seconds": -1})).err(), "/overlap_seconds"),
            (KeyRotation::parse(json!([])).err(), ""),
        ] {
            assert_eq!(wrong.unwrap()[0].pointer, pointer);
        }
    }
}
