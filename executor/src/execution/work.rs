//! The loop: decide, do that one thing, decide again.

use std::time::Duration;

use domain::AttemptId;
use domain::attempt::{Attempt, ErrorClass, State};
use domain::error::{Code, Failure};
use domain::execution::{Phase, Report};
use domain::generation::{ChainStep, Spec};
use domain::journal::{Entry, EntryAnswer};
use domain::runner::{Decision, decide};

use super::ledger::{Ledger, free};
use super::prepare::Prepared;
use super::{Halt, Parts, conflict, or_cancelled, store_failed};
use crate::executions::{Order, interrupted};
use crate::providers::{Adapter, Completion, Failed, fault};
use crate::storage::{Absent, Kept, Look};

/// AFC's own codes for what can become of an attempt.
pub(super) mod code {
    pub(in crate::execution) const NEVER_SENT: &str = "never_sent";
    pub(in crate::execution) use domain::attempt::{NEVER_ARRIVED, UNREACHABLE};
    pub(in crate::execution) const PROCESS_LOST: &str = "process_lost";
    pub(in crate::execution) const RISK_ACCEPTED: &str = "risk_accepted";
    pub(in crate::execution) const REQUEST_NOT_FOUND: &str = "request_not_found";
    pub(in crate::execution) const WINDOW_EXPIRED: &str = "window_expired";
    pub(in crate::execution) const DEADLINE_EXCEEDED: &str = "deadline_exceeded";
    pub(in crate::execution) const RESULT_EXPIRED: &str = "result_expired";
    pub(in crate::execution) const OUTPUT_INVALID: &str = "output_invalid";
    pub(in crate::execution) const SUPERSEDED: &str = "superseded";
    pub(in crate::execution) const OUTPUT_KEY_CONFLICT: &str = "output_key_conflict";
    pub(in crate::execution) const CANCELLED: &str = "cancelled";
}

/// An execution that holds the lease.
pub(super) struct Work<'e> {
    pub(super) parts: &'e Parts,
    pub(super) order: &'e Order,
    pub(super) ledger: Ledger<'e>,
    pub(super) prepared: Prepared,
    /// The last submit that was answered with its result.
    pub(super) answered: Option<Answered>,
}

/// A result that only this process has.
pub(super) struct Answered {
    pub(super) id: AttemptId,
    pub(super) answer: Option<Result<Completion, Failed>>,
}

impl<'e> Work<'e> {
    pub(super) fn new(parts: &'e Parts, order: &'e Order, ledger: Ledger<'e>) -> Self {
        Self { parts, order, ledger, prepared: Prepared::default(), answered: None }
    }

    pub(super) async fn run(&mut self, absent: Absent) -> Result<Report, Halt> {
        let mut absent = Some(absent);
        self.write_off_unsent(ErrorClass::Retryable).await?;
        loop {
            self.order.signals.check()?;
            match decide(self.spec(), self.ledger.attempts(), &self.parts.timing, self.parts.machine.jitter())
            {
                Decision::Submit { chain_index, after_ms } => {
                    if after_ms > 0 {
                        absent = None;
                        self.order.phase(Phase::BackingOff);
                        self.order.signals.sleep(Duration::from_millis(after_ms)).await?;
                    }
                    if self.unprepared() {
                        absent = None;
                        self.prepare().await?;
                    }
                    // One look proves absence for one submit (I5): time has passed since the last one.
                    let absent = match absent.take() {
                        Some(absent) => absent,
                        None => self.look_again().await?,
                    };
                    self.attempt(absent, chain_index).await?;
                    if let Some((id, answer)) = self.take_answer()
                        && let Some(report) = self.answered(id, answer).await?
                    {
                        return Ok(report);
                    }
                }
                Decision::Resume(id) => {
                    if let Some(report) = self.resume(id).await? {
                        return Ok(report);
                    }
                }
                Decision::Recover(id) => {
                    let lost = "the process that opened it was lost before it wrote down an outcome";
                    self.recover(id, fault(ErrorClass::Unknown, code::PROCESS_LOST, lost)).await?;
                }
                Decision::Hold(id) => return Ok(self.hold(id)),
                Decision::Abandon(id) => {
                    self.await_callback(id).await?;
                    let words = "its outcome is unknown; the job's policy accepts that it may have been paid";
                    let error = fault(ErrorClass::Unknown, code::RISK_ACCEPTED, words);
                    self.ledger.write(id, Entry::Abandoned { error }).await?;
                }
                Decision::Fail(failure) => return Ok(Report::Failed { failure: self.precise(failure) }),
            }
        }
    }

    fn take_answer(&mut self) -> Option<(AttemptId, Result<Completion, Failed>)> {
        let answered = self.answered.as_mut()?;
        Some((answered.id, answered.answer.take()?))
    }

    pub(super) fn spec(&self) -> &'e Spec {
        &self.order.spec
    }

    pub(super) fn step(&self, chain_index: u32) -> Option<&'e ChainStep> {
        self.spec().chain.get(usize::try_from(chain_index).ok()?)
    }

    /// The provider's adapter; without a key for it nothing can be done for the job here.
    pub(super) fn adapter(&self, attempt: &Attempt) -> Result<&'e Adapter, Halt> {
        let provider = attempt.provider;
        self.parts.adapters.get(provider).ok_or_else(|| {
            Halt::End(interrupted(Code::ProviderAuthentication, format!("there is no key for {provider}")))
        })
    }

    /// The proof of absence for a later submit. A result that appeared meanwhile ends the execution (A21, A22).
    pub(super) async fn look_again(&mut self) -> Result<Absent, Halt> {
        let look = self.order.signals.race(self.parts.storage.look(self.order.job)).await?;
        match look {
            Ok(Look::Nothing(absent)) => Ok(absent),
            Ok(Look::Ours(kept)) => Err(Halt::End(self.found(kept).await?)),
            Ok(Look::Others) => Err(Halt::End(conflict())),
            Err(error) => Err(Halt::End(store_failed(&error))),
        }
    }

    /// A result that another execution of this job stored; its attempt is marked if it is not yet.
    pub(super) async fn found(&mut self, kept: Kept) -> Result<Report, Halt> {
        let payer = kept.attempt.and_then(|id| self.ledger.get(id)).cloned();
        if let Some(payer) = payer.filter(|payer| !State::ENDED.contains(&payer.state)) {
            self.mark(&payer, Entry::Succeeded).await?;
        }
        Ok(or_cancelled(self.order, Report::Succeeded { outputs: kept.outputs }))
    }

    /// Attempts that this process opened and did not send: only it knows, so it says so before anybody has to guess.
    pub(super) async fn write_off_unsent(&mut self, class: ErrorClass) -> Result<(), Halt> {
        for id in self.order.unsent.all() {
            let error = fault(class, code::NEVER_SENT, "it was opened and never sent");
            let entry = Entry::Failed { error };
            let until = self.ledger.patience();
            match self.ledger.get(id).map(|attempt| attempt.state) {
                Some(State::Open) => {
                    self.ledger.write_until(id, entry, until).await?;
                    self.ledger.settle(id, None, Some(free())).await?;
                }
                // Its opening got no answer, so the row is there or not; if not, this is refused and nothing is lost.
                None => {
                    let written = self.ledger.lease.record(id, &entry, until).await;
                    if written == Ok(EntryAnswer::Written) {
                        self.ledger.settle(id, None, Some(free())).await?;
                    }
                }
                Some(_) => {}
            }
            self.order.unsent.remove(id);
        }
        Ok(())
    }

    /// The risk of an unknown attempt is accepted only after its provider had time to report it (B3). A report changes
    /// the row, not this process; the write that comes next is then refused, and the journal is read anew.
    async fn await_callback(&self, id: AttemptId) -> Result<(), Halt> {
        let calls_back = match self.ledger.get(id) {
            Some(attempt) => self.adapter(attempt)?.calls_back(),
            None => false,
        };
        if calls_back {
            self.order.phase(Phase::Recovering);
            let patience = Duration::from_millis(self.parts.timing.callback_patience_ms);
            self.order.signals.sleep(patience).await?;
        }
        Ok(())
    }

    fn hold(&self, id: AttemptId) -> Report {
        let error = self.ledger.get(id).and_then(|attempt| attempt.error.as_ref());
        let reason = error.map_or_else(|| "its outcome is unknown".to_owned(), |error| error.message.clone());
        Report::Held { attempt: id, reason }
    }

    /// Says of a result that was no file what it was, where the class alone would say "provider error".
    fn precise(&self, failure: Failure) -> Failure {
        let last = self.ledger.last().and_then(|attempt| attempt.error.as_ref());
        let invalid = |code: &str| matches!(code, code::OUTPUT_INVALID | code::RESULT_EXPIRED);
        if last.and_then(|error| error.code.as_deref()).is_some_and(invalid) {
            return Failure { code: Code::OutputInvalid, ..failure };
        }
        failure
    }
}
