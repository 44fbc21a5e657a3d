//! Replicate's predictions, at `<simulator>/replicate`.

use chrono::{DateTime, Duration};
use http::Method;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::behaviour::Outcome;
use super::callback::Message;
use super::intake::Refusal;
use super::job::{Phase, Progress};
use super::ledger::{Call, time_text};
use super::tasks::{Protocol, Query, Target, Told, message, plain, scripted, unchecked, urls, with};
use super::world::World;

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "replicate",
    key: ("authorization", "Bearer "),
    target,
    model,
    check: unchecked,
    hook: Some("/webhook"),
    challenges: false,
    report,
    accepted: |world, call| (201, prediction(world, call, "starting")),
    state,
    cancel,
    list,
    told,
};

fn target(method: &Method, path: &str, _: &Query) -> Target {
    let parts: Vec<&str> = path.split('/').collect();
    match (method, parts.as_slice()) {
        (&Method::POST, ["predictions"]) => Target::Submit(String::new()),
        (&Method::POST, ["models", owner, name, "predictions"]) => Target::Submit(format!("{owner}/{name}")),
        (&Method::GET, ["predictions"]) => Target::List,
        (&Method::GET, ["predictions", id]) => Target::Job((*id).to_owned()),
        (&Method::POST, ["predictions", id, "cancel"]) => Target::Cancel((*id).to_owned()),
        _ => Target::Nothing,
    }
}

fn model(named: &str, body: &Value) -> Option<String> {
    if named.is_empty() { body["version"].as_str().map(str::to_owned) } else { Some(named.to_owned()) }
}

/// What every answer about a prediction has. The list shows the webhook only of those that have one.
fn prediction(world: &World, call: &Call, status: &str) -> Value {
    let url = world.url(&format!("/replicate/predictions/{}", call.request_id));
    let body = &call.body;
    let mut told = json!({
        "id": call.request_id, "model": call.model, "version": body["version"], "status": status,
        "input": body["input"], "output": null, "error": null, "logs": "", "source": "api",
        "created_at": time_text(call.at), "urls": {"get": url, "cancel": format!("{url}/cancel")},
    });
    if body["webhook"].is_string() {
        told = with(told, json!({"webhook": body["webhook"].clone()}));
    }
    told
}

fn state(world: &World, call: &mut Call, now: Instant) -> Value {
    let phase = call.phase(now).unwrap_or(Phase::Queued);
    let status = match phase {
        Phase::Queued => "starting".to_owned(),
        Phase::Running => call.behaviour.unknown_status.clone().unwrap_or_else(|| "processing".to_owned()),
        Phase::Ended(Outcome::Succeed | Outcome::Empty) => "succeeded".to_owned(),
        Phase::Ended(Outcome::Fail | Outcome::Refuse) => "failed".to_owned(),
        // What never ran.
        Phase::NotStarted | Phase::Cancelled(Progress::Queued) => "aborted".to_owned(),
        Phase::Cancelled(Progress::Running) => "canceled".to_owned(),
    };
    let mut told = prediction(world, call, &status);
    if matches!(phase, Phase::Ended(_) | Phase::Cancelled(Progress::Running)) {
        let ran = call.behaviour.run().as_secs_f64();
        let units = call.behaviour.units.as_deref().and_then(|units| units.parse().ok());
        told = with(told, json!({"metrics": {"predict_time": units.unwrap_or(ran), "total_time": ran}}));
    }
    match phase {
        Phase::Ended(Outcome::Succeed) => {
            let files = urls(world, call, now);
            // One file is a text, several are a list.
            let output = if let [one] = files.as_slice() { json!(one) } else { json!(files) };
            told = with(told, json!({"output": output}));
        }
        Phase::Ended(Outcome::Empty) => told = with(told, json!({"output": []})),
        Phase::Ended(Outcome::Fail) => {
            told = with(told, json!({"error": "Prediction interrupted; please retry (code: PA)"}));
            return scripted(call, told);
        }
        Phase::Ended(Outcome::Refuse) => {
            let words = "The input or output was flagged as sensitive. Please try again with different inputs. (E005)";
            told = with(told, json!({"error": words}));
            return scripted(call, told);
        }
        Phase::Queued | Phase::Running | Phase::NotStarted | Phase::Cancelled(_) => {}
    }
    told
}

fn report(world: &World, id: &str) -> Option<Message> {
    message(&PROTOCOL, world, id)
}

fn cancel(world: &World, call: &mut Call, now: Instant) -> (u16, Value) {
    call.cancel(now);
    (200, state(world, call, now))
}

/// At most a hundred of a time, without the inputs of those that ended an hour ago.
fn list(world: &World, calls: Vec<Call>, query: &Query, now: Instant) -> Value {
    let time = |wanted: &str| {
        let found = query.iter().find(|(name, _)| name == wanted)?;
        DateTime::parse_from_rfc3339(&found.1).ok()
    };
    let (after, before) = (time("created_after"), time("created_before"));
    let shown = calls.into_iter().filter(|call| {
        after.is_none_or(|after| call.at >= after) && before.is_none_or(|before| call.at < before)
    });
    let items: Vec<Value> = shown
        .map(|mut call| {
            let old = chrono::Utc::now() - call.at > Duration::hours(1);
            let mut told = state(world, &mut call, now);
            if old {
                told = with(told, json!({"input": Value::Null}));
            }
            told
        })
        .collect();
    let more = (items.len() > 100).then(|| world.url("/replicate/predictions?cursor=2"));
    json!({"previous": null, "next": more, "results": items.into_iter().take(100).collect::<Vec<_>>()})
}

fn told(told: Told) -> Refusal {
    let (status, title, detail) = match told {
        Told::NoKey => (401, "Unauthenticated", "You did not pass an authentication token"),
        Told::NotJson => (422, "Input validation failed", "The body must be a JSON object"),
        Told::NotFound => (404, "Not found", "The requested resource could not be found."),
        Told::Infrastructure(429) => {
            (429, "Throttled", "Request was throttled. Your rate limit resets in ~30s.")
        }
        Told::Infrastructure(status) => (status, "Error", "Internal server error"),
    };
    plain(status, json!({"title": title, "detail": detail, "status": status}))
}
