//! What to do next for a job, decided from its journal alone.
//!
//! The journal is the whole state: a process that begins with the attempts of a lost one decides as that one would
//! have decided, and attempts used up stay used up (B2).

use crate::AttemptId;
use crate::attempt::{Attempt, AttemptError, ErrorClass, State};
use crate::error::{Code, Failure};
use crate::gate::Cause;
use crate::generation::{ChainStep, OnUnknown, Spec};
use crate::timing::{RETRY_AFTER_MAX_SECONDS, Timing, backoff_ms};

/// The next step of a job that has no stored result yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Open a new attempt of this chain entry after `after_ms`, and submit it once. The only step that can cost money.
    Submit {
        chain_index: u32,
        after_ms: u64,
    },
    /// The provider has this attempt: wait for it, fetch, store.
    Resume(AttemptId),
    /// It was opened and nothing is known since: find out whether the provider has it (B3).
    Recover(AttemptId),
    /// Nobody can tell; the policy says to wait for a human's word.
    Hold(AttemptId),
    /// Nobody can tell; the policy accepts the risk. Journal that, then decide again.
    Abandon(AttemptId),
    Fail(Failure),
}

/// Decides. `jitter` is 0 to 1000 and spreads the backoff.
///
/// Attempts run one after another, so only the last one can be unsettled.
pub fn decide(spec: &Spec, journal: &[Attempt], timing: &Timing, jitter: u16) -> Decision {
    let Some(last) = journal.iter().max_by_key(|attempt| attempt.ordinal) else {
        return submit_now(0);
    };
    match last.state {
        // Succeeded means stored; if the object is nevertheless not there, the provider may still have the result.
        State::Accepted | State::Succeeded => Decision::Resume(last.id),
        State::Open => Decision::Recover(last.id),
        State::Unknown => match spec.policy.on_unknown {
            OnUnknown::Hold => Decision::Hold(last.id),
            OnUnknown::Retry => Decision::Abandon(last.id),
        },
        State::Failed | State::Abandoned => after_failure(spec, journal, last, timing, jitter),
    }
}

fn submit_now(chain_index: u32) -> Decision {
    Decision::Submit { chain_index, after_ms: 0 }
}

fn after_failure(spec: &Spec, journal: &[Attempt], last: &Attempt, timing: &Timing, jitter: u16) -> Decision {
    let error = last.error.clone().unwrap_or_else(|| AttemptError {
        class: ErrorClass::Retryable,
        code: None,
        message: "the attempt ended without a reason".to_owned(),
        retry_after_seconds: None,
    });
    let same = || retry_same(spec, journal, last, &error, timing, jitter);
    let next = || next_model(spec, last, error.class);
    let decision = match error.class {
        // A30: nothing that AFC could repeat would end otherwise.
        ErrorClass::Authentication | ErrorClass::InvalidInput | ErrorClass::Cancelled => None,
        // A34: the window expired while the provider still worked; the full run may have been paid.
        ErrorClass::Timeout if last.state == State::Abandoned => next(),
        ErrorClass::RateLimited | ErrorClass::Timeout | ErrorClass::Retryable => same().or_else(next),
        // A33: another model first; where there is none, what is left of this one.
        ErrorClass::Unavailable => next().or_else(same),
        ErrorClass::InsufficientFunds | ErrorClass::ModelGone => next(),
        ErrorClass::Refusal => {
            let refused = attempts_of(journal, last.chain_index).filter(|attempt| {
                attempt.error.as_ref().is_some_and(|error| error.class == ErrorClass::Refusal)
            });
            let again = refused.count() <= usize_of(spec.policy.refusal_retries);
            if again { same().or_else(next) } else { next() }
        }
        // An unknown attempt whose risk the policy accepted: the model's other attempts, never another model on
        // the strength of a call that may have succeeded.
        ErrorClass::Unknown => same(),
    };
    decision.unwrap_or_else(|| Decision::Fail(Failure::new(Code::of_class(error.class), &error.message)))
}

/// The same model again, if it has attempts left (A29), after a backoff that honours the provider's wish (A31).
fn retry_same(
    spec: &Spec,
    journal: &[Attempt],
    last: &Attempt,
    error: &AttemptError,
    timing: &Timing,
    jitter: u16,
) -> Option<Decision> {
    let step = step(spec, last.chain_index)?;
    let used = attempts_of(journal, last.chain_index).count();
    if used >= usize_of(step.attempts) {
        return None;
    }
    let failures = u32::try_from(used.saturating_sub(1)).unwrap_or(u32::MAX);
    let own = backoff_ms(timing.attempt_backoff_ms, timing.attempt_backoff_limit_ms, failures, jitter);
    let asked = error.retry_after_seconds.unwrap_or(0);
    if asked > RETRY_AFTER_MAX_SECONDS {
        return None;
    }
    Some(Decision::Submit { chain_index: last.chain_index, after_ms: own.max(u64::from(asked) * 1000) })
}

/// The next model of the chain, if the policy allows it for this reason (A33). Without money at one provider, or
/// without a model, only a step that differs in that respect can help.
fn next_model(spec: &Spec, last: &Attempt, class: ErrorClass) -> Option<Decision> {
    if !spec.policy.fallback_on.contains(&class) {
        return None;
    }
    let helps = |step: &ChainStep| class != ErrorClass::InsufficientFunds || step.provider != last.provider;
    let later = spec.chain.iter().enumerate().skip(usize_of(last.chain_index) + 1);
    let (index, _) = later.into_iter().find(|(_, step)| helps(step))?;
    u32::try_from(index).ok().map(submit_now)
}

/// Where a job goes on when the breaker of a step's provider is open: the next step at another provider, if the policy
/// allows fallback for what an attempt would have ended with (A33). `None`: it waits for the breaker.
pub fn around_breaker(spec: &Spec, chain_index: u32, cause: Cause) -> Option<u32> {
    let blocked = step(spec, chain_index)?.provider;
    if !spec.policy.fallback_on.contains(&cause.class()) {
        return None;
    }
    let later = spec.chain.iter().enumerate().skip(usize_of(chain_index) + 1);
    let (index, _) = later.into_iter().find(|(_, step)| step.provider != blocked)?;
    u32::try_from(index).ok()
}

fn step(spec: &Spec, chain_index: u32) -> Option<&ChainStep> {
    spec.chain.get(usize_of(chain_index))
}

fn attempts_of(journal: &[Attempt], chain_index: u32) -> impl Iterator<Item = &Attempt> {
    journal.iter().filter(move |attempt| attempt.chain_index == chain_index)
}

fn usize_of(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
