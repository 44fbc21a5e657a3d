use std::time::Duration;

use crate::{Code, Generation, Problem};

/// Why a call did not return what was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The API refused; [`Problem::code`] says why, and its page (`/errors/CODE`) what to do.
    #[error("{0}")]
    Problem(Box<Problem>),
    /// An answer that is not the API's: a gateway's in front of it, or another server's.
    #[error("{status} without a problem that the API would send: {beginning}")]
    Foreign { status: u16, request_id: Option<String>, beginning: String },
    /// No answer in `tries` tries. Whether the call took effect is open: make it again with the same key.
    #[error("no answer in {tries} tries")]
    Unanswered { tries: u32, source: Lost },
    /// A success that does not read as one.
    #[error("the answer does not read back")]
    Unreadable { request_id: Option<String>, source: serde_json::Error },
    /// The generation had not ended when the wait did; as it stood then.
    #[error("generation {} is still {:?}", .0.id, .0.status)]
    NotEnded(Box<Generation>),
    /// What was to take the output failed.
    #[error("the output cannot be written")]
    Sink(#[source] std::io::Error),
    /// What the caller passed cannot be sent.
    #[error("{0}")]
    Usage(String),
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Lost {
    /// The connection was not made, or it broke.
    #[error(transparent)]
    Connection(reqwest::Error),
    /// It took longer than the policy allows.
    #[error("nothing came within {0:?}")]
    Timeout(Duration),
}

impl Error {
    pub(crate) const fn usage(text: String) -> Self {
        Self::Usage(text)
    }

    /// The API's refusal, if it is one.
    pub fn problem(&self) -> Option<&Problem> {
        if let Self::Problem(problem) = self { Some(problem) } else { None }
    }

    /// The code of the API's refusal, if it is one.
    pub fn code(&self) -> Option<&Code> {
        self.problem().map(|problem| &problem.code)
    }
}
