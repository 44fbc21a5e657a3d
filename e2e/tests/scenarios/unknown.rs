//! The third outcome of a submit (B3).

use e2e::{Api, Stack, marker};
use serde_json::json;

#[tokio::test]
async fn b3_f10_a_lost_answer_is_one_post_and_a_job_that_waits_for_a_word() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("lost-answer"));
    stack.simulator().script(&mark, &json!({"drop_response_after_accept": true})).await;
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
    stack.simulator().script_times(&mark, Some(1), &json!({"drop_response_after_accept": true})).await;
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
