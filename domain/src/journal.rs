//! What the executor and the control plane say to each other about the attempt journal (B1).
//!
//! `POST /internal/jobs/{job}/lease`, `…/attempts` with an [`Open`], `…/attempts/{attempt}` with an [`Entry`]; each
//! answers 200 with its answer type, whose variants name every outcome, or 401 when the token is not good for it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::attempt::{Attempt, AttemptError, Cost, Usage};
use crate::budget::Period;
use crate::gate::Cause;
use crate::job::Status;
use crate::provider::Provider;
use crate::{AttemptId, Secret, Usd};

/// Taking the lease fences off every earlier holder (B8) and hands over the journal as it stands after that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum LeaseAnswer {
    Granted {
        lease: i64,
        /// Good for journal writes under this lease.
        token: Secret,
        attempts: Vec<Attempt>,
        /// The job has ended, and an attempt of it is still open: it is to be wound down, nothing else.
        #[serde(default)]
        ended: Option<Status>,
    },
    /// The job has ended and left nothing open.
    Ended { status: Status },
}

/// Commits an attempt before its first byte is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Open {
    /// Minted by the executor; sending the same id again is harmless.
    pub attempt: AttemptId,
    pub chain_index: u32,
    pub provider: Provider,
    pub model: String,
    /// The provider's request body as it will be sent.
    pub request: Value,
    /// The worst case of what the call can cost; `None` if no rate is known.
    pub reserved: Option<Usd>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum OpenAnswer {
    /// The row is committed, now or by an earlier sending of the same id: the call may be made.
    Opened {
        ordinal: u32,
        /// Where the provider may report this attempt, if it calls back: the one way to learn of a call whose answer
        /// was lost (B3).
        #[serde(default)]
        callback_url: Option<String>,
    },
    Refused {
        refusal: Refusal,
    },
}

/// Why no further paid call may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Refusal {
    /// A newer process holds the job (B8).
    StaleLease,
    JobEnded {
        status: Status,
    },
    /// `max_paid_calls` are used up (B5).
    PaidCallsExhausted,
    /// The reservation does not fit under `max_cost` (B5).
    MaxCostReached,
    /// `max_cost` or a budget is set and this model has no rate.
    Unpriceable,
    /// The call does not fit into what others have left of the client's budget (B13): ask again.
    BudgetBusy {
        /// `None` if that depends on what others have reserved.
        retry_after_ms: Option<u64>,
    },
    /// It does not fit, and will not before the job's deadline.
    BudgetExceeded {
        period: Period,
    },
    /// The provider has as many attempts, or got as many in this minute, as its limits allow: ask again.
    ProviderBusy {
        /// `None` if that depends on the attempts in flight.
        retry_after_ms: Option<u64>,
    },
    /// The provider's breaker is open (B7): ask again, or go on with another provider.
    BreakerOpen {
        cause: Cause,
        /// `None` if only an operator closes it.
        retry_after_ms: Option<u64>,
    },
}

/// A fact about an attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Entry {
    /// The provider took it. Recorded before anything else is done with the answer.
    Accepted {
        provider_request_id: String,
        captured: BTreeMap<String, String>,
    },
    /// Whether the provider took it cannot be told (B3).
    Unknown {
        error: AttemptError,
    },
    /// Its result is stored.
    Succeeded,
    Failed {
        error: AttemptError,
    },
    /// AFC stops waiting for it, knowingly.
    Abandoned {
        error: AttemptError,
    },
    /// What it used and cost; may come at any time and again (A44).
    Settled {
        usage: Option<Usage>,
        cost: Option<Cost>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum EntryAnswer {
    Written,
    /// The outcome stood already and stays (A44).
    Unchanged,
    /// A newer process holds the job (B8); the refusal was counted.
    StaleLease,
    NoSuchAttempt,
}
