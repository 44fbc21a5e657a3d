//! What the control plane and the executor say to each other about an execution.
//!
//! `PUT /executions/{job}` with a [`Submit`], `GET /executions/{job}?wait=SECONDS`, `POST /executions/{job}/cancel`.
//! The first two answer 202 with [`Answer::Running`] or 200 with [`Answer::Ended`]; 404 means that this process
//! never heard of the job (A19): submit again.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::error::Failure;
use crate::generation::Spec;
use crate::output::StoredOutput;
use crate::trace::Trace;
use crate::{AttemptId, ClientId, JobId, Secret};

/// Begins the job's execution, or attaches to the one that runs (A16).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Submit {
    pub job: JobId,
    /// Whose job it is: uploads are looked for under its name and no other.
    pub client: ClientId,
    /// May take the job's lease, nothing else; the lease's own token comes with it.
    pub token: Secret,
    pub spec: Spec,
    /// No attempt begins after it, and no wait goes beyond it.
    pub deadline_at: DateTime<Utc>,
    /// The story that the job belongs to, for the provider and the log.
    #[serde(default)]
    pub trace: Option<Trace>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Answer {
    Running { phase: Phase },
    Ended { report: Report },
}

/// Where an execution is. Only `Submitting` can cost money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Looking for a stored output, taking the lease, deciding.
    Starting,
    /// Looking at what the job generates from.
    Preparing,
    BackingOff,
    Submitting,
    Recovering,
    Waiting,
    Fetching,
    Storing,
}

impl Phase {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Preparing => "preparing",
            Self::BackingOff => "backing_off",
            Self::Submitting => "submitting",
            Self::Recovering => "recovering",
            Self::Waiting => "waiting",
            Self::Fetching => "fetching",
            Self::Storing => "storing",
        }
    }
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Report {
    Succeeded {
        outputs: Vec<StoredOutput>,
    },
    Failed {
        failure: Failure,
    },
    /// Nobody can tell whether this attempt was accepted, and the policy says to wait (B3).
    Held {
        attempt: AttemptId,
        reason: String,
    },
    /// The API cancelled the job; what was open is settled (A24).
    Cancelled,
    /// The process had to stop and nothing is decided: another execution goes on from the journal.
    Interrupted {
        failure: Failure,
    },
}

impl Report {
    /// Whether a repeated submit gets this report again (A17), instead of a new execution.
    pub const fn is_final(&self) -> bool {
        match self {
            Self::Succeeded { .. } | Self::Failed { .. } | Self::Cancelled => true,
            Self::Held { .. } | Self::Interrupted { .. } => false,
        }
    }
}
