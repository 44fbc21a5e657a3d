//! `MiniMax`'s video generation, version 2, at `<simulator>/minimax`.

use http::{HeaderMap, Method};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::behaviour::Outcome;
use super::intake::Refusal;
use super::job::Phase;
use super::ledger::Call;
use super::tasks::{Protocol, Query, Target, Told, message, plain, scripted, unlisted, urls, with};
use super::world::World;

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "minimax",
    key: ("authorization", "Bearer "),
    target,
    model: |_, body| body["model"].as_str().map(str::to_owned),
    check,
    hook: Some("/callback_url"),
    challenges: true,
    report: |world, id| message(&PROTOCOL, world, id),
    accepted: |_, call| (200, json!({"task_id": call.request_id})),
    state,
    cancel,
    list: unlisted,
    told,
};

fn target(method: &Method, path: &str, _: &Query) -> Target {
    let parts: Vec<&str> = path.split('/').collect();
    match (method, parts.as_slice()) {
        (&Method::POST, ["video_generation"]) => Target::Submit(String::new()),
        (&Method::GET, ["query", "video_generation", id]) => Target::Job((*id).to_owned()),
        (&Method::DELETE, ["video_generation", id]) => Target::Cancel((*id).to_owned()),
        _ => Target::Nothing,
    }
}

/// A text has to be among the content.
fn check(_: &HeaderMap, body: &Value) -> Option<Refusal> {
    let texts = body["content"].as_array().into_iter().flatten().filter(|item| item["type"] == "text");
    (texts.count() != 1).then(|| error(400, "bad_request_error", "content must have exactly one text"))
}

fn state(world: &World, call: &mut Call, now: Instant) -> Value {
    let phase = call.phase(now).unwrap_or(Phase::Queued);
    let running = call.behaviour.unknown_status.clone();
    let status = match phase {
        Phase::Queued => "queued",
        Phase::Running => running.as_deref().unwrap_or("running"),
        Phase::Ended(Outcome::Succeed | Outcome::Empty) => "succeeded",
        Phase::Ended(Outcome::Fail | Outcome::Refuse) | Phase::NotStarted => "failed",
        Phase::Cancelled(_) => "cancelled",
    };
    let told = json!({"id": call.request_id, "model": call.model, "status": status, "modality": "video"});
    let told = match phase {
        Phase::Ended(Outcome::Succeed | Outcome::Empty) => {
            let url = urls(world, call, now).into_iter().next();
            let seconds: f64 =
                call.behaviour.units.as_deref().and_then(|units| units.parse().ok()).unwrap_or(5.0);
            let usage = json!({"total_seconds": seconds, "input_seconds": 0, "output_seconds": seconds});
            with(told, json!({"content": {"url": url}, "usage": usage}))
        }
        Phase::Ended(outcome) => {
            let code = if outcome == Outcome::Refuse { "1027" } else { "1000" };
            scripted(call, with(told, json!({"error": {"code": code, "message": "The task failed"}})))
        }
        Phase::Queued | Phase::Running | Phase::NotStarted | Phase::Cancelled(_) => told,
    };
    json!({"task": told})
}

/// One verb for three things: cancels in the queue, is refused while it runs, and removes the record after the end.
fn cancel(_: &World, call: &mut Call, now: Instant) -> (u16, Value) {
    match call.phase(now) {
        Some(Phase::Queued) => {
            call.cancel(now);
            (200, json!({}))
        }
        Some(Phase::Running) => {
            (400, error(400, "bad_request_error", "a running task cannot be cancelled").body)
        }
        Some(Phase::Ended(_) | Phase::NotStarted | Phase::Cancelled(_)) | None => {
            call.deleted = true;
            (200, json!({}))
        }
    }
}

fn error(status: u16, kind: &str, message: &str) -> Refusal {
    let error = json!({"type": kind, "message": message, "http_code": status.to_string()});
    plain(status, json!({"type": "error", "error": error, "request_id": "simulated"}))
}

fn told(told: Told) -> Refusal {
    match told {
        Told::NoKey => error(401, "authorized_error", "login fail"),
        Told::NotJson => error(400, "bad_request_error", "the body must be a JSON object"),
        // An unknown id is a bad request here.
        Told::NotFound => error(400, "bad_request_error", "no such task"),
        Told::Infrastructure(status) => error(status, "internal_error", "internal error"),
    }
}
