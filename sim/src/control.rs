//! The control plane: what the Workflow, the sweeper and the callback route of api-worker do, as far as an executor can
//! see it. The Workflow's own body cannot be called here: it is a Worker's.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::TimeDelta;
use domain::Secret;
use domain::attempt::State;
use domain::error::{Code, Failure};
use domain::execution::{Answer, Look, LookAt, Report, Submit};
use domain::generation::Spec;
use domain::job::Status;
use domain::runner::{Decision, decide};
use domain::timing::{EXECUTION_POLL_SECONDS, Timing, look_delays_ms};
use tokio::time::{sleep, timeout};

use crate::case::Kind;
use crate::process::{Life, Process};
use crate::provider::Shop;
use crate::world::{CLIENT, JOB, Reached, Shared, To};

/// The control plane's own slot among those who share the time.
const CONTROL: u64 = 14;
const CALLBACK: u64 = 15;
/// Rounds of anything before the run counts as one that does not end.
const ROUNDS: u32 = 40;
/// Between two tries of a Worker's short step.
const AGAIN: Duration = Duration::from_secs(2);
/// Looks at a held job, ten minutes apart, before nothing new is expected.
const HOLDS: u32 = 5;
/// Until whoever slept has woken and done its worst.
const AFTERMATH: Duration = Duration::from_mins(40);
const DEADLINE: TimeDelta = TimeDelta::hours(3);
/// A container's start.
const COLD: Duration = Duration::from_secs(3);

/// The control plane of one job.
pub struct Control {
    shared: Shared,
    spec: Spec,
    timing: Timing,
    /// Its requests have no process that could die.
    worker: std::sync::Arc<Life>,
    process: Option<Process>,
    processes: u64,
}

impl Control {
    pub fn new(shared: &Shared, spec: Spec) -> Self {
        let worker = Life::new(shared, CONTROL);
        Self { shared: shared.clone(), spec, timing: Timing::default(), worker, process: None, processes: 0 }
    }

    /// From the job's start to where nothing more happens of itself.
    pub async fn drive(&mut self) {
        self.execute().await;
        sleep(AFTERMATH).await;
        // What was held may have been told of meanwhile: the hold's own timer would have found it.
        self.execute().await;
        self.wind_down().await;
        self.look_later().await;
        self.execute().await;
        self.wind_down().await;
        self.shared.lock().reachable = None;
    }

    /// The Workflow: execute, hold, persist.
    async fn execute(&mut self) {
        let (mut failures, mut holds) = (0, 0);
        for _ in 0..ROUNDS {
            if self.shared.lock().record.status.is_terminal() {
                return;
            }
            if let Some(reason) = self.held() {
                self.shared.lock().record.show(Some(&reason));
                holds += 1;
                if holds > HOLDS {
                    return;
                }
                sleep(Duration::from_millis(self.timing.hold_poll_ms)).await;
                continue;
            }
            self.shared.lock().record.show(None);
            match self.round().await {
                Report::Held { .. } => {}
                Report::Interrupted { failure } => {
                    self.shared.lock().record.show(Some(&failure.message));
                    failures += 1;
                    if failures > self.timing.execute_retries {
                        self.persist(&Report::Failed { failure }).await;
                    } else {
                        sleep(Duration::from_millis(self.timing.execute_retry_ms << failures.min(5))).await;
                    }
                }
                report @ (Report::Succeeded { .. } | Report::Failed { .. } | Report::Cancelled) => {
                    self.persist(&report).await;
                }
            }
        }
    }

    /// As `go_on` in api-worker: a hold needs no container to be seen.
    fn held(&self) -> Option<String> {
        let attempts = self.shared.lock().record.attempts();
        match decide(&self.spec, &attempts, &self.timing, 0) {
            Decision::Hold(id) => {
                Some(format!("whether the provider accepted attempt {id} could not be found out"))
            }
            Decision::Submit { .. }
            | Decision::Resume(_)
            | Decision::Recover(_)
            | Decision::Abandon(_)
            | Decision::Fail(_) => None,
        }
    }

    /// Submits, or attaches, and polls until a report (A16 to A19).
    async fn round(&mut self) -> Report {
        let unreachable = || {
            let failure = Failure::new(Code::ExecutorUnavailable, "no process could be reached");
            Report::Interrupted { failure }
        };
        for _ in 0..ROUNDS {
            if !self.request("submit").await {
                continue;
            }
            let submission = self.submission();
            let Some(process) = self.process().await else { return unreachable() };
            let life = process.life.clone();
            let mut answer = process.executions.submit(submission);
            loop {
                if let Answer::Ended { report } = answer {
                    return report;
                }
                let Some(watched) = self.process.as_ref().and_then(|process| process.executions.watch(JOB))
                else {
                    break;
                };
                let poll = watched.ended_within(Duration::from_secs(EXECUTION_POLL_SECONDS.into()));
                answer = tokio::select! {
                    biased;
                    () = life.lost() => break,
                    answer = poll => answer,
                };
            }
            sleep(COLD).await;
        }
        unreachable()
    }

    fn submission(&self) -> Submit {
        Submit {
            job: JOB,
            client: CLIENT,
            token: Secret::new("take"),
            spec: self.spec.clone(),
            deadline_at: self.shared.begin() + DEADLINE,
            trace: None,
        }
    }

    /// The process that can be reached, or a new one.
    async fn process(&mut self) -> Option<&Process> {
        if self.process.as_ref().is_none_or(|process| process.life.is_gone()) {
            sleep(COLD).await;
            self.processes += 1;
            let process = Process::begin(&self.shared, self.processes);
            self.shared.lock().reachable = process.as_ref().map(|process| process.executions.clone());
            self.process = process;
        }
        self.process.as_ref()
    }

    /// The container is let go.
    fn release(&mut self) {
        if let Some(process) = self.process.take().filter(|process| !process.life.is_gone()) {
            process.life.kill();
        }
        self.shared.lock().reachable = None;
    }

    /// One request of a Worker; whether it arrived.
    async fn request(&mut self, what: &str) -> bool {
        self.worker.travel().await;
        let fault = self.shared.depart(CONTROL, To::Control, what);
        match fault {
            Some(Kind::RequestLost | Kind::CrashBefore | Kind::Late) => {
                sleep(AGAIN).await;
                false
            }
            Some(_) | None => true,
        }
    }

    /// Writes the end, and again until an answer comes.
    async fn persist(&mut self, report: &Report) {
        for _ in 0..ROUNDS {
            self.worker.travel().await;
            let fault = self.shared.depart(CONTROL, To::Control, "persist");
            match fault {
                Some(Kind::RequestLost | Kind::CrashBefore) => {}
                Some(Kind::Late) => {
                    let (shared, report) = (self.shared.clone(), report.clone());
                    tokio::spawn(async move {
                        sleep(AFTERMATH / 2).await;
                        shared.lock().record.persist(&report);
                    });
                }
                Some(Kind::AnswerLost | Kind::CrashAfter | Kind::Stall) => {
                    self.shared.lock().record.persist(report);
                }
                Some(Kind::Twice) => {
                    self.shared.lock().record.persist(report);
                    self.shared.lock().record.persist(report);
                    return;
                }
                Some(_) | None => {
                    self.shared.lock().record.persist(report);
                    return;
                }
            }
            sleep(AGAIN).await;
        }
    }

    /// The sweeper has what an ended job left open wound down (B4).
    async fn wind_down(&mut self) {
        for _ in 0..ROUNDS {
            let wanted = {
                let world = self.shared.lock();
                world.record.status.is_terminal() && world.record.has_open()
            };
            self.release();
            if !wanted {
                return;
            }
            self.round().await;
        }
    }

    /// The later looks: at once, and after each of the schedule's delays.
    async fn look_later(&mut self) {
        let delays = look_delays_ms(self.timing.look_second_ms);
        for delay in [0].into_iter().chain(delays) {
            sleep(Duration::from_millis(delay)).await;
            let attempts = self.shared.lock().record.wanting_looks();
            if !attempts.is_empty() {
                self.look(attempts).await;
                self.release();
            }
        }
    }

    async fn look(&mut self, attempts: Vec<LookAt>) {
        let look = Look { job: JOB, spec: self.spec.clone(), attempts };
        if !self.request("look").await {
            return;
        }
        let Some(process) = self.process().await else { return };
        // A dead process never answers, and a sleeping one not in time.
        let Ok(looked) = timeout(Duration::from_mins(2), process.executions.look(look)).await else { return };
        let now = self.shared.now();
        let mut world = self.shared.lock();
        for finding in looked.findings {
            world.reached.insert(Reached::LookedLater);
            if let Some(found) = &finding.found {
                world.record.report(finding.attempt, &found.provider_request_id, &found.captured, now);
            }
            world.record.settle(finding.attempt, finding.usage.as_ref(), finding.cost.as_ref());
        }
    }
}

/// The provider reports an accepted call to the attempt's own URL when it ends, and again: callbacks are repeated.
pub fn expect_callback(shared: &Shared, place: usize) {
    let (callback, ends_at) = {
        let world = shared.lock();
        let Some(accepted) = world.shop.ledger.get(place) else { return };
        (accepted.callback.clone(), accepted.ends_at())
    };
    let Some(attempt) = callback.and_then(|url| url.rsplit_once('/')?.1.parse().ok()) else { return };
    let shared = shared.clone();
    tokio::spawn(async move {
        let caller = Life::new(&shared, CALLBACK);
        sleep((ends_at - shared.now()).to_std().unwrap_or_default()).await;
        for _ in 0..2 {
            caller.travel().await;
            let fault = shared.depart(CALLBACK, To::Control, "callback");
            if !matches!(fault, Some(Kind::RequestLost | Kind::CrashBefore)) {
                let now = shared.now();
                let mut world = shared.lock();
                let was_unknown = world
                    .record
                    .rows
                    .iter()
                    .any(|row| row.attempt.id == attempt && row.attempt.state == State::Unknown);
                let news = world.record.report(attempt, &Shop::name(place), &BTreeMap::new(), now);
                if news && was_unknown {
                    world.reached.insert(Reached::ToldByCallback);
                }
            }
            sleep(Duration::from_mins(1)).await;
        }
    });
}

/// Whether the job has ended as it should, or is held by name (I12).
pub fn is_at_rest(shared: &Shared) -> bool {
    let world = shared.lock();
    let unknown = world.record.rows.iter().any(|row| row.attempt.state == State::Unknown);
    let held = world.record.status == Status::Waiting && world.record.waiting.is_some() && unknown;
    world.record.status.is_terminal() || held
}
