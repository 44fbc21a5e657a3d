use std::{
    cell::RefCell,
    collections::{HashSet, VecDeque},
    future::poll_fn,
    rc::Rc,
    task::Poll,
    time::Duration,
};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    Command, Failure, Op, Outcome, Policy, Recorded,
    fault::{Fault, Step},
};

/// A body's only window to the world: each call is one step of the run, kept by the engine once it is done.
///
/// `A` is the type of the activities. Clones speak for the same run.
pub struct Steps<A>(Rc<RefCell<Run<A>>>);

impl<A> Steps<A> {
    /// Has an activity performed under a policy, and returns its result.
    ///
    /// Fails with the activity's last failure when its retries are used up, or at once after a non-retryable one; with
    /// `ResultShapeError` when the recorded result is no `T`.
    pub async fn perform<T: DeserializeOwned>(
        &self,
        name: impl Into<String>,
        policy: Policy,
        activity: A,
    ) -> Result<T, Failure> {
        let step = Step { op: Op::Do, name: name.into() };
        let command = Command::Do { name: step.name.clone(), policy, activity };
        match self.outcome(&step, command).await {
            Outcome::Ok(result) => shaped(step, result),
            Outcome::Err(failure) => Err(failure),
        }
    }

    /// Sleeps for `duration`, at most 365 days. The wait costs nothing and survives restarts.
    pub async fn sleep(&self, name: impl Into<String>, duration: Duration) -> Result<(), Failure> {
        let step = Step { op: Op::Sleep, name: name.into() };
        let command = Command::Sleep { name: step.name.clone(), duration };
        match self.outcome(&step, command).await {
            Outcome::Ok(_) => Ok(()),
            Outcome::Err(failure) => Err(failure),
        }
    }

    /// Waits for an event of the type `event`, `timeout` at most. An event that came before the run got here counts.
    ///
    /// The timeout is an outcome, not a failure. Fails with `ResultShapeError` when the payload is no `T`.
    pub async fn wait<T: DeserializeOwned>(
        &self,
        name: impl Into<String>,
        event: impl Into<String>,
        timeout: Duration,
    ) -> Result<Waited<T>, Failure> {
        let step = Step { op: Op::Wait, name: name.into() };
        let command = Command::Wait { name: step.name.clone(), event: event.into(), timeout };
        match self.outcome(&step, command).await {
            Outcome::Ok(payload) => shaped(step, payload).map(Waited::Event),
            Outcome::Err(failure) if failure.is_timeout() => Ok(Waited::TimedOut),
            Outcome::Err(failure) => Err(failure),
        }
    }

    /// Resolves to the recorded outcome of the step. Where there is none it never resolves: the body's future is
    /// dropped once its command is out.
    async fn outcome(&self, step: &Step, command: Command<A>) -> Outcome {
        // Emptied when the command goes out, so that polling again cannot ask twice.
        let mut command = Some(command);
        poll_fn(move |_| match command {
            Some(_) => self.0.borrow_mut().ask(step, &mut command),
            None => Poll::Pending,
        })
        .await
    }

    pub(super) fn over(history: VecDeque<Recorded>) -> Self {
        Self(Rc::new(RefCell::new(Run {
            history,
            position: 0,
            names: HashSet::new(),
            open: None,
            fault: None,
        })))
    }

    /// The command of a body that is pending.
    pub(super) fn asked(&self) -> Result<Command<A>, Fault> {
        let mut run = self.0.borrow_mut();
        match (run.fault.take(), run.open.take()) {
            (Some(fault), _) => Err(fault),
            (None, Some((_, command))) => Ok(command),
            (None, None) => Err(Fault::ForeignAwait),
        }
    }

    /// Whether a body that returned was entitled to.
    pub(super) fn ended(&self) -> Result<(), Fault> {
        let mut run = self.0.borrow_mut();
        let position = run.position;
        if let Some(fault) = run.fault.take() {
            Err(fault)
        } else if let Some((open, _)) = run.open.take() {
            Err(Fault::Abandoned { position, open })
        } else if let Some(next) = run.history.pop_front() {
            Err(Fault::EndedEarly { position, recorded: Step { op: next.op, name: next.name } })
        } else {
            Ok(())
        }
    }
}

// By hand: a derived one would ask for `A: Clone`.
impl<A> Clone for Steps<A> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

/// How a wait for an event ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited<T> {
    /// The event came, with this payload.
    Event(T),
    /// It did not come in time.
    TimedOut,
}

/// One poll of a body against its history.
struct Run<A> {
    /// What the body has not asked for yet.
    history: VecDeque<Recorded>,
    /// How many recorded outcomes were handed out, which is the position of the next.
    position: usize,
    /// The names asked for so far.
    names: HashSet<String>,
    /// The step that has no outcome yet.
    open: Option<(Step, Command<A>)>,
    /// The first fault; nothing is answered after it.
    fault: Option<Fault>,
}

impl<A> Run<A> {
    /// Answers the step from the history, or takes its command out of `command`, or notes a fault.
    fn ask(&mut self, step: &Step, command: &mut Option<Command<A>>) -> Poll<Outcome> {
        match self.answer(step) {
            Ok(Some(outcome)) => return Poll::Ready(outcome),
            Ok(None) => self.open = command.take().map(|command| (step.clone(), command)),
            Err(fault) => self.fault = self.fault.take().or(Some(fault)),
        }
        Poll::Pending
    }

    /// The recorded outcome, if there is one and the body is entitled to it.
    fn answer(&mut self, step: &Step) -> Result<Option<Outcome>, Fault> {
        let position = self.position;
        let asked = step.clone();
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        if let Some((open, _)) = &self.open {
            return Err(Fault::Concurrent { position, open: open.clone(), asked });
        }
        if !self.names.insert(step.name.clone()) {
            return Err(Fault::Duplicate { position, asked });
        }
        let Some(Recorded { op, name, outcome }) = self.history.pop_front() else { return Ok(None) };
        let recorded = Step { op, name };
        if recorded != asked {
            return Err(Fault::NonDeterministic { position, recorded, asked });
        }
        self.position = position.saturating_add(1);
        Ok(Some(outcome))
    }
}

fn shaped<T: DeserializeOwned>(step: Step, value: Value) -> Result<T, Failure> {
    serde_json::from_value(value)
        .map_err(|error| Fault::ResultShape { step, reason: error.to_string() }.into())
}
