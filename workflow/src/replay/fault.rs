use std::fmt;

use super::{Failure, MAX_BYTES, Op};

/// How a body, or an activity, can break the rules: each fault has a name of its own, so that the instance's error
/// says which.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error("at position {position} the history holds {recorded}, the body asked for {asked}")]
    NonDeterministic { position: usize, recorded: Step, asked: Step },

    #[error("at position {position} the history holds {recorded}, the body ended without asking for it")]
    EndedEarly { position: usize, recorded: Step },

    #[error(
        "at position {position} the body asked for {asked}, but this run has a step of that name already"
    )]
    Duplicate { position: usize, asked: Step },

    #[error(
        "at position {position} the body asked for {asked} while {open} had no outcome yet: steps run one after the other"
    )]
    Concurrent { position: usize, open: Step, asked: Step },

    #[error(
        "at position {position} the body ended while {open} had no outcome yet: a step must be awaited to its end"
    )]
    Abandoned { position: usize, open: Step },

    #[error("the body waits for something that is not a step: a body awaits its steps only")]
    ForeignAwait,

    #[error(
        "the result is {bytes} bytes of JSON, more than the {MAX_BYTES} which a step may return: store it and return where it is"
    )]
    ResultTooLarge { bytes: usize },

    #[error("the result is not JSON: {reason}")]
    ResultNotJson { reason: String },

    #[error("the outcome of {step} has another shape than the body expects: {reason}")]
    ResultShape { step: Step, reason: String },
}

/// A step as it is named in messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) op: Op,
    pub(super) name: String,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.op, self.name)
    }
}

impl Fault {
    fn name(&self) -> &'static str {
        match self {
            Fault::NonDeterministic { .. } | Fault::EndedEarly { .. } => "NonDeterministicError",
            Fault::Duplicate { .. } => "DuplicateStepError",
            Fault::Concurrent { .. } | Fault::Abandoned { .. } => "ConcurrentStepsError",
            Fault::ForeignAwait => "ForeignAwaitError",
            Fault::ResultTooLarge { .. } => "ResultTooLargeError",
            Fault::ResultNotJson { .. } => "ResultNotJsonError",
            Fault::ResultShape { .. } => "ResultShapeError",
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Failure::new(fault.name(), fault.to_string())
    }
}
