//! What the control plane and the executor say to each other about an execution.
//!
//! `PUT /executions/{job}` with a [`Submit`], `GET /executions/{job}?wait=SECONDS`, `POST /executions/{job}/cancel`.
//! The first two answer 202 with [`Answer::Running`] or 200 with [`Answer::Ended`]; 404 means that this process
//! never heard of the job (A19): submit again.
//!
//! `PUT /executions/{job}/looks` with a [`Look`] begins no execution and answers 200 with [`Looked`].

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::attempt::{Attempt, Cost, Usage};
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

/// Later looks at attempts of one job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    pub job: JobId,
    pub spec: Spec,
    pub attempts: Vec<LookAt>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LookAt {
    pub attempt: Attempt,
    /// The body of its submit, as the journal has it.
    pub request: Value,
    /// The provider's names of the job's other calls: none of them is this one.
    #[serde(default)]
    pub others: Vec<String>,
}

/// What the providers said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looked {
    /// Attempts that nothing could be told about are not among them.
    pub findings: Vec<Finding>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub attempt: AttemptId,
    /// The provider has it, of which nobody knew that.
    #[serde(default)]
    pub found: Option<Found>,
    #[serde(default)]
    pub usage: Option<Usage>,
    #[serde(default)]
    pub cost: Option<Cost>,
}

/// The provider's name of a call, as an acceptance would have told it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    pub provider_request_id: String,
    #[serde(default)]
    pub captured: BTreeMap<String, String>,
}
