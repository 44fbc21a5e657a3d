//! Callers that ask for jobs of all kinds and insist until they are answered.

use std::time::Duration;

use e2e::{Api, Stack, marker};
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::CALLERS;

/// A provider, and what it does beside what the job's script wants. Charges are those of the rate card for four seconds.
const PROVIDERS: [(&str, &str, &str); 4] = [
    ("fal", "fal-ai/veo3.1", "1.60"),
    ("replicate", "google/veo-3-fast", "0.48"),
    ("runway", "gen4.5", "0.48"),
    ("kling", "kling-3.0", "0.48"),
];

/// What a job meets at its provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Course {
    Plain,
    /// The result comes slowly.
    Slow,
    /// The first call fails, for nothing.
    FailsOnce,
    /// The first call is accepted and its answer lost.
    AnswerLost,
    /// The caller changes his mind.
    Cancelled,
}

/// A job that was asked for.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Its idempotency key, which its prompt contains.
    pub key: String,
    pub id: String,
    pub body: Value,
    /// Whether the policy accepts a second payment.
    pub risks: bool,
    /// Whether what the provider charges is what the rate card says.
    pub charged_by_card: bool,
}

/// Asks until `until`, and returns everything that was asked for.
pub async fn run(stack: &Stack, hook: &str, seed: u64, until: Instant) -> Vec<Wish> {
    let callers = (0..CALLERS).map(|caller| {
        let draw = fastrand::Rng::with_seed(seed.wrapping_mul(CALLERS).wrapping_add(caller));
        calling(stack, hook, draw, until)
    });
    join_all(callers).await.into_iter().flatten().collect()
}

async fn calling(stack: &Stack, hook: &str, mut draw: fastrand::Rng, until: Instant) -> Vec<Wish> {
    let mut wishes = Vec::new();
    while Instant::now() < until {
        wishes.push(wish(stack, hook, &mut draw).await);
        sleep(Duration::from_millis(draw.u64(500..3_000))).await;
    }
    wishes
}

async fn wish(stack: &Stack, hook: &str, draw: &mut fastrand::Rng) -> Wish {
    let (provider, model, price) = PROVIDERS[draw.usize(..PROVIDERS.len())];
    let course = match draw.u32(..100) {
        0..50 => Course::Plain,
        50..65 => Course::Slow,
        65..75 => Course::FailsOnce,
        75..90 => Course::AnswerLost,
        _ => Course::Cancelled,
    };
    let key = marker("wish");
    script(stack, &key, course, price, draw.u64(100..6_000)).await;
    let risks = draw.u32(..4) == 0;
    let mut body = Api::video(&key);
    body["input"]["duration_seconds"] = json!(4);
    body["chain"] = json!([{"provider": provider, "model": model, "attempts": 3}]);
    body["on_unknown"] = json!(if risks { "retry" } else { "hold" });
    body["callback_url"] = json!(stack.receiver().hook(hook));
    let api = stack.api();
    let id = insist(&api, &key, &body).await;
    // Callers repeat themselves, too.
    if draw.bool() {
        assert_eq!(insist(&api, &key, &body).await, id, "{key} has two jobs");
    }
    if course == Course::Cancelled {
        sleep(Duration::from_millis(draw.u64(..4_000))).await;
        cancel(&api, &id).await;
    }
    Wish { key, id, body, risks, charged_by_card: course != Course::Cancelled }
}

async fn script(stack: &Stack, key: &str, course: Course, price: &str, run_ms: u64) {
    let simulator = stack.simulator();
    let usual = json!({"run_ms": run_ms, "charge": price, "units": "4"});
    let with = |more: Value| {
        let mut behaviour = usual.clone();
        behaviour.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        behaviour
    };
    match course {
        Course::Plain => simulator.script(key, &usual).await,
        Course::Slow => simulator.script(key, &with(json!({"slow_body_bytes_per_s": 8_000}))).await,
        Course::FailsOnce => {
            simulator.script(key, &usual).await;
            simulator.script_times(key, Some(1), &json!({"run_ms": run_ms, "outcome": "fail"})).await;
        }
        Course::AnswerLost => {
            simulator.script(key, &usual).await;
            simulator.script_times(key, Some(1), &with(json!({"drop_response_after_accept": true}))).await;
        }
        // What a cancelled run costs is the provider's secret.
        Course::Cancelled => simulator.script(key, &json!({"run_ms": run_ms + 2_000, "units": "4"})).await,
    }
}

/// Asks until it is answered, as a careful caller does: the same key, the same body.
pub async fn insist(api: &Api, key: &str, body: &Value) -> String {
    loop {
        let request = api.request(Method::POST, "/v1/generations").header("idempotency-key", key).json(body);
        match api.try_send(request).await {
            Ok(answer) if [201, 202].contains(&answer.status) => return answer.text("/id").to_owned(),
            // Refused for now, and said so as the contract wants; or nobody is there.
            Ok(answer) => {
                assert!(answer.status >= 500, "{key}: {} {}", answer.status, answer.body);
                sleep(Duration::from_millis(500)).await;
            }
            Err(_) => sleep(Duration::from_millis(500)).await,
        }
    }
}

async fn cancel(api: &Api, id: &str) {
    loop {
        let request = api.request(Method::POST, &format!("/v1/generations/{id}/cancel"));
        if api.try_send(request).await.is_ok_and(|answer| answer.status == 200) {
            return;
        }
        sleep(Duration::from_millis(500)).await;
    }
}
