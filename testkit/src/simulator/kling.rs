//! Kling's API of the 3.x models, at `<simulator>/kling`.

use chrono::Utc;
use http::Method;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::behaviour::Outcome;
use super::callback::Message;
use super::intake::Refusal;
use super::job::Phase;
use super::ledger::Call;
use super::tasks::{Protocol, Query, Target, Told, plain, posted, scripted, unchecked, urls, with};
use super::world::World;

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "kling",
    key: ("authorization", "Bearer "),
    target,
    model: |named, _| Some(named.to_owned()),
    check: unchecked,
    hook: Some("/options/callback_url"),
    challenges: false,
    report,
    accepted: |_, call| (200, envelope(&head(call, "submitted"))),
    state: |world, call, now| envelope(&json!([task(world, call, now)])),
    cancel: |_, _, _| (405, json!({"code": 1201, "message": "Method Not Allowed"})),
    list,
    told,
};

fn target(method: &Method, path: &str, query: &Query) -> Target {
    let parts: Vec<&str> = path.split('/').collect();
    match (method, parts.as_slice()) {
        (&Method::POST, ["text-to-video" | "image-to-video", model]) => Target::Submit((*model).to_owned()),
        (&Method::GET, ["tasks"]) => {
            let ids = query.iter().find(|(name, _)| name == "task_ids");
            ids.map_or(Target::List, |(_, id)| Target::Job(id.clone()))
        }
        _ => Target::Nothing,
    }
}

fn envelope(data: &Value) -> Value {
    json!({"code": 0, "message": "SUCCEED", "request_id": "simulated", "data": data})
}

fn head(call: &Call, status: &str) -> Value {
    let external = call.body.pointer("/options/external_task_id");
    json!({
        "id": call.request_id, "external_id": external, "status": status, "message": "",
        "create_time": call.at.timestamp_millis(), "update_time": Utc::now().timestamp_millis(),
    })
}

/// A task, with what was paid for it in cash when it has ended.
fn task(world: &World, call: &mut Call, now: Instant) -> Value {
    let phase = call.phase(now).unwrap_or(Phase::Queued);
    let running = call.behaviour.unknown_status.clone();
    let status = match phase {
        Phase::Queued => "submitted",
        Phase::Running => running.as_deref().unwrap_or("processing"),
        Phase::Ended(Outcome::Succeed | Outcome::Empty) => "succeeded",
        Phase::Ended(Outcome::Fail | Outcome::Refuse) | Phase::NotStarted | Phase::Cancelled(_) => "failed",
    };
    let told = head(call, status);
    match phase {
        Phase::Ended(Outcome::Succeed | Outcome::Empty) => {
            let files = urls(world, call, now).into_iter();
            let outputs: Vec<Value> = files.map(|url| json!({"type": "video", "url": url})).collect();
            let amount = call.charge(now).map(|(text, _)| text);
            let billing =
                json!([{"charge_type": "cash", "amount": amount, "currency": "USD", "list_price": amount}]);
            with(told, json!({"outputs": outputs, "billing": billing}))
        }
        Phase::Ended(outcome) => {
            let words = if outcome == Outcome::Refuse {
                "Failure to pass the risk control system"
            } else {
                "The task failed"
            };
            scripted(call, with(told, json!({"message": words})))
        }
        Phase::Queued | Phase::Running | Phase::NotStarted | Phase::Cancelled(_) => told,
    }
}

fn report(world: &World, id: &str) -> Option<Message> {
    let task = world.with_call(PROTOCOL.name, id, |call| task(world, call, Instant::now()))?;
    Some(posted(&task))
}

fn list(world: &World, calls: Vec<Call>, query: &Query, now: Instant) -> Value {
    let wanted = query.iter().find(|(name, _)| name == "external_task_ids").map(|(_, ids)| ids.as_str());
    let ours = |call: &Call| {
        let external = call.body.pointer("/options/external_task_id").and_then(Value::as_str);
        wanted.is_none_or(|wanted| wanted.split(',').any(|id| Some(id) == external))
    };
    let tasks = calls.into_iter().filter(ours).map(|mut call| task(world, &mut call, now));
    envelope(&json!(tasks.collect::<Vec<_>>()))
}

pub(super) fn told(told: Told) -> Refusal {
    let (status, code, message) = match told {
        Told::NoKey => (401, 1000, "Authentication failed"),
        Told::NotJson => (400, 1200, "The body must be a JSON object"),
        Told::NotFound => (404, 1203, "The resource does not exist"),
        Told::Infrastructure(429) => (429, 1302, "Too many requests"),
        Told::Infrastructure(503) => (503, 5001, "Service unavailable"),
        Told::Infrastructure(504) => (504, 5002, "Timeout"),
        Told::Infrastructure(status) => (status, 5000, "Internal error"),
    };
    plain(status, json!({"code": code, "message": message, "request_id": "simulated", "data": null}))
}
