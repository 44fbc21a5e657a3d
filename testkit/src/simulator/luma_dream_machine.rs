//! Luma's Dream Machine, at `<simulator>/luma_dream_machine`.

use http::Method;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::behaviour::{Kind, Outcome};
use super::callback::Message;
use super::intake::Refusal;
use super::job::Phase;
use super::ledger::{Call, time_text};
use super::tasks::{Protocol, Query, Target, Told, message, plain, scripted, unchecked, urls, with};
use super::world::World;

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "luma_dream_machine",
    key: ("authorization", "Bearer "),
    target,
    model: |_, body| body["model"].as_str().map(str::to_owned),
    check: unchecked,
    hook: Some("/callback_url"),
    challenges: false,
    report,
    accepted: |_, call| (201, generation(call, "queued")),
    state,
    cancel,
    list,
    told,
};

fn target(method: &Method, path: &str, _: &Query) -> Target {
    let parts: Vec<&str> = path.split('/').collect();
    match (method, parts.as_slice()) {
        (&Method::POST, ["generations"] | ["generations", "video" | "image"]) => {
            Target::Submit(String::new())
        }
        (&Method::GET, ["generations"]) => Target::List,
        (&Method::GET, ["generations", id]) => Target::Job((*id).to_owned()),
        (&Method::DELETE, ["generations", id]) => Target::Cancel((*id).to_owned()),
        _ => Target::Nothing,
    }
}

/// The request is shown as it was sent, its callback URL included.
fn generation(call: &Call, state: &str) -> Value {
    json!({
        "id": call.request_id, "state": state, "failure_reason": null, "created_at": time_text(call.at),
        "assets": null, "model": call.model, "request": call.body,
    })
}

fn state(world: &World, call: &mut Call, now: Instant) -> Value {
    match call.phase(now).unwrap_or(Phase::Queued) {
        Phase::Queued => generation(call, "queued"),
        Phase::Running => {
            let status = call.behaviour.unknown_status.clone();
            generation(call, status.as_deref().unwrap_or("dreaming"))
        }
        Phase::Ended(Outcome::Succeed | Outcome::Empty) => {
            let mut told = generation(call, "completed");
            let name = if Kind::of(call) == Kind::Video { "video" } else { "image" };
            if let Some(url) = urls(world, call, now).first() {
                told = with(told, json!({"assets": {name: url}}));
            }
            told
        }
        Phase::Ended(Outcome::Fail) => failed(call, "500: Internal error"),
        Phase::Ended(Outcome::Refuse) => {
            failed(call, "400: Prompt not allowed because advanced moderation failed")
        }
        Phase::NotStarted | Phase::Cancelled(_) => failed(call, "cancelled"),
    }
}

fn failed(call: &Call, reason: &str) -> Value {
    let mut told = generation(call, "failed");
    told = with(told, json!({"failure_reason": reason}));
    scripted(call, told)
}

fn report(world: &World, id: &str) -> Option<Message> {
    message(&PROTOCOL, world, id)
}

/// There is no cancel: this removes the generation, whatever became of it.
fn cancel(_: &World, call: &mut Call, _: Instant) -> (u16, Value) {
    call.deleted = true;
    (204, Value::Null)
}

fn list(world: &World, calls: Vec<Call>, _: &Query, now: Instant) -> Value {
    let count = calls.len();
    let items: Vec<Value> =
        calls.into_iter().take(100).map(|mut call| state(world, &mut call, now)).collect();
    json!({"has_more": count > 100, "count": count, "limit": 100, "offset": 0, "generations": items})
}

fn told(told: Told) -> Refusal {
    let (status, detail) = match told {
        Told::NoKey => (401, "Not authenticated"),
        Told::NotJson => (422, "The body must be a JSON object"),
        Told::NotFound => (404, "Generation not found"),
        Told::Infrastructure(status) => (status, "Internal error"),
    };
    plain(status, json!({"detail": detail}))
}
