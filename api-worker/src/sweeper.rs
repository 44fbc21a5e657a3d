//! The sweeper: what was left lying around, on a clock (B9).
//!
//! Each pass is bounded and safe beside itself: findings are acted on by calls that are harmless twice.

use bodies::generation::WAKE;
use domain::error::{Code, Failure};
use domain::{DeliveryId, JobId};
use platform::{log, session};
use serde_json::json;
use store::jobs::Ending;
use worker::Env;
use workflow::binding::{self, Workflow};

use crate::generation::{enqueue, finish, settle};
use crate::start::start;
use crate::{config, inputs, looks, retention, style_runs};

/// Findings of one kind that one pass acts on. A minute's pass has time for some thousand calls; a backlog is worked
/// off by the next ones.
const LIMIT: i64 = 200;

pub async fn sweep(env: &Env) {
    let timing = config::timing(env).unwrap_or_default();
    let [idle_ms, requeue_ms] =
        [timing.sweep_idle_ms, timing.requeue_ms].map(|ms| i64::try_from(ms).unwrap_or(i64::MAX));
    let findings = session(env, async |db| store::sweep::find(db, idle_ms, requeue_ms, LIMIT).await).await;
    let findings = match findings {
        Ok(findings) => findings,
        Err(error) => return log::error("sweep", json!({"error": error.to_string()})),
    };
    style_runs::drain(env).await;
    style_runs::rearm(env, idle_ms, LIMIT).await;
    for job in &findings.unstarted {
        start(env, *job).await;
    }
    for job in findings.idle.iter().filter(|job| !findings.overdue.contains(job)) {
        if let Err(error) = look_after(env, *job).await {
            log::error("sweep.idle", json!({"job.id": job, "error": error}));
        }
        // Also after a failure: a job that nothing helps must not keep the others from being looked at.
        if let Err(error) = session(env, async |db| store::sweep::touch(db, *job).await).await {
            log::error("sweep.touch", json!({"job.id": job, "error": error.to_string()}));
        }
    }
    for job in &findings.overdue {
        if let Err(error) = give_up(env, *job).await {
            log::error("sweep.overdue", json!({"job.id": job, "error": error}));
        }
    }
    for job in &findings.unsettled {
        if let Err(error) = wind_down(env, *job).await {
            log::error("sweep.unsettled", json!({"job.id": job, "error": error}));
        }
    }
    for delivery in &findings.due {
        if let Err(error) = deliver(env, delivery).await {
            log::error("sweep.due", json!({"delivery.id": delivery, "error": error}));
        }
    }
    let over = retention::sweep(env, &timing).await;
    let inputs = inputs::sweep(env, LIMIT).await;
    // Last: they wait for providers.
    let looks = looks::sweep(env).await;
    let mut found = vec![
        ("unstarted", findings.unstarted.len()),
        ("idle", findings.idle.len()),
        ("overdue", findings.overdue.len()),
        ("unsettled", findings.unsettled.len()),
        ("due", findings.due.len()),
        ("inputs", inputs),
        ("looks", looks),
    ];
    found.extend(over);
    if let Err(error) =
        session(env, async |db| store::metrics::tally(db, "sweeper_findings", &found).await).await
    {
        log::error("sweep.tally", json!({"error": error.to_string()}));
    }
    log::info(
        "sweep",
        json!({"sweep.unstarted": findings.unstarted.len(), "sweep.idle": findings.idle.len(),
            "sweep.overdue": findings.overdue.len(),
            "sweep.unsettled": findings.unsettled.len(), "sweep.due": findings.due.len(),
            "sweep.inputs": inputs, "sweep.looks": looks,
            "sweep.retention": over.iter().map(|(_, count)| count).sum::<usize>()}),
    );
}

/// An open job without a sign of life: its Workflow is started if it is not there, woken if it sleeps, and if it is at
/// its end without having ended the job, the sweeper does (I12).
async fn look_after(env: &Env, job: JobId) -> Result<(), String> {
    let text = |error: binding::Error| error.to_string();
    let workflow = env.get_binding::<Workflow>(config::GENERATION).map_err(|error| error.to_string())?;
    match workflow.get(&job.to_string()).await {
        Err(binding::Error::NotFound(_)) => {
            start(env, job).await;
        }
        Err(error) => return Err(text(error)),
        Ok(instance) => {
            let standing = instance.status().await.map_err(text)?;
            if standing.status.is_final() {
                let why = standing.error.map_or_else(|| "it ended".to_owned(), |error| error.to_string());
                let why = format!("the Workflow cannot go on: {why}");
                end(env, job, Failure::new(Code::Internal, why)).await?;
            } else {
                instance.send_event(WAKE, &json!({})).await.map_err(text)?;
            }
        }
    }
    Ok(())
}

/// A job that was due to end long ago and that nothing has moved since it was looked after: its Workflow is lost or stands
/// still, whatever its status says. It is ended; an attempt that is open is wound down by a later pass, and a Workflow that
/// moves after all finds the end and stops (A27).
async fn give_up(env: &Env, job: JobId) -> Result<(), String> {
    let workflow = env.get_binding::<Workflow>(config::GENERATION).map_err(|error| error.to_string())?;
    let status = match workflow.get(&job.to_string()).await {
        Ok(instance) => instance.status().await.map(|standing| format!("{:?}", standing.status)),
        Err(error) => Err(error),
    };
    let status = status.unwrap_or_else(|error| error.to_string());
    log::error("sweep.overdue", json!({"job.id": job, "workflow.status": status}));
    let why = format!("the deadline has passed and nothing moves the generation (its Workflow: {status})");
    end(env, job, Failure::new(Code::DeadlineExceeded, why)).await
}

/// An ended job with an open attempt: cancelled while its executor was gone, for example.
async fn wind_down(env: &Env, job: JobId) -> Result<(), String> {
    let text = |error: store::Error| error.to_string();
    let standing = session(env, async |db| store::jobs::get(db, job).await).await.map_err(text)?;
    session(env, async |db| store::sweep::touch(db, job).await).await.map_err(text)?;
    match standing {
        Some(job) => settle(env, &job).await.map_err(|failure| failure.message),
        None => Ok(()),
    }
}

async fn deliver(env: &Env, delivery: &DeliveryId) -> Result<(), String> {
    enqueue(env, delivery).await.map_err(|error| error.to_string())?;
    session(env, async |db| store::sweep::enqueued(db, delivery).await)
        .await
        .map_err(|error| error.to_string())
}

async fn end(env: &Env, job: JobId, why: Failure) -> Result<(), String> {
    let text = |error: store::Error| error.to_string();
    let Some(job) = session(env, async |db| store::jobs::get(db, job).await).await.map_err(text)? else {
        return Ok(());
    };
    let ending = Ending::Failed(why);
    finish(env, &job, &ending).await.map(drop).map_err(text)
}
