//! Attempts, retries, fallback, and the bounds on what may be paid.

use e2e::{Api, Stack, marker};
use serde_json::{Value, json};

fn two_models(prompt: &str) -> Value {
    let mut body = Api::video(prompt);
    body["chain"] = json!([
        {"provider": "fal", "model": "fal-ai/veo3.1", "attempts": 2},
        {"provider": "fal", "model": "fal-ai/ltx-2/text-to-video/fast", "attempts": 1}
    ]);
    body
}

/// Model and error class of each attempt.
fn classes(attempts: &[Value]) -> Vec<(&str, &str)> {
    attempts
        .iter()
        .map(|one| (one["model"].as_str().unwrap_or("-"), one["class"].as_str().unwrap_or("-")))
        .collect()
}

#[tokio::test]
async fn a31_a33_failures_are_retried_and_then_fall_back_and_all_are_recorded() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("fallback"));
    let full = json!({"http_status": 429, "error_body": {"detail": "Too many requests"}});
    stack.simulator().script_times(&mark, Some(2), &full).await;
    let id = api.created(&mark, &two_models(&mark)).await;
    let job = api.ended(&id).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    let attempts = api.attempts(&id).await;
    assert_eq!(attempts.len(), 3, "{attempts:?}");
    let tried = [
        ("fal-ai/veo3.1", "rate_limited"),
        ("fal-ai/veo3.1", "rate_limited"),
        ("fal-ai/ltx-2/text-to-video/fast", "-"),
    ];
    assert_eq!(classes(&attempts), tried);
    assert_eq!(attempts[0]["cost"], "0.000000");
    assert_eq!(stack.simulator().accepted(&mark).await, 1);
}

#[tokio::test]
async fn a30_a_bad_key_at_the_provider_stops_the_chain() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("bad-key"));
    let refusal = json!({"http_status": 401, "error_body": {"detail": "Cannot access application. Authentication is required."}});
    stack.simulator().script(&mark, &refusal).await;
    let id = api.created(&mark, &two_models(&mark)).await;
    let job = api.ended(&id).await;
    assert_eq!(job["error"]["code"], "PROVIDER_AUTHENTICATION", "{job}");
    assert_eq!(stack.simulator().calls(&mark).await.len(), 1);
    assert_eq!(job["cost"]["reserved"], "0.000000");
}

#[tokio::test]
async fn a32_a_refusal_gets_one_more_try_and_stops_there() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("refusal"));
    stack.simulator().script(&mark, &json!({"outcome": "refuse"})).await;
    let id = api.created(&mark, &two_models(&mark)).await;
    let job = api.ended(&id).await;
    assert_eq!(job["error"]["code"], "PROVIDER_REFUSED", "{job}");
    let attempts = api.attempts(&id).await;
    assert_eq!(classes(&attempts), [("fal-ai/veo3.1", "refusal"), ("fal-ai/veo3.1", "refusal")]);
}

#[tokio::test]
async fn b5_paid_calls_are_bounded_by_count() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("bounded"));
    stack.simulator().script(&mark, &json!({"outcome": "fail"})).await;
    let mut body = two_models(&mark);
    body["max_paid_calls"] = json!(1);
    let id = api.created(&mark, &body).await;
    let job = api.ended(&id).await;
    assert_eq!(job["status"], "failed", "{job}");
    assert_eq!(stack.simulator().calls(&mark).await.len(), 1);
    assert_eq!(api.attempts(&id).await.len(), 1);
}

#[tokio::test]
async fn b5_paid_calls_are_bounded_by_cost() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("too-dear"));
    let mut body = Api::video(&mark);
    body["max_cost"] = json!("3.00");
    let id = api.created(&mark, &body).await;
    let job = api.ended(&id).await;
    assert_eq!(job["error"]["code"], "MAX_COST_REACHED", "{job}");
    let mark = marker("no-rate");
    let mut body = Api::video(&mark);
    body["max_cost"] = json!("3.00");
    body["chain"][0]["model"] = json!("nobody/knows-its-price");
    let id = api.created(&mark, &body).await;
    assert_eq!(api.ended(&id).await["error"]["code"], "COST_UNPRICEABLE");
    assert!(stack.simulator().calls(&mark).await.is_empty());
}
