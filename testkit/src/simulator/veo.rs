//! Veo through the Gemini API, at `<simulator>/veo`: operations that are done with an error or with a response, and files
//! behind the key that lie elsewhere.

use chrono::Utc;
use http::Method;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::behaviour::Outcome;
use super::callback::Message;
use super::intake::Refusal;
use super::job::Phase;
use super::ledger::{Call, time_text};
use super::tasks::{Protocol, Query, Target, Told, plain, posted, scripted, unchecked, unlisted, with};
use super::world::World;

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "veo",
    key: ("x-goog-api-key", ""),
    target,
    model: |named, _| Some(named.to_owned()),
    check: unchecked,
    hook: Some("/webhookConfig/uris/0"),
    challenges: false,
    report,
    accepted: |_, call| (200, json!({"name": name(call)})),
    state,
    cancel: |_, _, _| (404, Value::Null),
    list: unlisted,
    told,
};

fn target(method: &Method, path: &str, _: &Query) -> Target {
    let parts: Vec<&str> = path.split('/').collect();
    let found = match (method, parts.as_slice()) {
        (&Method::POST, ["models", model]) => {
            model.strip_suffix(":predictLongRunning").map(|model| Target::Submit(model.to_owned()))
        }
        (&Method::GET, ["models", _, "operations", id]) => Some(Target::Job((*id).to_owned())),
        (&Method::GET, ["files", file]) => {
            file.strip_suffix(":download").map(|id| Target::Download(id.to_owned()))
        }
        _ => None,
    };
    found.unwrap_or(Target::Nothing)
}

fn name(call: &Call) -> String {
    format!("models/{}/operations/{}", call.model, call.request_id)
}

/// What runs says nothing but its name.
fn state(world: &World, call: &mut Call, now: Instant) -> Value {
    let phase = call.phase(now).unwrap_or(Phase::Queued);
    let told = json!({"name": name(call)});
    let responded = |response: Value| {
        with(
            json!({"name": name(call), "done": true}),
            json!({"response": {"generateVideoResponse": response}}),
        )
    };
    match phase {
        Phase::Queued => told,
        Phase::Running => match &call.behaviour.unknown_status {
            Some(odd) => with(told, json!({"done": odd})),
            None => told,
        },
        Phase::Ended(Outcome::Succeed) => {
            let url = world.url(&format!("/veo/files/{}:download?alt=media", call.request_id));
            responded(json!({"generatedSamples": [{"video": {"uri": url}}]}))
        }
        Phase::Ended(Outcome::Empty) => responded(json!({})),
        Phase::Ended(Outcome::Refuse) => {
            let why = ["The video was withheld: it may violate the usage guidelines."];
            scripted(call, responded(json!({"raiMediaFilteredCount": 1, "raiMediaFilteredReasons": why})))
        }
        Phase::Ended(Outcome::Fail) | Phase::NotStarted | Phase::Cancelled(_) => {
            let error = json!({"error": {"code": 13, "message": "Internal error."}});
            scripted(call, with(json!({"name": name(call), "done": true}), error))
        }
    }
}

/// A thin report: the operation's id, and where its file is.
fn report(world: &World, id: &str) -> Option<Message> {
    let data = world.with_call(PROTOCOL.name, id, |call| {
        json!({"id": call.request_id, "output_file_uri": format!("files/{}", call.request_id), "file_name": "video.mp4"})
    })?;
    let told =
        json!({"type": "video.generated", "version": "v1", "timestamp": time_text(Utc::now()), "data": data});
    Some(posted(&told))
}

fn told(told: Told) -> Refusal {
    let (code, status, message) = match told {
        Told::NoKey => (403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers."),
        Told::NotJson => (400, "INVALID_ARGUMENT", "Invalid JSON payload received."),
        Told::NotFound => (404, "NOT_FOUND", "Requested entity was not found."),
        Told::Infrastructure(429) => (429, "RESOURCE_EXHAUSTED", "Quota exceeded."),
        Told::Infrastructure(503) => (503, "UNAVAILABLE", "The model is overloaded."),
        Told::Infrastructure(504) => (504, "DEADLINE_EXCEEDED", "Deadline expired."),
        Told::Infrastructure(status) => (status, "INTERNAL", "Internal error."),
    };
    plain(code, json!({"error": {"code": code, "message": message, "status": status}}))
}
