//! The attempt journal as the executor reaches it (B1): over HTTP, with a token that is good for one job.
//!
//! Every call may be repeated: taking the lease fences off earlier holders, opening is keyed by the attempt id, and
//! an outcome that stands is not replaced (A44). So each is tried until its time is up, with a backoff.

use std::future::Future;
use std::sync::Arc;

use domain::attempt::Attempt;
use domain::job::Status;
use domain::journal::{Entry, EntryAnswer, LeaseAnswer, Open, OpenAnswer, Refusal};
use domain::timing::Timing;
use domain::trace::{Span, Trace};
use domain::{AttemptId, JobId, Secret};
use reqwest::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep};
use url::Url;

use crate::executions::Order;
use crate::machine::Machine;
use crate::net::{self, Client};
use crate::retry::Backoff;
use crate::storage::{Absent, Looked};

/// A journal has at most 20 attempts of a few kilobytes.
const ANSWER_LIMIT: usize = 1 << 20;

/// The control plane did not take a call, and nothing is known of whether it carried it out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Away {
    /// 401: the token is not good, or not good any more.
    #[error("the journal refuses the token")]
    Unauthorized,
    /// Anything else that is no answer: transport, another status, a body that cannot be read.
    #[error("the journal is away: {0}")]
    Unreachable(String),
}

/// The control plane's journal.
pub struct Journal {
    base: String,
    http: Client,
    timing: Timing,
    machine: Arc<dyn Machine>,
}

/// What asking for the lease found.
pub enum LeaseTaken<'j> {
    /// With the journal as it stood after every earlier holder was fenced off.
    Granted(Lease<'j>, Vec<Attempt>),
    /// The same, of a job that has ended with an attempt still open: to be wound down, nothing else (B4).
    ToWindDown(Lease<'j>, Vec<Attempt>, Status),
    /// There is nothing to execute.
    Ended(Status),
}

impl Journal {
    /// `control` is the control plane's base URL.
    pub fn new(control: &Url, http: Client, timing: Timing, machine: Arc<dyn Machine>) -> Self {
        Self { base: control.as_str().trim_end_matches('/').to_owned(), http, timing, machine }
    }

    /// Takes the job's lease. Only who has looked for a stored result may ask (A20). The order's token is read anew for
    /// each try: a repeated submit may have brought a newer one.
    pub async fn take_lease(
        &self,
        _looked: &Looked,
        order: &Order,
        until: Instant,
    ) -> Result<LeaseTaken<'_>, Away> {
        let (job, trace) = (order.job, order.trace.clone());
        let path = format!("/internal/jobs/{job}/lease");
        let traceparent = trace.as_ref().map(|trace| trace.traceparent(Span::of(job.uuid())));
        let call = || self.call::<(), LeaseAnswer>(&path, (order.token(), traceparent.as_deref()), None);
        let answer = self.insist(until, call).await?;
        Ok(match answer {
            LeaseAnswer::Granted { lease, token, attempts, ended } => {
                let lease = Lease { journal: self, job, epoch: lease, token, trace };
                match ended {
                    None => LeaseTaken::Granted(lease, attempts),
                    Some(status) => LeaseTaken::ToWindDown(lease, attempts, status),
                }
            }
            LeaseAnswer::Ended { status } => LeaseTaken::Ended(status),
        })
    }

    /// Calls at least once, and again after each failure while there is time.
    async fn insist<T, F>(&self, until: Instant, call: impl Fn() -> F) -> Result<T, Away>
    where
        F: Future<Output = Result<T, Away>>,
    {
        let mut backoff = Backoff::new(&self.timing, &self.machine);
        loop {
            let away = match call().await {
                Ok(answer) => return Ok(answer),
                Err(away) => away,
            };
            let pause = backoff.pause();
            if Instant::now() + pause >= until {
                return Err(away);
            }
            tracing::warn!(journal.error = %away, journal.failures = backoff.failures(), "the journal did not answer");
            sleep(pause).await;
        }
    }

    async fn call<B: Serialize, A: DeserializeOwned>(
        &self,
        path: &str,
        (token, traceparent): (Secret, Option<&str>),
        body: Option<&B>,
    ) -> Result<A, Away> {
        let mut request = self.http.post(format!("{}{path}", self.base)).bearer_auth(token.expose());
        if let Some(traceparent) = traceparent {
            request = request.header("traceparent", traceparent);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = self.http.send(request).await.map_err(|error| Away::Unreachable(net::told(error)))?;
        let status = response.status();
        if status == StatusCode::UNAUTHORIZED {
            return Err(Away::Unauthorized);
        }
        let body =
            net::body(response, ANSWER_LIMIT).await.map_err(|error| Away::Unreachable(error.to_string()))?;
        if status != StatusCode::OK {
            return Err(Away::Unreachable(format!("status {}", status.as_u16())));
        }
        serde_json::from_slice(&body).map_err(|error| Away::Unreachable(format!("not an answer: {error}")))
    }
}

/// The right to write this job's journal, until another process takes it (B8).
pub struct Lease<'j> {
    journal: &'j Journal,
    job: JobId,
    epoch: i64,
    token: Secret,
    trace: Option<Trace>,
}

/// An attempt whose row is committed. It cannot be copied, and submitting consumes it: one row, one call.
#[derive(Debug)]
pub struct Opened {
    open: Open,
    ordinal: u32,
    callback_url: Option<String>,
    traceparent: Option<String>,
}

impl Opened {
    /// Minted by this process.
    pub fn id(&self) -> AttemptId {
        self.open.attempt
    }

    /// Given by the database, from 1.
    pub fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// Where the provider may report this attempt (B3).
    pub fn callback_url(&self) -> Option<&str> {
        self.callback_url.as_deref()
    }

    /// See [`Lease::traceparent`].
    pub fn traceparent(&self) -> Option<&str> {
        self.traceparent.as_deref()
    }

    /// What was committed.
    pub fn open(&self) -> &Open {
        &self.open
    }
}

/// What opening an attempt found.
#[derive(Debug)]
pub enum Opening {
    /// The row is committed; the call may be made.
    Opened(Opened),
    /// No call may be made.
    Refused(Refusal),
}

impl Lease<'_> {
    /// Counts the holders of the job.
    pub fn epoch(&self) -> i64 {
        self.epoch
    }

    /// Commits an attempt before its first byte is sent (B1). Consumes the proof that no result is stored (I5).
    pub async fn open(&self, _absent: Absent, open: Open, until: Instant) -> Result<Opening, Away> {
        let path = format!("/internal/jobs/{}/attempts", self.job);
        let traceparent = self.traceparent(open.attempt);
        let call = || {
            let as_whom = (self.token.clone(), traceparent.as_deref());
            self.journal.call::<Open, OpenAnswer>(&path, as_whom, Some(&open))
        };
        let answer = self.journal.insist(until, call).await?;
        Ok(match answer {
            OpenAnswer::Opened { ordinal, callback_url } => {
                Opening::Opened(Opened { open, ordinal, callback_url, traceparent })
            }
            OpenAnswer::Refused { refusal } => Opening::Refused(refusal),
        })
    }

    /// Writes a fact down.
    pub async fn record(
        &self,
        attempt: AttemptId,
        entry: &Entry,
        until: Instant,
    ) -> Result<EntryAnswer, Away> {
        let path = format!("/internal/jobs/{}/attempts/{attempt}", self.job);
        let traceparent = self.traceparent(attempt);
        let call = || {
            let as_whom = (self.token.clone(), traceparent.as_deref());
            self.journal.call::<Entry, EntryAnswer>(&path, as_whom, Some(entry))
        };
        self.journal.insist(until, call).await
    }

    /// What names an attempt's call within the job's trace: its span is the second half of the attempt's id.
    pub fn traceparent(&self, attempt: AttemptId) -> Option<String> {
        self.trace.as_ref().map(|trace| trace.traceparent(Span::of(attempt.uuid())))
    }
}
