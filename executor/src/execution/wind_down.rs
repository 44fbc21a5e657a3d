//! Stopping before the end: what is open is settled as far as it can be, then reported.

use std::time::Duration;

use domain::AttemptId;
use domain::attempt::{Attempt, ErrorClass, State};
use domain::error::{Code, Failure};
use domain::execution::Report;
use domain::job::Status;
use domain::journal::Entry;
use tokio::time::sleep;

use super::work::{Work, code};
use super::{Halt, replaced};
use crate::executions::Stop;
use crate::providers::{Adapter, CancelAnswer, Handle, Progress, fault};

/// Polls after a cancel, to learn what it cost. Half a minute with the default interval: a cancelled request either
/// ends soon or runs on to its end, and then the late settlement is the sweeper's.
const CANCEL_POLLS: u32 = 15;
/// A process that ends has a few seconds for everything.
const LAST_WORDS: Duration = Duration::from_secs(2);

impl Work<'_> {
    pub(super) async fn wind_down(&mut self, stop: Stop) -> Report {
        tracing::info!(job.id = %self.order.job, stop = ?stop, "stopping");
        let (wound, report) = match stop {
            Stop::Draining => (self.say_last_words().await, replaced()),
            Stop::Cancelled => (self.end_open("the job was cancelled").await, Report::Cancelled),
            Stop::Deadline => {
                let failure = Failure::new(Code::DeadlineExceeded, "the job's deadline has passed");
                (self.wind_down_late().await, Report::Failed { failure })
            }
        };
        if let Err(halt) = wound {
            tracing::warn!(job.id = %self.order.job, halt = ?halt, "what was open is not settled in the journal");
        }
        report
    }

    /// Accepted ids are committed already; all that only this process knows is what it did not send.
    async fn say_last_words(&mut self) -> Result<(), Halt> {
        let words = self.write_off_unsent(ErrorClass::Retryable);
        tokio::time::timeout(LAST_WORDS, words).await.unwrap_or(Ok(()))
    }

    /// What a job left open at a provider when it ended elsewhere (B4).
    pub(super) async fn wind_down_ended(&mut self, status: Status) {
        let why = format!("the job had ended as {status} while nobody followed this request");
        if let Err(halt) = self.end_open(&why).await {
            tracing::warn!(job.id = %self.order.job, halt = ?halt, "what was open is not settled in the journal");
        }
    }

    async fn end_open(&mut self, why: &str) -> Result<(), Halt> {
        self.write_off_unsent(ErrorClass::Cancelled).await?;
        let Some(last) = self.ledger.last().cloned() else {
            return Ok(());
        };
        match last.state {
            State::Accepted => self.cancel_accepted(&last, why).await,
            State::Open if self.is_answered(last.id) => {
                let error = fault(ErrorClass::Cancelled, code::CANCELLED, why);
                self.ledger.write(last.id, Entry::Failed { error }).await
            }
            State::Open => self.leave_unknown(&last).await,
            State::Succeeded | State::Failed | State::Unknown | State::Abandoned => Ok(()),
        }
    }

    /// No attempt begins after the deadline, and none is waited for (F9: its cost is settled late).
    async fn wind_down_late(&mut self) -> Result<(), Halt> {
        self.write_off_unsent(ErrorClass::Timeout).await?;
        let Some(last) = self.ledger.last().cloned() else {
            return Ok(());
        };
        match last.state {
            State::Accepted => {
                let words = "the job's deadline passed while the provider worked";
                let error = fault(ErrorClass::Timeout, code::DEADLINE_EXCEEDED, words);
                self.stop_paying(&last).await?;
                self.ledger.write(last.id, Entry::Abandoned { error }).await
            }
            State::Open if self.is_answered(last.id) => {
                let words = "the job's deadline passed before its result was stored";
                let error = fault(ErrorClass::Timeout, code::DEADLINE_EXCEEDED, words);
                self.ledger.write(last.id, Entry::Abandoned { error }).await
            }
            State::Open => self.leave_unknown(&last).await,
            State::Succeeded | State::Failed | State::Unknown | State::Abandoned => Ok(()),
        }
    }

    /// Nobody waits for this request any more: the provider is asked to stop where that can save money and destroys
    /// nothing. What it costs all the same is settled if the provider says so at once, and stays reserved otherwise.
    pub(super) async fn stop_paying(&mut self, attempt: &Attempt) -> Result<(), Halt> {
        let adapter = self.adapter(attempt)?;
        let Some(handle) = Adapter::handle(attempt) else {
            return Ok(());
        };
        let progress = adapter.poll(&handle).await;
        match &progress {
            Progress::Completed(completion) => {
                let (usage, cost) = self.priced(attempt, completion);
                self.ledger.settle(attempt.id, usage, cost).await
            }
            Progress::Failed(failed) => self.settle_failed(attempt, failed).await,
            Progress::Pending(_)
            | Progress::UnknownStatus(_)
            | Progress::NotFound
            | Progress::Trouble { .. } => {
                let answer = adapter.cancel(&handle, &progress).await;
                tracing::info!(job.id = %self.order.job, attempt.id = %attempt.id, provider.cancel = ?answer,
                    "asked the provider to cancel what nobody waits for");
                Ok(())
            }
        }
    }

    fn is_answered(&self, id: AttemptId) -> bool {
        self.answered.as_ref().is_some_and(|answered| answered.id == id)
    }

    async fn leave_unknown(&mut self, attempt: &Attempt) -> Result<(), Halt> {
        let words = "it was opened and nothing is known since";
        let error = fault(ErrorClass::Unknown, code::PROCESS_LOST, words);
        self.ledger.write(attempt.id, Entry::Unknown { error }).await
    }

    /// Asks the provider to stop, follows the request for a bounded time to learn its cost, and marks it cancelled.
    async fn cancel_accepted(&mut self, attempt: &Attempt, why: &str) -> Result<(), Halt> {
        let adapter = self.adapter(attempt)?;
        if let Some(handle) = Adapter::handle(attempt) {
            self.follow_cancelled(adapter, &handle, attempt).await?;
        }
        let error = fault(ErrorClass::Cancelled, code::CANCELLED, why);
        self.ledger.write(attempt.id, Entry::Failed { error }).await
    }

    async fn follow_cancelled(
        &mut self,
        adapter: &Adapter,
        handle: &Handle,
        attempt: &Attempt,
    ) -> Result<(), Halt> {
        let mut answer = CancelAnswer::Trouble;
        for _ in 0..CANCEL_POLLS {
            // Polled first: some providers' cancel destroys what is finished and paid.
            let progress = adapter.poll(handle).await;
            match &progress {
                Progress::Completed(completion) => {
                    let (usage, cost) = self.priced(attempt, completion);
                    return self.ledger.settle(attempt.id, usage, cost).await;
                }
                Progress::Failed(failed) => return self.settle_failed(attempt, failed).await,
                Progress::NotFound if answer != CancelAnswer::Trouble => return Ok(()),
                Progress::Pending(_)
                | Progress::UnknownStatus(_)
                | Progress::NotFound
                | Progress::Trouble { .. } => {}
            }
            if answer == CancelAnswer::Trouble {
                answer = adapter.cancel(handle, &progress).await;
                tracing::info!(job.id = %self.order.job, attempt.id = %attempt.id, provider.cancel = ?answer,
                    "asked the provider to cancel");
            }
            let pause = self.poll_interval(adapter);
            self.order.signals.race_drain(sleep(pause)).await?;
        }
        Ok(())
    }
}
