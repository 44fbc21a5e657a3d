//! A style run: look, do what the row asks for, wait.

use std::time::Duration;

use domain::StyleRunId;
use domain::style_run::State;
use domain::timing::{REVIEW_MAX_HOURS, Timing};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workflow::entry::Event;
use workflow::replay::{Backoff, Failure as StepFailure, Policy, Retries, Steps};

/// The event that wakes a waiting instance. It is a hint; the row is the truth.
pub const WAKE: &str = "wake";

/// The one kind of step: decide on the row as it stands, and do it. Safe twice, since the row decides anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub run: StyleRunId,
}

/// What a turn came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "turned", rename_all = "snake_case")]
pub enum Turned {
    /// Something was done; look again.
    Again,
    /// Nothing is to be done before an event comes or so many milliseconds have passed.
    Wait {
        ms: u64,
    },
    Over {
        state: State,
    },
}

/// Turns until the run is over. All that this holds is a count: which round it is, whether the review is open, what was
/// decided stands in the row, so an instance that is started over goes on where the row is.
pub async fn style_run(
    steps: Steps<Turn>,
    event: Event<Value>,
    timing: Timing,
) -> Result<State, StepFailure> {
    let run: StyleRunId = event
        .instance_id
        .parse()
        .map_err(|_| StepFailure::non_retryable(format!("{} is no style run's id", event.instance_id)))?;
    for number in 1_u32.. {
        match steps.perform(format!("turn {number}"), record(&timing), Turn { run }).await? {
            Turned::Over { state } => return Ok(state),
            Turned::Again => {}
            Turned::Wait { ms } => {
                let patience = Duration::from_millis(ms).min(LONGEST);
                steps.wait::<Value>(format!("wait {number}"), WAKE, patience).await?;
            }
        }
    }
    Err(StepFailure::non_retryable("more turns than there are numbers"))
}

/// What the engine sleeps at most.
const LONGEST: Duration = Duration::from_hours(REVIEW_MAX_HOURS);

fn record(timing: &Timing) -> Policy {
    Policy {
        // A turn that starts a round creates and starts up to twelve generations.
        timeout: Duration::from_millis(timing.database_ms * 12),
        retries: Retries {
            limit: timing.record_retries,
            delay: Duration::from_millis(timing.record_retry_ms),
            backoff: Backoff::Exponential,
        },
    }
}

#[cfg(test)]
mod tests;
