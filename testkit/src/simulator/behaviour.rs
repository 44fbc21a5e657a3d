//! What a script makes a provider do.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::money::Money;

/// How a job ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// With an output.
    #[default]
    Succeed,
    /// With the provider's error.
    Fail,
    /// With the provider's refusal of the content.
    Refuse,
    /// As a success that has no output in it.
    Empty,
}

/// How often the provider calls back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Callback {
    /// Once, and again until it is answered with a 2xx.
    #[default]
    Once,
    /// Not at all.
    Never,
    /// Once more after the first was answered.
    Twice,
}

/// What the output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An MP4.
    Video,
    /// A PNG.
    Image,
}

/// A price, kept as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Charge {
    text: String,
    #[serde(skip)]
    amount: Money,
}

impl Charge {
    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it is worth.
    pub fn amount(&self) -> Money {
        self.amount
    }
}

impl<'de> Deserialize<'de> for Charge {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let amount = text.parse().map_err(D::Error::custom)?;
        Ok(Self { text, amount })
    }
}

/// Every field is optional; without any, a job is accepted, runs for a moment, and succeeds.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "these are the named switches of a script, not a state")]
pub struct Behaviour {
    /// Milliseconds in the queue.
    pub queue_ms: u64,
    /// Milliseconds of work after that.
    pub run_ms: u64,
    /// How it ends.
    pub outcome: Outcome,
    /// Answer the submit with this status instead of accepting it.
    pub http_status: Option<u16>,
    /// The body of that answer; a JSON string is sent as plain text.
    pub error_body: Option<Value>,
    /// Headers of that answer.
    pub error_headers: BTreeMap<String, String>,
    /// Accept the job all the same (a gateway that loses the answer).
    pub accept_anyway: bool,
    /// The error of an outcome `fail` (or `refuse`): its body.
    pub fail_body: Option<Value>,
    /// Its status.
    pub fail_status: Option<u16>,
    /// Its headers.
    pub fail_headers: BTreeMap<String, String>,
    /// Accept the job, then reset the connection instead of answering.
    pub drop_response_after_accept: bool,
    /// Reports do not say where the request can be asked for, at a provider whose reports may.
    pub silent_on_place: bool,
    /// Reset the connection; nothing is accepted.
    pub drop_before_accept: bool,
    /// Accept two jobs for the one submit and name the first.
    pub accept_twice: bool,
    /// Answer a submit whose `Idempotency-Key` was accepted before as that one was, and accept nothing.
    pub honours_idempotency_key: bool,
    /// Run for ever.
    pub never_finish: bool,
    /// Finish a running job although it was cancelled.
    pub ignore_cancel: bool,
    /// A status that nobody has heard of, in place of the one for a running job.
    pub unknown_status: Option<String>,
    /// How many fetches of the output are answered as expired before it is there.
    pub result_expired_times: u32,
    /// With which status.
    pub result_expired_status: u16,
    /// Milliseconds an output URL lives; asking for the result again gives a new one.
    pub url_ttl_ms: Option<u64>,
    /// How fast the output comes.
    pub slow_body_bytes_per_s: Option<u64>,
    /// Break the connection after so many bytes of the output.
    pub truncate_body_at: Option<u64>,
    /// Only that often; every time unless given.
    pub truncate_times: Option<u32>,
    /// Send the output in chunks, without saying how long it is.
    pub no_content_length: bool,
    /// The size of the output: the sample, cut or padded.
    pub output_bytes: Option<u64>,
    /// How many outputs there are.
    pub outputs: usize,
    /// Video or image; told from the model's name unless given.
    pub media: Option<Kind>,
    /// Send the output within the result, in base64.
    pub inline: bool,
    /// What the provider charges.
    pub charge: Option<Charge>,
    /// The units it reports, as a number or as text.
    #[serde(deserialize_with = "number_or_text")]
    pub units: Option<String>,
    /// How often it calls back.
    pub callback: Callback,
    /// Milliseconds between the end of the job and the callback.
    pub callback_delay_ms: u64,
    /// Milliseconds before the submit is answered; it is accepted at once.
    pub submit_delay_ms: u64,
    /// Answer polls with this status.
    pub poll_http_status: Option<u16>,
    /// Only so many; all unless given.
    pub poll_errors: Option<u32>,
    /// Answer requests for the result with this status.
    pub result_http_status: Option<u16>,
    /// Only so many; all unless given.
    pub result_errors: Option<u32>,
    /// Answer fetches of the output with this status.
    pub fetch_http_status: Option<u16>,
    /// Only so many; all unless given.
    pub fetch_errors: Option<u32>,
    /// Milliseconds before a finished job shows in listings and billing.
    pub lookup_lag_ms: u64,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            queue_ms: 20,
            run_ms: 50,
            outcome: Outcome::default(),
            http_status: None,
            error_body: None,
            error_headers: BTreeMap::new(),
            accept_anyway: false,
            fail_body: None,
            fail_status: None,
            fail_headers: BTreeMap::new(),
            drop_response_after_accept: false,
            silent_on_place: false,
            drop_before_accept: false,
            accept_twice: false,
            honours_idempotency_key: false,
            never_finish: false,
            ignore_cancel: false,
            unknown_status: None,
            result_expired_times: 0,
            result_expired_status: 410,
            url_ttl_ms: None,
            slow_body_bytes_per_s: None,
            truncate_body_at: None,
            truncate_times: None,
            no_content_length: false,
            output_bytes: None,
            outputs: 1,
            media: None,
            inline: false,
            charge: None,
            units: None,
            callback: Callback::default(),
            callback_delay_ms: 0,
            submit_delay_ms: 0,
            poll_http_status: None,
            poll_errors: None,
            result_http_status: None,
            result_errors: None,
            fetch_http_status: None,
            fetch_errors: None,
            lookup_lag_ms: 0,
        }
    }
}

impl Behaviour {
    pub(super) fn queue(&self) -> Duration {
        Duration::from_millis(self.queue_ms)
    }

    pub(super) fn run(&self) -> Duration {
        Duration::from_millis(self.run_ms)
    }

    /// The scripted status for the `n`th poll (counted from 1), if it is to fail.
    pub(super) fn poll_error(&self, n: u32) -> Option<u16> {
        scripted(self.poll_http_status, self.poll_errors, n)
    }

    /// The scripted status for the `n`th request for the result, if it is to fail.
    pub(super) fn result_error(&self, n: u32) -> Option<u16> {
        scripted(self.result_http_status, self.result_errors, n)
    }

    /// The scripted status for the `n`th fetch of the output, if it is to fail.
    pub(super) fn fetch_error(&self, n: u32) -> Option<u16> {
        let expired = (n <= self.result_expired_times).then_some(self.result_expired_status);
        expired.or_else(|| scripted(self.fetch_http_status, self.fetch_errors, n))
    }

    /// Where the `n`th fetch of the output breaks off, if it does.
    pub(super) fn truncation(&self, n: u32) -> Option<u64> {
        self.truncate_body_at.filter(|_| self.truncate_times.is_none_or(|times| n <= times))
    }
}

fn scripted(status: Option<u16>, times: Option<u32>, n: u32) -> Option<u16> {
    status.filter(|_| times.is_none_or(|times| n <= times))
}

fn number_or_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        Value::Number(number) => Ok(Some(number.to_string())),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            Err(D::Error::custom("units must be a number or a text"))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Behaviour;

    #[test]
    fn a_misspelt_field_or_a_float_for_money_is_refused() {
        assert!(serde_json::from_value::<Behaviour>(json!({"quue_ms": 1})).is_err());
        assert!(serde_json::from_value::<Behaviour>(json!({"charge": 0.5})).is_err());
        let good: Behaviour = serde_json::from_value(json!({"charge": "0.50", "units": 3.008})).unwrap();
        assert_eq!(good.charge.unwrap().text(), "0.50");
        assert_eq!(good.units.as_deref(), Some("3.008"));
    }

    #[test]
    fn scripted_errors_stop_after_their_number() {
        let behaviour: Behaviour = serde_json::from_value(
            json!({"poll_http_status": 503, "poll_errors": 2, "result_expired_times": 1}),
        )
        .unwrap();
        assert_eq!([1, 2, 3].map(|n| behaviour.poll_error(n)), [Some(503), Some(503), None]);
        assert_eq!([1, 2].map(|n| behaviour.fetch_error(n)), [Some(410), None]);
    }
}
