//! Cloudflare Workers AI, at `<simulator>/workers_ai`: the answer to the submit is the result, in the usual envelope or, of
//! the stable-diffusion models, the file itself.

use http::Method;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::behaviour::Outcome;
use super::intake::Refusal;
use super::job::Phase;
use super::ledger::Call;
use super::tasks::{Protocol, Query, Target, Told, files, plain, silent, unchecked, unlisted, with};
use super::world::World;

pub(super) const NAME: &str = "workers_ai";

pub(super) static PROTOCOL: Protocol = Protocol {
    name: NAME,
    key: ("authorization", "Bearer "),
    target,
    model: |named, _| Some(named.to_owned()),
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
    let model = path.strip_prefix("accounts/account/ai/run/@").filter(|_| method == Method::POST);
    model.map_or(Target::Nothing, |model| Target::Ask(model.to_owned()))
}

fn accepted(world: &World, call: &Call) -> (u16, Value) {
    let now = Instant::now();
    let body = call.behaviour.fail_body.clone().unwrap_or_default();
    let refused =
        |status: u16, told: Value| (call.behaviour.fail_status.unwrap_or(status), with(told, body.clone()));
    match call.phase(now) {
        Some(Phase::Ended(Outcome::Refuse)) => {
            refused(400, error(3030, "Input prompt contains NSFW content."))
        }
        Some(Phase::Ended(Outcome::Succeed | Outcome::Empty)) => {
            let made =
                world.with_call(NAME, &call.request_id, |call| files(world, call, now)).unwrap_or_default();
            let file = made.first();
            match file.filter(|_| call.model.contains("stable-diffusion")) {
                Some(file) => (200, json!(format!("data:image/png;base64,{file}"))),
                None => {
                    (200, json!({"success": true, "errors": [], "messages": [], "result": {"image": file}}))
                }
            }
        }
        Some(
            Phase::Ended(Outcome::Fail)
            | Phase::Queued
            | Phase::Running
            | Phase::NotStarted
            | Phase::Cancelled(_),
        )
        | None => refused(500, error(3026, "Internal error")),
    }
}

fn error(code: u32, message: &str) -> Value {
    json!({"success": false, "result": null, "messages": [], "errors": [{"code": code, "message": message}]})
}

fn told(told: Told) -> Refusal {
    match told {
        Told::NoKey => plain(401, error(10_000, "Authentication error")),
        Told::NotJson => plain(400, error(3003, "Bad input")),
        Told::NotFound => plain(404, error(3042, "Model not found")),
        Told::Infrastructure(status) => plain(status, error(3026, "Internal error")),
    }
}
