//! Black Forest Labs, at `<simulator>/bfl`. A job is known only in its region, which is below `/eu1`.

use http::Method;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::behaviour::Outcome;
use super::callback::Message;
use super::intake::Refusal;
use super::job::Phase;
use super::ledger::Call;
use super::tasks::{
    Protocol, Query, Target, Told, cents, plain, posted, scripted, unchecked, unlisted, urls, with,
};
use super::world::World;

/// Millionths of a dollar, when the script names no charge.
const USUAL_PRICE: i64 = 400_000;

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "bfl",
    key: ("x-key", ""),
    target,
    model: |named, _| Some(named.to_owned()),
    check: unchecked,
    hook: Some("/webhook_url"),
    challenges: false,
    report,
    accepted,
    state,
    cancel: |_, _, _| (405, json!({"detail": "Method Not Allowed"})),
    list: unlisted,
    told,
};

fn target(method: &Method, path: &str, query: &Query) -> Target {
    let parts: Vec<&str> = path.split('/').collect();
    let id = query.iter().find(|(name, _)| name == "id").map(|(_, id)| id.clone());
    match (method, parts.as_slice()) {
        (&Method::POST, [model]) => Target::Submit((*model).to_owned()),
        (&Method::GET, ["eu1", "get_result"]) => id.map_or(Target::Nothing, Target::Job),
        _ => Target::Nothing,
    }
}

/// The price is told at once, whatever comes of it.
fn accepted(world: &World, call: &Call) -> (u16, Value) {
    let price = call.behaviour.charge.as_ref().map_or(USUAL_PRICE, |charge| charge.amount().millionths());
    let url = world.url(&format!("/bfl/eu1/get_result?id={}", call.request_id));
    let told = json!({
        "id": call.request_id, "polling_url": url, "cost": cents(price), "input_mp": 0.0, "output_mp": 1.0,
    });
    (200, told)
}

fn state(world: &World, call: &mut Call, now: Instant) -> Value {
    let phase = call.phase(now).unwrap_or(Phase::Queued);
    let running = call.behaviour.unknown_status.clone();
    let status = match phase {
        Phase::Queued => "Pending",
        Phase::Running => running.as_deref().unwrap_or("Generating"),
        Phase::Ended(Outcome::Succeed | Outcome::Empty) => "Ready",
        Phase::Ended(Outcome::Refuse) => "Content Moderated",
        Phase::Ended(Outcome::Fail) | Phase::NotStarted | Phase::Cancelled(_) => "Error",
    };
    let mut told = json!({"id": call.request_id, "status": status, "result": null, "progress": null});
    match phase {
        Phase::Ended(Outcome::Succeed | Outcome::Empty) => {
            let mut result = json!({"prompt": call.prompt(), "seed": 42});
            if let Some(url) = urls(world, call, now).first() {
                result = with(result, json!({"sample": url}));
            }
            told = with(told, json!({"result": result}));
        }
        Phase::Ended(Outcome::Fail | Outcome::Refuse) => return scripted(call, told),
        Phase::Queued | Phase::Running | Phase::NotStarted | Phase::Cancelled(_) => {}
    }
    told
}

fn report(world: &World, id: &str) -> Option<Message> {
    let told = world.with_call(PROTOCOL.name, id, |call| {
        let state = state(world, call, Instant::now());
        if call.behaviour.silent_on_place {
            return state;
        }
        with(state, json!({"polling_url": world.url(&format!("/bfl/eu1/get_result?id={id}"))}))
    })?;
    Some(posted(&told))
}

fn told(told: Told) -> Refusal {
    match told {
        Told::NoKey => plain(403, json!({"detail": "Not authenticated - Invalid Authentication"})),
        Told::NotJson => {
            plain(422, json!({"detail": [{"loc": ["body"], "msg": "x", "type": "json_invalid"}]}))
        }
        // What another region says too.
        Told::NotFound => plain(404, json!({"id": null, "status": "Task not found", "result": null})),
        Told::Infrastructure(status) => plain(status, json!({"detail": "Internal server error"})),
    }
}
