//! Calling back when a job has ended.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use chrono::Utc;
use http::{HeaderMap, Method};
use serde_json::json;
use tokio::time::Instant;

use super::behaviour;
use super::job::Phase;
use super::ledger::{Call, CallbackTry, time_text};
use super::world::World;
use crate::client::Outgoing;

/// Attempts for one callback. The providers go on for an hour or two; a test needs the first few.
const ATTEMPTS: u32 = 10;
/// The wait after the first failed attempt; it doubles up to [`LONGEST_WAIT`].
const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// How long a receiver may take: fal gives the first attempt 15 seconds.
const ANSWER_LIMIT: Duration = Duration::from_secs(15);
/// `MiniMax` waits three seconds for its challenge.
const CHALLENGE_LIMIT: Duration = Duration::from_secs(3);

/// Whom to call, and how the provider words it.
#[derive(Clone, Debug)]
pub(super) struct Callback {
    pub(super) url: String,
    /// Asked first whether it expects reports.
    pub(super) challenged: bool,
    pub(super) compose: fn(&World, request_id: &str) -> Option<Message>,
}

/// A callback as it goes out.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// Arranges for the callbacks of a job that was accepted just now.
pub(super) fn schedule(world: &Arc<World>, call: &Call, callback: Callback) {
    let times = match call.behaviour.callback {
        behaviour::Callback::Never => 0,
        behaviour::Callback::Once => 1,
        behaviour::Callback::Twice => 2,
    };
    let Some(end) = call.end() else { return };
    let due = end + Duration::from_millis(call.behaviour.callback_delay_ms);
    let (weak, provider, request_id) = (Arc::downgrade(world), call.provider, call.request_id.clone());
    world.call_back(async move {
        if callback.challenged && !repeats(&weak, provider, &request_id, &callback.url).await {
            return;
        }
        tokio::time::sleep_until(due).await;
        for _ in 0..times {
            deliver(&weak, provider, &request_id, &callback).await;
        }
    });
}

/// Whether the receiver answers a challenge with itself. `MiniMax` asks once, and reports nothing to who does not.
async fn repeats(world: &Weak<World>, provider: &str, request_id: &str, url: &str) -> bool {
    let asked = json!({"challenge": request_id});
    let mut request = Outgoing::post_json(url, &asked);
    request.limit = CHALLENGE_LIMIT;
    let answer = request.send().await;
    let repeated = answer.as_ref().is_ok_and(|answer| answer.status.is_success() && answer.json() == asked);
    if let (false, Some(world)) = (repeated, world.upgrade()) {
        let failed = CallbackTry {
            at: time_text(Utc::now()),
            url: url.to_owned(),
            status: answer.as_ref().ok().map(|answer| answer.status.as_u16()),
            error: Some("the challenge was not repeated".to_owned()),
        };
        world.with_call(provider, request_id, |call| call.callbacks.push(failed));
    }
    repeated
}

async fn deliver(world: &Weak<World>, provider: &str, request_id: &str, callback: &Callback) {
    let mut wait = FIRST_WAIT;
    for _ in 0..ATTEMPTS {
        let Some(world) = world.upgrade() else { return };
        let phase = world.with_call(provider, request_id, |call| call.phase(Instant::now())).flatten();
        // A cancelled job ends without a word.
        if !matches!(phase, Some(Phase::Ended(_) | Phase::NotStarted)) {
            return;
        }
        let Some(message) = (callback.compose)(&world, request_id) else { return };
        let mut request = Outgoing::new(Method::POST, callback.url.clone());
        request.headers = message.headers;
        request.body = message.body;
        request.limit = ANSWER_LIMIT;
        let answer = request.send().await;
        let attempt = CallbackTry {
            at: time_text(Utc::now()),
            url: callback.url.clone(),
            status: answer.as_ref().ok().map(|answer| answer.status.as_u16()),
            error: answer.as_ref().err().map(ToString::to_string),
        };
        world.with_call(provider, request_id, |call| call.callbacks.push(attempt));
        match answer {
            // A redirect is never followed; it fails for good.
            Ok(answer) if answer.status.is_success() || answer.status.is_redirection() => return,
            Ok(_) | Err(_) => {}
        }
        drop(world);
        tokio::time::sleep(wait).await;
        wait = LONGEST_WAIT.min(wait * 2);
    }
}
