//! W3C Trace Context: which story of the caller's a piece of work belongs to.
//!
//! AFC takes part without recording spans of its own: it hands the trace on under span ids that follow from ids of the
//! record, so that a repeat names the same span and nothing has to be drawn or stored for it.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU128;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The bits of `trace-flags` that have a meaning: sampled, and a random trace id. Others are not handed on.
const KNOWN_FLAGS: u8 = 0b11;
const SAMPLED: u8 = 0b01;

/// Characters of `tracestate` that are handed on at least; the standard asks for as many and AFC keeps no more.
const STATE_LIMIT: usize = 512;
const STATE_MEMBERS: usize = 32;
/// A member longer than this goes first.
const STATE_MEMBER_LIMIT: usize = 128;

/// A trace, as it goes along with a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    id: TraceId,
    flags: u8,
    /// `tracestate`: other systems' words, which AFC hands to its client's receivers and to nobody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<String>,
}

/// 32 lower-case hex digits, not all zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct TraceId(NonZeroU128);

/// The text is no trace id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not 32 lower-case hex digits with one that is not 0")]
pub struct NotATraceId;

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl From<TraceId> for String {
    fn from(id: TraceId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for TraceId {
    type Error = NotATraceId;

    fn try_from(text: String) -> Result<Self, NotATraceId> {
        hex_id(&text).ok_or(NotATraceId)
    }
}

fn hex_id(text: &str) -> Option<TraceId> {
    let digits = Some(text).filter(|text| is_hex(text, 32))?;
    u128::from_str_radix(digits, 16).ok().and_then(NonZeroU128::new).map(TraceId)
}

/// The id of a piece of work within a trace: 16 hex digits, not all zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(u64);

impl Span {
    /// The second half of a UUID; its variant bits keep it from being zero.
    pub const fn of(id: Uuid) -> Self {
        Self(id.as_u64_pair().1)
    }

    /// Of work that is named by a text, a delivery for example.
    pub fn named(name: &str) -> Self {
        let digest = Sha256::digest(name.as_bytes());
        let number = digest.iter().take(8).fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
        Self(number.max(1))
    }
}

impl Trace {
    /// The trace that a request belongs to: the caller's, or one that begins here as `fresh`. A `traceparent` that is not
    /// valid, or of a version that cannot be read, begins a new one, as the standard has it; a `tracestate` counts only
    /// beside a valid one.
    pub fn of(traceparent: Option<&str>, tracestate: Option<&str>, fresh: Uuid) -> Self {
        let callers = traceparent.and_then(parent);
        callers.map_or_else(
            || {
                let id = NonZeroU128::new(fresh.as_u128()).unwrap_or(NonZeroU128::MIN);
                Self { id: TraceId(id), flags: SAMPLED, state: None }
            },
            |(id, flags)| Self { id, flags, state: tracestate.and_then(state) },
        )
    }

    pub const fn id(&self) -> TraceId {
        self.id
    }

    /// The `traceparent` of a call that is made on behalf of `span`.
    pub fn traceparent(&self, span: Span) -> String {
        format!("00-{}-{:016x}-{:02x}", self.id, span.0, self.flags)
    }

    pub fn tracestate(&self) -> Option<&str> {
        self.state.as_deref()
    }
}

/// Trace id and flags of a `traceparent`.
fn parent(text: &str) -> Option<(TraceId, u8)> {
    let mut parts = text.splitn(5, '-');
    let (version, id, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let rest = parts.next();
    let known = match version {
        "00" => rest.is_none(),
        // A later version begins the same way.
        _ => version != "ff" && is_hex(version, 2),
    };
    let named = is_hex(span, 16) && span.bytes().any(|byte| byte != b'0');
    if !known || !named || !is_hex(flags, 2) {
        return None;
    }
    Some((hex_id(id)?, u8::from_str_radix(flags, 16).ok()? & KNOWN_FLAGS))
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A valid `tracestate` within the limits; `None` if it is not valid, or nothing is left of it.
fn state(text: &str) -> Option<String> {
    let members: Vec<&str> = text.split(',').map(|member| member.trim_matches([' ', '\t'])).collect();
    let mut members: Vec<&str> = members.into_iter().filter(|member| !member.is_empty()).collect();
    let mut keys = BTreeSet::new();
    let valid = members.iter().all(|member| {
        member.split_once('=').is_some_and(|(key, value)| is_key(key) && is_value(value) && keys.insert(key))
    });
    if !valid || members.len() > STATE_MEMBERS {
        return None;
    }
    let length = |members: &[&str]| members.iter().map(|member| member.len() + 1).sum::<usize>();
    if length(&members) > STATE_LIMIT + 1 {
        members.retain(|member| member.len() <= STATE_MEMBER_LIMIT);
    }
    while length(&members) > STATE_LIMIT + 1 {
        members.pop();
    }
    (!members.is_empty()).then(|| members.join(","))
}

fn is_key(key: &str) -> bool {
    let part = |text: &str, limit: usize| {
        (1..=limit).contains(&text.len())
            && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'*' | b'/'))
    };
    let begins = |text: &str| text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    match key.split_once('@') {
        None => part(key, 256) && !key.starts_with(['_', '-', '*', '/']),
        Some((tenant, system)) => {
            part(tenant, 241)
                && !tenant.starts_with(['_', '-', '*', '/'])
                && part(system, 14)
                && begins(system)
        }
    }
}

fn is_value(value: &str) -> bool {
    (1..=256).contains(&value.len())
        && value.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b',' && byte != b'=')
        && !value.ends_with(' ')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::*;

    const ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const FRESH: Uuid = Uuid::from_u128(7);

    fn of(traceparent: &str, tracestate: Option<&str>) -> Trace {
        Trace::of(Some(traceparent), tracestate, FRESH)
    }

    #[test]
    fn a_callers_trace_goes_on_under_a_span_of_ours() {
        let trace = of(&format!("00-{ID}-00f067aa0ba902b7-01"), Some("rojo=1,congo=t61"));
        let span = Span::of("0198c0de-0000-7000-8000-000000000001".parse().unwrap());
        assert_eq!(trace.traceparent(span), format!("00-{ID}-8000000000000001-01"));
        assert_eq!(trace.tracestate(), Some("rojo=1,congo=t61"));
        let stored: Trace = serde_json::from_value(serde_json::to_value(&trace).unwrap()).unwrap();
        assert_eq!(stored, trace);
        assert_eq!(Span::named("a"), Span::named("a"));
        assert_ne!(Span::named("a"), Span::named("b"));
    }

    #[test]
    fn what_is_no_traceparent_begins_a_trace() {
        let span = "00f067aa0ba902b7";
        for odd in [
            String::new(),
            format!("00-{ID}-{span}"),
            format!("00-{ID}-{span}-01-extra"),
            format!("00-{ID}-{span}-1"),
            format!("ff-{ID}-{span}-01"),
            format!("0-{ID}-{span}-01"),
            format!("00-{}-{span}-01", ID.to_uppercase()),
            format!("00-{}-{span}-01", "0".repeat(32)),
            format!("00-{ID}-{}-01", "0".repeat(16)),
            format!("00-{ID}-{span}-0x"),
            format!("00-{ID}-{span}-01, 00-{ID}-{span}-01"),
        ] {
            let trace = of(&odd, Some("rojo=1"));
            assert_eq!(
                (trace.id().to_string().as_str(), trace.tracestate()),
                ("00000000000000000000000000000007", None),
                "{odd}"
            );
        }
        assert_eq!(
            Trace::of(None, Some("a=1"), FRESH).traceparent(Span(1)),
            "00-00000000000000000000000000000007-0000000000000001-01"
        );
    }

    #[test]
    fn a_later_version_is_read_as_far_as_it_is_known() {
        for later in
            [format!("cc-{ID}-00f067aa0ba902b7-ff"), format!("cc-{ID}-00f067aa0ba902b7-ff-what-else")]
        {
            assert_eq!(
                of(&later, None).traceparent(Span(1)),
                format!("00-{ID}-0000000000000001-03"),
                "{later}"
            );
        }
    }

    #[test]
    fn a_tracestate_is_kept_within_its_limits_or_not_at_all() {
        for (sent, kept) in [
            ("a=1", Some("a=1")),
            (" a=1 ,\t, tenant@sys=x y ", Some("a=1,tenant@sys=x y")),
            ("a=1,a=2", None),
            ("A=1", None),
            ("a", None),
            ("a=", None),
            ("a=b=c", None),
            ("a=é", None),
            ("@sys=1", None),
            ("", None),
        ] {
            assert_eq!(state(sent).as_deref(), kept, "{sent}");
        }
        let many: Vec<String> = (0..33).map(|n| format!("k{n}=1")).collect();
        assert_eq!(state(&many.join(",")), None);
        let long = format!(
            "long={},short=1,{}",
            "x".repeat(200),
            (0..20).map(|n| format!("k{n}={}", "y".repeat(30))).collect::<Vec<_>>().join(",")
        );
        let kept = state(&long).unwrap();
        assert!(kept.len() <= STATE_LIMIT && kept.starts_with("short=1,k0="), "{kept}");
    }

    proptest! {
        #[test]
        fn whatever_comes_in_what_goes_out_is_valid(parent in any::<String>(), sent in any::<String>()) {
            let trace = Trace::of(Some(&parent), Some(&sent), FRESH);
            let again = Trace::of(Some(&trace.traceparent(Span(1))), trace.tracestate(), FRESH);
            assert_eq!(again, trace);
        }

        #[test]
        fn a_valid_state_stays_valid(values in proptest::collection::vec("[ -+--<>-~]{0,200}[!-+]", 1..32)) {
            let sent: Vec<String> = values.iter().enumerate().map(|(n, value)| format!("k{n}={value}")).collect();
            if let Some(kept) = state(&sent.join(",")) {
                assert!(kept.len() <= STATE_LIMIT);
                assert_eq!(state(&kept), Some(kept));
            }
        }
    }
}
