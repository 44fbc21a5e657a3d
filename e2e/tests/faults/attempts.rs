//! `GET …/attempts` shows every paid call, whoever made it and whoever ended the job (B4).

use std::time::Duration;

use e2e::{Api, Stack, eventually, marker};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{ALONE, accepted, signal};

/// State, lease and cost of each attempt, in their order.
fn told(attempts: &[Value]) -> Vec<(&str, i64, &str)> {
    let shown = attempts.iter().map(|one| {
        let word = |member: &str| one[member].as_str().unwrap_or("-");
        (word("state"), one["lease"].as_i64().unwrap_or_default(), word("cost"))
    });
    shown.collect()
}

fn thrice(mark: &str) -> Value {
    let mut body = Api::video(mark);
    body["chain"][0]["attempts"] = json!(3);
    body
}

fn busy() -> Value {
    json!({"http_status": 429, "error_body": {"detail": "Too many requests"}})
}

#[tokio::test]
async fn b4_the_attempts_of_a_lost_process_are_shown_with_those_of_the_next() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("lost-process"));
    let known = stack.engine().pids().await;
    let simulator = stack.simulator();
    // The youngest script that is not used up counts: busy, then a run that fails, then a good one.
    simulator.script(&mark, &json!({"units": "8"})).await;
    simulator.script_times(&mark, Some(1), &json!({"run_ms": 6000, "outcome": "fail"})).await;
    simulator.script_times(&mark, Some(1), &busy()).await;
    let id = api.created(&mark, &thrice(&mark)).await;
    let pid = stack.engine().newcomer(&known).await;
    eventually("the second attempt to be accepted", async || {
        (api.attempts(&id).await.get(1)?["state"] == "accepted").then_some(())
    })
    .await;
    signal(pid, "KILL");
    let job = api.ended(&id).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    let attempts = api.attempts(&id).await;
    // The first two were the lost process's; the second of them was followed to its end by the next one.
    let expected = [("failed", 1, "0.000000"), ("failed", 1, "0.000000"), ("succeeded", 2, "3.200000")];
    assert_eq!(told(&attempts), expected, "{attempts:?}");
    assert_eq!(simulator.calls(&mark).await.len(), 3);
}

#[tokio::test]
async fn b4_f29_the_attempts_of_the_writer_that_lost_are_shown_with_their_cost() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("losing-writer"));
    stack.simulator().script(&mark, &json!({"units": "8", "slow_body_bytes_per_s": 20_000})).await;
    stack.simulator().script_times(&mark, Some(1), &busy()).await;
    let id = api.created(&mark, &thrice(&mark)).await;
    eventually("the price", async || api.attempts(&id).await.get(1)?["cost"].is_string().then_some(())).await;
    // The result lies in the bucket and the executor cannot say so; then the cancel is first.
    stack.control_path("stall").await;
    eventually("the stored output", async || stack.stored(&id).await.then_some(())).await;
    assert_eq!(api.cancel(&id).await.text("/status"), "cancelled");
    stack.control_path("pass").await;
    eventually("the late word of the loser", async || {
        (api.attempts(&id).await.get(1)?["state"] == "succeeded").then_some(())
    })
    .await;
    let attempts = api.attempts(&id).await;
    assert_eq!(told(&attempts), [("failed", 1, "0.000000"), ("succeeded", 1, "3.200000")], "{attempts:?}");
    let job = api.get(&id).await;
    assert_eq!((&job["status"], &job["outputs"]), (&json!("cancelled"), &json!([])), "{job}");
    assert_eq!(job["cost"]["priced"], "3.200000");
}

#[tokio::test]
async fn b4_the_attempts_of_an_earlier_run_are_shown() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("earlier-run"));
    stack.simulator().script(&mark, &json!({"units": "8"})).await;
    let lost = json!({"drop_response_after_accept": true, "callback": "never"});
    stack.simulator().script_times(&mark, Some(1), &lost).await;
    let id = api.created(&mark, &thrice(&mark)).await;
    api.until(&id, &["waiting"]).await;
    // That run is over. An operator accepts the risk, and another run pays again, knowingly.
    let admin = api.with_key(&stack.admin_token);
    let attempt = api.attempts(&id).await[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/admin/attempts/{attempt}/resolution");
    let word = admin.request(Method::POST, &path).json(&json!({"resolution": "retry"}));
    assert_eq!(admin.send(word).await.status, 200);
    let job = api.ended(&id).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    let attempts = api.attempts(&id).await;
    assert_eq!(told(&attempts), [("abandoned", 1, "-"), ("succeeded", 2, "3.200000")], "{attempts:?}");
    assert_eq!(attempts[0]["class"], "unknown");
}

#[tokio::test]
async fn b4_a21_a_job_recovered_from_r2_shows_every_attempt() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("recovered-from-r2"));
    let known = stack.engine().pids().await;
    stack.simulator().script(&mark, &json!({"units": "8", "slow_body_bytes_per_s": 20_000})).await;
    stack.simulator().script_times(&mark, Some(1), &busy()).await;
    let id = api.created(&mark, &thrice(&mark)).await;
    let pid = stack.engine().newcomer(&known).await;
    eventually("the price", async || api.attempts(&id).await.get(1)?["cost"].is_string().then_some(())).await;
    stack.control_path("stall").await;
    eventually("the stored output", async || stack.stored(&id).await.then_some(())).await;
    signal(pid, "KILL");
    stack.control_path("pass").await;
    let job = api.ended(&id).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    // Nothing was called or even polled again: the next process found the object, and the journal what led to it.
    assert_eq!(stack.simulator().calls(&mark).await.len(), 2);
    let attempts = api.attempts(&id).await;
    assert_eq!(told(&attempts), [("failed", 1, "0.000000"), ("succeeded", 1, "3.200000")], "{attempts:?}");
}

/// Waits for the success of a job that one process called for, once.
async fn one_call_under_one_lease(stack: &Stack, mark: &str, id: &str) {
    let api = stack.api();
    assert_eq!(api.ended(id).await["status"], "succeeded");
    let attempts = api.attempts(id).await;
    assert_eq!((attempts.len(), attempts[0]["lease"].as_i64()), (1, Some(1)), "{attempts:?}");
    assert_eq!(stack.simulator().calls(mark).await.len(), 1);
}

#[tokio::test]
async fn f18_an_open_execution_outlives_the_watchdogs_looks() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("watched"));
    let known = stack.engine().pids().await;
    // Many times the watchdog's interval, without a request of anybody's that the container would be busy with.
    stack.simulator().script(&mark, &json!({"run_ms": 12_000})).await;
    let id = api.created(&mark, &Api::video(&mark)).await;
    let pid = stack.engine().newcomer(&known).await;
    accepted(&api, &id).await;
    one_call_under_one_lease(&stack, &mark, &id).await;
    // And it is let go afterwards.
    eventually("the container to be stopped", async || {
        (!stack.engine().pids().await.contains(&pid)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn f18_a_slow_start_is_waited_for_and_starts_nothing_twice() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("slow-start"));
    let known = stack.engine().pids().await;
    stack.simulator().script(&mark, &json!({"run_ms": 8_000})).await;
    // For so long the engine does nothing that it is asked for: three times the watchdog's interval.
    signal(stack.pids.engine, "STOP");
    let id = api.created(&mark, &Api::video(&mark)).await;
    api.until(&id, &["running"]).await;
    sleep(Duration::from_secs(6)).await;
    signal(stack.pids.engine, "CONT");
    let pid = stack.engine().newcomer(&known).await;
    one_call_under_one_lease(&stack, &mark, &id).await;
    let others = stack.engine().pids().await.into_iter().filter(|one| *one != pid && !known.contains(one));
    assert_eq!(others.collect::<Vec<_>>(), [0; 0]);
}

#[tokio::test]
async fn f18_an_executor_that_is_silent_for_a_moment_is_not_stopped() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("silent"));
    let known = stack.engine().pids().await;
    stack.simulator().script(&mark, &json!({"run_ms": 8_000})).await;
    let id = api.created(&mark, &Api::video(&mark)).await;
    let pid = stack.engine().newcomer(&known).await;
    accepted(&api, &id).await;
    // Longer than the watchdog's interval, and its look finds nobody.
    signal(pid, "STOP");
    sleep(Duration::from_secs(3)).await;
    signal(pid, "CONT");
    one_call_under_one_lease(&stack, &mark, &id).await;
}

#[tokio::test]
async fn f29_of_a_cancel_and_a_success_the_first_stands_in_both_orders() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let api = stack.api();
    let marks = [marker("success-first"), marker("cancel-first")];
    for mark in &marks {
        let script = json!({"units": "8", "slow_body_bytes_per_s": 20_000});
        stack.simulator().script(mark, &script).await;
    }
    let succeeded = api.created(&marks[0], &Api::video(&marks[0])).await;
    assert_eq!(api.ended(&succeeded).await["status"], "succeeded");
    let late = api.cancel(&succeeded).await;
    assert_eq!((late.status, late.text("/status")), (200, "succeeded"), "{}", late.body);

    let cancelled = api.created(&marks[1], &Api::video(&marks[1])).await;
    eventually("the price", async || {
        api.attempts(&cancelled).await.first()?["cost"].is_string().then_some(())
    })
    .await;
    assert_eq!(api.cancel(&cancelled).await.text("/status"), "cancelled");
    for (id, status) in [(&succeeded, "succeeded"), (&cancelled, "cancelled")] {
        let job = eventually("the price of the job", async || {
            let job = api.get(id).await;
            (job["cost"]["priced"] == "3.200000").then_some(job)
        })
        .await;
        assert_eq!(job["status"], status, "{job}");
    }
}
