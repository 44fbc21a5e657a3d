//! What an execution is given: its job, the signals that stop it, and where it says how far it is.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::execution::{Answer, Phase, Submit};
use domain::generation::Spec;
use domain::trace::Trace;
use domain::{AttemptId, ClientId, JobId, Secret};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

/// One execution's orders.
pub struct Order {
    pub job: JobId,
    pub client: ClientId,
    pub spec: Spec,
    pub trace: Option<Trace>,
    /// The job's own deadline.
    pub deadline_at: DateTime<Utc>,
    pub signals: Signals,
    /// Attempts that were opened here and surely not sent.
    pub unsent: Unsent,
    token: Arc<Mutex<Secret>>,
    standing: watch::Sender<Answer>,
}

/// Why an execution has to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// By the API, for good (A24).
    Cancelled,
    /// The process ends; another goes on.
    Draining,
    /// The job's `deadline_at` has passed.
    Deadline,
}

/// What can stop an execution. Work that must not be cut in two (a submit, writing down that it was accepted) is not
/// raced with them.
#[derive(Clone, Debug)]
pub struct Signals {
    cancelled: watch::Receiver<bool>,
    draining: watch::Receiver<bool>,
    deadline: Instant,
}

/// Attempt ids whose row may be committed and whose submit has not begun. Outlives the execution, so that the next one
/// in this process can say what no journal can: nothing was sent.
#[derive(Clone, Debug, Default)]
pub struct Unsent(Arc<Mutex<BTreeSet<AttemptId>>>);

impl Order {
    pub(super) fn new(
        (submit, now): (Submit, DateTime<Utc>),
        token: Arc<Mutex<Secret>>,
        standing: watch::Sender<Answer>,
        (cancelled, draining): (watch::Receiver<bool>, watch::Receiver<bool>),
        unsent: Unsent,
    ) -> Self {
        let left = (submit.deadline_at - now).to_std().unwrap_or_default();
        let signals = Signals { cancelled, draining, deadline: Instant::now() + left };
        let Submit { job, client, spec, deadline_at, trace, .. } = submit;
        Self { job, client, spec, trace, deadline_at, signals, unsent, token, standing }
    }

    /// Orders outside of any [`super::Executions`]: never cancelled, never drained.
    pub fn detached(submit: Submit) -> Self {
        let token = Arc::new(Mutex::new(submit.token.clone()));
        let standing = watch::Sender::new(Answer::Running { phase: Phase::Starting });
        let never = || watch::Sender::new(false).subscribe();
        Self::new((submit, Utc::now()), token, standing, (never(), never()), Unsent::default())
    }

    /// The newest token that a submit brought.
    pub fn token(&self) -> Secret {
        self.token.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says where the execution is.
    pub fn phase(&self, phase: Phase) {
        self.standing.send_replace(Answer::Running { phase });
    }
}

impl Signals {
    /// The job's deadline on this process's clock.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// `Err` once something has stopped the execution; a cancellation comes before the rest.
    pub fn check(&self) -> Result<(), Stop> {
        if *self.cancelled.borrow() {
            Err(Stop::Cancelled)
        } else if *self.draining.borrow() {
            Err(Stop::Draining)
        } else if Instant::now() >= self.deadline {
            Err(Stop::Deadline)
        } else {
            Ok(())
        }
    }

    /// Whether the job was cancelled.
    pub fn is_cancelled(&self) -> bool {
        *self.cancelled.borrow()
    }

    /// Does the work unless a stop comes first; a stop that stands already comes first.
    pub async fn race<T>(&self, work: impl Future<Output = T>) -> Result<T, Stop> {
        tokio::select! {
            biased;
            stop = self.stopped() => Err(stop),
            done = work => Ok(done),
        }
    }

    /// Like [`Self::race`] for work that only the end of the process may cut off.
    pub async fn race_drain<T>(&self, work: impl Future<Output = T>) -> Result<T, Stop> {
        tokio::select! {
            biased;
            () = raised(&self.draining) => Err(Stop::Draining),
            done = work => Ok(done),
        }
    }

    /// Sleeps unless a stop comes first.
    pub async fn sleep(&self, time: Duration) -> Result<(), Stop> {
        self.race(sleep(time)).await
    }

    async fn stopped(&self) -> Stop {
        tokio::select! {
            biased;
            () = raised(&self.cancelled) => Stop::Cancelled,
            () = raised(&self.draining) => Stop::Draining,
            () = sleep_until(self.deadline) => Stop::Deadline,
        }
    }
}

async fn raised(signal: &watch::Receiver<bool>) {
    if signal.clone().wait_for(|raised| *raised).await.is_err() {
        // Nobody is left who could raise it.
        std::future::pending::<()>().await;
    }
}

impl Unsent {
    /// Before its opening is asked for.
    pub fn add(&self, attempt: AttemptId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(attempt);
    }

    /// When its submit begins, or its row is settled.
    pub fn remove(&self, attempt: AttemptId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&attempt);
    }

    /// In the order they were minted.
    pub fn all(&self) -> Vec<AttemptId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }
}
