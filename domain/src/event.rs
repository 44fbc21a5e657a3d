//! What receivers are told.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::job::Status;
use crate::style_run::State;

/// The version of the envelope below; a change that could break a receiver gets a new date.
pub const API_VERSION: &str = "2026-12-01";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EventType {
    #[serde(rename = "generation.succeeded")]
    GenerationSucceeded,
    #[serde(rename = "generation.failed")]
    GenerationFailed,
    #[serde(rename = "generation.cancelled")]
    GenerationCancelled,
    #[serde(rename = "style_run.review_requested")]
    StyleRunReviewRequested,
    #[serde(rename = "style_run.decided")]
    StyleRunDecided,
    #[serde(rename = "style_run.approved")]
    StyleRunApproved,
    #[serde(rename = "style_run.rejected")]
    StyleRunRejected,
    #[serde(rename = "style_run.expired")]
    StyleRunExpired,
    #[serde(rename = "style_run.failed")]
    StyleRunFailed,
    #[serde(rename = "style_run.cancelled")]
    StyleRunCancelled,
}

impl EventType {
    pub const ALL: [Self; 10] = [
        Self::GenerationSucceeded,
        Self::GenerationFailed,
        Self::GenerationCancelled,
        Self::StyleRunReviewRequested,
        Self::StyleRunDecided,
        Self::StyleRunApproved,
        Self::StyleRunRejected,
        Self::StyleRunExpired,
        Self::StyleRunFailed,
        Self::StyleRunCancelled,
    ];

    /// The event of a job that ended in `status`; `None` while it is open (I6, I7).
    pub const fn of_status(status: Status) -> Option<Self> {
        match status {
            Status::Succeeded => Some(Self::GenerationSucceeded),
            Status::Failed => Some(Self::GenerationFailed),
            Status::Cancelled => Some(Self::GenerationCancelled),
            Status::Queued | Status::Running | Status::Waiting => None,
        }
    }

    /// The event of a style run that ended in `state`; `None` while it is open.
    pub const fn of_state(state: State) -> Option<Self> {
        match state {
            State::Approved => Some(Self::StyleRunApproved),
            State::Rejected => Some(Self::StyleRunRejected),
            State::Expired => Some(Self::StyleRunExpired),
            State::Failed => Some(Self::StyleRunFailed),
            State::Cancelled => Some(Self::StyleRunCancelled),
            State::Queued | State::Generating | State::AwaitingReview | State::Revising => None,
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GenerationSucceeded => "generation.succeeded",
            Self::GenerationFailed => "generation.failed",
            Self::GenerationCancelled => "generation.cancelled",
            Self::StyleRunReviewRequested => "style_run.review_requested",
            Self::StyleRunDecided => "style_run.decided",
            Self::StyleRunApproved => "style_run.approved",
            Self::StyleRunRejected => "style_run.rejected",
            Self::StyleRunExpired => "style_run.expired",
            Self::StyleRunFailed => "style_run.failed",
            Self::StyleRunCancelled => "style_run.cancelled",
        }
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Bytes of a payload; receivers are promised less than 20 kB, and the database holds no more.
pub const PAYLOAD_LIMIT: usize = 19_999;

/// The exact text that is stored, signed and sent, within [`PAYLOAD_LIMIT`].
///
/// What does not fit is left out, the most expendable first, and named in `left_out`: the receiver reads it from the API.
/// An event is never too large to be told.
pub fn fitting_envelope(event: EventType, at: DateTime<Utc>, mut data: Value) -> String {
    let mut left_out = Vec::new();
    for member in ["metadata", "outputs", "decision", "error", "project"] {
        let text = envelope(event, at, &data);
        if text.len() <= PAYLOAD_LIMIT {
            return text;
        }
        if let Value::Object(members) = &mut data {
            if members.remove(member).is_none() {
                continue;
            }
            left_out.push(member);
            members.insert("left_out".to_owned(), json!(left_out));
        }
    }
    envelope(event, at, &data)
}

fn envelope(event: EventType, at: DateTime<Utc>, data: &Value) -> String {
    json!({ "type": event, "timestamp": at, "api_version": API_VERSION, "data": data }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i6_an_event_is_never_too_large_to_be_told() {
        let at = DateTime::UNIX_EPOCH;
        let small = json!({"id": "j", "metadata": {"a": "b"}});
        let text = fitting_envelope(EventType::GenerationSucceeded, at, small);
        assert!(text.contains("\"metadata\"") && !text.contains("left_out"));
        let quotes = "\"".repeat(15_000);
        let large =
            json!({"id": "j", "metadata": {"a": quotes}, "outputs": [quotes], "error": {"message": quotes}});
        let text = fitting_envelope(EventType::GenerationFailed, at, large);
        assert!(text.len() <= PAYLOAD_LIMIT);
        let told: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(told["data"], json!({"id": "j", "left_out": ["metadata", "outputs", "error"]}));
    }
}
