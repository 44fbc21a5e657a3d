//! The one phase that can cost money: open, submit once, write down what came of it (B1, B3).

use std::time::Duration;

use domain::AttemptId;
use domain::attempt::{Attempt, AttemptError, ErrorClass};
use domain::error::{Code, Failure};
use domain::execution::{Phase, Report};
use domain::journal::{Entry, Open, Refusal};
use domain::rates::card;
use domain::runner::around_breaker;
use domain::timing::backoff_ms;
use serde_json::Value;

use super::ledger::free;
use super::prepare::Carriage;
use super::work::{Answered, Work, code};
use super::{Halt, job_ended, journal_away};
use crate::executions::interrupted;
use crate::journal::{Opened, Opening};
use crate::providers::{Acceptance, Adapter, Recovered, Sought, Submission, fault};
use crate::retry::Backoff;
use crate::storage::Absent;

impl Work<'_> {
    /// A new attempt of a chain entry, up to where its outcome is in the journal. A provider that is not open for it is
    /// waited for, or gone around; then nothing was opened.
    pub(super) async fn attempt(&mut self, absent: Absent, chain_index: u32) -> Result<(), Halt> {
        self.order.phase(Phase::Submitting);
        let step =
            self.step(chain_index).ok_or_else(|| failed(Code::Internal, "the chain has no such entry"))?;
        let adapter = self.parts.adapters.get(step.provider).ok_or_else(|| {
            failed(Code::ProviderAuthentication, &format!("there is no key for {}", step.provider))
        })?;
        let id = self.parts.machine.mint();
        let asked = self.asked(adapter, step, id)?;
        let (carried, carriage) = self.carry(adapter, step.provider, &asked).await?;
        let absent = match carriage {
            Carriage::AtOnce => absent,
            Carriage::Uploaded => self.look_again().await?,
        };
        let open = Open {
            attempt: id,
            chain_index,
            provider: step.provider,
            model: step.model.clone(),
            request: asked.body,
            reserved: card().and_then(|card| card.worst_case(step, &self.spec().input)),
        };
        let opened = match self.open(absent, open).await? {
            Passage::Opened(opened) => opened,
            Passage::Shut { around: Some(next), .. } => return self.around(next).await,
            Passage::Shut { around: None, retry_after_ms } => {
                return self.wait_for_gate(retry_after_ms).await;
            }
        };
        // The last moment at which stopping costs nothing.
        self.order.signals.check()?;
        self.order.unsent.remove(id);
        tracing::info!(job.id = %self.order.job, attempt.id = %id, attempt.ordinal = opened.ordinal(),
            provider = %step.provider, model = step.model, "submitting");
        // Not raced with anything: a submit that is cut off is an unknown one. Its client has a timeout.
        match adapter.submit(opened, &carried).await {
            Submission::Accepted(acceptance) => self.accepted(id, acceptance).await,
            Submission::Answered(answer) => {
                self.answered = Some(Answered { id, answer: Some(answer) });
                Ok(())
            }
            Submission::Rejected(error) => {
                self.ledger.write(id, Entry::Failed { error }).await?;
                self.ledger.settle(id, None, Some(free())).await
            }
            Submission::Unknown(error) => self.recover(id, error).await,
        }
    }

    /// The attempt at the next provider of the chain. Time has passed, so absence is proven anew (I5).
    async fn around(&mut self, chain_index: u32) -> Result<(), Halt> {
        tracing::info!(job.id = %self.order.job, chain.index = chain_index, "going around an open breaker");
        let absent = self.look_again().await?;
        Box::pin(self.attempt(absent, chain_index)).await
    }

    /// Nothing is paid meanwhile; the deadline ends it.
    async fn wait_for_gate(&self, retry_after_ms: Option<u64>) -> Result<(), Halt> {
        self.order.phase(Phase::BackingOff);
        let limit = self.parts.timing.gate_poll_ms;
        let pause = backoff_ms(retry_after_ms.unwrap_or(limit), limit, 0, self.parts.machine.jitter());
        self.order.signals.sleep(Duration::from_millis(pause.max(GATE_PAUSE_MS))).await?;
        Ok(())
    }

    async fn open(&mut self, absent: Absent, open: Open) -> Result<Passage, Halt> {
        let (id, chain_index) = (open.attempt, open.chain_index);
        self.order.unsent.add(id);
        let opening = self.ledger.lease.open(absent, open, self.ledger.patience());
        let refusal = match self.order.signals.race_drain(opening).await? {
            Ok(Opening::Opened(opened)) => {
                self.ledger.opened(&opened);
                return Ok(Passage::Opened(opened));
            }
            Ok(Opening::Refused(refusal)) => refusal,
            // The row may be there: it stays on the list of what was not sent.
            Err(away) => return Err(Halt::End(journal_away(&away))),
        };
        // An earlier try may have committed the row before the lease was lost: then only this process knows better.
        if refusal != Refusal::StaleLease {
            self.order.unsent.remove(id);
        }
        tracing::info!(job.id = %self.order.job, attempt.id = %id, journal.refusal = ?refusal, "the attempt was not opened");
        self.refused(refusal, chain_index)
    }

    fn refused(&self, refusal: Refusal, chain_index: u32) -> Result<Passage, Halt> {
        let report = match refusal {
            Refusal::StaleLease => interrupted(Code::StaleLease, "a newer process holds the job"),
            Refusal::JobEnded { status } => job_ended(status),
            Refusal::PaidCallsExhausted => {
                let last = self.ledger.last().and_then(|attempt| attempt.error.as_ref());
                let failure = last.map_or_else(
                    || {
                        Failure::new(
                            Code::PaidCallsExhausted,
                            "all paid calls that the job allows are used up",
                        )
                    },
                    |error| Failure::new(Code::of_class(error.class), &error.message),
                );
                Report::Failed { failure }
            }
            Refusal::MaxCostReached => {
                report(Code::MaxCostReached, "another attempt could cost more than the job allows")
            }
            Refusal::Unpriceable => report(
                Code::CostUnpriceable,
                "the job has a cost limit, or its client a budget, and the model has no known price",
            ),
            Refusal::BudgetExceeded { period } => report(
                Code::BudgetExceeded,
                &format!(
                    "another attempt could cost more than is left of the client's budget of the {period}"
                ),
            ),
            Refusal::ProviderBusy { retry_after_ms } | Refusal::BudgetBusy { retry_after_ms } => {
                return Ok(Passage::Shut { around: None, retry_after_ms });
            }
            Refusal::BreakerOpen { cause, retry_after_ms } => {
                let around = around_breaker(self.spec(), chain_index, cause);
                return Ok(Passage::Shut { around, retry_after_ms });
            }
        };
        Err(Halt::End(report))
    }

    /// Before anything else is done with the answer, and for as long as it takes: until it is written, a crash would
    /// leave a paid request that nobody can name.
    async fn accepted(&mut self, id: AttemptId, acceptance: Acceptance) -> Result<(), Halt> {
        let Acceptance { request_id, captured } = acceptance;
        tracing::info!(job.id = %self.order.job, attempt.id = %id, provider.request_id = request_id, "accepted by the provider");
        let entry = Entry::Accepted { provider_request_id: request_id.clone(), captured };
        let written = self.ledger.write(id, entry).await;
        if let Err(Halt::End(report)) = &written {
            // The log is then the only place that names it.
            tracing::error!(job.id = %self.order.job, attempt.id = %id, provider.request_id = request_id,
                report = ?report, "an accepted request could not be written down");
        }
        written
    }

    /// Finds out whether the provider has an attempt, by what the provider offers for that; otherwise it is unknown.
    pub(super) async fn recover(&mut self, id: AttemptId, error: AttemptError) -> Result<(), Halt> {
        self.order.phase(Phase::Recovering);
        let attempt = self.ledger.get(id).cloned();
        let attempt = attempt.ok_or_else(|| failed(Code::Internal, "the journal has no such attempt"))?;
        let adapter = self.adapter(&attempt)?;
        let step = self.step(attempt.chain_index);
        let recovered = match step {
            Some(step) => {
                let request = if adapter.looks_by_request() {
                    self.sent(adapter, step, id).await?
                } else {
                    Value::Null
                };
                self.look_for(adapter, &attempt, &request).await?
            }
            None => Recovered::CannotTell,
        };
        match recovered {
            Recovered::Accepted(acceptance) => self.accepted(id, acceptance).await,
            Recovered::NeverArrived => {
                let words = "the provider has no such request";
                let error = fault(ErrorClass::Retryable, code::NEVER_ARRIVED, words);
                self.ledger.write(id, Entry::Failed { error }).await?;
                self.ledger.settle(id, None, Some(free())).await
            }
            Recovered::CannotTell => self.ledger.write(id, Entry::Unknown { error }).await,
        }
    }

    /// Looking costs nothing, and what was accepted a moment ago may not be listed yet: so not once, but until the tries
    /// are used up. A stop in between leaves the attempt open, which is what is known of it.
    async fn look_for(
        &self,
        adapter: &Adapter,
        attempt: &Attempt,
        request: &Value,
    ) -> Result<Recovered, Halt> {
        let mut backoff = Backoff::new(&self.parts.timing, &self.parts.machine);
        let others = self.ledger.names_beside(attempt.id);
        loop {
            let traceparent = self.ledger.lease.traceparent(attempt.id);
            let recovered =
                adapter.recover(Sought { attempt, request, others: &others }, traceparent.as_deref()).await;
            let told = !matches!(recovered, Recovered::CannotTell);
            let pause = backoff.pause();
            if told || !adapter.can_look() || backoff.failures() > self.parts.timing.free_retries {
                return Ok(recovered);
            }
            self.order.signals.sleep(pause).await?;
        }
    }
}

/// The least pause between two askings, whatever the gate says: clocks differ.
const GATE_PAUSE_MS: u64 = 50;

/// What opening comes to.
enum Passage {
    Opened(Opened),
    /// The provider's gate is shut; the chain may go on at another entry.
    Shut {
        around: Option<u32>,
        retry_after_ms: Option<u64>,
    },
}

pub(super) fn failed(code: Code, message: &str) -> Halt {
    Halt::End(report(code, message))
}

fn report(code: Code, message: &str) -> Report {
    Report::Failed { failure: Failure::new(code, message) }
}
