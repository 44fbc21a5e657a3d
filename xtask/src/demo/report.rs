//! What the main job showed, for a person and for a program, and whether it held.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::api::{number, text};

/// The result; serialised it is the JSON line of `demo --json`.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) job_id: String,
    pub(super) status: String,
    pub(super) created_status: u16,
    pub(super) replay_status: u16,
    #[serde(skip)]
    pub(super) replay_id: String,
    pub(super) conflict_status: u16,
    #[serde(skip)]
    pub(super) conflict_code: String,
    pub(super) output: Output,
    /// Where the file is, relative to the checkout.
    pub(super) saved_as: String,
    /// Bytes and hash as the API says them.
    #[serde(skip)]
    pub(super) shown_output: (u64, String),
    /// Their number.
    #[serde(serialize_with = "count")]
    pub(super) attempts: Vec<Value>,
    #[serde(skip)]
    pub(super) cost: Value,
    pub(super) ledger: Ledger,
    #[serde(skip)]
    pub(super) ledger_before_replay: Ledger,
    pub(super) webhook: Webhook,
    /// Each status, and the milliseconds from the request to its first sight.
    #[serde(skip)]
    pub(super) states: Vec<(String, u128)>,
    pub(super) timings_ms: Timings,
}

/// The saved file.
#[derive(Debug, Serialize)]
pub(super) struct Output {
    pub(super) bytes: u64,
    pub(super) sha256: String,
    pub(super) content_type: String,
}

/// The provider's own books.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Ledger {
    accepted: u64,
    /// US dollars, decimal.
    charged: String,
}

/// The delivery.
#[derive(Debug, Serialize)]
pub(super) struct Webhook {
    pub(super) id: String,
    #[serde(skip)]
    pub(super) event: String,
    pub(super) verified: bool,
}

/// Milliseconds; all but `stack` from the request on.
#[derive(Debug, Serialize)]
pub(super) struct Timings {
    /// Set-up, build and start of the stack.
    pub(super) stack: u128,
    pub(super) create: u128,
    pub(super) terminal: u128,
    pub(super) webhook: u128,
}

impl Ledger {
    /// The totals of the simulator's ledger.
    pub(super) fn of(ledger: &Value) -> Self {
        Self { accepted: number(ledger, "/accepted"), charged: text(ledger, "/charged").to_owned() }
    }
}

impl Report {
    /// What should have held and did not; empty when all is well.
    pub(super) fn unmet(&self) -> Vec<String> {
        let mut unmet = Vec::new();
        let mut expect = |what: &str, found: &dyn fmt::Debug, holds: bool| {
            if !holds {
                unmet.push(format!("{what}; found {found:?}"));
            }
        };
        let Self { output, ledger, webhook, .. } = self;
        expect("the first request is answered 201", &self.created_status, self.created_status == 201);
        expect("the job succeeds", &self.status, self.status == "succeeded");
        expect("the output is not empty", &output.bytes, output.bytes > 0);
        let shown = &self.shown_output;
        expect(
            "the API says the output's size and hash",
            shown,
            *shown == (output.bytes, output.sha256.clone()),
        );
        expect("there is one attempt", &self.attempts.len(), self.attempts.len() == 1);
        expect("the provider accepted one call", &ledger.accepted, ledger.accepted == 1);
        let priced = text(&self.cost, "/priced");
        expect(
            "the record's spend is the provider's charge",
            &(priced, &ledger.charged),
            priced == ledger.charged,
        );
        expect("the webhook's signature is ours", &webhook.verified, webhook.verified);
        expect("the webhook says success", &webhook.event, webhook.event == "generation.succeeded");
        expect("a replay is answered 202", &self.replay_status, self.replay_status == 202);
        expect("a replay shows the same job", &self.replay_id, self.replay_id == self.job_id);
        expect(
            "a replay costs nothing",
            &(&self.ledger_before_replay, ledger),
            self.ledger_before_replay == *ledger,
        );
        let conflict = (self.conflict_status, self.conflict_code.as_str());
        expect("another body is a conflict", &conflict, conflict == (409, "IDEMPOTENCY_CONFLICT"));
        unmet
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n  generation {}: {}", self.job_id, self.status)?;
        for (status, at) in &self.states {
            writeln!(f, "    {at:>6} ms  {status}")?;
        }
        writeln!(
            f,
            "    {:>6} ms  webhook {} ({})",
            self.timings_ms.webhook,
            self.webhook.id,
            signature(&self.webhook)
        )?;
        for attempt in &self.attempts {
            let word = |pointer| text(attempt, pointer);
            let (provider, model, state) = (word("/provider"), word("/model"), word("/state"));
            writeln!(f, "  attempt {}: {provider} {model} {state}", number(attempt, "/ordinal"))?;
            writeln!(f, "    {} … {}", word("/started_at"), word("/finished_at"))?;
            let (cost, source) = (shown(attempt.get("cost")), shown(attempt.get("cost_source")));
            writeln!(f, "    provider's request {}, cost {cost} ({source})", word("/provider_request_id"))?;
        }
        writeln!(f, "  cost: {}", self.cost)?;
        writeln!(
            f,
            "  provider's ledger: {} accepted, {} charged",
            self.ledger.accepted, self.ledger.charged
        )?;
        let Output { bytes, sha256, content_type } = &self.output;
        writeln!(
            f,
            "  output: {bytes} bytes, {content_type}, sha256 {sha256}\n    saved as {}",
            self.saved_as
        )?;
        write!(
            f,
            "  replay: {}; other body: {} {}",
            self.replay_status, self.conflict_status, self.conflict_code
        )
    }
}

fn signature(webhook: &Webhook) -> &'static str {
    if webhook.verified { "signature verified" } else { "signature is wrong" }
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "unknown".to_owned(),
        Some(value) => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    }
}

fn count<S: Serializer>(attempts: &[Value], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(attempts.len()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Ledger, Output, Report, Timings, Webhook};

    fn report() -> Report {
        let ledger = || Ledger { accepted: 1, charged: "1.200000".to_owned() };
        Report {
            job_id: "j".to_owned(),
            status: "succeeded".to_owned(),
            created_status: 201,
            replay_status: 202,
            replay_id: "j".to_owned(),
            conflict_status: 409,
            conflict_code: "IDEMPOTENCY_CONFLICT".to_owned(),
            output: Output { bytes: 3, sha256: "h".to_owned(), content_type: "video/mp4".to_owned() },
            saved_as: "target/demo/j.mp4".to_owned(),
            shown_output: (3, "h".to_owned()),
            attempts: vec![json!({"ordinal": 1})],
            cost: json!({"priced": "1.200000"}),
            ledger: ledger(),
            ledger_before_replay: ledger(),
            webhook: Webhook {
                id: "j_x".to_owned(),
                event: "generation.succeeded".to_owned(),
                verified: true,
            },
            states: Vec::new(),
            timings_ms: Timings { stack: 1, create: 2, terminal: 3, webhook: 4 },
        }
    }

    #[test]
    fn the_json_has_what_was_promised() {
        let line = serde_json::to_value(report()).unwrap();
        for (pointer, value) in [
            ("/job_id", json!("j")),
            ("/replay_status", json!(202)),
            ("/conflict_status", json!(409)),
            ("/output", json!({"bytes": 3, "sha256": "h", "content_type": "video/mp4"})),
            ("/attempts", json!(1)),
            ("/ledger", json!({"accepted": 1, "charged": "1.200000"})),
            ("/webhook", json!({"id": "j_x", "verified": true})),
        ] {
            assert_eq!(line.pointer(pointer), Some(&value), "{pointer}");
        }
        assert!(line["timings_ms"]["terminal"].is_u64() && line["status"] == "succeeded");
    }

    #[test]
    fn everything_that_did_not_hold_is_named() {
        assert_eq!(report().unmet(), Vec::<String>::new());
        let broken = Report {
            replay_status: 201,
            ledger: Ledger { accepted: 2, charged: "2.400000".to_owned() },
            webhook: Webhook { verified: false, ..report().webhook },
            ..report()
        };
        assert_eq!(broken.unmet().len(), 5, "{:?}", broken.unmet());
    }
}
