//! Luma's Agents API, at `<simulator>/luma_agents`. No list, no cancel, no report, no word about cost.

use http::{HeaderMap, Method};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::behaviour::{Kind, Outcome};
use super::intake::Refusal;
use super::job::Phase;
use super::ledger::{Call, time_text};
use super::tasks::{Protocol, Query, Target, Told, plain, scripted, silent, unlisted, urls, with};
use super::world::World;

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "luma_agents",
    key: ("authorization", "Bearer "),
    target,
    model: |_, body| body["model"].as_str().map(str::to_owned),
    check,
    hook: None,
    challenges: false,
    report: silent,
    accepted: |_, call| (201, generation(call, "queued")),
    state,
    cancel: |_, _, _| (405, json!({"detail": "Method Not Allowed"})),
    list: unlisted,
    told,
};

fn target(method: &Method, path: &str, _: &Query) -> Target {
    let parts: Vec<&str> = path.split('/').collect();
    match (method, parts.as_slice()) {
        (&Method::POST, ["generations"]) => Target::Submit(String::new()),
        (&Method::GET, ["generations", id]) => Target::Job((*id).to_owned()),
        _ => Target::Nothing,
    }
}

/// The kind has to fit the model.
fn check(_: &HeaderMap, body: &Value) -> Option<Refusal> {
    let (kind, model) = (body["type"].as_str()?, body["model"].as_str()?);
    let fits = kind.starts_with("image") == model.starts_with("uni");
    (!fits).then(|| plain(422, json!({"detail": format!("{model} makes no {kind}")})))
}

fn generation(call: &Call, state: &str) -> Value {
    let body = &call.body;
    json!({
        "id": call.request_id, "created_at": time_text(call.at), "model": call.model, "state": state,
        "type": body["type"], "output": null,
    })
}

fn state(world: &World, call: &mut Call, now: Instant) -> Value {
    match call.phase(now).unwrap_or(Phase::Queued) {
        Phase::Queued => generation(call, "queued"),
        Phase::Running => {
            let running = call.behaviour.unknown_status.clone();
            generation(call, running.as_deref().unwrap_or("processing"))
        }
        Phase::Ended(Outcome::Succeed | Outcome::Empty) => {
            let kind = if Kind::of(call) == Kind::Video { "video" } else { "image" };
            let files = urls(world, call, now).into_iter();
            let output: Vec<Value> = files.map(|url| json!({"type": kind, "url": url})).collect();
            with(generation(call, "completed"), json!({"output": output}))
        }
        Phase::Ended(Outcome::Refuse) => failed(call, "content_moderated"),
        Phase::Ended(Outcome::Fail) | Phase::NotStarted | Phase::Cancelled(_) => {
            failed(call, "generation_failed")
        }
    }
}

fn failed(call: &Call, code: &str) -> Value {
    let words = json!({"failure_code": code, "failure_reason": "The generation failed"});
    scripted(call, with(generation(call, "failed"), words))
}

fn told(told: Told) -> Refusal {
    let (status, detail) = match told {
        Told::NoKey => (401, "Invalid API key"),
        Told::NotJson => (422, "The body must be a JSON object"),
        Told::NotFound => (404, "Generation not found"),
        Told::Infrastructure(status) => (status, "Internal error"),
    };
    plain(status, json!({"detail": detail}))
}
