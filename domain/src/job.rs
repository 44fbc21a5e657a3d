//! The life of a job.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Code, Failure};
use crate::event::EventType;
use crate::execution::Report;
use crate::output::StoredOutput;

/// Where a job stands. The database's CHECK constraint lists the same words; a store test compares the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The row exists; its Workflow has not begun.
    Queued,
    /// The Workflow works on it.
    Running,
    /// Nothing can be done without a fact from outside: capacity, or a human's word on an unknown attempt.
    Waiting,
    Succeeded,
    Failed,
    Cancelled,
}

impl Status {
    pub const ALL: [Self; 6] =
        [Self::Queued, Self::Running, Self::Waiting, Self::Succeeded, Self::Failed, Self::Cancelled];
    /// What a terminal write may replace (A25).
    pub const OPEN: [Self; 3] = [Self::Queued, Self::Running, Self::Waiting];
    /// What never changes again (I6).
    pub const TERMINAL: [Self; 3] = [Self::Succeeded, Self::Failed, Self::Cancelled];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn is_terminal(self) -> bool {
        Self::TERMINAL.contains(&self)
    }
}

/// How a job is to end.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    Succeeded(Vec<StoredOutput>),
    Failed(Failure),
    Cancelled,
}

impl Ending {
    /// What the end of an execution makes of its job.
    pub fn of(report: Report) -> Self {
        match report {
            Report::Succeeded { outputs } => Self::Succeeded(outputs),
            Report::Failed { failure } | Report::Interrupted { failure } => Self::Failed(failure),
            Report::Cancelled => Self::Cancelled,
            Report::Held { reason, .. } => Self::Failed(Failure::new(Code::SubmissionUnknown, reason)),
        }
    }

    pub const fn status(&self) -> Status {
        match self {
            Self::Succeeded(_) => Status::Succeeded,
            Self::Failed(_) => Status::Failed,
            Self::Cancelled => Status::Cancelled,
        }
    }

    /// What its receiver is told.
    pub const fn event(&self) -> EventType {
        match self {
            Self::Succeeded(_) => EventType::GenerationSucceeded,
            Self::Failed(_) => EventType::GenerationFailed,
            Self::Cancelled => EventType::GenerationCancelled,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The word is none of [`Status::ALL`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown job status {0:?}")]
pub struct UnknownStatus(String);

impl FromStr for Status {
    type Err = UnknownStatus;

    fn from_str(word: &str) -> Result<Self, UnknownStatus> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == word)
            .ok_or_else(|| UnknownStatus(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a25_every_status_is_either_open_or_terminal() {
        for status in Status::ALL {
            assert_ne!(Status::OPEN.contains(&status), Status::TERMINAL.contains(&status), "{status}");
            assert_eq!(status.to_string().parse(), Ok(status));
        }
        assert!("done".parse::<Status>().is_err());
    }
}
