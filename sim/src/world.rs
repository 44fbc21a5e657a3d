//! What outlives a process, and the count of requests.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use domain::JobId;
use domain::job::Status;
use domain::journal::{Entry, LeaseAnswer, Open, OpenAnswer};
use executor::executions::Executions;
use http::Method;
use serde::de::DeserializeOwned;
use tokio::time::Instant;
use uuid::Uuid;

use crate::bucket::Bucket;
use crate::case::{Case, Kind};
use crate::message::{Call, Reply};
use crate::provider::Shop;
use crate::record::Record;

/// What a run came through. Every one of them has to be reached by some run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reached {
    Succeeded,
    Failed,
    Cancelled,
    HeldUnknown,
    /// A later process waited for a request that an earlier one had made.
    ReAttached,
    /// A process found the result of an earlier one.
    FoundStored,
    FencedWrite,
    RiskAccepted,
    /// A lost call was found by asking.
    Recovered,
    /// The provider's proof that it never arrived.
    NeverArrived,
    /// The callback told of a call whose answer was lost.
    ToldByCallback,
    /// An ended job's open call was wound down.
    WoundDown,
    /// A later look learned something.
    LookedLater,
}

impl Reached {
    pub const ALL: [Self; 13] = [
        Self::Succeeded,
        Self::Failed,
        Self::Cancelled,
        Self::HeldUnknown,
        Self::ReAttached,
        Self::FoundStored,
        Self::FencedWrite,
        Self::RiskAccepted,
        Self::Recovered,
        Self::NeverArrived,
        Self::ToldByCallback,
        Self::WoundDown,
        Self::LookedLater,
    ];
}

/// Whom a request goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    Journal,
    Bucket,
    Provider,
    /// The Workflow's own: to the executor, and to the record.
    Control,
}

/// Everything that a crash leaves.
pub struct World {
    pub case: Case,
    pub record: Record,
    pub bucket: Bucket,
    pub shop: Shop,
    /// Requests so far; a fault names one by its number.
    pub points: u32,
    pub reached: BTreeSet<Reached>,
    /// What the auditor could not see afterwards.
    pub broken_promises: Vec<String>,
    /// Journal calls, to be sent again at the end (I11).
    pub journaled: Vec<Call>,
    pub trace: Option<Vec<String>>,
    /// The process that the control plane reaches.
    pub reachable: Option<Arc<Executions>>,
}

/// The world, shared by everybody in a run.
#[derive(Clone)]
pub struct Shared {
    world: Arc<Mutex<World>>,
    began: Instant,
}

/// The job of every run.
pub const JOB: JobId = JobId::new(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001));
/// Its client.
pub const CLIENT: domain::ClientId =
    domain::ClientId::new(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0002));

impl Shared {
    pub fn new(world: World) -> Self {
        Self { world: Arc::new(Mutex::new(world)), began: Instant::now() }
    }

    pub fn lock(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time of day, as the world has it.
    pub fn now(&self) -> DateTime<Utc> {
        let passed = TimeDelta::from_std(self.began.elapsed()).unwrap_or_default();
        DateTime::from_timestamp(1_796_083_200, 0).unwrap_or_default() + passed
    }

    /// When the run began, by the same clock.
    pub fn begin(&self) -> DateTime<Utc> {
        self.now() - TimeDelta::from_std(self.began.elapsed()).unwrap_or_default()
    }

    /// Milliseconds since the run began.
    pub fn millis(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub fn note(&self, text: impl FnOnce() -> String) {
        let at = self.began.elapsed();
        if let Some(trace) = &mut self.lock().trace {
            trace.push(format!("{:>10.3}  {}", at.as_secs_f64(), text()));
        }
    }

    /// Numbers a request that is about to be sent, and says what happens to it.
    pub fn depart(&self, who: u64, to: To, what: &str) -> Option<Kind> {
        let mut world = self.lock();
        world.points += 1;
        let point = world.points;
        let fault = world.case.fault_at(point);
        let cancel = world.case.cancel.filter(|cancel| cancel.point == point);
        let mut told = None;
        if let Some(cancel) = cancel {
            world.record.finish(Status::Cancelled);
            told = world.reachable.clone().filter(|_| cancel.told);
        }
        drop(world);
        self.note(|| {
            let broken = fault.map(|kind| format!("  ← {kind:?}")).unwrap_or_default();
            let cancelled = if cancel.is_some() { "  ← the API cancels" } else { "" };
            format!("#{point} p{who} → {to:?} {what}{broken}{cancelled}")
        });
        if let Some(executions) = told {
            executions.cancel(JOB);
        }
        fault
    }

    /// A request arrives.
    pub fn land(&self, to: To, call: &Call) -> Reply {
        let now = self.now();
        let mut world = self.lock();
        match to {
            To::Journal => world.journal(call, now),
            To::Bucket => {
                let reply = world.bucket.answer(call);
                if call.method == Method::HEAD && reply.status == 200 {
                    world.reached.insert(Reached::FoundStored);
                }
                reply
            }
            To::Provider => world.shop.answer(call, now),
            To::Control => Reply::status(404),
        }
    }
}

impl World {
    /// `/internal/jobs/{job}/lease`, `…/attempts`, `…/attempts/{attempt}`.
    pub fn journal(&mut self, call: &Call, now: DateTime<Utc>) -> Reply {
        let token =
            call.header("authorization").and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
        let lease = token.strip_prefix("lease-").and_then(|epoch| epoch.parse::<i64>().ok());
        let segments = call.segments();
        let fenced = self.record.fenced;
        let reply = match (segments.get(3..).unwrap_or_default(), lease) {
            (["lease"], None) if token == "take" => self.lease(),
            (["attempts"], Some(lease)) => {
                let Some(open) = parsed::<Open>(call) else { return Reply::status(400) };
                let answer = self.record.open(lease, &open, now);
                if let OpenAnswer::Opened { .. } = answer {
                    self.journaled.push(call.clone());
                }
                Reply::json(200, &answer)
            }
            (["attempts", id], Some(lease)) => {
                let (Ok(id), Some(entry)) = (id.parse(), parsed::<Entry>(call)) else {
                    return Reply::status(400);
                };
                self.journaled.push(call.clone());
                self.remember(&entry);
                Reply::json(200, &self.record.write(lease, id, &entry, now))
            }
            _ => Reply::status(401),
        };
        if self.record.fenced > fenced {
            self.reached.insert(Reached::FencedWrite);
        }
        reply
    }

    fn lease(&mut self) -> Reply {
        let answer = self.record.take_lease();
        if let LeaseAnswer::Granted { attempts, ended, .. } = &answer {
            let waits =
                |attempt: &domain::attempt::Attempt| attempt.state == domain::attempt::State::Accepted;
            if ended.is_some() {
                self.reached.insert(Reached::WoundDown);
            } else if attempts.iter().any(waits) {
                self.reached.insert(Reached::ReAttached);
            }
        }
        Reply::json(200, &answer)
    }

    fn remember(&mut self, entry: &Entry) {
        let code = match entry {
            Entry::Failed { error } | Entry::Abandoned { error } => error.code.as_deref(),
            Entry::Accepted { .. } | Entry::Unknown { .. } | Entry::Succeeded | Entry::Settled { .. } => None,
        };
        match code {
            Some(domain::attempt::NEVER_ARRIVED) => self.reached.insert(Reached::NeverArrived),
            Some("risk_accepted") => self.reached.insert(Reached::RiskAccepted),
            _ => false,
        };
    }
}

fn parsed<T: DeserializeOwned>(call: &Call) -> Option<T> {
    serde_json::from_slice(&call.body).ok()
}
