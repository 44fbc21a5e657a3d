//! `OpenAI`'s images, at `<simulator>/openai_images`: the answer to the submit is the result, and nothing is kept.

use http::Method;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::behaviour::Outcome;
use super::intake::Refusal;
use super::job::Phase;
use super::ledger::Call;
use super::tasks::{Protocol, Query, Target, Told, files, plain, silent, unchecked, unlisted, with};
use super::world::World;

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "openai_images",
    key: ("authorization", "Bearer "),
    target,
    model: |_, body| body["model"].as_str().map(str::to_owned),
    check: unchecked,
    hook: None,
    challenges: false,
    report: silent,
    accepted,
    // No path leads to these two.
    state: |_, _, _| Value::Null,
    cancel: |_, _, _| (404, Value::Null),
    list: unlisted,
    told,
};

fn target(method: &Method, path: &str, _: &Query) -> Target {
    match (method, path) {
        (&Method::POST, "images/generations") => Target::Ask(String::new()),
        _ => Target::Nothing,
    }
}

fn accepted(world: &World, call: &Call) -> (u16, Value) {
    let now = Instant::now();
    let body = call.behaviour.fail_body.clone().unwrap_or_default();
    let refused =
        |status: u16, told: Value| (call.behaviour.fail_status.unwrap_or(status), with(told, body.clone()));
    match call.phase(now) {
        Some(Phase::Ended(Outcome::Refuse)) => refused(
            400,
            error(
                "image_generation_user_error",
                &json!("moderation_blocked"),
                "Your request was rejected by the safety system.",
            ),
        ),
        Some(Phase::Ended(Outcome::Succeed | Outcome::Empty)) => {
            let made = world.with_call(PROTOCOL.name, &call.request_id, |call| files(world, call, now));
            let data: Vec<Value> =
                made.unwrap_or_default().into_iter().map(|file| json!({"b64_json": file})).collect();
            let tokens: u32 =
                call.behaviour.units.as_deref().and_then(|units| units.parse().ok()).unwrap_or(1056);
            let usage = json!({
                "total_tokens": tokens + 50, "input_tokens": 50, "output_tokens": tokens,
                "input_tokens_details": {"text_tokens": 50, "image_tokens": 0},
            });
            (200, json!({"created": call.at.timestamp(), "data": data, "usage": usage}))
        }
        Some(
            Phase::Ended(Outcome::Fail)
            | Phase::Queued
            | Phase::Running
            | Phase::NotStarted
            | Phase::Cancelled(_),
        )
        | None => refused(500, error("server_error", &Value::Null, "The server had an error.")),
    }
}

fn error(kind: &str, code: &Value, message: &str) -> Value {
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}

fn told(told: Told) -> Refusal {
    let (status, kind, code) = match told {
        Told::NoKey => (401, "invalid_request_error", json!("invalid_api_key")),
        Told::NotJson => (400, "invalid_request_error", Value::Null),
        Told::NotFound => (404, "invalid_request_error", json!("unknown_url")),
        Told::Infrastructure(status) => (status, "server_error", Value::Null),
    };
    plain(status, error(kind, &code, "words"))
}
