//! Bodies as deterministic async Rust that never live across a step.
//!
//! [`next`] polls the body once against the results recorded so far. Either it finishes, or it stops at the first step
//! that has no result yet, and that step is returned as a [`Command`]. The caller lets the engine carry it out,
//! records the outcome and asks again: the body starts from its first line every time, and finds every earlier step
//! already answered.
//!
//! # Rules for a body
//!
//! - It is deterministic: no clock, no randomness, no I/O, no global state. What it needs from outside comes from its
//!   event or from a step. A body that asks for another step (or another kind of step) than the one recorded at that
//!   position fails by name: `NonDeterministicError`.
//! - It awaits nothing but its steps: `ForeignAwaitError`.
//! - It runs one step at a time; `join!` or `select!` over steps is refused: `ConcurrentStepsError`.
//! - Within a run a step name is used once: `DuplicateStepError`. The engine would accept duplicates (it numbers them
//!   by order of appearance), but then a changed body could silently be given another step's result, and logs and the
//!   history could not tell the two apart. Number the steps of a loop: `poll 1`, `poll 2`.
//!
//! These faults end the run at once with [`Command::Fail`]: the body cannot catch them, because a body which broke the
//! rules cannot be trusted with the clean-up either.
//!
//! # What the checks can see
//!
//! The engine keys its checkpoints by step name, and the history is gathered anew whenever the engine restarts a run.
//! So the position check finds a body that changes its mind *within* one life of the engine. A deployment that renames
//! a finished step is not an inconsistency to the engine: the step runs again under its new name. Treat the names of
//! steps with side effects as part of the stored data.

mod steps;
pub use steps::{Steps, Waited};

mod command;
pub use command::{Backoff, Command, Policy, Retries};

mod history;
pub use history::{Op, Outcome, Recorded};

mod failure;
pub use failure::Failure;

mod fault;

mod rehearsal;
pub use rehearsal::{Rehearsal, rehearse};

#[cfg(test)]
mod tests;

use std::{
    collections::VecDeque,
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use serde::Serialize;

pub use crate::size::MAX_BYTES;

/// Polls the body exactly once against `history` and returns what the engine is to do next.
///
/// The same body and the same history give the same command, so calling this twice is harmless. It never panics by
/// itself: a body that breaks the rules of this module ends in [`Command::Fail`] with a failure that names the fault,
/// and so does an output that is not JSON or is larger than [`MAX_BYTES`].
pub fn next<A, O, F>(history: &[Recorded], body: impl FnOnce(Steps<A>) -> F) -> Command<A>
where
    O: Serialize,
    F: Future<Output = Result<O, Failure>>,
{
    decide(history.iter().cloned().collect(), body)
}

/// [`next`] for a history that the caller need not keep.
pub(crate) fn decide<A, O, F>(history: VecDeque<Recorded>, body: impl FnOnce(Steps<A>) -> F) -> Command<A>
where
    O: Serialize,
    F: Future<Output = Result<O, Failure>>,
{
    let steps = Steps::over(history);
    let body = pin!(body(steps.clone()));
    let judged = match body.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Pending => steps.asked(),
        // A fault outranks whatever the body made of it.
        Poll::Ready(result) => steps.ended().map(|()| end(result)),
    };
    judged.unwrap_or_else(|fault| Command::Fail { failure: fault.into() })
}

/// What the body returned, as the last command of the run.
fn end<A, O: Serialize>(result: Result<O, Failure>) -> Command<A> {
    match result.and_then(|output| Ok(history::storable(output)?)) {
        Ok(output) => Command::Done { output },
        Err(failure) => Command::Fail { failure },
    }
}
