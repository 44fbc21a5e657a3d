//! Kling's older API, version 1, at `<simulator>/kling_v1`: requests are signed, and a task is known only under the path
//! that made it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::Utc;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Method};
use ring::hmac;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::behaviour::Outcome;
use super::callback::Message;
use super::intake::Refusal;
use super::job::Phase;
use super::kling;
use super::ledger::Call;
use super::tasks::{Protocol, Query, Target, plain, posted, scripted, unlisted, urls, with};
use super::world::World;

pub(super) const NAME: &str = "kling_v1";

pub(super) static PROTOCOL: Protocol = Protocol {
    name: NAME,
    key: ("authorization", "Bearer "),
    target,
    model: |_, body| body["model_name"].as_str().map(str::to_owned),
    check,
    hook: Some("/callback_url"),
    challenges: false,
    report,
    accepted: |_, call| (200, envelope(&head(call, "submitted"))),
    state: |world, call, now| envelope(&task(world, call, now)),
    cancel: |_, _, _| (405, json!({"code": 1201, "message": "Method Not Allowed"})),
    list: unlisted,
    told: kling::told,
};

fn target(method: &Method, path: &str, _: &Query) -> Target {
    let parts: Vec<&str> = path.split('/').collect();
    match (method, parts.as_slice()) {
        (&Method::POST, ["videos", "text2video" | "image2video"]) => Target::Submit(String::new()),
        (&Method::GET, ["videos", "text2video" | "image2video", id]) => {
            Target::Named((*id).to_owned(), "/external_task_id")
        }
        _ => Target::Nothing,
    }
}

fn check(headers: &HeaderMap, _: &Value) -> Option<Refusal> {
    let header = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let token = header.strip_prefix("Bearer ").unwrap_or_default();
    let code = wrong_with(token, Utc::now().timestamp())?;
    Some(plain(401, json!({"code": code, "message": "Auth failed", "request_id": "simulated"})))
}

/// Kling's code for what is wrong with a token.
fn wrong_with(token: &str, now: i64) -> Option<u32> {
    let (signed, signature) = token.rsplit_once('.').unwrap_or_default();
    let claims = signed.split_once('.').and_then(|(_, claims)| URL_SAFE_NO_PAD.decode(claims).ok());
    let claims: Value = serde_json::from_slice(&claims.unwrap_or_default()).unwrap_or_default();
    let claim = |name: &str| claims.get(name).cloned().unwrap_or_default();
    let access = claim("iss");
    let access = access.as_str().unwrap_or_default();
    let key = hmac::Key::new(hmac::HMAC_SHA256, access.as_bytes());
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap_or_default();
    if access.is_empty() || hmac::verify(&key, signed.as_bytes(), &signature).is_err() {
        return Some(1002);
    }
    if claim("nbf").as_i64().is_none_or(|from| now < from) {
        return Some(1003);
    }
    claim("exp").as_i64().is_none_or(|until| until <= now).then_some(1004)
}

fn envelope(data: &Value) -> Value {
    json!({"code": 0, "message": "SUCCEED", "request_id": "simulated", "data": data})
}

fn head(call: &Call, status: &str) -> Value {
    json!({
        "task_id": call.request_id, "task_status": status, "task_status_msg": "",
        "task_info": {"external_task_id": call.body.get("external_task_id")},
        "created_at": call.at.timestamp_millis(), "updated_at": Utc::now().timestamp_millis(),
    })
}

/// A task, with the units of a package that it took when it has ended.
fn task(world: &World, call: &mut Call, now: Instant) -> Value {
    let phase = call.phase(now).unwrap_or(Phase::Queued);
    let running = call.behaviour.unknown_status.clone();
    let status = match phase {
        Phase::Queued => "submitted",
        Phase::Running => running.as_deref().unwrap_or("processing"),
        Phase::Ended(Outcome::Succeed | Outcome::Empty) => "succeed",
        Phase::Ended(Outcome::Fail | Outcome::Refuse) | Phase::NotStarted | Phase::Cancelled(_) => "failed",
    };
    let told = head(call, status);
    match phase {
        Phase::Ended(Outcome::Succeed | Outcome::Empty) => {
            let files = urls(world, call, now).into_iter();
            let videos: Vec<Value> =
                files.map(|url| json!({"id": "v", "url": url, "duration": "5"})).collect();
            let units = call.behaviour.units.clone();
            with(told, json!({"task_result": {"videos": videos}, "final_unit_deduction": units}))
        }
        Phase::Ended(outcome) => {
            let words = if outcome == Outcome::Refuse {
                "Failure to pass the risk control system"
            } else {
                "The task failed"
            };
            scripted(call, with(told, json!({"task_status_msg": words})))
        }
        Phase::Queued | Phase::Running | Phase::NotStarted | Phase::Cancelled(_) => told,
    }
}

fn report(world: &World, id: &str) -> Option<Message> {
    let task = world.with_call(NAME, id, |call| task(world, call, Instant::now()))?;
    Some(posted(&task))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(claims: &Value, secret: &str) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", part(&json!({"alg": "HS256"})), part(claims));
        let signature = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), text.as_bytes());
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    #[test]
    fn a_token_is_taken_only_if_it_is_signed_and_in_time() {
        let claims = json!({"iss": "k", "nbf": 95, "exp": 1900});
        assert_eq!(wrong_with(&signed(&claims, "k"), 100), None);
        assert_eq!(wrong_with(&signed(&claims, "other"), 100), Some(1002));
        assert_eq!(wrong_with("a.b.c", 100), Some(1002));
        assert_eq!(wrong_with(&signed(&claims, "k"), 90), Some(1003));
        assert_eq!(wrong_with(&signed(&claims, "k"), 1900), Some(1004));
    }
}
