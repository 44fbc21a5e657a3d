//! The stable error codes of AFC: what callers, webhooks and the journal may name.
//!
//! Each code has a page `docs/errors/<CODE>.md`; which HTTP status carries it is api-worker's business.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::attempt::ErrorClass;

/// A stable error code. New ones may be added; none changes its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    // What a caller sent.
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
    // What stopped AFC from answering; the same request may be sent again.
    StartUnconfirmed,
    DatabaseUnavailable,
    DatabaseTimeout,
    Internal,
    // The internal journal.
    TokenInvalid,
    StaleLease,
    // How a job can fail.
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
    // How a style run can fail, besides.
    NoCandidates,
}

impl Code {
    pub const ALL: [Self; 53] = [
        Self::Unauthenticated,
        Self::ScopeMissing,
        Self::ClientDisabled,
        Self::IdempotencyKeyMissing,
        Self::IdempotencyKeyInvalid,
        Self::IdempotencyConflict,
        Self::InvalidJson,
        Self::InvalidRequest,
        Self::InvalidCursor,
        Self::BodyTooLarge,
        Self::LengthRequired,
        Self::UnsupportedMediaType,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::RateLimited,
        Self::TooManyOpen,
        Self::BudgetExceeded,
        Self::OutputNotReady,
        Self::Expired,
        Self::NotUnknown,
        Self::RangeNotSatisfiable,
        Self::LinkInvalid,
        Self::LinkExpired,
        Self::DecisionConflict,
        Self::VersionMismatch,
        Self::StartUnconfirmed,
        Self::DatabaseUnavailable,
        Self::DatabaseTimeout,
        Self::Internal,
        Self::TokenInvalid,
        Self::StaleLease,
        Self::InputInvalid,
        Self::InputUnreachable,
        Self::ProviderAuthentication,
        Self::ProviderInvalidInput,
        Self::ProviderRefused,
        Self::ProviderRateLimited,
        Self::ProviderTimeout,
        Self::ProviderUnavailable,
        Self::ProviderInsufficientFunds,
        Self::ProviderModelGone,
        Self::ProviderError,
        Self::SubmissionUnknown,
        Self::OutputInvalid,
        Self::OutputKeyConflict,
        Self::StorageFailed,
        Self::PaidCallsExhausted,
        Self::MaxCostReached,
        Self::CostUnpriceable,
        Self::DeadlineExceeded,
        Self::ExecutorUnavailable,
        Self::JournalUnavailable,
        Self::NoCandidates,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unauthenticated => "UNAUTHENTICATED",
            Self::ScopeMissing => "SCOPE_MISSING",
            Self::ClientDisabled => "CLIENT_DISABLED",
            Self::IdempotencyKeyMissing => "IDEMPOTENCY_KEY_MISSING",
            Self::IdempotencyKeyInvalid => "IDEMPOTENCY_KEY_INVALID",
            Self::IdempotencyConflict => "IDEMPOTENCY_CONFLICT",
            Self::InvalidJson => "INVALID_JSON",
            Self::InvalidRequest => "INVALID_REQUEST",
            Self::InvalidCursor => "INVALID_CURSOR",
            Self::BodyTooLarge => "BODY_TOO_LARGE",
            Self::LengthRequired => "LENGTH_REQUIRED",
            Self::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            Self::NotFound => "NOT_FOUND",
            Self::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Self::RateLimited => "RATE_LIMITED",
            Self::TooManyOpen => "TOO_MANY_OPEN",
            Self::BudgetExceeded => "BUDGET_EXCEEDED",
            Self::OutputNotReady => "OUTPUT_NOT_READY",
            Self::Expired => "EXPIRED",
            Self::NotUnknown => "NOT_UNKNOWN",
            Self::RangeNotSatisfiable => "RANGE_NOT_SATISFIABLE",
            Self::LinkInvalid => "LINK_INVALID",
            Self::LinkExpired => "LINK_EXPIRED",
            Self::DecisionConflict => "DECISION_CONFLICT",
            Self::VersionMismatch => "VERSION_MISMATCH",
            Self::StartUnconfirmed => "START_UNCONFIRMED",
            Self::DatabaseUnavailable => "DATABASE_UNAVAILABLE",
            Self::DatabaseTimeout => "DATABASE_TIMEOUT",
            Self::Internal => "INTERNAL",
            Self::TokenInvalid => "TOKEN_INVALID",
            Self::StaleLease => "STALE_LEASE",
            Self::InputInvalid => "INPUT_INVALID",
            Self::InputUnreachable => "INPUT_UNREACHABLE",
            Self::ProviderAuthentication => "PROVIDER_AUTHENTICATION",
            Self::ProviderInvalidInput => "PROVIDER_INVALID_INPUT",
            Self::ProviderRefused => "PROVIDER_REFUSED",
            Self::ProviderRateLimited => "PROVIDER_RATE_LIMITED",
            Self::ProviderTimeout => "PROVIDER_TIMEOUT",
            Self::ProviderUnavailable => "PROVIDER_UNAVAILABLE",
            Self::ProviderInsufficientFunds => "PROVIDER_INSUFFICIENT_FUNDS",
            Self::ProviderModelGone => "PROVIDER_MODEL_GONE",
            Self::ProviderError => "PROVIDER_ERROR",
            Self::SubmissionUnknown => "SUBMISSION_UNKNOWN",
            Self::OutputInvalid => "OUTPUT_INVALID",
            Self::OutputKeyConflict => "OUTPUT_KEY_CONFLICT",
            Self::StorageFailed => "STORAGE_FAILED",
            Self::PaidCallsExhausted => "PAID_CALLS_EXHAUSTED",
            Self::MaxCostReached => "MAX_COST_REACHED",
            Self::CostUnpriceable => "COST_UNPRICEABLE",
            Self::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Self::ExecutorUnavailable => "EXECUTOR_UNAVAILABLE",
            Self::JournalUnavailable => "JOURNAL_UNAVAILABLE",
            Self::NoCandidates => "NO_CANDIDATES",
        }
    }

    /// Whether the same wish, sent again under a *new* key, could end otherwise. (Under the same key it is a
    /// replay and changes nothing.)
    pub const fn retryable(self) -> bool {
        match self {
            Self::StartUnconfirmed
            | Self::DatabaseUnavailable
            | Self::DatabaseTimeout
            | Self::Internal
            | Self::RateLimited
            | Self::TooManyOpen
            | Self::OutputNotReady
            | Self::InputUnreachable
            | Self::ProviderRateLimited
            | Self::ProviderTimeout
            | Self::ProviderUnavailable
            | Self::ProviderError
            | Self::OutputInvalid
            | Self::StorageFailed
            | Self::DeadlineExceeded
            | Self::ExecutorUnavailable
            | Self::JournalUnavailable
            | Self::NoCandidates => true,
            Self::Unauthenticated
            | Self::ScopeMissing
            | Self::ClientDisabled
            | Self::IdempotencyKeyMissing
            | Self::IdempotencyKeyInvalid
            | Self::IdempotencyConflict
            | Self::InvalidJson
            | Self::InvalidRequest
            | Self::InvalidCursor
            | Self::BodyTooLarge
            | Self::LengthRequired
            | Self::UnsupportedMediaType
            | Self::NotFound
            | Self::MethodNotAllowed
            | Self::BudgetExceeded
            | Self::Expired
            | Self::NotUnknown
            | Self::RangeNotSatisfiable
            | Self::LinkInvalid
            | Self::LinkExpired
            | Self::DecisionConflict
            | Self::VersionMismatch
            | Self::TokenInvalid
            | Self::StaleLease
            | Self::InputInvalid
            | Self::ProviderAuthentication
            | Self::ProviderInvalidInput
            | Self::ProviderRefused
            | Self::ProviderInsufficientFunds
            | Self::ProviderModelGone
            | Self::SubmissionUnknown
            | Self::OutputKeyConflict
            | Self::PaidCallsExhausted
            | Self::MaxCostReached
            | Self::CostUnpriceable => false,
        }
    }

    /// The code under which an attempt's error class ends a job. `Cancelled` has none: a cancelled job is no
    /// failed one.
    pub const fn of_class(class: ErrorClass) -> Self {
        match class {
            ErrorClass::Authentication => Self::ProviderAuthentication,
            ErrorClass::InvalidInput => Self::ProviderInvalidInput,
            ErrorClass::Refusal => Self::ProviderRefused,
            ErrorClass::RateLimited => Self::ProviderRateLimited,
            ErrorClass::Timeout => Self::ProviderTimeout,
            ErrorClass::Unavailable => Self::ProviderUnavailable,
            ErrorClass::InsufficientFunds => Self::ProviderInsufficientFunds,
            ErrorClass::ModelGone => Self::ProviderModelGone,
            ErrorClass::Retryable | ErrorClass::Cancelled => Self::ProviderError,
            ErrorClass::Unknown => Self::SubmissionUnknown,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a job failed, in the provider's own words where there are any (A15).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub code: Code,
    pub message: String,
}

impl Failure {
    /// Longest message kept, in characters: providers answer with whole pages.
    pub const MESSAGE_LIMIT: usize = 2000;

    pub fn new(code: Code, message: impl AsRef<str>) -> Self {
        let message = message.as_ref().chars().filter(|c| *c != '\0').take(Self::MESSAGE_LIMIT).collect();
        Self { code, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_written_as_serde_writes_it() {
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }
}
