//! One paid call and what is known of it: the journal's record (B1).

use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::provider::Provider;
use crate::{AttemptId, Units, Usd};

/// The error code of an attempt that its provider does not know. Said of a moment: a lost process may still send it, and
/// its acceptance then stands against this.
pub const NEVER_ARRIVED: &str = "never_arrived";

/// The error code of an attempt that its provider reported of its own accord and does not know where AFC can ask for it:
/// unknown again, for whoever can look elsewhere.
pub const UNREACHABLE: &str = "request_unreachable";

/// What is known of an attempt. The database's CHECK constraint lists the same words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Committed before the first byte was sent; nothing is known since.
    Open,
    /// The provider took it and named a request id. It may be paid from here on.
    Accepted,
    /// Its result is stored.
    Succeeded,
    /// It ended without a result.
    Failed,
    /// Whether the provider took it could not be found out (B3).
    Unknown,
    /// AFC stopped waiting for it, knowingly: the window expired, or the job's policy accepted the risk.
    Abandoned,
}

impl State {
    pub const ALL: [Self; 6] =
        [Self::Open, Self::Accepted, Self::Succeeded, Self::Failed, Self::Unknown, Self::Abandoned];
    /// States whose outcome stands: a later write changes telemetry only (A44).
    pub const ENDED: [Self; 3] = [Self::Succeeded, Self::Failed, Self::Abandoned];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Accepted => "accepted",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Abandoned => "abandoned",
        }
    }
}

/// Why an attempt failed, as far as money and the next step are concerned (B7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    Authentication,
    InvalidInput,
    Refusal,
    RateLimited,
    Timeout,
    Unavailable,
    InsufficientFunds,
    ModelGone,
    Cancelled,
    Retryable,
    Unknown,
}

impl ErrorClass {
    pub const ALL: [Self; 11] = [
        Self::Authentication,
        Self::InvalidInput,
        Self::Refusal,
        Self::RateLimited,
        Self::Timeout,
        Self::Unavailable,
        Self::InsufficientFunds,
        Self::ModelGone,
        Self::Cancelled,
        Self::Retryable,
        Self::Unknown,
    ];
    /// The reasons for which a job's policy may allow the next model of the chain.
    pub const FALLBACK: [Self; 7] = [
        Self::RateLimited,
        Self::Timeout,
        Self::Unavailable,
        Self::Retryable,
        Self::InsufficientFunds,
        Self::ModelGone,
        Self::Refusal,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Authentication => "authentication",
            Self::InvalidInput => "invalid_input",
            Self::Refusal => "refusal",
            Self::RateLimited => "rate_limited",
            Self::Timeout => "timeout",
            Self::Unavailable => "unavailable",
            Self::InsufficientFunds => "insufficient_funds",
            Self::ModelGone => "model_gone",
            Self::Cancelled => "cancelled",
            Self::Retryable => "retryable",
            Self::Unknown => "unknown",
        }
    }

    pub fn fallback_from_word(word: &str) -> Option<Self> {
        Self::FALLBACK.into_iter().find(|class| class.as_str() == word)
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Who says what an attempt cost (A43).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostSource {
    /// The provider named the amount.
    Quoted,
    /// The provider named units; a rate card prices them.
    Derived,
    /// AFC knows it of itself: a call that the provider surely rejected costs nothing.
    Local,
}

impl CostSource {
    pub const ALL: [Self; 3] = [Self::Quoted, Self::Derived, Self::Local];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Quoted => "quoted",
            Self::Derived => "derived",
            Self::Local => "local",
        }
    }
}

/// What a provider reported as consumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub units: Units,
    /// The unit's name as the rate card knows it, e.g. `second`.
    pub unit: String,
}

/// A known price of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    pub amount: Usd,
    pub source: CostSource,
    /// The rate card's version, for [`CostSource::Derived`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates: Option<String>,
}

/// What went wrong with an attempt, in the provider's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptError {
    pub class: ErrorClass,
    /// The provider's own code, or AFC's where the provider gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    pub message: String,
    /// How long the provider asked to wait, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_seconds: Option<u32>,
}

/// Later looks at an attempt whose fate or price was not known when it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looks {
    /// Those that were begun.
    pub count: u32,
    #[serde(default)]
    pub last_at: Option<DateTime<Utc>>,
    /// `None`: none is wanted, or none is left.
    #[serde(default)]
    pub next_at: Option<DateTime<Utc>>,
}

/// One row of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub id: AttemptId,
    /// Counts a job's attempts from 1; allocated by the database (B5).
    pub ordinal: u32,
    /// Which entry of the job's chain was called.
    pub chain_index: u32,
    pub provider: Provider,
    pub model: String,
    /// The lease epoch that it was opened under (B8).
    pub lease: i64,
    pub state: State,
    #[serde(default)]
    pub provider_request_id: Option<String>,
    /// What polling needs beside the request id: URLs that the provider named.
    #[serde(default)]
    pub captured: BTreeMap<String, String>,
    #[serde(default)]
    pub error: Option<AttemptError>,
    pub started_at: DateTime<Utc>,
    #[serde(default)]
    pub accepted_at: Option<DateTime<Utc>>,
    #[serde(default)]
    pub finished_at: Option<DateTime<Utc>>,
    #[serde(default)]
    pub usage: Option<Usage>,
    /// `None` is *unpriced*, never zero (A43).
    #[serde(default)]
    pub cost: Option<Cost>,
    /// The worst case that was set aside when it was opened; `None` if no rate is known.
    #[serde(default)]
    pub reserved: Option<Usd>,
    #[serde(default)]
    pub looks: Looks,
}
