//! The ledger: every submit that reached the simulator, what became of it, and what it cost.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::behaviour::Behaviour;
use super::job::{Job, Phase, Progress};
use crate::money::Money;

/// What a finished job costs when the script names no charge.
const USUAL_CHARGE: &str = "0.40";

/// One submit.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) provider: &'static str,
    pub(super) model: String,
    pub(super) request_id: String,
    pub(super) at: DateTime<Utc>,
    pub(super) body: Value,
    pub(super) headers: Map<String, Value>,
    pub(super) query: Map<String, Value>,
    pub(super) behaviour: Behaviour,
    /// The job, with the moment it was accepted.
    pub(super) accepted: Option<(Instant, Job)>,
    /// The status the submit was answered with; none when the connection was reset.
    pub(super) answered: Option<u16>,
    /// The call whose submit made this one too.
    pub(super) duplicate_of: Option<String>,
    /// Its provider knows nothing of it any more, and has no output.
    pub(super) deleted: bool,
    pub(super) polls: u32,
    pub(super) results: u32,
    pub(super) fetches: u32,
    /// Fetches of the output that carried an `Authorization`, which no output URL should see.
    pub(super) fetches_with_credentials: u32,
    /// When output URLs were given out, for those that expire.
    pub(super) issues: Vec<Instant>,
    pub(super) callbacks: Vec<CallbackTry>,
}

/// One attempt to call back.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CallbackTry {
    pub(super) at: String,
    pub(super) url: String,
    /// What it was answered with.
    pub(super) status: Option<u16>,
    /// Or why it was not.
    pub(super) error: Option<String>,
}

/// Conditions on the calls a ledger shows and sums up; an absent one holds.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Filter {
    /// The provider's name.
    pub provider: Option<String>,
    /// The whole name of the model.
    pub model: Option<String>,
    /// The provider's id of the job.
    pub request_id: Option<String>,
    /// Accepted ones, or those that were not.
    pub accepted: Option<bool>,
    /// The `Idempotency-Key` that was sent.
    pub idempotency_key: Option<String>,
    /// A part of the prompt.
    pub prompt_contains: Option<String>,
    /// A text somewhere in the body, the headers or the query: an attempt id in a callback URL, for instance.
    pub contains: Option<String>,
}

impl Call {
    /// How long ago it was accepted.
    fn elapsed(&self, now: Instant) -> Option<(Duration, &Job)> {
        self.accepted.as_ref().map(|(since, job)| (now.saturating_duration_since(*since), job))
    }

    /// Where its job is; none when it was not accepted.
    pub(super) fn phase(&self, now: Instant) -> Option<Phase> {
        self.elapsed(now).map(|(elapsed, job)| job.phase(&self.behaviour, elapsed))
    }

    /// When its job ends by itself.
    pub(super) fn end(&self) -> Option<Instant> {
        self.accepted.as_ref().and_then(|(since, job)| job.end(&self.behaviour).map(|end| *since + end))
    }

    /// Asks to cancel it. Answers where it was.
    pub(super) fn cancel(&mut self, now: Instant) -> Option<Phase> {
        let before = self.phase(now)?;
        let (since, job) = self.accepted.as_mut()?;
        if !before.is_final() && job.cancelled.is_none() {
            job.cancelled = Some(now.saturating_duration_since(*since));
        }
        Some(before)
    }

    /// What the provider has charged: nothing (`None`) before the end, and for what it never accepted.
    ///
    /// A success costs the script's charge or the usual one; anything else what the script says, or nothing. What was
    /// cancelled in the queue never costs anything.
    pub(super) fn charge(&self, now: Instant) -> Option<(String, Money)> {
        let phase = self.phase(now)?;
        let free = || ("0".to_owned(), Money::default());
        let scripted =
            self.behaviour.charge.as_ref().map(|charge| (charge.text().to_owned(), charge.amount()));
        match phase {
            Phase::Queued | Phase::Running => None,
            Phase::Ended(super::behaviour::Outcome::Succeed) => Some(
                scripted
                    .unwrap_or_else(|| (USUAL_CHARGE.to_owned(), USUAL_CHARGE.parse().unwrap_or_default())),
            ),
            Phase::Ended(_) | Phase::Cancelled(Progress::Running) => Some(scripted.unwrap_or_else(free)),
            Phase::NotStarted | Phase::Cancelled(Progress::Queued) => Some(free()),
        }
    }

    /// The `Idempotency-Key` that was sent.
    pub(super) fn idempotency_key(&self) -> Option<&str> {
        self.headers.get("idempotency-key").and_then(Value::as_str)
    }

    /// The prompt of the body, empty when it has none.
    pub(super) fn prompt(&self) -> &str {
        prompt_of(&self.body)
    }

    fn to_json(&self, now: Instant) -> Value {
        let phase = self.phase(now);
        json!({
            "id": self.id,
            "provider": self.provider,
            "model": self.model,
            "request_id": self.accepted.as_ref().map(|_| &self.request_id),
            "at": time_text(self.at),
            "accepted": self.accepted.is_some(),
            "charged": self.charge(now).map(|(text, _)| text),
            "units": self.behaviour.units,
            "body": self.body,
            "headers": self.headers,
            "query": self.query,
            "state": phase.map_or("rejected", Phase::word),
            "cancelled": matches!(phase, Some(Phase::Cancelled(_))),
            "cancel_requested": self.accepted.as_ref().is_some_and(|(_, job)| job.cancelled.is_some()),
            "answered": self.answered,
            "duplicate_of": self.duplicate_of,
            "deleted": self.deleted,
            "polls": self.polls,
            "results": self.results,
            "fetches": self.fetches,
            "fetches_with_credentials": self.fetches_with_credentials,
            "callbacks": self.callbacks,
        })
    }
}

impl Filter {
    fn holds(&self, call: &Call) -> bool {
        let same =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        let key = call.idempotency_key().unwrap_or_default();
        same(&self.provider, call.provider)
            && same(&self.model, &call.model)
            && same(&self.request_id, &call.request_id)
            && same(&self.idempotency_key, key)
            && self.accepted.is_none_or(|accepted| accepted == call.accepted.is_some())
            && self.prompt_contains.as_deref().is_none_or(|part| call.prompt().contains(part))
            && self.contains.as_deref().is_none_or(|part| {
                let everything = json!([call.body, call.headers, call.query]);
                texts(&everything).iter().any(|text| text.contains(part))
            })
    }
}

/// Every text within a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// The ledger of `calls` as JSON.
pub(super) fn show(calls: &[Call], filter: &Filter, now: Instant) -> Value {
    let shown: Vec<&Call> = calls.iter().filter(|call| filter.holds(call)).collect();
    let charged: Money = shown.iter().filter_map(|call| call.charge(now)).map(|(_, amount)| amount).sum();
    json!({
        "accepted": shown.iter().filter(|call| call.accepted.is_some()).count(),
        "charged": charged.to_string(),
        "calls": shown.iter().map(|call| call.to_json(now)).collect::<Vec<_>>(),
    })
}

/// The prompt in the body of a request, wherever the providers have it; empty when there is none.
pub(super) fn prompt_of(body: &Value) -> &str {
    let places = ["/prompt", "/input/prompt", "/promptText", "/instances/0/prompt", "/content/0/text"];
    places.iter().find_map(|place| body.pointer(place).and_then(Value::as_str)).unwrap_or_default()
}

/// Headers as they are shown: names in lower case, repeated ones joined, credentials without their secret.
pub(super) fn show_headers(headers: &HeaderMap) -> Map<String, Value> {
    let mut shown = BTreeMap::<String, String>::new();
    for (name, value) in headers {
        let text = String::from_utf8_lossy(value.as_bytes());
        let text = if name == AUTHORIZATION
            || name == "cf-aig-authorization"
            || name.as_str().ends_with("-key") && name != "idempotency-key"
        {
            let scheme =
                text.split(' ').next().filter(|scheme| scheme.len() < text.len()).unwrap_or_default();
            format!("{scheme} [REDACTED]").trim_start().to_owned()
        } else {
            text.into_owned()
        };
        shown
            .entry(name.to_string())
            .and_modify(|so_far| *so_far = format!("{so_far}, {text}"))
            .or_insert(text);
    }
    shown.into_iter().map(|(name, value)| (name, Value::String(value))).collect()
}

/// A time as the providers and the ledger write it.
pub(super) fn time_text(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}
