//! `GET /errors/{code}`: the page that a problem's `type` leads to. A code without a page does not compile.

use axum::body::Body;
use axum::response::Response;
use domain::error::Code;
use http::header::{CONTENT_TYPE, HeaderValue};

use super::Segments;
use crate::problem::Problem;

#[cfg_attr(test, utoipa::path(
    get, path = "/errors/{code}", tag = "Service",
    params(("code" = String, Path, description = "A problem's `code`", example = "IDEMPOTENCY_CONFLICT")),
    responses(
        (status = 200, description = "What the code means and what to do", body = String, content_type = "text/markdown"),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
pub async fn page(Segments(code): Segments<String>) -> Result<Response, Problem> {
    let known = Code::ALL.into_iter().find(|known| known.as_str() == code);
    let code = known.ok_or_else(|| Problem::new(Code::NotFound, "there is no error of that code"))?;
    let mut response = Response::new(Body::from(text(code)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/markdown; charset=utf-8"));
    Ok(response)
}

const fn text(code: Code) -> &'static str {
    match code {
        Code::Unauthenticated => include_str!("../../../docs/errors/UNAUTHENTICATED.md"),
        Code::ScopeMissing => include_str!("../../../docs/errors/SCOPE_MISSING.md"),
        Code::ClientDisabled => include_str!("../../../docs/errors/CLIENT_DISABLED.md"),
        Code::IdempotencyKeyMissing => include_str!("../../../docs/errors/IDEMPOTENCY_KEY_MISSING.md"),
        Code::IdempotencyKeyInvalid => include_str!("../../../docs/errors/IDEMPOTENCY_KEY_INVALID.md"),
        Code::IdempotencyConflict => include_str!("../../../docs/errors/IDEMPOTENCY_CONFLICT.md"),
        Code::InvalidJson => include_str!("../../../docs/errors/INVALID_JSON.md"),
        Code::InvalidRequest => include_str!("../../../docs/errors/INVALID_REQUEST.md"),
        Code::InvalidCursor => include_str!("../../../docs/errors/INVALID_CURSOR.md"),
        Code::BodyTooLarge => include_str!("../../../docs/errors/BODY_TOO_LARGE.md"),
        Code::LengthRequired => include_str!("../../../docs/errors/LENGTH_REQUIRED.md"),
        Code::UnsupportedMediaType => include_str!("../../../docs/errors/UNSUPPORTED_MEDIA_TYPE.md"),
        Code::NotFound => include_str!("../../../docs/errors/NOT_FOUND.md"),
        Code::MethodNotAllowed => include_str!("../../../docs/errors/METHOD_NOT_ALLOWED.md"),
        Code::RateLimited => include_str!("../../../docs/errors/RATE_LIMITED.md"),
        Code::TooManyOpen => include_str!("../../../docs/errors/TOO_MANY_OPEN.md"),
        Code::BudgetExceeded => include_str!("../../../docs/errors/BUDGET_EXCEEDED.md"),
        Code::OutputNotReady => include_str!("../../../docs/errors/OUTPUT_NOT_READY.md"),
        Code::Expired => include_str!("../../../docs/errors/EXPIRED.md"),
        Code::NotUnknown => include_str!("../../../docs/errors/NOT_UNKNOWN.md"),
        Code::LinkInvalid => include_str!("../../../docs/errors/LINK_INVALID.md"),
        Code::LinkExpired => include_str!("../../../docs/errors/LINK_EXPIRED.md"),
        Code::RangeNotSatisfiable => include_str!("../../../docs/errors/RANGE_NOT_SATISFIABLE.md"),
        Code::DecisionConflict => include_str!("../../../docs/errors/DECISION_CONFLICT.md"),
        Code::VersionMismatch => include_str!("../../../docs/errors/VERSION_MISMATCH.md"),
        Code::StartUnconfirmed => include_str!("../../../docs/errors/START_UNCONFIRMED.md"),
        Code::DatabaseUnavailable => include_str!("../../../docs/errors/DATABASE_UNAVAILABLE.md"),
        Code::DatabaseTimeout => include_str!("../../../docs/errors/DATABASE_TIMEOUT.md"),
        Code::Internal => include_str!("../../../docs/errors/INTERNAL.md"),
        Code::TokenInvalid => include_str!("../../../docs/errors/TOKEN_INVALID.md"),
        Code::StaleLease => include_str!("../../../docs/errors/STALE_LEASE.md"),
        Code::InputInvalid => include_str!("../../../docs/errors/INPUT_INVALID.md"),
        Code::InputUnreachable => include_str!("../../../docs/errors/INPUT_UNREACHABLE.md"),
        Code::ProviderAuthentication => include_str!("../../../docs/errors/PROVIDER_AUTHENTICATION.md"),
        Code::ProviderInvalidInput => include_str!("../../../docs/errors/PROVIDER_INVALID_INPUT.md"),
        Code::ProviderRefused => include_str!("../../../docs/errors/PROVIDER_REFUSED.md"),
        Code::ProviderRateLimited => include_str!("../../../docs/errors/PROVIDER_RATE_LIMITED.md"),
        Code::ProviderTimeout => include_str!("../../../docs/errors/PROVIDER_TIMEOUT.md"),
        Code::ProviderUnavailable => include_str!("../../../docs/errors/PROVIDER_UNAVAILABLE.md"),
        Code::ProviderInsufficientFunds => {
            include_str!("../../../docs/errors/PROVIDER_INSUFFICIENT_FUNDS.md")
        }
        Code::ProviderModelGone => include_str!("../../../docs/errors/PROVIDER_MODEL_GONE.md"),
        Code::ProviderError => include_str!("../../../docs/errors/PROVIDER_ERROR.md"),
        Code::SubmissionUnknown => include_str!("../../../docs/errors/SUBMISSION_UNKNOWN.md"),
        Code::OutputInvalid => include_str!("../../../docs/errors/OUTPUT_INVALID.md"),
        Code::OutputKeyConflict => include_str!("../../../docs/errors/OUTPUT_KEY_CONFLICT.md"),
        Code::StorageFailed => include_str!("../../../docs/errors/STORAGE_FAILED.md"),
        Code::PaidCallsExhausted => include_str!("../../../docs/errors/PAID_CALLS_EXHAUSTED.md"),
        Code::MaxCostReached => include_str!("../../../docs/errors/MAX_COST_REACHED.md"),
        Code::CostUnpriceable => include_str!("../../../docs/errors/COST_UNPRICEABLE.md"),
        Code::DeadlineExceeded => include_str!("../../../docs/errors/DEADLINE_EXCEEDED.md"),
        Code::ExecutorUnavailable => include_str!("../../../docs/errors/EXECUTOR_UNAVAILABLE.md"),
        Code::JournalUnavailable => include_str!("../../../docs/errors/JOURNAL_UNAVAILABLE.md"),
        Code::NoCandidates => include_str!("../../../docs/errors/NO_CANDIDATES.md"),
    }
}
