//! Processes are killed here, so one scenario runs at a time.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a scenario fails by panicking")]

mod attempts;
mod postgres;
mod style_runs;

use e2e::{Api, Stack, eventually, marker};
use reqwest::Method;
use serde_json::json;
use tokio::sync::Mutex;

/// One scenario at a time.
static ALONE: Mutex<()> = Mutex::const_new(());

fn signal(pid: u32, name: &str) {
    assert!(e2e::signal(pid, name), "kill -{name} {pid}");
}

/// Waits until the journal says that the provider has the first attempt.
async fn accepted(api: &Api, id: &str) {
    eventually("the acceptance", async || {
        (api.attempts(id).await.first()?["state"] == "accepted").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a21_b4_the_executor_dies_after_the_upload_and_before_the_report() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("killed-after-upload"));
    let known = stack.engine().pids().await;
    stack.simulator().script(&mark, &json!({"units": "8", "slow_body_bytes_per_s": 20_000})).await;
    let id = api.created(&mark, &Api::video(&mark)).await;
    let pid = stack.engine().newcomer(&known).await;
    // The price is journaled when the provider is done, before the result is fetched.
    eventually("the price", async || (api.attempts(&id).await.first()?["cost"].is_string()).then_some(()))
        .await;
    stack.control_path("stall").await;
    eventually("the stored output", async || stack.stored(&id).await.then_some(())).await;
    signal(pid, "KILL");
    stack.control_path("pass").await;

    let job = api.ended(&id).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    assert_eq!(stack.simulator().calls(&mark).await.len(), 1);
    let attempts = api.attempts(&id).await;
    assert_eq!((attempts.len(), &attempts[0]["state"]), (1, &json!("succeeded")), "{attempts:?}");
    assert_eq!(job["cost"]["priced"], "3.200000");
}

#[tokio::test]
async fn b2_the_executor_dies_while_the_provider_works() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("killed-while-waiting"));
    let known = stack.engine().pids().await;
    stack.simulator().script(&mark, &json!({"run_ms": 8000})).await;
    let id = api.created(&mark, &Api::video(&mark)).await;
    let pid = stack.engine().newcomer(&known).await;
    accepted(&api, &id).await;
    signal(pid, "KILL");
    let job = api.ended(&id).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    assert_eq!(stack.simulator().calls(&mark).await.len(), 1);
    assert_eq!(api.attempts(&id).await.len(), 1);
}

#[tokio::test]
async fn b4_a_job_cancelled_while_its_executor_is_dead_is_wound_down() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("cancelled-orphan"));
    let known = stack.engine().pids().await;
    stack.simulator().script(&mark, &json!({"queue_ms": 120_000})).await;
    let id = api.created(&mark, &Api::video(&mark)).await;
    let pid = stack.engine().newcomer(&known).await;
    accepted(&api, &id).await;
    signal(pid, "KILL");
    assert_eq!(api.cancel(&id).await.text("/status"), "cancelled");
    eventually("the attempt to be wound down", async || {
        (api.attempts(&id).await[0]["state"] == "failed").then_some(())
    })
    .await;
    assert_eq!(api.attempts(&id).await[0]["class"], "cancelled");
    let calls = stack.simulator().calls(&mark).await;
    assert_eq!((calls.len(), calls[0].cancelled), (1, true));
}

#[tokio::test]
async fn b1_without_the_journal_nothing_is_paid() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("journal-away"));
    let known = stack.engine().pids().await;
    stack.control_path("refuse").await;
    let id = api.created(&mark, &Api::video(&mark)).await;
    stack.engine().newcomer(&known).await;
    api.until(&id, &["waiting"]).await;
    assert!(stack.simulator().calls(&mark).await.is_empty());
    stack.control_path("pass").await;
    assert_eq!(api.ended(&id).await["status"], "succeeded");
    assert_eq!(stack.simulator().calls(&mark).await.len(), 1);
}

#[tokio::test]
async fn a15_f5_a_step_out_of_retries_leaves_the_real_cause() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("journal-gone"));
    stack.control_path("refuse").await;
    let id = api.created(&mark, &Api::video(&mark)).await;
    let job = api.ended(&id).await;
    stack.control_path("pass").await;
    assert_eq!(
        (&job["status"], &job["error"]["code"]),
        (&json!("failed"), &json!("JOURNAL_UNAVAILABLE")),
        "{job}"
    );
    assert!(job["error"]["message"].as_str().unwrap().contains("journal"), "{job}");
    assert!(stack.simulator().calls(&mark).await.is_empty());
}

#[tokio::test]
async fn a10_a14_the_workers_die_in_the_middle_and_come_back() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("workers-killed"));
    stack.simulator().script(&mark, &json!({"run_ms": 8000})).await;
    let mut body = Api::video(&mark);
    body["callback_url"] = json!(stack.receiver().hook(&mark));
    let id = api.created(&mark, &body).await;
    accepted(&api, &id).await;
    stack.kill_workers().await;
    stack.back().await;
    let job = api.ended(&id).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    assert_eq!(stack.simulator().calls(&mark).await.len(), 1);
    assert_eq!(stack.receiver().until(&mark, 1).await[0].json()["type"], "generation.succeeded");
}

#[tokio::test]
async fn i10_a39_the_consumer_dies_between_its_post_and_its_record_and_the_queue_with_it() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("consumer-killed"));
    // The post is there and not answered: long enough to strike.
    stack.receiver().script(&mark, &json!({"delay_ms": 10_000})).await;
    let mut body = Api::video(&mark);
    body["callback_url"] = json!(stack.receiver().hook(&mark));
    let id = api.created(&mark, &body).await;
    let first = stack.receiver().until(&mark, 1).await;
    // The local queue keeps nothing: with the Workers its messages are gone, and the sweeper finds the row.
    stack.kill_workers().await;
    stack.back().await;
    let both = stack.receiver().until(&mark, 2).await;
    assert_eq!(both[0].body, first[0].body);
    assert_eq!((both[0].header("webhook-id"), &both[0].body), (both[1].header("webhook-id"), &both[1].body));
    let admin = api.with_key(&stack.admin_token);
    let path = format!("/v1/admin/deliveries/{id}_generation_succeeded");
    let delivery = eventually("the delivery to be recorded", async || {
        let delivery = admin.send(admin.request(Method::GET, &path)).await.body;
        (delivery["status"] == "delivered").then_some(delivery)
    })
    .await;
    let endings: Vec<_> =
        delivery["tries"].as_array().unwrap().iter().map(|one| one["ending"].clone()).collect();
    assert_eq!(endings, [json!("lost"), json!("delivered")]);
    assert_eq!(delivery["duplicates"], json!({"certain": 0, "possible": 1}));
    assert_eq!(stack.simulator().accepted(&mark).await, 1);
}
