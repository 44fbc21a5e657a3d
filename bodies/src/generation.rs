//! A job: which step comes next.

use std::time::Duration;

use domain::JobId;
use domain::error::{Code, Failure};
use domain::execution::Report;
use domain::job::Status;
use domain::timing::Timing;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workflow::entry::Event;
use workflow::replay::{Backoff, Failure as StepFailure, Policy, Retries, Steps};

/// The event that wakes a waiting instance. It is a hint; the row is the truth.
pub const WAKE: &str = "wake";

/// What a step does. Each is safe twice: see `activities`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "activity", rename_all = "snake_case")]
pub enum Activity {
    /// Mark the job running; settle the wish to start it.
    Begin { job: JobId },
    /// Submit to the executor, or attach, and wait for a bounded time.
    Execute { job: JobId },
    /// Mark the job waiting.
    Hold { job: JobId, reason: String },
    /// Write the end, unless someone was first.
    Persist { job: JobId, report: Report },
    /// Queue the webhook of the state that stands.
    Notify { job: JobId },
    /// Let the container go.
    Release { job: JobId },
}

/// What one execute step came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "round", rename_all = "snake_case")]
pub enum Round {
    /// Still at it when the step's time was over.
    Running,
    Ended {
        report: Report,
    },
    /// Waits for a fact from outside.
    Held {
        reason: String,
    },
    /// The job has ended meanwhile; there is nothing to execute.
    Over,
}

/// Steps: running → execute → persist → notify → release (A14).
///
/// Executing is a series of bounded steps, not one of fifty minutes: an isolate that is lost under a step costs that
/// step's time. What bounds the series is the job's deadline, which the executor keeps.
pub async fn generation(
    steps: Steps<Activity>,
    event: Event<Value>,
    timing: Timing,
) -> Result<Status, StepFailure> {
    let job: JobId = event
        .instance_id
        .parse()
        .map_err(|_| StepFailure::non_retryable(format!("{} is no job id", event.instance_id)))?;
    let begun: Status = steps.perform("mark running", record(&timing), Activity::Begin { job }).await?;
    if !begun.is_terminal() {
        let report = execute(&steps, job, &timing).await?;
        if let Some(report) = report {
            let standing: Status = steps
                .perform("persist the result", record(&timing), Activity::Persist { job, report })
                .await?;
            // A27: cancelled, stop: the cancel endpoint queued its own event.
            if standing == Status::Cancelled {
                return Ok(standing);
            }
        }
    }
    let standing: Status =
        steps.perform("queue the webhook", record(&timing), Activity::Notify { job }).await?;
    // Nothing depends on it: a container that stays is stopped by its watchdog.
    let _: Result<(), StepFailure> =
        steps.perform("release the container", once(&timing), Activity::Release { job }).await;
    Ok(standing)
}

/// `None` when somebody else ended the job.
async fn execute(
    steps: &Steps<Activity>,
    job: JobId,
    timing: &Timing,
) -> Result<Option<Report>, StepFailure> {
    let policy = Policy {
        timeout: Duration::from_millis(timing.execute_step_ms),
        retries: Retries {
            limit: timing.execute_retries,
            delay: Duration::from_millis(timing.execute_retry_ms),
            backoff: Backoff::Exponential,
        },
    };
    for round in 1_u32.. {
        let outcome = steps.perform(&format!("execute {round}"), policy, Activity::Execute { job }).await;
        match outcome {
            Ok(Round::Running) => {}
            Ok(Round::Over) => return Ok(None),
            Ok(Round::Ended { report }) => return Ok(Some(report)),
            Ok(Round::Held { reason }) => {
                let hold = Activity::Hold { job, reason };
                let _: Status = steps.perform(&format!("hold {round}"), record(timing), hold).await?;
                let patience = Duration::from_millis(timing.hold_poll_ms);
                steps.wait::<Value>(&format!("wait for a word {round}"), WAKE, patience).await?;
            }
            Err(failure) => return Ok(Some(Report::Failed { failure: real_cause(&failure) })),
        }
    }
    Ok(None)
}

/// An exhausted retry reports the last cause, not "retries exhausted" (A15, F5): the name is an error code, the message
/// the executor's or the provider's words.
fn real_cause(failure: &StepFailure) -> Failure {
    let code = Code::ALL.into_iter().find(|code| failure.is(code.as_str()));
    code.map_or_else(
        || Failure::new(Code::ExecutorUnavailable, format!("{}: {}", failure.name, failure.message)),
        |code| Failure::new(code, &failure.message),
    )
}

/// For the short steps that read and write the record.
fn record(timing: &Timing) -> Policy {
    Policy {
        timeout: Duration::from_millis(timing.database_ms * 3),
        retries: Retries {
            limit: timing.record_retries,
            delay: Duration::from_millis(timing.record_retry_ms),
            backoff: Backoff::Exponential,
        },
    }
}

fn once(timing: &Timing) -> Policy {
    Policy::once(Duration::from_millis(timing.database_ms * 3))
}

#[cfg(test)]
mod tests;
