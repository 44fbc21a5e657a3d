//! Runway's tasks, at `<simulator>/runway`.

use http::{HeaderMap, Method};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::behaviour::Outcome;
use super::intake::Refusal;
use super::job::Phase;
use super::ledger::{Call, time_text};
use super::tasks::{
    Protocol, Query, Target, Told, cents, credits, plain, scripted, silent, unlisted, urls, with,
};
use super::world::World;

mod uploads;
pub(super) use uploads::routes;

/// The endpoints that make a task.
const ENDPOINTS: [&str; 4] = ["text_to_video", "image_to_video", "video_to_video", "text_to_image"];
/// The most that any task costs, in millionths of a dollar: what `estimatedCost` says.
const MOST: i64 = 5_000_000;

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "runway",
    key: ("authorization", "Bearer "),
    target,
    model: |_, body| body["model"].as_str().map(str::to_owned),
    check,
    hook: None,
    challenges: false,
    report: silent,
    accepted: |_, call| (200, json!({"id": call.request_id, "estimatedCost": {"credits": cents(MOST)}})),
    state,
    cancel,
    list: unlisted,
    told,
};

fn target(method: &Method, path: &str, _: &Query) -> Target {
    let parts: Vec<&str> = path.split('/').collect();
    match (method, parts.as_slice()) {
        (&Method::POST, [endpoint]) if ENDPOINTS.contains(endpoint) => Target::Submit((*endpoint).to_owned()),
        (&Method::GET, ["tasks", id]) => Target::Job((*id).to_owned()),
        (&Method::DELETE, ["tasks", id]) => Target::Cancel((*id).to_owned()),
        _ => Target::Nothing,
    }
}

fn check(headers: &HeaderMap, body: &Value) -> Option<Refusal> {
    if headers.get("x-runway-version").is_none_or(|version| version != "2024-11-06") {
        return Some(plain(400, json!({"error": "X-Runway-Version is missing or is not known"})));
    }
    let ratio = body["ratio"].as_str();
    let pixels = ratio.and_then(|ratio| ratio.split_once(':')).is_some_and(|(width, _)| width.len() > 2);
    if ratio.is_some() && !pixels {
        let issue = json!({"code": "invalid_enum_value", "path": ["ratio"], "message": "Invalid ratio"});
        return Some(plain(400, json!({"error": "Validation of body failed", "issues": [issue]})));
    }
    None
}

fn state(world: &World, call: &mut Call, now: Instant) -> Value {
    let phase = call.phase(now).unwrap_or(Phase::Queued);
    let mut told = json!({"id": call.request_id, "createdAt": time_text(call.at)});
    match phase {
        // Too many at a time is no error here.
        Phase::Queued => told = with(told, json!({"status": "THROTTLED"})),
        Phase::Running => {
            told =
                with(told, json!({"status": call.behaviour.unknown_status.as_deref().unwrap_or("RUNNING")}));
            told = with(told, json!({"progress": 0.5}));
        }
        Phase::Ended(Outcome::Succeed | Outcome::Empty) => {
            told = with(told, json!({"status": "SUCCEEDED"}));
            told = with(told, json!({"output": urls(world, call, now)}));
        }
        Phase::Ended(Outcome::Fail | Outcome::Refuse) => {
            let refused = phase == Phase::Ended(Outcome::Refuse);
            told = with(told, json!({"status": "FAILED"}));
            told = with(
                told,
                json!({"failure": if refused { "The text was moderated." } else { "An unexpected error" }}),
            );
            told = with(told, json!({"failureCode": if refused { "SAFETY.INPUT.TEXT" } else { "INTERNAL" }}));
            told = scripted(call, told);
        }
        Phase::NotStarted | Phase::Cancelled(_) => told = with(told, json!({"status": "CANCELLED"})),
    }
    if phase.is_final() {
        told = with(told, json!({"cost": {"credits": credits(call, now)}}));
    }
    told
}

/// A live task is cancelled; a finished one is destroyed with its output.
fn cancel(_: &World, call: &mut Call, now: Instant) -> (u16, Value) {
    call.cancel(now);
    call.deleted = true;
    (204, Value::Null)
}

fn told(told: Told) -> Refusal {
    let (status, error) = match told {
        Told::NoKey => (401, "The API key is missing or invalid."),
        Told::NotJson => (400, "The body must be a JSON object"),
        Told::NotFound => (404, "Not found"),
        Told::Infrastructure(status) => (status, "The request could not be handled"),
    };
    plain(status, json!({"error": error}))
}
