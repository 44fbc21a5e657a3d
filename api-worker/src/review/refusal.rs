//! Why there is no page: said plainly, and nothing about any run.

use axum::response::{IntoResponse, Response};
use domain::token::InvalidToken;
use http::StatusCode;

use super::{html, page};
use crate::problem::Problem;

pub enum Refusal {
    Link(InvalidToken),
    NoSuchRun,
    /// A form that is not the page's own.
    BrokenForm,
    Problem(Problem),
}

impl Refusal {
    /// Status, heading, and what to do.
    fn words(&self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::Link(InvalidToken::Expired) => (
                StatusCode::GONE,
                "This review link has expired",
                "Ask whoever sent it to you for a new one. While a decision is still wanted, every reminder brings one.",
            ),
            Self::Link(InvalidToken::Malformed | InvalidToken::Forged) => (
                StatusCode::FORBIDDEN,
                "This review link does not work",
                "It may have been cut off when it was copied. Open it once more from the message that you got, or ask \
                 whoever sent it for a new one.",
            ),
            Self::NoSuchRun => (
                StatusCode::NOT_FOUND,
                "There is nothing to review here",
                "Ask whoever sent you this link for a new one.",
            ),
            Self::BrokenForm => (
                StatusCode::BAD_REQUEST,
                "This form did not arrive whole",
                "Nothing was decided. Open your review link again and decide there.",
            ),
            Self::Problem(problem) if problem.status() == StatusCode::NOT_FOUND => (
                StatusCode::NOT_FOUND,
                "There is no such picture or video",
                "Open your review link again; it shows all there is.",
            ),
            Self::Problem(problem) => (
                problem.status(),
                "This does not work at the moment",
                "Nothing is lost. Reload this page in a minute; a decision that is sent twice counts once.",
            ),
        }
    }
}

impl From<InvalidToken> for Refusal {
    fn from(why: InvalidToken) -> Self {
        Self::Link(why)
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<store::Error> for Refusal {
    fn from(error: store::Error) -> Self {
        Self::Problem(error.into())
    }
}

impl From<worker::Error> for Refusal {
    fn from(error: worker::Error) -> Self {
        Self::Problem(error.into())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, heading, advice) = self.words();
        let mut response = html(status, page::refusal(heading, advice));
        if let Self::Problem(problem) = self {
            response.headers_mut().extend(problem.headers());
        }
        response
    }
}
