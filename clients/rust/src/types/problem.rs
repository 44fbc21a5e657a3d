use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The API's refusal (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Problem {
    /// The path of the code's page.
    #[serde(rename = "type")]
    pub page: String,
    pub title: String,
    /// HTTP status.
    pub status: u16,
    pub code: Code,
    /// What is wrong, and what to do.
    pub detail: String,
    /// The fields that are wrong, if it is about fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// Say it when you ask about a request.
    #[serde(default)]
    pub request_id: Option<String>,
    /// When to send the same again, if the API said so.
    #[serde(skip)]
    pub retry_after: Option<Duration>,
}

/// A field that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FieldError {
    /// JSON Pointer (RFC 6901) into the body; for parameters, `/` and the name.
    pub pointer: String,
    pub detail: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}: {}", self.status, self.code, self.detail)?;
        for error in &self.errors {
            write!(f, "; {}: {}", error.pointer, error.detail)?;
        }
        self.request_id.as_ref().map_or(Ok(()), |id| write!(f, " (request {id})"))
    }
}

/// Why the API refused, or why a generation failed; each has a page at `/errors/CODE`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum Code {
    Unauthenticated,
    ScopeMissing,
    ClientDisabled,
    IdempotencyKeyMissing,
    IdempotencyKeyInvalid,
    IdempotencyConflict,
    InvalidJson,
    InvalidRequest,
    InvalidCursor,
    BodyTooLarge,
    LengthRequired,
    UnsupportedMediaType,
    NotFound,
    MethodNotAllowed,
    RateLimited,
    TooManyOpen,
    BudgetExceeded,
    OutputNotReady,
    Expired,
    NotUnknown,
    RangeNotSatisfiable,
    LinkInvalid,
    LinkExpired,
    DecisionConflict,
    VersionMismatch,
    StartUnconfirmed,
    DatabaseUnavailable,
    DatabaseTimeout,
    Internal,
    TokenInvalid,
    StaleLease,
    InputInvalid,
    InputUnreachable,
    ProviderAuthentication,
    ProviderInvalidInput,
    ProviderRefused,
    ProviderRateLimited,
    ProviderTimeout,
    ProviderUnavailable,
    ProviderInsufficientFunds,
    ProviderModelGone,
    ProviderError,
    SubmissionUnknown,
    OutputInvalid,
    OutputKeyConflict,
    StorageFailed,
    PaidCallsExhausted,
    MaxCostReached,
    CostUnpriceable,
    DeadlineExceeded,
    ExecutorUnavailable,
    JournalUnavailable,
    NoCandidates,
    /// One that this version does not know.
    #[serde(untagged)]
    Other(String),
}
