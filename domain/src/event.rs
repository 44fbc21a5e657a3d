//! What receivers are told.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::job::Status;

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
}

impl EventType {
    pub const ALL: [Self; 3] = [Self::GenerationSucceeded, Self::GenerationFailed, Self::GenerationCancelled];

    /// The event of a job that ended in `status`; `None` while it is open (I6, I7).
    pub const fn of_status(status: Status) -> Option<Self> {
        match status {
            Status::Succeeded => Some(Self::GenerationSucceeded),
            Status::Failed => Some(Self::GenerationFailed),
            Status::Cancelled => Some(Self::GenerationCancelled),
            Status::Queued | Status::Running | Status::Waiting => None,
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GenerationSucceeded => "generation.succeeded",
            Self::GenerationFailed => "generation.failed",
            Self::GenerationCancelled => "generation.cancelled",
        }
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The exact text that is stored, signed and sent, the same on every try (A38).
pub fn envelope(event: EventType, at: DateTime<Utc>, data: &Value) -> String {
    json!({ "type": event, "timestamp": at, "api_version": API_VERSION, "data": data }).to_string()
}
