use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Failure, MAX_BYTES, fault::Fault};
use crate::size::json_bytes;

/// One finished step of a run: `{"op": "do", "name": "…", "ok": …}` or `{…, "err": {"name", "message"}}`.
///
/// The name stands beside the outcome so that a body which asks for something else at this position is found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// The kind of step.
    pub op: Op,
    /// The step's name.
    pub name: String,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The kinds of steps there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// An activity was performed.
    Do,
    /// The run slept.
    Sleep,
    /// The run waited for an event.
    Wait,
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Op::Do => "do",
            Op::Sleep => "sleep",
            Op::Wait => "wait",
        })
    }
}

/// How a step, or one attempt of it, ended: `{"ok": …}` or `{"err": {"name", "message"}}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The activity's result, the event's payload, or null after a sleep.
    Ok(Value),
    /// The step's last failure.
    Err(Failure),
}

impl Outcome {
    /// The result as JSON; a non-retryable failure where it is not JSON or is larger than [`MAX_BYTES`].
    ///
    /// Non-retryable, because the next attempt would only produce the same again, at the same expense.
    pub fn of(result: impl Serialize) -> Self {
        match storable(result) {
            Ok(value) => Outcome::Ok(value),
            Err(fault) => Outcome::Err(Failure::non_retryable(Failure::from(fault).to_string())),
        }
    }
}

/// The JSON value of what the engine is asked to store, if the engine can store it.
pub(super) fn storable(result: impl Serialize) -> Result<Value, Fault> {
    let bytes = json_bytes(&result).map_err(|error| not_json(&error))?;
    if bytes > MAX_BYTES {
        return Err(Fault::ResultTooLarge { bytes });
    }
    serde_json::to_value(result).map_err(|error| not_json(&error))
}

fn not_json(error: &serde_json::Error) -> Fault {
    Fault::ResultNotJson { reason: error.to_string() }
}
