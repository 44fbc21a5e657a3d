//! `POST /v1/generations/{id}/cancel`

use axum::extract::Extension;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::JobId;
use platform::{log, session};
use serde_json::json;
use store::jobs::{Ending, Finish};
use worker::{Env, Method, Request, RequestInit};

use super::{Segments, client_key, found, job_id, view};
use crate::config;
use crate::generation::{enqueue_all, finish};
use crate::http::App;
use crate::links::Links;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// Ends the job as cancelled unless it has ended already, and answers with what stands (A25). The event is queued only
/// if the job really ended cancelled (A28); the executor is told in any case that it may stop.
///
/// Safe to repeat. A crash after the commit leaves a due delivery, which the sweeper enqueues, and an executor that
/// learns of the end from the journal at its next write.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/generations/{id}/cancel", tag = "Generations", security(("client_key" = [])),
    params(("id" = String, Path, description = "The generation's id", format = "uuid")),
    responses(
        (status = 200, description = "What stands: cancelled, or ended otherwise before", body = schemas::Generation),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
pub async fn cancel(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(&headers)?, job_id(&id)?);
    let job = found(session(&app.env, async |db| store::jobs::find_to_change(db, key, id).await).await?)?;
    let standing = match finish(&app.env, &job, &Ending::Cancelled).await? {
        Finish::Won(job) => {
            let env = app.env.clone();
            app.context.wait_until(async move { follow_up(&env, id).await });
            job
        }
        Finish::Stands(job) => job,
        Finish::Missing => return Err(Problem::not_found()),
    };
    log::info(
        "generation.cancel",
        json!({"job.id": id, "job.status": standing.status, "trace.id": standing.trace_id()}),
    );
    Ok(view::json(&view::generation(&standing, &Links::of(&app.env)?)))
}

/// Ends a job that nobody waits for any more. Safe to repeat.
pub async fn stop(env: &Env, job: JobId) -> Result<(), String> {
    let text = |error: store::Error| error.to_string();
    let Some(job) = session(env, async |db| store::jobs::get(db, job).await).await.map_err(text)? else {
        return Ok(());
    };
    if let Finish::Won(job) = finish(env, &job, &Ending::Cancelled).await.map_err(text)? {
        follow_up(env, job.id).await;
    }
    Ok(())
}

async fn follow_up(env: &Env, job: JobId) {
    if let Err(error) = tell_executor(env, job).await {
        log::error(
            "executor not told of the cancellation",
            json!({"job.id": job, "error": error.to_string()}),
        );
    }
    if let Err(error) = enqueue_all(env, job).await {
        log::error("webhook not enqueued; the sweeper will", json!({"job.id": job, "error": error}));
    }
}

async fn tell_executor(env: &Env, job: JobId) -> worker::Result<()> {
    let url = format!("http://executor/executions/{job}/cancel");
    let request = Request::new_with_init(&url, RequestInit::new().with_method(Method::Post))?;
    config::executor(env, job)?.fetch_with_request(request).await.map(drop)
}
