use std::future::Future;

use serde::Serialize;

use super::{Command, Failure, Outcome, Recorded, Steps, next};

/// The engine's own limit on the steps of a run (on the paid plan).
const MAX_STEPS: usize = 10_000;

/// A run of a body from its first step to its end, without an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Rehearsal<A> {
    /// Every command in order; the last one is [`Command::Done`] or [`Command::Fail`].
    pub commands: Vec<Command<A>>,
    /// The outcome of each step.
    pub history: Vec<Recorded>,
}

/// Runs a body to its end in memory: for tests. `answer` plays the engine and says how each step ends.
///
/// The body is polled anew for each step, exactly as in production. A run of more than 10 000 steps ends with the
/// failure `StepLimitError`.
pub fn rehearse<A, O, F>(
    body: impl Fn(Steps<A>) -> F,
    answer: impl FnMut(&Command<A>) -> Outcome,
) -> Rehearsal<A>
where
    O: Serialize,
    F: Future<Output = Result<O, Failure>>,
{
    up_to(MAX_STEPS, body, answer)
}

pub(super) fn up_to<A, O, F>(
    max_steps: usize,
    body: impl Fn(Steps<A>) -> F,
    mut answer: impl FnMut(&Command<A>) -> Outcome,
) -> Rehearsal<A>
where
    O: Serialize,
    F: Future<Output = Result<O, Failure>>,
{
    let mut run = Rehearsal { commands: Vec::new(), history: Vec::new() };
    while run.history.len() < max_steps {
        let command = next(&run.history, &body);
        let recorded = command.step().map(|(op, name)| {
            let outcome = answer(&command);
            Recorded { op, name: name.to_owned(), outcome }
        });
        run.commands.push(command);
        match recorded {
            Some(recorded) => run.history.push(recorded),
            None => return run,
        }
    }
    let failure = Failure::new("StepLimitError", format!("the body asked for more than {max_steps} steps"));
    run.commands.push(Command::Fail { failure });
    run
}
