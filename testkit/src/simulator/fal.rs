//! fal's queue: submit, status, result, cancel, webhooks; and the parts of its platform API by which a lost submit or
//! a late price is found.
//!
//! What is written down in fal's documentation is done as it says. Where that is silent, the choice is marked "our
//! guess", and nothing should be built on it.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Extension, Router};
use bytes::Bytes;
use futures::stream;
use http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, Method, Uri};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::callback::Callback;
use super::intake::{Arrival, Refusal, Verdict, receive};
use super::job::Phase;
use super::provider::reply;
use super::world::World;
use crate::server::Line;
use path::Target;

mod path;
mod platform;
mod webhook;
mod words;

/// The provider's name in scripts and in the ledger, and the first part of its paths.
pub(super) const NAME: &str = "fal";

/// How often the stream of states looks.
const STREAM_GLANCE: Duration = Duration::from_millis(20);

pub(super) fn routes() -> Router<Arc<World>> {
    Router::new().route("/{*path}", any(answer))
}

async fn answer(
    State(world): State<Arc<World>>,
    Extension(line): Extension<Line>,
    method: Method,
    uri: Uri,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let query: Vec<(String, String)> =
        url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect();
    let target = Target::of(&method, uri.path().trim_start_matches('/'));
    if target == Target::Keys {
        return reply(200, &webhook::public_keys(), &[]);
    }
    if let Target::Submit(model) = target {
        return submit(&world, &line, model, headers, query, &body).await;
    }
    if !has_key(&headers) {
        return refuse(&words::no_key());
    }
    match target {
        Target::Status(job) => status(&world, &job, &query),
        Target::Stream(job) => stream_status(world, job),
        Target::Result(job) => result(&world, &job),
        Target::Cancel(job) => cancel(&world, &job),
        Target::Requests => platform::requests(&world, &query),
        Target::Billing => platform::billing(&world, &query, &headers),
        Target::WrongMethod => reply(405, &json!({"detail": "Method Not Allowed"}), &[]),
        Target::Submit(_) | Target::Keys | Target::Nothing => refuse(&words::not_found("Path")),
    }
}

/// Any key will do, as long as it is sent the way fal wants it.
fn has_key(headers: &HeaderMap) -> bool {
    let key = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    key.and_then(|value| value.strip_prefix("Key ")).is_some_and(|key| !key.trim().is_empty())
}

async fn submit(
    world: &Arc<World>,
    line: &Line,
    model: String,
    headers: HeaderMap,
    query: Vec<(String, String)>,
    body: &[u8],
) -> Response {
    let parsed: Result<Value, _> = serde_json::from_slice(body);
    let refusal = if !has_key(&headers) {
        Some(words::no_key())
    } else if model.split('/').count() < 2 {
        Some(words::not_found("Application"))
    } else if !parsed.as_ref().is_ok_and(Value::is_object) {
        Some(words::not_json())
    } else {
        None
    };
    let hook = query.iter().find(|(name, value)| name == "fal_webhook" && !value.is_empty());
    let arrival = Arrival {
        provider: NAME,
        model,
        start_limit: start_limit(&headers),
        callback: hook.map(|(_, url)| Callback {
            url: url.clone(),
            challenged: false,
            compose: webhook::compose,
        }),
        body: parsed.unwrap_or_else(|_| Value::from(String::from_utf8_lossy(body).into_owned())),
        headers,
        query,
        refusal,
    };
    match receive(world, arrival).await {
        Verdict::Accepted(call) => {
            let mut told = words::urls(world, &call);
            told.insert("status".to_owned(), "IN_QUEUE".into());
            told.insert("queue_position".to_owned(), 0.into());
            told.insert("gateway_request_id".to_owned(), call.request_id.clone().into());
            reply(200, &Value::Object(told), &[(words::REQUEST_ID, &call.request_id)])
        }
        Verdict::Refused(refusal) => refuse(&refusal),
        Verdict::Broken => line.reset().await,
    }
}

/// fal's limit on the time to the start, in seconds; the newer name wins.
fn start_limit(headers: &HeaderMap) -> Option<Duration> {
    let named = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = named("x-fal-request-start-timeout").or_else(|| named("x-fal-request-timeout"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn status(world: &World, job: &path::Job, query: &[(String, String)]) -> Response {
    let logs = query.iter().any(|(name, value)| name == "logs" && matches!(value.as_str(), "1" | "true"));
    let now = Instant::now();
    let seen = world.with_call(NAME, &job.request_id, |call| {
        if !job.belongs_to(&call.model) {
            return None;
        }
        call.polls += 1;
        Some((call.behaviour.poll_error(call.polls), call.clone()))
    });
    let Some((scripted, call)) = seen.flatten() else { return refuse(&words::not_found("Request")) };
    if let Some(status) = scripted {
        return refuse(&words::infrastructure(status));
    }
    let told = words::state(world, &call, now, logs);
    let http = if call.phase(now).is_some_and(Phase::is_final) { 200 } else { 202 };
    reply(http, &told, &[(words::REQUEST_ID, &call.request_id)])
}

/// Server-sent events: each change of state, up to the last. They count as one poll.
fn stream_status(world: Arc<World>, job: path::Job) -> Response {
    let first = world.with_call(NAME, &job.request_id, |call| {
        call.polls += 1;
        job.belongs_to(&call.model)
    });
    if first != Some(true) {
        return refuse(&words::not_found("Request"));
    }
    let states = stream::unfold(Some((world, job, Value::Null)), |looking| async move {
        let (world, job, last) = looking?;
        loop {
            let now = Instant::now();
            let call = world.with_call(NAME, &job.request_id, |call| call.clone())?;
            let told = words::state(&world, &call, now, true);
            let over = call.phase(now).is_some_and(Phase::is_final);
            let event = format!("data: {told}\n\n");
            if over {
                return Some((Ok::<_, std::io::Error>(event), None));
            }
            if told.get("status") != last.get("status") {
                return Some((Ok(event), Some((world, job, told))));
            }
            tokio::time::sleep(STREAM_GLANCE).await;
        }
    });
    ([(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")], Body::from_stream(states))
        .into_response()
}

fn result(world: &World, job: &path::Job) -> Response {
    let now = Instant::now();
    let found = world.with_call(NAME, &job.request_id, |call| {
        if !job.belongs_to(&call.model) {
            return None;
        }
        call.results += 1;
        if let Some(status) = call.behaviour.result_error(call.results) {
            return Some(Err(words::infrastructure(status)));
        }
        Some(words::ending(world, call, now).map(|payload| (payload, call.clone())))
    });
    match found.flatten() {
        None => refuse(&words::not_found("Request")),
        Some(Err(refusal)) => refuse(&refusal),
        Some(Ok((payload, call))) => {
            let units = call.behaviour.units.as_deref().unwrap_or(words::USUAL_UNITS);
            reply(200, &payload, &[(words::REQUEST_ID, &call.request_id), (words::UNITS, units)])
        }
    }
}

fn cancel(world: &World, job: &path::Job) -> Response {
    let before = world.with_call(NAME, &job.request_id, |call| {
        job.belongs_to(&call.model).then(|| call.cancel(Instant::now())).flatten()
    });
    match before.flatten() {
        None => reply(404, &json!({"status": "NOT_FOUND"}), &[]),
        // fal takes it out of the queue.
        Some(Phase::Queued) => reply(200, &json!({"status": "OK"}), &[]),
        // fal passes it on; whether the model stops is the model's affair.
        Some(Phase::Running) => reply(202, &json!({"status": "CANCELLATION_REQUESTED"}), &[]),
        Some(Phase::Ended(_) | Phase::NotStarted | Phase::Cancelled(_)) => {
            reply(400, &json!({"status": "ALREADY_COMPLETED"}), &[])
        }
    }
}

fn refuse(refusal: &Refusal) -> Response {
    let headers: Vec<(&str, &str)> =
        refusal.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    reply(refusal.status, &refusal.body, &headers)
}
