//! Waiting for an accepted request, and what follows from its end. Nothing here can cost money.

use std::time::Duration;

use domain::AttemptId;
use domain::attempt::{Attempt, AttemptError, Cost, ErrorClass, State, Usage};
use domain::error::{Code, Failure};
use domain::execution::{Phase, Report};
use domain::journal::Entry;
use tokio::time::Instant;

use super::Halt;
use super::fetch::Fetched;
use super::ledger::{price_of_failure, price_of_result};
use super::work::{Work, code};
use crate::executions::interrupted;
use crate::providers::{Adapter, Completion, Failed, Handle, Progress, fault};
use crate::retry::Backoff;

/// Polls in a row that may find nothing: right after a submit some providers do not know their own request yet.
const NOT_FOUND_GRACE: u32 = 15;
/// Fresh URLs asked for before a result counts as gone.
const RENEWALS: u32 = 3;

/// How a wait ended.
enum Waited {
    Completed(Completion),
    Ended(Without),
}

/// What came of a result.
enum Collected {
    /// `None`: what to do next is to be decided.
    Ended(Option<Report>),
    /// Its URL leads nowhere any more.
    Expired(String),
}

/// How an attempt ended that has no result.
enum Without {
    Failed(Failed),
    /// The provider does not know the request.
    Lost,
    /// It does not know it where AFC can ask: it was reported without saying where.
    Unreachable,
    /// The attempt's own window is over (A34).
    Expired,
}

impl Work<'_> {
    /// Takes an accepted attempt to its end; `None` if that was none to report, and what to do next is to be decided.
    pub(super) async fn resume(&mut self, id: AttemptId) -> Result<Option<Report>, Halt> {
        let attempt = self.ledger.get(id).cloned();
        let attempt = attempt.ok_or_else(|| Halt::End(interrupted(Code::Internal, "no such attempt")))?;
        let adapter = self.adapter(&attempt)?;
        let Some(handle) = Adapter::handle(&attempt) else {
            return Err(Halt::End(interrupted(Code::Internal, "an accepted attempt has no request id")));
        };
        if attempt.state == State::Succeeded {
            self.look_again().await?;
        }
        let mut renewals = 0;
        let mut backoff = Backoff::new(&self.parts.timing, &self.parts.machine);
        loop {
            self.order.phase(Phase::Waiting);
            let completion = match self.wait(adapter, &handle, &attempt).await? {
                Waited::Completed(completion) => completion,
                Waited::Ended(without) => return self.ended(&attempt, without).await,
            };
            let expired = match self.collect(&attempt, &completion, adapter).await? {
                Collected::Ended(report) => return Ok(report),
                Collected::Expired(why) => why,
            };
            if renewals == RENEWALS {
                return self.expired(&attempt, expired).await;
            }
            renewals += 1;
            tracing::info!(job.id = %self.order.job, attempt.id = %id, reason = expired, "asking for a fresh result URL");
            self.order.signals.sleep(backoff.pause()).await?;
        }
    }

    /// Takes an attempt to its end whose result, or the lack of one, came with the answer to its submit.
    pub(super) async fn answered(
        &mut self,
        id: AttemptId,
        answer: Result<Completion, Failed>,
    ) -> Result<Option<Report>, Halt> {
        let attempt = self.ledger.get(id).cloned();
        let attempt = attempt.ok_or_else(|| Halt::End(interrupted(Code::Internal, "no such attempt")))?;
        let adapter = self.adapter(&attempt)?;
        let completion = match answer {
            Ok(completion) => completion,
            Err(failed) => return self.ended(&attempt, Without::Failed(failed)).await,
        };
        match self.collect(&attempt, &completion, adapter).await? {
            Collected::Ended(report) => Ok(report),
            // Nobody has another URL.
            Collected::Expired(why) => self.expired(&attempt, why).await,
        }
    }

    /// Settles, fetches and stores a result.
    async fn collect(
        &mut self,
        attempt: &Attempt,
        completion: &Completion,
        adapter: &Adapter,
    ) -> Result<Collected, Halt> {
        let (usage, cost) = self.priced(attempt, completion);
        let settled = self.ledger.settle(attempt.id, usage, cost);
        self.order.signals.race(settled).await??;
        self.order.phase(Phase::Fetching);
        let ended = match self.fetch(attempt, completion, adapter).await? {
            Fetched::Files(files) => self.keep(attempt, files).await.map(Some),
            Fetched::Expired(why) => return Ok(Collected::Expired(why)),
            Fetched::Invalid(why) => {
                self.fail(attempt, fault(ErrorClass::Retryable, code::OUTPUT_INVALID, why)).await
            }
            Fetched::TooLarge(why) => self.too_large(attempt, why).await,
            // The provider still has it: fetched again by the next execution, not generated again (B2).
            Fetched::Away(why) => Err(Halt::End(interrupted(Code::ProviderUnavailable, why))),
            Fetched::NoSpool(why) => Err(Halt::End(interrupted(Code::StorageFailed, why))),
        };
        ended.map(Collected::Ended)
    }

    pub(super) fn priced(&self, attempt: &Attempt, completion: &Completion) -> (Option<Usage>, Option<Cost>) {
        price_of_result(self.spec(), attempt, completion)
    }

    async fn expired(&mut self, attempt: &Attempt, why: String) -> Result<Option<Report>, Halt> {
        self.fail(attempt, fault(ErrorClass::Retryable, code::RESULT_EXPIRED, why)).await
    }

    /// Polls until the provider is done, does not know the request, or the window is over. The window is judged after
    /// a poll: a process that comes late may find a paid result ready.
    async fn wait(&self, adapter: &Adapter, handle: &Handle, attempt: &Attempt) -> Result<Waited, Halt> {
        let window_ends = self.window_end(attempt);
        let mut backoff = Backoff::new(&self.parts.timing, &self.parts.machine);
        let mut missing = 0;
        let mut odd_word = None;
        loop {
            let progress = self.order.signals.race(adapter.poll(handle)).await?;
            let found = !matches!(progress, Progress::NotFound);
            missing = if found { 0 } else { missing + 1 };
            let mut pause = self.poll_interval(adapter);
            match progress {
                Progress::Completed(completion) => return Ok(Waited::Completed(completion)),
                Progress::Failed(failed) => return Ok(Waited::Ended(Without::Failed(failed))),
                Progress::Pending(_) => backoff.reset(),
                Progress::UnknownStatus(word) => {
                    backoff.reset();
                    if odd_word.as_ref() != Some(&word) {
                        tracing::warn!(job.id = %self.order.job, attempt.id = %attempt.id, provider.status = word,
                            "the provider has a status that AFC does not know; polling on");
                        odd_word = Some(word);
                    }
                }
                Progress::NotFound if missing > NOT_FOUND_GRACE && adapter.is_located(handle) => {
                    return Ok(Waited::Ended(Without::Lost));
                }
                Progress::NotFound if missing > NOT_FOUND_GRACE => {
                    return Ok(Waited::Ended(Without::Unreachable));
                }
                Progress::NotFound => {}
                Progress::Trouble { reason, retry_after, verdict } => {
                    let asked = Duration::from_secs(retry_after.unwrap_or(0).min(60).into());
                    pause = pause.max(backoff.pause()).max(asked);
                    let persistent = backoff.failures() > self.parts.timing.free_retries;
                    if let Some(failed) = verdict.filter(|_| persistent) {
                        return Ok(Waited::Ended(Without::Failed(failed)));
                    }
                    tracing::warn!(job.id = %self.order.job, attempt.id = %attempt.id, provider.error = reason,
                        provider.failures = backoff.failures(), "a poll told nothing");
                }
            }
            let left = window_ends.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Waited::Ended(Without::Expired));
            }
            self.order.signals.sleep(pause.min(left)).await?;
        }
    }

    /// The deployment's own, or the provider's if that is longer.
    pub(super) fn poll_interval(&self, adapter: &Adapter) -> Duration {
        Duration::from_millis(self.parts.timing.provider_poll_ms).max(adapter.min_interval())
    }

    fn window_end(&self, attempt: &Attempt) -> Instant {
        let window = Duration::from_secs(self.spec().policy.attempt_window_seconds.into());
        let since = attempt.accepted_at.unwrap_or(attempt.started_at);
        let passed = (self.parts.machine.now() - since).to_std().unwrap_or_default();
        Instant::now() + window.saturating_sub(passed)
    }

    async fn ended(&mut self, attempt: &Attempt, without: Without) -> Result<Option<Report>, Halt> {
        match without {
            Without::Failed(failed) => {
                self.settle_failed(attempt, &failed).await?;
                self.fail(attempt, failed.error).await
            }
            Without::Lost => {
                let words = "the provider does not know the request any more";
                self.fail(attempt, fault(ErrorClass::Retryable, code::REQUEST_NOT_FOUND, words)).await
            }
            // The provider has it, and so it is not paid again: an unknown attempt, for the job's policy and a human.
            Without::Unreachable => {
                let words = "the provider reported this request, and does not know it at its base URL";
                let error = fault(ErrorClass::Unknown, code::UNREACHABLE, words);
                self.ledger.write(attempt.id, Entry::Unknown { error }).await.map(|()| None)
            }
            Without::Expired => {
                let seconds = self.spec().policy.attempt_window_seconds;
                let words = format!("no result within the attempt's window of {seconds} s");
                let error = fault(ErrorClass::Timeout, code::WINDOW_EXPIRED, words);
                unless_stored(attempt)?;
                self.stop_paying(attempt).await?;
                self.ledger.write(attempt.id, Entry::Abandoned { error }).await.map(|()| None)
            }
        }
    }

    pub(super) async fn settle_failed(&mut self, attempt: &Attempt, failed: &Failed) -> Result<(), Halt> {
        let (usage, cost) = price_of_failure(attempt, failed);
        self.ledger.settle(attempt.id, usage, cost).await
    }

    async fn fail(&mut self, attempt: &Attempt, error: AttemptError) -> Result<Option<Report>, Halt> {
        unless_stored(attempt)?;
        self.ledger.write(attempt.id, Entry::Failed { error }).await.map(|()| None)
    }

    /// Too large once is too large again: no further attempt is paid for that.
    async fn too_large(&mut self, attempt: &Attempt, why: String) -> Result<Option<Report>, Halt> {
        self.fail(attempt, fault(ErrorClass::Retryable, code::OUTPUT_INVALID, &why)).await?;
        Ok(Some(Report::Failed { failure: Failure::new(Code::OutputInvalid, why) }))
    }
}

/// An attempt whose result was stored has its outcome. If the object is gone and the provider has no copy, the job
/// fails; it does not pay again for what somebody removed.
fn unless_stored(attempt: &Attempt) -> Result<(), Halt> {
    if attempt.state != State::Succeeded {
        return Ok(());
    }
    let why = "the stored result is gone, and the provider does not have it any more";
    Err(Halt::End(Report::Failed { failure: Failure::new(Code::StorageFailed, why) }))
}
