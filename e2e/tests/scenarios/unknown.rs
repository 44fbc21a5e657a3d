//! The third outcome of a submit (B3).

use e2e::{Api, Stack, marker};
use futures::future::join_all;
use reqwest::Method;
use serde_json::json;

use crate::providers::MODELS;

#[tokio::test]
async fn b3_f10_a_lost_answer_is_one_post_and_a_job_that_waits_for_a_word() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("lost-answer"));
    stack.simulator().script(&mark, &json!({"drop_response_after_accept": true, "callback": "never"})).await;
    let id = api.created(&mark, &Api::video(&mark)).await;
    let job = api.until(&id, &["waiting"]).await;
    let attempts = api.attempts(&id).await;
    assert_eq!(attempts.len(), 1);
    assert_eq!(attempts[0]["state"], "unknown");
    assert!(job["waiting"].as_str().unwrap().contains(attempts[0]["id"].as_str().unwrap()), "{job}");
    assert_eq!(
        job["cost"],
        json!({"priced": "0.000000", "unpriced": 0, "unknown": 1, "reserved": "3.200000"})
    );
    assert_eq!(stack.simulator().calls(&mark).await.len(), 1);
    assert_eq!(api.cancel(&id).await.text("/status"), "cancelled");
}

#[tokio::test]
async fn b3_a_policy_may_accept_the_risk_and_the_journal_says_so() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("risk"));
    stack
        .simulator()
        .script_times(&mark, Some(1), &json!({"drop_response_after_accept": true, "callback": "never"}))
        .await;
    let mut body = Api::video(&mark);
    body["on_unknown"] = json!("retry");
    let id = api.created(&mark, &body).await;
    let job = api.ended(&id).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    let attempts = api.attempts(&id).await;
    let states: Vec<_> =
        attempts.iter().map(|attempt| attempt["state"].as_str().unwrap_or_default()).collect();
    assert_eq!(states, ["abandoned", "succeeded"]);
    assert_eq!(attempts[0]["class"], "unknown");
    assert_eq!(stack.simulator().accepted(&mark).await, 2);
    assert_eq!(job["cost"]["unpriced"], 1);
}

#[tokio::test]
async fn b3_an_operators_word_lets_a_held_job_go_on() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("resolved"));
    stack
        .simulator()
        .script_times(&mark, Some(1), &json!({"drop_response_after_accept": true, "callback": "never"}))
        .await;
    let id = api.created(&mark, &Api::video(&mark)).await;
    api.until(&id, &["waiting"]).await;
    let attempt = api.attempts(&id).await[0]["id"].as_str().unwrap().to_owned();
    // The operator looks it up at the provider.
    let request = stack.simulator().calls(&mark).await[0].request_id.clone().unwrap();
    let word = json!({"resolution": "paid", "provider_request_id": request});
    let path = format!("/v1/admin/attempts/{attempt}/resolution");
    assert_eq!(api.send(api.request(Method::POST, &path).json(&word)).await.status, 403);
    let admin = api.with_key(&stack.admin_token);
    let listed = admin.send(admin.request(Method::GET, "/v1/admin/attempts/unknown")).await;
    assert!(
        listed.body["data"].as_array().unwrap().iter().any(|held| held["id"] == attempt),
        "{}",
        listed.body
    );
    assert_eq!(admin.send(admin.request(Method::POST, &path).json(&word)).await.status, 200);
    let job = api.ended(&id).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    assert_eq!(stack.simulator().calls(&mark).await.len(), 1);
    let again = admin.send(admin.request(Method::POST, &path).json(&word)).await;
    assert_eq!((again.status, again.text("/code")), (409, "NOT_UNKNOWN"));
}

/// Providers that call back. Only that makes a lost answer known here: no list has it yet. `MiniMax` asks first whether the
/// URL is ours; Black Forest Labs' report says in which region its result is.
const REPORTERS: [&str; 8] =
    ["fal", "replicate", "luma_dream_machine", "bfl", "minimax", "minimax_v1", "kling", "veo"];

#[tokio::test]
async fn b3_i4_every_providers_callback_makes_a_lost_answer_known() {
    let stack = Stack::running();
    let api = stack.api();
    join_all(REPORTERS.map(async |provider| {
        let model = MODELS.into_iter().find(|model| model.0 == provider).unwrap();
        let mark = marker(provider);
        let lost = json!({"drop_response_after_accept": true, "callback": "twice", "callback_delay_ms": 500,
            "lookup_lag_ms": 600_000});
        stack.simulator().script(&mark, &lost).await;
        let id = api.created(&mark, &Api::of_model(&mark, model)).await;
        let job = api.ended(&id).await;
        assert_eq!(job["status"], "succeeded", "{provider}: {job}");
        let calls = stack.simulator().calls(&mark).await;
        assert_eq!(calls.len(), 1, "{provider}");
        let attempts = api.attempts(&id).await;
        assert_eq!(
            (attempts.len(), attempts[0]["provider_request_id"].as_str()),
            (1, calls[0].request_id.as_deref()),
            "{provider}"
        );
        assert_eq!(job["cost"]["unknown"], 0, "{provider}");
    }))
    .await;
}

#[tokio::test]
async fn b3_even_a_policy_that_accepts_the_risk_waits_for_the_callback_first() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("patient"));
    stack
        .simulator()
        .script(&mark, &json!({"drop_response_after_accept": true, "callback_delay_ms": 300}))
        .await;
    let mut body = Api::video(&mark);
    body["on_unknown"] = json!("retry");
    let id = api.created(&mark, &body).await;
    assert_eq!(api.ended(&id).await["status"], "succeeded");
    assert_eq!(stack.simulator().calls(&mark).await.len(), 1);
}

#[tokio::test]
async fn b3_a_callback_that_nobody_was_asked_for_changes_nothing() {
    let stack = Stack::running();
    let api = stack.api();
    for token in ["x", "0198c0de-0000-7000-8000-000000000001.AAAA", ".", "%ff"] {
        let path = format!("/v1/callbacks/fal/{token}");
        let answer = api.send(api.request(Method::POST, &path).body("{\"request_id\": \"r\"}")).await;
        assert_eq!((answer.status, answer.text("/code")), (404, "NOT_FOUND"), "{token}");
    }
}
