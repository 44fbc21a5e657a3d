//! Later looks: what a provider tells only after the end.

use e2e::{Api, Stack, eventually, marker};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn f9_a_run_that_outlives_the_deadline_is_settled_late_without_another_call() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("outlived"));
    stack.simulator().script(&mark, &json!({"run_ms": 66_000, "ignore_cancel": true, "units": "8"})).await;
    let mut body = Api::video(&mark);
    body["deadline_seconds"] = json!(60);
    let id = api.created(&mark, &body).await;
    let job = api.ended(&id).await;
    assert_eq!(
        (&job["status"], &job["error"]["code"]),
        (&json!("failed"), &json!("DEADLINE_EXCEEDED")),
        "{job}"
    );
    // Nothing is refunded meanwhile: it may have been paid, and its reservation says so.
    assert_eq!((&job["cost"]["unpriced"], &job["cost"]["reserved"]), (&json!(1), &json!("3.200000")));
    assert_eq!(api.attempts(&id).await[0]["state"], "abandoned");
    let attempt = eventually("the late price", async || {
        let attempt = api.attempts(&id).await.into_iter().next()?;
        attempt["cost"].is_string().then_some(attempt)
    })
    .await;
    assert_eq!((&attempt["cost"], &attempt["state"]), (&json!("3.200000"), &json!("abandoned")));
    assert!(
        attempt["looks"]["count"].as_u64() >= Some(1) && attempt["looks"]["next_at"].is_null(),
        "{attempt}"
    );
    let after = api.get(&id).await;
    assert_eq!((&after["status"], &after["error"]), (&job["status"], &job["error"]), "its end stands");
    assert_eq!(
        after["cost"],
        json!({"priced": "3.200000", "unpriced": 0, "unknown": 0, "reserved": "0.000000"})
    );
    assert_eq!(stack.simulator().calls(&mark).await.len(), 1);
}

#[tokio::test]
async fn b3_a_later_look_finds_the_call_of_a_held_job_and_the_job_goes_on() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("found-later"));
    // The answer is lost, no report comes, and no look-up shows the task for longer than the executor tries.
    let lost = json!({
        "drop_response_after_accept": true, "callback": "never", "lookup_lag_ms": 60_000, "units": "5"
    });
    stack.simulator().script(&mark, &lost).await;
    let id = api.created(&mark, &Api::of_model(&mark, ("kling", "kling-3.0", "video"))).await;
    api.until(&id, &["waiting"]).await;
    assert_eq!(api.attempts(&id).await[0]["state"], "unknown");
    let job = api.ended(&id).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    let calls = stack.simulator().calls(&mark).await;
    let attempts = api.attempts(&id).await;
    assert_eq!((calls.len(), attempts.len()), (1, 1));
    assert_eq!(attempts[0]["provider_request_id"].as_str(), calls[0].request_id.as_deref());
    let admin = stack.api().with_key(&stack.admin_token);
    let metrics = admin.send(admin.request(Method::GET, "/metrics")).await;
    let found = metrics.body.as_str().unwrap_or_default().lines().any(|line| {
        line.strip_prefix("afc_late_looks_total{outcome=\"found\"} ").is_some_and(|count| count != "0")
    });
    assert!(found, "{}", metrics.body);
}
