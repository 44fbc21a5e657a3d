//! The bodies of the steps. Each says why doing it twice is harmless.

use bodies::generation::{Activity, Round};
use domain::error::Code;
use domain::event::fitting_envelope;
use domain::execution::Report;
use domain::job::Status;
use domain::style_run::STYLE_RUN;
use domain::{DeliveryId, JobId};
use platform::{log, now, session};
use serde_json::{Value, json};
use store::Job;
use store::jobs::{Begun, Ending, Finish};
use worker::{Env, Method, Request, RequestInit};

use ::workflow::replay::Failure as StepFailure;

use crate::api::event_data;
use crate::config;
use crate::links::Links;
use crate::style_runs;

mod execute;
pub use execute::{ask_to_look, settle};

/// Performs one activity; what it answers is recorded as the step's result.
pub async fn perform(env: &Env, activity: Activity) -> Result<Value, StepFailure> {
    match activity {
        Activity::Begin { job } => begin(env, job).await.map(|status| json!(status)),
        Activity::Execute { job } => execute::execute(env, job).await.map(|round: Round| json!(round)),
        Activity::Hold { job, reason } => hold(env, job, &reason).await.map(|status| json!(status)),
        Activity::Persist { job, report } => persist(env, job, report).await.map(|status| json!(status)),
        Activity::Notify { job } => notify(env, job).await.map(|status| json!(status)),
        Activity::Release { job } => release(env, job).await.map(|()| Value::Null),
    }
}

/// Twice: the update matches open states only, and marking a running job running changes nothing.
async fn begin(env: &Env, job: JobId) -> Result<Status, StepFailure> {
    let begun = session(env, async |db| store::jobs::run(db, job).await).await.map_err(retry)?;
    standing(job, begun)
}

/// Twice: the same words are written again, without a second event.
async fn hold(env: &Env, job: JobId, reason: &str) -> Result<Status, StepFailure> {
    log::info("generation.held", json!({"job.id": job, "reason": reason}));
    let begun = session(env, async |db| store::jobs::wait(db, job, reason).await).await.map_err(retry)?;
    standing(job, begun)
}

fn standing(job: JobId, begun: Begun) -> Result<Status, StepFailure> {
    match begun {
        Begun::Open(job) | Begun::Ended(job) => Ok(job.status),
        Begun::Missing => Err(missing(job)),
    }
}

/// Twice: the second write finds the first one's end and answers with it (A25).
async fn persist(env: &Env, job: JobId, report: Report) -> Result<Status, StepFailure> {
    let ending = Ending::of(report);
    let before = load(env, job).await?;
    match finish(env, &before, &ending).await.map_err(retry)? {
        Finish::Won(job) => Ok(job.status),
        Finish::Stands(standing) => {
            log::info(
                "generation.lost",
                json!({"job.id": job, "job.status": standing.status, "wanted": ending.status()}),
            );
            Ok(standing.status)
        }
        Finish::Missing => Err(missing(job)),
    }
}

/// Ends a job as `ending`, with its event and its receiver's delivery.
pub async fn finish(env: &Env, job: &Job, ending: &Ending) -> Result<Finish, store::Error> {
    // A deployment without its settings ends its jobs all the same; the URLs then need the key.
    let links = Links::of_event(env).unwrap_or_default();
    let at = now();
    let payload = fitting_envelope(ending.event(), at, event_data(job, ending, at, &links));
    let done = session(env, async |db| store::jobs::finish(db, job.id, ending, at, &payload).await).await?;
    if let Finish::Won(job) = &done {
        let duration = at.signed_duration_since(job.created_at).num_milliseconds();
        log::info(
            "generation.ended",
            json!({"job.id": job.id, "job.status": job.status, "duration_ms": duration,
            "error.code": job.error.as_ref().map(|failure| failure.code), "trace.id": job.trace_id()}),
        );
    }
    Ok(done)
}

/// Twice: two messages, one delivery row; the consumer skips what is delivered (A37).
async fn notify(env: &Env, job: JobId) -> Result<Status, StepFailure> {
    let job = load(env, job).await?;
    enqueue_all(env, job.id).await.map_err(retry)?;
    if job.metadata.contains_key(STYLE_RUN) {
        // A candidate's end wakes its run at once; the clock would do it within a minute.
        style_runs::drain(env).await;
    }
    Ok(job.status)
}

/// Queues what is to be told of a job: to its own receiver and to its client's endpoints.
pub async fn enqueue_all(env: &Env, job: JobId) -> Result<(), String> {
    let untried = session(env, async |db| store::deliveries::untried(db, job).await);
    for delivery in untried.await.map_err(|error| error.to_string())? {
        enqueue(env, &delivery).await.map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Queues a delivery. The message carries its id only; the row is the truth.
pub async fn enqueue(env: &Env, delivery: &DeliveryId) -> worker::Result<()> {
    env.queue(config::WEBHOOKS)?.send(Message { delivery: delivery.as_str() }).await
}

#[derive(serde::Serialize)]
struct Message<'a> {
    delivery: &'a str,
}

/// Twice: the second finds nothing to stop.
async fn release(env: &Env, job: JobId) -> Result<(), StepFailure> {
    let url = format!("http://executor/executions/{job}");
    let request =
        Request::new_with_init(&url, RequestInit::new().with_method(Method::Delete)).map_err(retry)?;
    let executor = config::executor(env, job).map_err(retry)?;
    executor.fetch_with_request(request).await.map(drop).map_err(retry)
}

async fn load(env: &Env, job: JobId) -> Result<Job, StepFailure> {
    let found = session(env, async |db| store::jobs::get(db, job).await).await.map_err(retry)?;
    found.ok_or_else(|| missing(job))
}

/// A failure that the engine retries.
fn retry(error: impl std::fmt::Display) -> StepFailure {
    StepFailure::new(Code::Internal.as_str(), error.to_string())
}

fn missing(job: JobId) -> StepFailure {
    StepFailure::non_retryable(format!("there is no job {job}"))
}
