//! `MiniMax`'s video generation, version 1 (Hailuo), at `<simulator>/minimax_v1`. Every answer is a 200 with a business
//! code, and the result's URL is a request of its own.

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
    name: "minimax_v1",
    key: ("authorization", "Bearer "),
    target,
    model: |_, body| body["model"].as_str().map(str::to_owned),
    check,
    hook: Some("/callback_url"),
    challenges: true,
    report: |world, id| message(&PROTOCOL, world, id),
    accepted: |_, call| (200, with(json!({"task_id": call.request_id}), base(0, "success"))),
    state,
    // No path leads here.
    cancel: |_, _, _| (200, base(2013, "invalid params")),
    list: unlisted,
    told,
};

/// A file has its task's id with this before it.
const FILE: &str = "file-";

fn target(method: &Method, path: &str, query: &Query) -> Target {
    let asked = |wanted: &str| query.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let found = match (method, path) {
        (&Method::POST, "video_generation") => Some(Target::Submit(String::new())),
        (&Method::GET, "query/video_generation") => asked("task_id").map(|id| Target::Status(id.to_owned())),
        (&Method::GET, "files/retrieve") => asked("file_id")
            .and_then(|id| id.strip_prefix(FILE))
            .map(|id| Target::Result(id.to_owned(), file)),
        _ => None,
    };
    found.unwrap_or(Target::Nothing)
}

fn check(_: &HeaderMap, body: &Value) -> Option<Refusal> {
    (!body["prompt"].is_string()).then(|| plain(200, base(2013, "invalid params: prompt")))
}

fn state(_: &World, call: &mut Call, now: Instant) -> Value {
    let phase = call.phase(now).unwrap_or(Phase::Queued);
    let running = call.behaviour.unknown_status.clone();
    let (status, file) = match phase {
        Phase::Queued => ("Queueing", String::new()),
        Phase::Running => (running.as_deref().unwrap_or("Processing"), String::new()),
        Phase::Ended(Outcome::Succeed | Outcome::Empty) => ("Success", format!("{FILE}{}", call.request_id)),
        Phase::Ended(Outcome::Fail | Outcome::Refuse) | Phase::NotStarted | Phase::Cancelled(_) => {
            ("Fail", String::new())
        }
    };
    let told = json!({"task_id": call.request_id, "status": status, "file_id": file});
    match phase {
        Phase::Ended(Outcome::Refuse) => {
            scripted(call, with(told, base(1027, "output content is sensitive")))
        }
        Phase::Ended(Outcome::Fail) => scripted(call, with(told, base(1000, "unknown error"))),
        Phase::Ended(Outcome::Succeed | Outcome::Empty)
        | Phase::Queued
        | Phase::Running
        | Phase::NotStarted
        | Phase::Cancelled(_) => with(told, base(0, "success")),
    }
}

fn file(world: &World, call: &mut Call, now: Instant) -> Value {
    let url = urls(world, call, now).into_iter().next();
    let file = json!({"file_id": format!("{FILE}{}", call.request_id), "download_url": url});
    with(json!({"file": file}), base(0, "success"))
}

fn base(code: u32, message: &str) -> Value {
    json!({"base_resp": {"status_code": code, "status_msg": message}})
}

fn told(told: Told) -> Refusal {
    let (code, message) = match told {
        Told::NoKey => (1004, "login fail"),
        Told::NotJson => (2013, "invalid params"),
        Told::NotFound => (2013, "invalid params: no such task"),
        Told::Infrastructure(_) => (1000, "unknown error"),
    };
    plain(200, base(code, message))
}
