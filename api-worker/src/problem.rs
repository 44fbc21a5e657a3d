//! Errors as callers see them: `application/problem+json` (RFC 9457) with a stable code.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use domain::error::Code;
use domain::fields::Violation;
use domain::timing::UNAVAILABLE_RETRY_AFTER_SECONDS;
use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use platform::log;
use serde_json::{Map, Value, json};

/// An error on its way to the caller.
#[derive(Debug)]
pub struct Problem {
    code: Code,
    detail: String,
    errors: Vec<Violation>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Problem {
    /// `detail` says what was wrong, where, and what to do.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        let problem = Self { code, detail: detail.into(), errors: Vec::new(), headers: Vec::new() };
        match status(code) {
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
                problem.with_header(RETRY_AFTER, HeaderValue::from(UNAVAILABLE_RETRY_AFTER_SECONDS))
            }
            StatusCode::UNAUTHORIZED => {
                problem.with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
            }
            _ => problem,
        }
    }

    pub fn invalid(errors: Vec<Violation>) -> Self {
        let count = errors.len();
        let detail =
            format!("{count} {} wrong; see \"errors\"", if count == 1 { "field is" } else { "fields are" });
        Self { errors, ..Self::new(Code::InvalidRequest, detail) }
    }

    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    pub const fn status(&self) -> StatusCode {
        status(self.code)
    }

    /// What its response has beside the content type.
    pub fn headers(self) -> Vec<(HeaderName, HeaderValue)> {
        self.headers
    }

    pub fn not_found() -> Self {
        Self::new(Code::NotFound, "there is no such generation, or it belongs to another client")
    }

    pub fn unauthenticated() -> Self {
        let detail = "send a valid client key as \"Authorization: Bearer <key>\"";
        Self::new(Code::Unauthenticated, detail)
    }
}

impl From<store::Error> for Problem {
    fn from(error: store::Error) -> Self {
        let (code, detail) = match &error {
            store::Error::Unavailable(_) => (
                Code::DatabaseUnavailable,
                "the database is away for a moment; send the same request again, with the same Idempotency-Key",
            ),
            store::Error::Timeout(_) => (
                Code::DatabaseTimeout,
                "the database did not answer in time; send the same request again, with the same Idempotency-Key",
            ),
            store::Error::Conflict(_) | store::Error::Invalid(_) | store::Error::Unexpected(_) => {
                (Code::Internal, "something unexpected happened; it was logged")
            }
        };
        log::error("database", json!({"error": error.to_string(), "error.code": code}));
        Self::new(code, detail)
    }
}

impl From<worker::Error> for Problem {
    fn from(error: worker::Error) -> Self {
        log::error("runtime", json!({"error": error.to_string()}));
        Self::new(Code::Internal, "something unexpected happened; it was logged")
    }
}

/// A problem's members, among its response's extensions, for what is known of the request only.
#[derive(Clone, Debug)]
pub struct Told(pub Map<String, Value>);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = status(self.code);
        let mut body = json!({
            "type": format!("/errors/{}", self.code),
            "title": status.canonical_reason(),
            "status": status.as_u16(),
            "code": self.code,
            "detail": self.detail,
        });
        if let (false, Value::Object(members)) = (self.errors.is_empty(), &mut body) {
            members.insert("errors".to_owned(), json!(self.errors));
        }
        let mut response = Response::new(Body::from(body.to_string()));
        if let Value::Object(members) = body {
            response.extensions_mut().insert(Told(members));
        }
        *response.status_mut() = status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        response.headers_mut().extend(self.headers);
        response
    }
}

/// Code → HTTP status, here and nowhere else. Codes that end jobs are told in a job's `error`, not as a status; should
/// one travel as a problem, it is a fault of AFC's.
pub const fn status(code: Code) -> StatusCode {
    match code {
        Code::Unauthenticated | Code::TokenInvalid => StatusCode::UNAUTHORIZED,
        Code::BudgetExceeded => StatusCode::PAYMENT_REQUIRED,
        Code::RateLimited | Code::TooManyOpen => StatusCode::TOO_MANY_REQUESTS,
        Code::ScopeMissing | Code::ClientDisabled | Code::LinkInvalid => StatusCode::FORBIDDEN,
        Code::IdempotencyKeyMissing
        | Code::IdempotencyKeyInvalid
        | Code::InvalidJson
        | Code::InvalidRequest
        | Code::InvalidCursor => StatusCode::BAD_REQUEST,
        Code::IdempotencyConflict
        | Code::NotUnknown
        | Code::OutputNotReady
        | Code::StaleLease
        | Code::DecisionConflict => StatusCode::CONFLICT,
        Code::VersionMismatch => StatusCode::PRECONDITION_FAILED,
        Code::Expired | Code::LinkExpired => StatusCode::GONE,
        Code::LengthRequired => StatusCode::LENGTH_REQUIRED,
        Code::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::InputInvalid => StatusCode::UNPROCESSABLE_ENTITY,
        Code::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::RangeNotSatisfiable => StatusCode::RANGE_NOT_SATISFIABLE,
        Code::StartUnconfirmed | Code::DatabaseUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::DatabaseTimeout => StatusCode::GATEWAY_TIMEOUT,
        Code::Internal
        | Code::InputUnreachable
        | Code::ProviderAuthentication
        | Code::ProviderInvalidInput
        | Code::ProviderRefused
        | Code::ProviderRateLimited
        | Code::ProviderTimeout
        | Code::ProviderUnavailable
        | Code::ProviderInsufficientFunds
        | Code::ProviderModelGone
        | Code::ProviderError
        | Code::SubmissionUnknown
        | Code::OutputInvalid
        | Code::OutputKeyConflict
        | Code::StorageFailed
        | Code::PaidCallsExhausted
        | Code::MaxCostReached
        | Code::CostUnpriceable
        | Code::DeadlineExceeded
        | Code::ExecutorUnavailable
        | Code::JournalUnavailable
        | Code::NoCandidates => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
