use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Op;

/// What the engine is to do next for a run: the first three are steps, the last two end it.
///
/// As JSON: `{"op": "do", "name", "config": {"retries": {"limit", "delay", "backoff"}, "timeout"}, "activity"}`,
/// `{"op": "sleep", "name", "ms"}`, `{"op": "wait", "name", "event", "ms"}`, `{"op": "done", "output"}` and
/// `{"op": "fail", "failure": {"name", "message"}}`. Every duration is a whole number of milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Command<A> {
    /// Perform an activity under a policy.
    Do {
        /// The step's name.
        name: String,
        /// Retries and timeout. The engine keeps the first one it sees for a step.
        #[serde(rename = "config")]
        policy: Policy,
        /// What to perform.
        activity: A,
    },
    /// Sleep.
    Sleep {
        /// The step's name.
        name: String,
        /// How long.
        #[serde(rename = "ms", with = "millis")]
        duration: Duration,
    },
    /// Wait for an event.
    Wait {
        /// The step's name.
        name: String,
        /// The type of event.
        event: String,
        /// How long at most.
        #[serde(rename = "ms", with = "positive_millis")]
        timeout: Duration,
    },
    /// The run succeeded.
    Done {
        /// What the body returned.
        output: Value,
    },
    /// The run failed.
    Fail {
        /// Why.
        failure: super::Failure,
    },
}

impl<A> Command<A> {
    /// Kind and name of the step this asks for; nothing where it ends the run.
    pub fn step(&self) -> Option<(Op, &str)> {
        match self {
            Command::Do { name, .. } => Some((Op::Do, name)),
            Command::Sleep { name, .. } => Some((Op::Sleep, name)),
            Command::Wait { name, .. } => Some((Op::Wait, name)),
            Command::Done { .. } | Command::Fail { .. } => None,
        }
    }
}

/// How often, how far apart and how long an activity is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// What follows a failed attempt.
    pub retries: Retries,
    /// The longest that one attempt may take; at least a millisecond, as the engine refuses zero. An attempt that
    /// takes longer is not cancelled: it goes on beside its retry.
    #[serde(with = "positive_millis")]
    pub timeout: Duration,
}

impl Policy {
    /// One attempt of that length, no retry.
    pub const fn once(timeout: Duration) -> Self {
        Self::retrying(timeout, Retries { limit: 0, delay: Duration::ZERO, backoff: Backoff::Constant })
    }

    /// Attempts of that length, retried as said.
    pub const fn retrying(timeout: Duration, retries: Retries) -> Self {
        Self { retries, timeout }
    }
}

/// What follows a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retries {
    /// How many retries: `n` retries are `n + 1` attempts.
    pub limit: u32,
    /// The wait before the first retry.
    #[serde(with = "millis")]
    pub delay: Duration,
    /// How the wait grows from there.
    pub backoff: Backoff,
}

/// How the wait between attempts grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backoff {
    /// It stays: d, d, d.
    Constant,
    /// It grows by itself: d, 2d, 3d.
    Linear,
    /// It doubles: d, 2d, 4d.
    Exponential,
}

/// A duration as whole milliseconds, rounded up.
mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    /// JavaScript's `Number.MAX_SAFE_INTEGER`: the engine reads these numbers as doubles.
    const MAX: u64 = (1 << 53) - 1;

    pub(super) fn of(duration: Duration) -> u64 {
        u64::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(MAX).min(MAX)
    }

    pub(super) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(of(*duration))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_millis)
    }
}

/// The same, at least one: the engine refuses a timeout of zero for an attempt, and takes zero for an event as "none
/// given", which means 24 hours.
mod positive_millis {
    use std::time::Duration;

    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(super::millis::of(*duration).max(1))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        super::millis::deserialize(deserializer)
    }
}
