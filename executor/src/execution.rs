//! One execution, from the look into the bucket to its report.
//!
//! The order is the safety argument: look (A20), take the lease (B8), then let [`domain::runner::decide`] say what is
//! next and do that one thing, until there is a report. Whatever is learned is in the journal before it is used, so
//! that an execution may be lost at any point and the next one decides as this one would have.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::AttemptId;
use domain::attempt::State;
use domain::error::{Code, Failure};
use domain::execution::{Look as LookOrder, Looked, Phase, Report};
use domain::inputs;
use domain::job::Status;
use domain::journal::Entry;
use domain::timing::Timing;
use futures::future::BoxFuture;
use reqwest::ClientBuilder;
use tokio::time::Instant;

use crate::config::Config;
use crate::executions::{Order, Run, Stop, interrupted};
use crate::journal::{Away, Journal, LeaseTaken};
use crate::machine::{Machine, ThisMachine};
use crate::net::{self, Client, ClientError};
use crate::providers::{AdapterError, Adapters, ProviderClients};
use crate::reach::Reach;
use crate::spool::Spool;
use crate::storage::{Kept, Look, Storage, StoreError};

mod work;

mod prepare;

mod fetch;
mod keep;
mod submit;
mod wait;

mod ledger;
mod look;
mod wind_down;

use ledger::Ledger;
use work::Work;

/// A place that takes a file says nothing until it has it.
const UPLOAD_SILENCE: Duration = Duration::from_mins(15);
/// Each new reading of the journal was caused by somebody else's write; more than these are not believed.
const READINGS: u32 = 5;

/// What executions work with.
pub struct Parts {
    pub journal: Journal,
    pub storage: Storage,
    pub adapters: Adapters,
    pub spool: Spool,
    /// Like [`Self::spool`], for what jobs generate from.
    pub inputs: Spool,
    pub media: MediaClients,
    pub timing: Timing,
    pub machine: Arc<dyn Machine>,
}

/// Clients for results and inputs, by how far they may reach.
pub struct MediaClients {
    public: Client,
    loopback: Client,
    keyed: Client,
    uploading_public: Client,
    uploading_loopback: Client,
}

impl MediaClients {
    /// Fails only where the HTTP library refuses.
    pub fn new(tls: &rustls::ClientConfig, timing: &Timing) -> Result<Self, ClientError> {
        let silence = Duration::from_millis(timing.result_silence_ms);
        let client = |reach: Reach, silence| {
            net::streaming_client(tls, silence, |builder: ClientBuilder| reach.hold(builder))
                .map(Client::from)
        };
        Ok(Self {
            public: client(Reach::Public, silence)?,
            loopback: client(Reach::Loopback, silence)?,
            keyed: net::streaming_client(tls, silence, |builder| builder)?.into(),
            uploading_public: client(Reach::Public, UPLOAD_SILENCE)?,
            uploading_loopback: client(Reach::Loopback, UPLOAD_SILENCE)?,
        })
    }

    /// One client for everything; its carrier keeps to the reach.
    pub fn of_one(client: &Client) -> Self {
        Self {
            public: client.clone(),
            loopback: client.clone(),
            keyed: client.clone(),
            uploading_public: client.clone(),
            uploading_loopback: client.clone(),
        }
    }

    /// For URLs on a provider's own hosts. Follows nothing, since the key goes along.
    fn keyed(&self) -> &Client {
        &self.keyed
    }

    fn uploading(&self, reach: Reach) -> &Client {
        match reach {
            Reach::Public => &self.uploading_public,
            Reach::Loopback => &self.uploading_loopback,
        }
    }

    fn of(&self, reach: Reach) -> &Client {
        match reach {
            Reach::Public => &self.public,
            Reach::Loopback => &self.loopback,
        }
    }
}

/// Why parts could not be made of a configuration.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// See [`ClientError`].
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The endpoint and the name make no URL.
    #[error("S3_ENDPOINT or S3_BUCKET names no bucket")]
    Bucket(#[from] rusty_s3::BucketError),
    /// A provider's key or base URL cannot be used.
    #[error(transparent)]
    Adapter(#[from] AdapterError),
}

impl Parts {
    /// Makes everything an execution works with; nothing is connected to yet.
    pub fn build(config: &Config) -> Result<Self, BuildError> {
        let tls = net::tls(config.extra_roots.as_deref())?;
        let timing = config.timing.clone();
        let clients = ProviderClients {
            submit: net::submit_client(&tls, Duration::from_millis(timing.submit_timeout_ms))?.into(),
            // Streams have no limit on the whole.
            free: net::free_client(&tls, Duration::from_millis(timing.free_call_ms))?.into(),
            patience: Duration::from_millis(timing.answer_timeout_ms),
        };
        let control = net::free_client(&tls, Duration::from_millis(timing.journal_call_ms))?;
        // Uploads are silent until their end, so the bucket's client has no limit of its own: each request sets one.
        let bucket = net::unlimited_client(&tls)?;
        let machine: Arc<dyn Machine> = Arc::new(ThisMachine);
        Ok(Self {
            journal: Journal::new(&config.control_url, control.into(), timing.clone(), Arc::clone(&machine)),
            storage: Storage::new(&config.s3, bucket.into(), timing.clone(), Arc::clone(&machine))?,
            adapters: Adapters::new(
                &config.provider_keys,
                &config.provider_urls,
                &config.gateways,
                &clients,
            )?,
            spool: Spool::new(config.spool_dir.clone(), config.output_limit),
            inputs: Spool::new(config.spool_dir.clone(), inputs::limit::BYTES),
            media: MediaClients::new(&tls, &timing)?,
            timing,
            machine,
        })
    }
}

/// Executes orders with shared parts.
pub struct Executor(Arc<Parts>);

impl Executor {
    /// Shares the parts between executions.
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }
}

impl Run for Executor {
    fn now(&self) -> DateTime<Utc> {
        self.0.machine.now()
    }

    fn run(&self, order: Order) -> BoxFuture<'static, Report> {
        let parts = Arc::clone(&self.0);
        Box::pin(async move { execute(&parts, &order).await })
    }

    fn look(&self, look: LookOrder) -> BoxFuture<'static, Looked> {
        let parts = Arc::clone(&self.0);
        Box::pin(async move { look::look(&parts, &look).await })
    }
}

/// Why a step of an execution is its last.
#[derive(Debug)]
enum Halt {
    /// A signal; what is open has to be wound down.
    Stop(Stop),
    End(Report),
    /// The journal says otherwise than this execution knew: read it again.
    Reread,
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// Executes one order to its report.
pub async fn execute(parts: &Parts, order: &Order) -> Report {
    for _ in 0..READINGS {
        if let Some(report) = reading(parts, order).await {
            return report;
        }
        tracing::info!(job.id = %order.job, "the journal was written by another hand; reading it again");
    }
    interrupted(Code::StaleLease, "another hand keeps writing this job's journal")
}

/// One reading of bucket and journal and the work that follows from it; `None` asks for another reading.
async fn reading(parts: &Parts, order: &Order) -> Option<Report> {
    order.phase(Phase::Starting);
    // Neither the look nor the lease is raced with a cancellation or the deadline: without the journal nobody knows
    // what is open at a provider. Both give up of themselves.
    let looked = order.signals.race_drain(parts.storage.look(order.job)).await;
    let absent = match looked {
        Ok(Ok(Look::Nothing(absent))) => absent,
        Ok(Ok(Look::Ours(kept))) => return Some(already_stored(parts, order, kept).await),
        Ok(Ok(Look::Others)) => return Some(conflict()),
        Ok(Err(error)) => return Some(or_cancelled(order, store_failed(&error))),
        Err(_) => return Some(replaced()),
    };
    let patience = Instant::now() + Duration::from_millis(parts.timing.journal_patience_ms);
    let taking = parts.journal.take_lease(absent.looked(), order, patience);
    let mut work = match order.signals.race_drain(taking).await {
        Ok(Ok(LeaseTaken::Granted(lease, attempts))) => {
            tracing::info!(job.id = %order.job, lease = lease.epoch(), attempts = attempts.len(), "took the lease");
            Work::new(parts, order, Ledger::new(parts, order, lease, attempts))
        }
        Ok(Ok(LeaseTaken::ToWindDown(lease, attempts, status))) => {
            let mut work = Work::new(parts, order, Ledger::new(parts, order, lease, attempts));
            work.wind_down_ended(status).await;
            return Some(job_ended(status));
        }
        Ok(Ok(LeaseTaken::Ended(status))) => return Some(job_ended(status)),
        Ok(Err(away)) => return Some(or_cancelled(order, journal_away(&away))),
        Err(_) => return Some(replaced()),
    };
    match work.run(absent).await {
        Ok(report) | Err(Halt::End(report)) => Some(report),
        Err(Halt::Reread) => None,
        Err(Halt::Stop(stop)) => Some(work.wind_down(stop).await),
    }
}

/// A21: the result is there, so nothing is called. The journal hears of it when it can: the process that stored it may
/// have been lost before it could say so (B4).
async fn already_stored(parts: &Parts, order: &Order, kept: Kept) -> Report {
    let until = Instant::now() + Duration::from_millis(parts.timing.journal_patience_ms / 4);
    let taking = parts.journal.take_lease(kept.looked(), order, until);
    match order.signals.race_drain(taking).await {
        Ok(Ok(LeaseTaken::Granted(lease, attempts) | LeaseTaken::ToWindDown(lease, attempts, _))) => {
            let unended =
                |id: AttemptId| attempts.iter().any(|a| a.id == id && !State::ENDED.contains(&a.state));
            if let Some(payer) = kept.attempt.filter(|id| unended(*id)) {
                let written = lease.record(payer, &Entry::Succeeded, until).await;
                tracing::info!(job.id = %order.job, attempt.id = %payer, journal.answer = ?written,
                    "the stored result's attempt had not been marked");
            }
        }
        Ok(Ok(LeaseTaken::Ended(status))) => {
            tracing::info!(job.id = %order.job, job.status = %status, "the job has ended");
        }
        Ok(Err(away)) => {
            tracing::warn!(job.id = %order.job, journal.error = %away, "found a result, could not tell the journal");
        }
        Err(_) => {}
    }
    tracing::info!(job.id = %order.job, outputs = kept.outputs.len(), "found the stored result");
    or_cancelled(order, Report::Succeeded { outputs: kept.outputs })
}

/// A cancellation is final whatever else came of it (A24).
fn or_cancelled(order: &Order, report: Report) -> Report {
    if order.signals.is_cancelled() { Report::Cancelled } else { report }
}

fn conflict() -> Report {
    let why = "the output key holds an object that another job wrote";
    Report::Failed { failure: Failure::new(Code::OutputKeyConflict, why) }
}

fn replaced() -> Report {
    interrupted(Code::ExecutorUnavailable, "the process is being replaced")
}

fn journal_away(away: &Away) -> Report {
    let code = match away {
        Away::Unauthorized => Code::TokenInvalid,
        Away::Unreachable(_) => Code::JournalUnavailable,
    };
    interrupted(code, away.to_string())
}

/// What is stored is not made again: a bucket that is away is waited for by the next execution.
fn store_failed(error: &StoreError) -> Report {
    match error {
        StoreError::Away(_) => interrupted(Code::StorageFailed, error.to_string()),
        StoreError::Incomplete { .. } => {
            Report::Failed { failure: Failure::new(Code::StorageFailed, error.to_string()) }
        }
    }
}

/// Somebody else ended the job: there is nothing to execute, and nothing that this report could change.
fn job_ended(status: Status) -> Report {
    match status {
        Status::Cancelled => Report::Cancelled,
        Status::Queued | Status::Running | Status::Waiting | Status::Succeeded | Status::Failed => {
            interrupted(Code::StaleLease, format!("the job has ended as {status}"))
        }
    }
}
