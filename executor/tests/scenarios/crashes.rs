//! A process dies at a point, another one begins with the same journal: what was paid stays paid once (B2).

use domain::attempt::State;
use domain::output::key;
use serde_json::json;

use crate::support::{Rig, code, kill, until};

#[tokio::test]
async fn b2_killed_after_open_nothing_is_known_so_nothing_is_sent() {
    let rig = Rig::new().await;
    rig.crash_at("journal.open").await;
    assert_eq!(code(&rig.run().await), "held");
    assert_eq!((rig.states(), rig.calls().len()), (vec![State::Unknown], 0));
}

#[tokio::test]
async fn b2_killed_before_the_acceptance_is_written_the_call_is_held() {
    let rig = Rig::new().await;
    rig.crash_at("journal.accepted:before").await;
    assert_eq!(code(&rig.run().await), "held");
    assert_eq!((rig.states(), rig.accepted()), (vec![State::Unknown], 1));
    rig.audit();
}

#[tokio::test]
async fn b2_killed_after_the_acceptance_the_next_process_goes_on() {
    let rig = Rig::new().await;
    rig.crash_at("journal.accepted").await;
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((rig.states(), rig.accepted(), rig.calls().len()), (vec![State::Succeeded], 1, 1));
    rig.audit();
}

#[tokio::test]
async fn b2_killed_while_it_waits() {
    let rig = Rig::scripted(&json!({"run_ms": 400})).await;
    let process = rig.begin();
    until("a poll", || rig.calls().first().is_some_and(|call| call["polls"].as_u64() > Some(1))).await;
    kill(process).await;
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((rig.states(), rig.calls().len()), (vec![State::Succeeded], 1));
}

#[tokio::test]
async fn b2_killed_in_the_middle_of_a_fetch() {
    let rig = Rig::scripted(&json!({"output_bytes": 60_000, "slow_body_bytes_per_s": 60_000})).await;
    let process = rig.begin();
    until("a fetch", || rig.calls().first().is_some_and(|call| call["fetches"].as_u64() >= Some(1))).await;
    kill(process).await;
    assert_eq!(rig.bucket.with(|shelf| shelf.objects.len()), 0);
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((rig.states(), rig.calls().len()), (vec![State::Succeeded], 1));
}

#[tokio::test]
async fn b2_killed_in_the_middle_of_a_put() {
    let rig = Rig::new().await;
    rig.crash_at("bucket.put:before").await;
    assert_eq!(rig.bucket.with(|shelf| shelf.objects.len()), 0);
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((rig.states(), rig.calls().len()), (vec![State::Succeeded], 1));
}

#[tokio::test]
async fn b4_killed_after_the_put_the_object_is_found_and_its_attempt_marked() {
    let rig = Rig::new().await;
    rig.crash_at("journal.succeeded:before").await;
    assert!(rig.bucket.get(&key(rig.job, 0)).is_some());
    assert_eq!(rig.states(), [State::Accepted]);
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((rig.states(), rig.calls().len()), (vec![State::Succeeded], 1));
    assert!(rig.attempt().cost.is_some() || rig.attempt().usage.is_some());
}

#[tokio::test]
async fn b2_killed_between_two_files_the_stored_one_stays() {
    let rig = Rig::scripted(&json!({"outputs": 2})).await;
    rig.gates.close("bucket.put");
    let process = rig.begin();
    rig.gates.reached("bucket.put").await;
    kill(process).await;
    rig.gates.open("bucket.put");
    let before = rig.bucket.get(&key(rig.job, 1)).unwrap();
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!(rig.bucket.get(&key(rig.job, 1)), Some(before));
    assert_eq!(rig.calls().len(), 1);
}

#[tokio::test]
async fn b2_attempts_used_up_stay_used_up() {
    let rig = Rig::scripted(&json!({"http_status": 429, "error_body": {"detail": "slow down"}})).await;
    for _ in 0..3 {
        assert_eq!(code(&rig.run().await), "PROVIDER_RATE_LIMITED");
    }
    assert_eq!(rig.calls().len(), 2);
}

#[tokio::test]
async fn b2_every_crash_in_a_row_and_still_one_payment() {
    let rig = Rig::new().await;
    for gate in [
        "journal.lease",
        "journal.open:before",
        "journal.accepted",
        "journal.settled:before",
        "bucket.put:before",
    ] {
        rig.crash_at(gate).await;
    }
    rig.crash_at("journal.succeeded:before").await;
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((rig.states(), rig.calls().len()), (vec![State::Succeeded], 1));
    rig.audit();
}
