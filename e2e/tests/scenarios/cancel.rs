//! Cancel at every stage; the first terminal state wins.

use e2e::{Api, Stack, eventually, marker};
use serde_json::json;

#[tokio::test]
async fn a24_a28_a_running_job_is_cancelled_once_and_its_runner_is_told() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("cancel"));
    stack.simulator().script(&mark, &json!({"never_finish": true})).await;
    let mut body = Api::video(&mark);
    body["callback_url"] = json!(stack.receiver().hook(&mark));
    let id = api.created(&mark, &body).await;
    eventually("the call to be accepted", async || {
        (stack.simulator().accepted(&mark).await == 1).then_some(())
    })
    .await;

    let cancelled = api.cancel(&id).await;
    assert_eq!((cancelled.status, cancelled.text("/status")), (200, "cancelled"));
    assert_eq!(api.cancel(&id).await.body["finished_at"], cancelled.body["finished_at"]);
    eventually("the provider to be told", async || {
        stack.simulator().calls(&mark).await.iter().any(|call| call.cancelled).then_some(())
    })
    .await;
    eventually("the attempt to be settled", async || {
        (api.attempts(&id).await[0]["state"] == "failed").then_some(())
    })
    .await;
    assert_eq!(api.attempts(&id).await[0]["class"], "cancelled");
    assert_eq!(api.get(&id).await["status"], "cancelled");

    let deliveries = stack.receiver().until(&mark, 1).await;
    assert_eq!(deliveries.len(), 1);
    assert_eq!(deliveries[0].json()["type"], "generation.cancelled");
}

#[tokio::test]
async fn a25_a_job_that_has_ended_keeps_its_end() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("too-late"));
    let id = api.created(&mark, &Api::video(&mark)).await;
    let ended = api.ended(&id).await;
    let answer = api.cancel(&id).await;
    assert_eq!((answer.status, &answer.body), (200, &ended));
}

#[tokio::test]
async fn i6_a_job_cancelled_at_birth_stays_cancelled() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("stillborn"));
    let id = api.created(&mark, &Api::video(&mark)).await;
    assert_eq!(api.cancel(&id).await.text("/status"), "cancelled");
    let replay = api.create(&mark, &Api::video(&mark)).await;
    assert_eq!((replay.status, replay.text("/status")), (202, "cancelled"));
}
