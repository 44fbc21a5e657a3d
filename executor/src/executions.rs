//! One execution per job in this process, detached from the request that began it (A16).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::error::{Code, Failure};
use domain::execution::{Answer, Look, Looked, Phase, Report, Submit};
use domain::{JobId, Secret};
use futures::future::BoxFuture;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

use crate::logging;

mod order;

pub use order::{Order, Signals, Stop, Unsent};

/// Ended executions that are remembered, oldest forgotten first. A forgotten one answers 404 and is submitted again,
/// which finds the stored result.
const REMEMBERED: usize = 1024;

/// What an execution does. It is a parameter so that the keeping of executions can be tested on its own.
pub trait Run: Send + Sync + 'static {
    /// The time of day that deadlines are counted from.
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    /// The future that executes the order. It is polled in a task of its own and may be dropped at any await.
    fn run(&self, order: Order) -> BoxFuture<'static, Report>;

    /// Looks again at attempts that nobody executes any more.
    fn look(&self, look: Look) -> BoxFuture<'static, Looked>;
}

/// All executions of this process.
pub struct Executions {
    run: Arc<dyn Run>,
    jobs: Mutex<Jobs>,
    draining: watch::Sender<bool>,
    limit: usize,
    /// Later looks that are under way.
    looks: AtomicUsize,
}

#[derive(Default)]
struct Jobs {
    slots: HashMap<JobId, Slot>,
    /// Counts slots as they are made, to know the oldest.
    made: u64,
}

/// What this process knows of a job.
struct Slot {
    number: u64,
    standing: watch::Sender<Answer>,
    /// Final once true (A24).
    cancelled: watch::Sender<bool>,
    token: Arc<Mutex<Secret>>,
    unsent: Unsent,
    task: Option<AbortHandle>,
}

/// Follows one execution.
pub struct Watched(watch::Receiver<Answer>);

impl Watched {
    /// Where the execution stands.
    pub fn now(&self) -> Answer {
        self.0.borrow().clone()
    }

    /// The standing at its end, or after `wait`.
    pub async fn ended_within(mut self, wait: Duration) -> Answer {
        let until = Instant::now() + wait;
        let ended = self.0.wait_for(|answer| matches!(answer, Answer::Ended { .. }));
        if let Ok(Ok(answer)) = timeout_at(until, ended).await {
            return answer.clone();
        }
        self.now()
    }
}

impl Executions {
    /// At most `limit` execute at a time.
    pub fn new(run: Arc<dyn Run>, limit: usize) -> Self {
        Self {
            run,
            jobs: Mutex::default(),
            draining: watch::Sender::new(false),
            limit,
            looks: AtomicUsize::new(0),
        }
    }

    /// Begins the job's execution, or attaches to the one that stands (A16, A17).
    pub fn submit(&self, submit: Submit) -> Answer {
        let job = submit.job;
        let mut jobs = self.lock();
        if let Some(slot) = jobs.slots.get(&job) {
            let standing = slot.standing.borrow().clone();
            match &standing {
                Answer::Running { .. } => {
                    *slot.token.lock().unwrap_or_else(PoisonError::into_inner) = submit.token;
                    return standing;
                }
                Answer::Ended { report } if report.is_final() => return standing,
                Answer::Ended { .. } => {}
            }
        }
        if *self.draining.borrow() {
            return turned_away("this process is being replaced");
        }
        let running = jobs.slots.values().filter(|slot| slot.is_running()).count();
        if running >= self.limit {
            return turned_away("this process is at its limit of executions");
        }
        self.begin(&mut jobs, submit)
    }

    fn begin(&self, jobs: &mut Jobs, submit: Submit) -> Answer {
        let job = submit.job;
        let answer = Answer::Running { phase: Phase::Starting };
        let slot = jobs.slot(job, answer.clone());
        slot.standing = watch::Sender::new(answer.clone());
        slot.token = Arc::new(Mutex::new(submit.token.clone()));
        let order = Order::new(
            (submit, self.run.now()),
            Arc::clone(&slot.token),
            slot.standing.clone(),
            (slot.cancelled.subscribe(), self.draining.subscribe()),
            slot.unsent.clone(),
        );
        let trace = order.trace.as_ref().map(|trace| trace.id().to_string());
        let span = tracing::info_span!("execution", job.id = %job, trace.id = trace);
        let task = tokio::spawn(self.run.run(order).instrument(span.clone()));
        slot.task = Some(task.abort_handle());
        let standing = slot.standing.clone();
        // The execution's own task may panic or be aborted; this one only waits for it.
        let waiting = async move {
            let report = match task.await {
                Ok(report) => report,
                Err(error) if error.is_panic() => {
                    let panic = error.into_panic();
                    interrupted(
                        Code::Internal,
                        format!("the execution panicked: {}", logging::message(&*panic)),
                    )
                }
                Err(_) => interrupted(Code::ExecutorUnavailable, "the process was replaced while it worked"),
            };
            log(job, &report);
            standing.send_replace(Answer::Ended { report });
        };
        tokio::spawn(waiting.instrument(span));
        jobs.forget_oldest();
        answer
    }

    /// Follows the job's execution; `None` if this process never heard of it (A19).
    pub fn watch(&self, job: JobId) -> Option<Watched> {
        self.lock().slots.get(&job).map(|slot| Watched(slot.standing.subscribe()))
    }

    /// Cancels the job, whether it executes, has ended or is not known yet (A24).
    pub fn cancel(&self, job: JobId) -> Answer {
        let mut jobs = self.lock();
        let slot = jobs.slot(job, Answer::Ended { report: Report::Cancelled });
        slot.cancelled.send_replace(true);
        slot.standing.send_if_modified(|standing| {
            let undecided = matches!(standing, Answer::Ended { report } if !report.is_final());
            if undecided {
                *standing = Answer::Ended { report: Report::Cancelled };
            }
            undecided
        });
        let answer = slot.standing.borrow().clone();
        jobs.forget_oldest();
        answer
    }

    /// Whether the process is on its way out.
    pub fn is_draining(&self) -> bool {
        *self.draining.borrow()
    }

    /// Looks again at attempts (`domain::execution::Look`). A look that its caller gives up ends with it.
    pub async fn look(&self, look: Look) -> Looked {
        let _under_way = UnderWay::begin(&self.looks);
        self.run.look(look).await
    }

    /// How many executions and looks are under way: the container is of use while there are any.
    pub fn running(&self) -> usize {
        let executions = self.lock().slots.values().filter(|slot| slot.is_running()).count();
        executions + self.looks.load(Ordering::SeqCst)
    }

    /// Begins no more, lets running executions write down what they know, and ends those that take longer than
    /// `grace`: their journal says where to go on.
    pub async fn drain(&self, grace: Duration) {
        self.draining.send_replace(true);
        let until = Instant::now() + grace;
        for watched in self.running_ones() {
            watched.ended_within(until.saturating_duration_since(Instant::now())).await;
        }
        for slot in self.lock().slots.values() {
            if let Some(task) = slot.task.as_ref().filter(|_| slot.is_running()) {
                task.abort();
            }
        }
        for watched in self.running_ones() {
            watched.ended_within(Duration::from_secs(1)).await;
        }
    }

    fn running_ones(&self) -> Vec<Watched> {
        let jobs = self.lock();
        jobs.slots
            .values()
            .filter(|slot| slot.is_running())
            .map(|slot| Watched(slot.standing.subscribe()))
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, Jobs> {
        // Nothing panics while it holds the lock halfway through a change.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts one while it lives, however it ends.
struct UnderWay<'c>(&'c AtomicUsize);

impl<'c> UnderWay<'c> {
    fn begin(count: &'c AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Jobs {
    fn slot(&mut self, job: JobId, standing: Answer) -> &mut Slot {
        match self.slots.entry(job) {
            Entry::Occupied(slot) => slot.into_mut(),
            Entry::Vacant(place) => {
                self.made += 1;
                place.insert(Slot {
                    number: self.made,
                    standing: watch::Sender::new(standing),
                    cancelled: watch::Sender::new(false),
                    token: Arc::new(Mutex::new(Secret::new(""))),
                    unsent: Unsent::default(),
                    task: None,
                })
            }
        }
    }

    fn forget_oldest(&mut self) {
        while self.slots.len() > REMEMBERED {
            let ended = self.slots.iter().filter(|(_, slot)| !slot.is_running());
            let Some(oldest) = ended.min_by_key(|(_, slot)| slot.number).map(|(job, _)| *job) else {
                return;
            };
            self.slots.remove(&oldest);
        }
    }
}

impl Slot {
    fn is_running(&self) -> bool {
        matches!(&*self.standing.borrow(), Answer::Running { .. })
    }
}

/// In-band, since nothing is wrong with the request: another process, or this one later, will do it.
fn turned_away(why: &str) -> Answer {
    Answer::Ended { report: interrupted(Code::ExecutorUnavailable, why) }
}

/// The report of an execution that decided nothing.
pub fn interrupted(code: Code, why: impl AsRef<str>) -> Report {
    Report::Interrupted { failure: Failure::new(code, why) }
}

fn log(job: JobId, report: &Report) {
    match report {
        Report::Succeeded { outputs } => {
            tracing::info!(job.id = %job, execution.outcome = "succeeded", outputs = outputs.len(), "execution ended");
        }
        Report::Failed { failure } => tracing::info!(job.id = %job, execution.outcome = "failed",
            error.code = %failure.code, error.message = failure.message, "execution ended"),
        Report::Held { attempt, reason } => tracing::warn!(job.id = %job, execution.outcome = "held",
            attempt.id = %attempt, reason, "execution ended"),
        Report::Cancelled => {
            tracing::info!(job.id = %job, execution.outcome = "cancelled", "execution ended");
        }
        Report::Interrupted { failure } => tracing::warn!(job.id = %job, execution.outcome = "interrupted",
            error.code = %failure.code, error.message = failure.message, "execution ended"),
    }
}
