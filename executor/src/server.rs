//! The HTTP face of the executor (`domain::execution` has its types). Only the job's Durable Object can reach it.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use domain::JobId;
use domain::execution::{Answer, Look, Submit};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Semaphore;

use crate::executions::Executions;

/// A spec is at most the 256 KiB of the request it came with, and some.
const BODY_LIMIT: usize = 1 << 20;
/// Longer polls are cut: proxies give up on them.
const WAIT_LIMIT_SECONDS: u32 = 60;
/// Requests at a time; one job's callers are a handful.
const REQUEST_LIMIT: usize = 256;

/// The routes of `domain::execution`, and `GET /health`: 200 `{"status":"ok","executions":n}`, or 503 while draining.
pub fn router(executions: Arc<Executions>) -> Router {
    let places = Arc::new(Semaphore::new(REQUEST_LIMIT));
    Router::new()
        .route("/executions/{job}", get(look).put(submit))
        .route("/executions/{job}/cancel", post(cancel))
        .route("/executions/{job}/looks", put(look_again))
        .route("/health", get(health))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn_with_state(places, bounded))
        .with_state(executions)
}

async fn submit(
    State(executions): State<Arc<Executions>>,
    Path(job): Path<String>,
    body: Result<Json<Submit>, JsonRejection>,
) -> Response {
    let Ok(job) = job.parse::<JobId>() else {
        return refused(StatusCode::NOT_FOUND, "the path names no job id");
    };
    match body {
        Ok(Json(submit)) if submit.job == job => answer(&executions.submit(submit)),
        Ok(_) => refused(StatusCode::BAD_REQUEST, "the path names another job than the body"),
        Err(rejection) => refused(rejection.status(), &rejection.body_text()),
    }
}

#[derive(Deserialize)]
struct Wait {
    wait: Option<u32>,
}

async fn look(
    State(executions): State<Arc<Executions>>,
    Path(job): Path<String>,
    Query(Wait { wait }): Query<Wait>,
) -> Response {
    let watched = job.parse().ok().and_then(|job| executions.watch(job));
    let Some(watched) = watched else {
        return refused(StatusCode::NOT_FOUND, "this process knows no execution of the job");
    };
    let wait = wait.unwrap_or(0).min(WAIT_LIMIT_SECONDS);
    answer(&watched.ended_within(Duration::from_secs(wait.into())).await)
}

async fn look_again(
    State(executions): State<Arc<Executions>>,
    Path(job): Path<String>,
    body: Result<Json<Look>, JsonRejection>,
) -> Response {
    match body {
        Ok(Json(look)) if job == look.job.to_string() => Json(executions.look(look).await).into_response(),
        Ok(_) => refused(StatusCode::BAD_REQUEST, "the path names another job than the body"),
        Err(rejection) => refused(rejection.status(), &rejection.body_text()),
    }
}

async fn cancel(State(executions): State<Arc<Executions>>, Path(job): Path<String>) -> Response {
    match job.parse() {
        Ok(job) => answer(&executions.cancel(job)),
        Err(_) => refused(StatusCode::NOT_FOUND, "the path names no job id"),
    }
}

async fn health(State(executions): State<Arc<Executions>>) -> Response {
    let (status, word) = if executions.is_draining() {
        (StatusCode::SERVICE_UNAVAILABLE, "draining")
    } else {
        (StatusCode::OK, "ok")
    };
    (status, Json(json!({ "status": word, "executions": executions.running() }))).into_response()
}

/// 202 while it runs, 200 with the report afterwards (A17).
fn answer(answer: &Answer) -> Response {
    let status = match answer {
        Answer::Running { .. } => StatusCode::ACCEPTED,
        Answer::Ended { .. } => StatusCode::OK,
    };
    (status, Json(answer)).into_response()
}

fn refused(status: StatusCode, detail: &str) -> Response {
    (status, Json(json!({ "status": status.as_u16(), "detail": detail }))).into_response()
}

async fn bounded(State(places): State<Arc<Semaphore>>, request: Request<Body>, next: Next) -> Response {
    match places.try_acquire() {
        Ok(_place) => next.run(request).await,
        Err(_) => refused(StatusCode::SERVICE_UNAVAILABLE, "too many requests at a time"),
    }
}
