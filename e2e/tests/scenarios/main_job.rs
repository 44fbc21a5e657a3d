//! The main job, from the request to the webhook.

use e2e::{Api, Stack, marker};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

#[tokio::test]
async fn a2_a_generation_runs_to_its_stored_output_and_is_paid_once() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("main-job"));
    let id = api.created(&mark, &Api::video(&mark)).await;
    let job = api.ended(&id).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    assert_eq!(job["error"], Value::Null);

    let bytes = api.output(&id).await;
    let output = &job["outputs"][0];
    assert_eq!(output["bytes"], bytes.len());
    assert_eq!(output["content_type"], "video/mp4");
    let digest = Sha256::digest(&bytes).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    assert_eq!(output["sha256"], digest);
    assert_eq!(stack.simulator().accepted(&mark).await, 1);
}

#[tokio::test]
async fn b1_the_attempt_is_in_the_journal_with_its_price() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("journal"));
    stack.simulator().script(&mark, &json!({"units": "8"})).await;
    let id = api.created(&mark, &Api::video(&mark)).await;
    let job = api.ended(&id).await;
    let attempts = api.attempts(&id).await;
    assert_eq!(attempts.len(), 1, "{attempts:?}");
    let attempt = &attempts[0];
    assert_eq!((&attempt["ordinal"], &attempt["state"]), (&json!(1), &json!("succeeded")));
    assert!(attempt["provider_request_id"].is_string(), "{attempt}");
    // Eight seconds at 0.40 a second, by the rate card.
    assert_eq!((&attempt["cost"], &attempt["cost_source"]), (&json!("3.200000"), &json!("derived")));
    assert_eq!(attempt["reserved"], "3.200000");
    assert_eq!(
        job["cost"],
        json!({"priced": "3.200000", "unpriced": 0, "unknown": 0, "reserved": "0.000000"})
    );
}

#[tokio::test]
async fn a43_f8_a_call_without_units_stays_unpriced_and_keeps_its_reservation() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("unpriced"));
    stack.simulator().script(&mark, &json!({"units": "not a number"})).await;
    let id = api.created(&mark, &Api::video(&mark)).await;
    let job = api.ended(&id).await;
    assert_eq!(
        job["cost"],
        json!({"priced": "0.000000", "unpriced": 1, "unknown": 0, "reserved": "3.200000"})
    );
    assert_eq!(api.attempts(&id).await[0]["cost"], Value::Null);
}
