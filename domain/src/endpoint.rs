//! What a client says of an endpoint: a place where it wants its events (B12).

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::Secret;
use crate::callback_url::{CallbackUrl, Loopback};
use crate::event::EventType;
use crate::fields::{Fields, Violation, Violations, kind};
use crate::timing::{SECRET_OVERLAP_DEFAULT_SECONDS, SECRET_OVERLAP_MAX_SECONDS};

/// What happens to an endpoint, told to the client's other endpoints: what its client did, and what its receiver's answers
/// did (`slowed`, `disabled`).
pub const CHANGE_EVENTS: [&str; 9] = [
    "endpoint.created",
    "endpoint.updated",
    "endpoint.secret_rotated",
    "endpoint.key_rotated",
    "endpoint.keys_ended",
    "endpoint.enabled",
    "endpoint.disabled",
    "endpoint.slowed",
    "endpoint.deleted",
];
/// Sent by the client's word only, whatever the endpoint has subscribed to.
pub const TEST_EVENT: &str = "webhook.test";

/// Endpoints of one client at most; every event of a job is a row for each.
pub const MAX_ENDPOINTS: i64 = 20;

/// Secrets, and key pairs, of one endpoint that sign beside each other at most: every one is a signature in the header of
/// every post. One more ends the oldest.
pub const MAX_LIVE_SECRETS: i64 = 5;

pub const MAX_DESCRIPTION: usize = 500;
pub const MAX_HEADERS: usize = 10;
pub const MAX_HEADER_LENGTH: usize = 1024;
pub const MAX_RATE: i64 = 1000;

/// Which events an endpoint wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Events {
    /// All there are and all to come.
    All,
    Only(Vec<String>),
}

/// How fast an endpoint takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    Unlimited,
    /// Posts a second.
    Limited(i32),
}

/// Whether anything is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

/// Members of an endpoint; what is `None` was not said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub url: Option<CallbackUrl>,
    pub description: Option<String>,
    pub events: Option<Events>,
    /// Names in lower case.
    pub headers: Option<BTreeMap<String, String>>,
    pub rate: Option<Rate>,
    pub switch: Option<Switch>,
}

/// A new endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    pub url: CallbackUrl,
    pub settings: Settings,
}

/// A change of secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The client's own; `None` asks for a fresh one.
    pub secret: Option<Secret>,
    /// How long the secrets that stand go on signing.
    pub overlap_seconds: i64,
}

/// A change of key pairs: a fresh one, always ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRotation {
    /// How long the key pairs that stand go on signing.
    pub overlap_seconds: i64,
}

impl Registration {
    pub fn parse(body: Value, loopback: Loopback) -> Result<Self, Vec<Violation>> {
        let settings = Settings::parse(body, loopback)?;
        match settings.url.clone() {
            Some(url) => Ok(Self { url, settings }),
            None => Err(vec![Violation { pointer: "/url".to_owned(), detail: "is required".to_owned() }]),
        }
    }
}

impl Settings {
    /// Whether it says anything but the switch.
    pub fn edits(&self) -> bool {
        *self != Self { switch: self.switch, ..Self::default() }
    }

    pub fn parse(body: Value, loopback: Loopback) -> Result<Self, Vec<Violation>> {
        let mut wrong = Violations::default();
        let settings = Fields::of(body, "", &mut wrong).map(|mut fields| {
            let settings = Self {
                url: url(&mut fields, loopback),
                description: fields.text("description", MAX_DESCRIPTION),
                events: fields.take("event_types").and_then(|value| events(&mut fields, value)),
                headers: fields.take("headers").and_then(|value| headers(&mut fields, value)),
                rate: fields.integer("rate_limit", 0, MAX_RATE).map(rate),
                switch: fields.flag("enabled").map(|on| if on { Switch::On } else { Switch::Off }),
            };
            fields.finish();
            settings
        });
        wrong.into_result(settings)
    }
}

impl Rotation {
    pub fn parse(body: Value) -> Result<Self, Vec<Violation>> {
        let mut wrong = Violations::default();
        let rotation = Fields::of(body, "", &mut wrong).map(|mut fields| {
            let secret = fields.text("secret", 120).and_then(|text| secret(&mut fields, text));
            let overlap_seconds = overlap(&mut fields);
            fields.finish();
            Self { secret, overlap_seconds }
        });
        wrong.into_result(rotation)
    }
}

impl KeyRotation {
    pub fn parse(body: Value) -> Result<Self, Vec<Violation>> {
        let mut wrong = Violations::default();
        let rotation = Fields::of(body, "", &mut wrong).map(|mut fields| {
            let overlap_seconds = overlap(&mut fields);
            fields.finish();
            Self { overlap_seconds }
        });
        wrong.into_result(rotation)
    }
}

fn overlap(fields: &mut Fields<'_>) -> i64 {
    let given = fields.integer("overlap_seconds", 0, SECRET_OVERLAP_MAX_SECONDS);
    given.unwrap_or(SECRET_OVERLAP_DEFAULT_SECONDS)
}

/// `webhook-…` secrets as the specification of Standard Webhooks wants them: 24 to 64 bytes in base64.
fn secret(fields: &mut Fields<'_>, text: String) -> Option<Secret> {
    let bytes = text.strip_prefix("whsec_").and_then(|base64| STANDARD.decode(base64).ok());
    if bytes.is_some_and(|bytes| (24..=64).contains(&bytes.len())) {
        return Some(Secret::new(text));
    }
    fields.refuse("secret", "must be \"whsec_\" and 24 to 64 bytes in base64")
}

fn url(fields: &mut Fields<'_>, loopback: Loopback) -> Option<CallbackUrl> {
    let text = fields.text("url", CallbackUrl::MAX_LENGTH)?;
    CallbackUrl::parse(&text, loopback).map_or_else(|why| fields.refuse("url", why.to_string()), Some)
}

fn events(fields: &mut Fields<'_>, value: Value) -> Option<Events> {
    let Value::Array(list) = value else {
        let detail = format!("must be a list of event types, not {}", kind(&value));
        return fields.refuse("event_types", detail);
    };
    let known = known_events();
    let mut only = Vec::new();
    for one in &list {
        match one.as_str() {
            Some("*") if list.len() == 1 => return Some(Events::All),
            Some(name) if known.contains(&name) => only.push(name.to_owned()),
            _ => {
                let detail = format!("may hold {} or be [\"*\"]; {one} is none of them", known.join(", "));
                return fields.refuse("event_types", detail);
            }
        }
    }
    only.sort_unstable();
    only.dedup();
    if only.is_empty() {
        return fields.refuse("event_types", "must not be empty; [\"*\"] is all of them");
    }
    Some(Events::Only(only))
}

/// What may be subscribed to.
pub fn known_events() -> Vec<&'static str> {
    EventType::ALL.into_iter().map(EventType::as_str).chain(CHANGE_EVENTS).collect()
}

fn rate(limit: i64) -> Rate {
    match i32::try_from(limit) {
        Ok(limit @ 1..) => Rate::Limited(limit),
        _ => Rate::Unlimited,
    }
}

/// Headers that say what the post is, how it travels or whom it comes from are AFC's and the network's.
const RESERVED: [&str; 24] = [
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "date",
    "expect",
    "forwarded",
    "host",
    "keep-alive",
    "origin",
    "proxy-authorization",
    "proxy-connection",
    "referer",
    "te",
    "traceparent",
    "tracestate",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "via",
    "x-real-ip",
];
const RESERVED_BEGINNINGS: [&str; 6] = ["webhook-", "svix-", "cf-", "sec-", "proxy-", "x-forwarded-"];

fn headers(fields: &mut Fields<'_>, value: Value) -> Option<BTreeMap<String, String>> {
    let Value::Object(members) = value else {
        return fields.refuse("headers", format!("must be an object of strings, not {}", kind(&value)));
    };
    if members.len() > MAX_HEADERS {
        return fields.refuse("headers", format!("may hold {MAX_HEADERS} headers at most"));
    }
    let mut headers = BTreeMap::new();
    for (name, value) in members {
        let lower = name.to_ascii_lowercase();
        if !is_token(&lower) {
            return fields.refuse("headers", format!("{name:?} is no header's name"));
        }
        let reserved = RESERVED.contains(&lower.as_str())
            || RESERVED_BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning));
        if reserved {
            return fields.refuse("headers", format!("{name:?} is reserved"));
        }
        let Some(text) = value.as_str().filter(|text| is_header_value(text)) else {
            let detail = format!("{name:?} must have 1 to {MAX_HEADER_LENGTH} visible ASCII characters");
            return fields.refuse("headers", detail);
        };
        if headers.insert(lower, text.to_owned()).is_some() {
            return fields.refuse("headers", format!("{name:?} is there twice"));
        }
    }
    Some(headers)
}

/// A name of RFC 9110, 5.1.
fn is_token(name: &str) -> bool {
    let symbol = |byte| b"!#$%&'*+-.^_`|~".contains(&byte);
    (1..=100).contains(&name.len())
        && name.bytes().all(|byte: u8| byte.is_ascii_alphanumeric() || symbol(byte))
}

fn is_header_value(text: &str) -> bool {
    (1..=MAX_HEADER_LENGTH).contains(&text.len())
        && text.trim() == text
        && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(body: Value) -> String {
        let wrong = Registration::parse(body, Loopback::Refused).unwrap_err();
        format!("{} {}", wrong[0].pointer, wrong[0].detail)
    }

    #[test]
    fn b12_an_endpoint_is_read_whole() {
        let body = json!({"url": "https://hooks.studio.com/a", "event_types": ["generation.failed", "endpoint.disabled",
            "generation.failed"], "headers": {"X-Shard": "7"}, "rate_limit": 5, "enabled": false});
        let Registration { settings, .. } = Registration::parse(body, Loopback::Refused).unwrap();
        let only = ["endpoint.disabled", "generation.failed"].map(str::to_owned).to_vec();
        assert_eq!(settings.events, Some(Events::Only(only)));
        assert_eq!(settings.headers.unwrap()["x-shard"], "7");
        assert_eq!((settings.rate, settings.switch), (Some(Rate::Limited(5)), Some(Switch::Off)));
        let all = json!({"event_types": ["*"], "rate_limit": 0});
        let all = Settings::parse(all, Loopback::Refused).unwrap();
        assert_eq!((all.events, all.rate), (Some(Events::All), Some(Rate::Unlimited)));
    }

    #[test]
    fn b12_headers_that_are_not_the_clients_are_refused() {
        for name in
            ["Host", "content-length", "Webhook-Id", "webhook-signature", "CF-Connecting-IP", "Cookie"]
        {
            let body = json!({"url": "https://hooks.studio.com/a", "headers": {name: "x"}});
            assert!(refused(body).contains("is reserved"), "{name}");
        }
        for (name, value) in
            [("a b", "x"), ("", "x"), ("x", "a\r\nhost: b"), ("x", ""), ("x", " x"), ("x", "ü")]
        {
            let body = json!({"url": "https://hooks.studio.com/a", "headers": {name: value}});
            assert!(refused(body).starts_with("/headers "), "{name:?} {value:?}");
        }
    }

    #[test]
    fn f24_the_guard_stands_at_registration() {
        fn lines(corpus: &str) -> Vec<&str> {
            corpus.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
        }
        let hostile = lines(include_str!("callback_url/hostile.txt"));
        assert!(hostile.len() >= 120);
        for url in hostile {
            assert!(refused(json!({"url": url})).starts_with("/url "), "{url}");
        }
        let good = lines(include_str!("callback_url/good.txt"));
        assert!(good.len() >= 40);
        for url in good {
            assert!(Registration::parse(json!({"url": url}), Loopback::Refused).is_ok(), "{url}");
        }
        assert_eq!(refused(json!({})), "/url is required");
        assert!(refused(json!({"url": "https://a.com/", "ulr": 1})).contains("did you mean"));
    }

    #[test]
    fn b12_a_secret_has_24_to_64_bytes() {
        let parse = |bytes: usize| {
            let secret = format!("whsec_{}", STANDARD.encode(vec![7; bytes]));
            Rotation::parse(json!({"secret": secret, "overlap_seconds": 60}))
        };
        for (bytes, holds) in [(23, false), (24, true), (64, true), (65, false)] {
            assert_eq!(parse(bytes).is_ok(), holds, "{bytes}");
        }
        assert!(Rotation::parse(json!({"secret": "hunter2"})).is_err());
        assert_eq!(Rotation::parse(json!({})).unwrap().overlap_seconds, 86_400);
        // A key pair is never the client's own: its secret half must not have been elsewhere.
        assert_eq!(KeyRotation::parse(json!({"overlap_seconds": 0})).unwrap().overlap_seconds, 0);
        assert!(KeyRotation::parse(json!({"secret": "whsk_AAAA"})).is_err());
    }
}
