//! How fal says it: bodies, errors and headers.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::super::behaviour::{Kind, Outcome};
use super::super::intake::Refusal;
use super::super::job::Phase;
use super::super::ledger::{Call, time_text};
use super::super::media::{self, Output};
use super::super::world::World;
use super::path::application_of;

/// The header with the job's id.
pub(super) const REQUEST_ID: &str = "x-fal-request-id";
/// The header with what the job is billed for.
pub(super) const UNITS: &str = "x-fal-billable-units";
/// Its value when the script has none.
pub(super) const USUAL_UNITS: &str = "1";

const ERROR_TYPE: &str = "x-fal-error-type";
const RETRYABLE: &str = "x-fal-retryable";

/// The addresses of a job, with its id.
pub(super) fn urls(world: &World, call: &Call) -> Map<String, Value> {
    let job = world.url(&format!("/fal/{}/requests/{}", application_of(&call.model), call.request_id));
    let mut told = Map::new();
    told.insert("request_id".to_owned(), call.request_id.clone().into());
    told.insert("status_url".to_owned(), format!("{job}/status").into());
    told.insert("cancel_url".to_owned(), format!("{job}/cancel").into());
    told.insert("response_url".to_owned(), job.into());
    told
}

/// The state of a job. fal has no state for a failure: that is `COMPLETED`, with an error in it.
pub(super) fn state(world: &World, call: &Call, now: Instant, logs: bool) -> Value {
    let mut told = urls(world, call);
    let phase = call.phase(now).unwrap_or(Phase::Queued);
    let status = match phase {
        Phase::Queued => "IN_QUEUE",
        Phase::Running => call.behaviour.unknown_status.as_deref().unwrap_or("IN_PROGRESS"),
        Phase::Ended(_) | Phase::NotStarted | Phase::Cancelled(_) => "COMPLETED",
    };
    told.insert("status".to_owned(), status.into());
    if phase == Phase::Queued {
        told.insert("queue_position".to_owned(), 0.into());
        return Value::Object(told);
    }
    told.insert("logs".to_owned(), if logs { log_lines(call, phase) } else { Value::Null });
    if phase.is_final() {
        let seconds = if matches!(phase, Phase::Ended(_)) { call.behaviour.run().as_secs_f64() } else { 0.0 };
        told.insert("metrics".to_owned(), json!({"inference_time": seconds}));
        if let Some(fault) = fault(call, phase) {
            let (error, error_type) = summary(&fault.body);
            told.insert("error".to_owned(), error);
            told.insert("error_type".to_owned(), error_type);
        }
    }
    Value::Object(told)
}

fn log_lines(call: &Call, phase: Phase) -> Value {
    let line = |message: &str| json!({"timestamp": time_text(call.at), "level": "INFO", "source": "USER", "message": message});
    if phase.is_final() { json!([line("running"), line("finished")]) } else { json!([line("running")]) }
}

/// What asking for the result gives: the output, or the error.
pub(super) fn ending(world: &World, call: &mut Call, now: Instant) -> Result<Value, Refusal> {
    let phase = call.phase(now).unwrap_or(Phase::Queued);
    if let Some(mut fault) = fault(call, phase) {
        fault.headers.insert(REQUEST_ID.to_owned(), call.request_id.clone());
        return Err(fault);
    }
    match phase {
        Phase::Ended(Outcome::Empty) => Ok(payload(call, &[])),
        Phase::Ended(_) => {
            let outputs = media::issue(world, call, now);
            Ok(payload(call, &outputs))
        }
        // Our guess: the documentation does not say what an early question is answered. The last two had a fault.
        Phase::Queued | Phase::Running | Phase::NotStarted | Phase::Cancelled(_) => {
            Err(plain(400, "Request is still in progress"))
        }
    }
}

/// A model's output: one video by itself, images in a list.
fn payload(call: &Call, outputs: &[Output]) -> Value {
    let files: Vec<Value> = outputs.iter().map(file).collect();
    let seed = call.body.get("seed").cloned().unwrap_or_else(|| 42.into());
    match (Kind::of(call), files.as_slice()) {
        (Kind::Image, files) => {
            let flags = vec![false; files.len()];
            json!({"images": files, "seed": seed, "has_nsfw_concepts": flags, "prompt": call.prompt()})
        }
        (Kind::Video, []) => json!({"video": null, "seed": seed}),
        (Kind::Video, [one]) => json!({"video": one, "seed": seed}),
        (Kind::Video, several) => json!({"videos": several, "seed": seed}),
    }
}

fn file(output: &Output) -> Value {
    json!({
        "url": output.url,
        "content_type": output.content_type,
        "file_name": output.file_name,
        "file_size": output.bytes,
    })
}

/// The error that a job ended with; none for a success and for one that has not ended.
pub(super) fn fault(call: &Call, phase: Phase) -> Option<Refusal> {
    match phase {
        Phase::Queued | Phase::Running | Phase::Ended(Outcome::Succeed | Outcome::Empty) => None,
        Phase::Ended(Outcome::Fail) => Some(scripted(call, || infrastructure(500))),
        Phase::Ended(Outcome::Refuse) => Some(scripted(call, || policy_violation(call))),
        Phase::NotStarted => {
            let mut fault = typed(504, "Request timed out before it was started", "startup_timeout");
            // By this a deadline of the sender's own is told from the platform's.
            fault.headers.insert("x-fal-request-timeout-type".to_owned(), "user".to_owned());
            fault.headers.insert(RETRYABLE.to_owned(), "false".to_owned());
            Some(fault)
        }
        // Our guess at the wording; the status and the type are fal's.
        Phase::Cancelled(_) => Some(typed(499, "Request was cancelled", "client_cancelled")),
    }
}

/// The script's error where it has one, headers included; `usual` where it does not.
fn scripted(call: &Call, usual: impl FnOnce() -> Refusal) -> Refusal {
    let behaviour = &call.behaviour;
    let mut fault = match &behaviour.fail_body {
        None => usual(),
        Some(body) => {
            // A list of details is the model's own envelope, which comes with 422; a text is the platform's.
            let status = if body["detail"].is_array() { 422 } else { 500 };
            let mut headers = BTreeMap::new();
            if let Some(error_type) = body["error_type"].as_str() {
                headers.insert(ERROR_TYPE.to_owned(), error_type.to_owned());
            }
            Refusal { status, body: body.clone(), headers }
        }
    };
    fault.status = behaviour.fail_status.unwrap_or(fault.status);
    fault.headers.extend(behaviour.fail_headers.clone());
    fault
}

fn policy_violation(call: &Call) -> Refusal {
    let body = json!({"detail": [{
        "loc": ["body", "prompt"],
        "msg": "The content could not be processed because it contained material flagged by a content checker.",
        "type": "content_policy_violation",
        "url": "https://docs.fal.ai/errors#content_policy_violation",
        "input": call.prompt(),
    }]});
    Refusal { status: 422, body, headers: BTreeMap::from([(RETRYABLE.to_owned(), "false".to_owned())]) }
}

/// An error of the platform, typed as fal types that status.
pub(super) fn infrastructure(status: u16) -> Refusal {
    let (error_type, detail) = match status {
        429 => ("rate_limited", "Too many requests"),
        502 => ("runner_incomplete_response", "The runner did not answer completely"),
        503 => ("runner_scheduling_failure", "No runner could be scheduled"),
        504 => ("generation_timeout", "The request took too long"),
        _ => ("internal_error", "Internal server error"),
    };
    let mut refusal = typed(status, detail, error_type);
    refusal.headers.insert(RETRYABLE.to_owned(), (status >= 500).to_string());
    refusal
}

fn typed(status: u16, detail: &str, error_type: &str) -> Refusal {
    let headers = BTreeMap::from([(ERROR_TYPE.to_owned(), error_type.to_owned())]);
    Refusal { status, body: json!({"detail": detail, "error_type": error_type}), headers }
}

fn plain(status: u16, detail: &str) -> Refusal {
    Refusal { status, body: json!({"detail": detail}), headers: BTreeMap::new() }
}

pub(super) fn no_key() -> Refusal {
    plain(401, "Authentication is required to access this application.")
}

pub(super) fn not_found(what: &str) -> Refusal {
    plain(404, &format!("{what} not found"))
}

pub(super) fn not_json() -> Refusal {
    let detail = json!([{"loc": ["body"], "msg": "The body must be a JSON object", "type": "json_invalid"}]);
    Refusal { status: 422, body: json!({"detail": detail}), headers: BTreeMap::new() }
}

/// The error and its type, as the state of a job sums them up.
fn summary(body: &Value) -> (Value, Value) {
    let (error, error_type) = match body.get("detail").and_then(Value::as_array) {
        Some(details) => (details.first().and_then(|first| first.get("msg")), body.pointer("/detail/0/type")),
        None => (body.get("detail"), body.get("error_type")),
    };
    (error.cloned().unwrap_or_default(), error_type.cloned().unwrap_or_default())
}
