//! The journal away, the lease lost, and hands that write beside ours.

use std::time::Duration;

use domain::attempt::State;
use domain::execution::Report;
use domain::job::Status;
use serde_json::json;

use crate::support::{Rig, code, is_interrupted, until};

#[tokio::test]
async fn b1_without_the_journal_nothing_is_paid() {
    let rig = Rig::new().await;
    rig.journal.set_away(true);
    let report = rig.run().await;
    assert_eq!((is_interrupted(&report), code(&report)), (true, "JOURNAL_UNAVAILABLE"));
    assert_eq!(rig.calls().len(), 0);
    // It goes away between the lease and the opening.
    let rig = Rig::new().await;
    rig.gates.close("journal.open:before");
    let process = rig.begin();
    rig.gates.reached("journal.open:before").await;
    rig.journal.set_away(true);
    rig.gates.open("journal.open:before");
    assert_eq!(code(&process.await.unwrap()), "JOURNAL_UNAVAILABLE");
    assert_eq!((rig.calls().len(), rig.states().len()), (0, 0));
}

#[tokio::test]
async fn b1_an_acceptance_is_written_before_anything_else_for_as_long_as_it_takes() {
    let rig = Rig::new().await;
    rig.gates.close("journal.accepted:before");
    let process = rig.begin();
    rig.gates.reached("journal.accepted:before").await;
    rig.journal.set_away(true);
    rig.gates.open("journal.accepted:before");
    // Longer than the patience of an execution that has not paid.
    tokio::time::sleep(Duration::from_millis(rig.timing.journal_patience_ms + 400)).await;
    assert!(!process.is_finished());
    assert_eq!(rig.calls()[0]["polls"], 0, "it was polled before it was written down");
    rig.journal.set_away(false);
    assert_eq!(code(&process.await.unwrap()), "succeeded");
    assert_eq!((rig.states(), rig.calls().len()), (vec![State::Succeeded], 1));
}

#[tokio::test]
async fn b1_an_opening_whose_answer_is_lost_is_the_same_attempt() {
    let rig = Rig::new().await;
    rig.gates.close("journal.open");
    let process = rig.begin();
    rig.gates.reached("journal.open").await;
    assert_eq!(rig.states(), [State::Open]);
    rig.gates.open("journal.open");
    assert_eq!(code(&process.await.unwrap()), "succeeded");
    assert_eq!(rig.states(), [State::Succeeded]);
}

#[tokio::test]
async fn b3_what_this_process_knows_it_did_not_send_is_not_held() {
    let mut rig = Rig::new().await;
    rig.timing.journal_patience_ms = 200;
    let executions = rig.executions();
    // The row is committed, every answer is lost, the patience runs out.
    rig.gates.close("journal.open");
    executions.submit(rig.submit());
    rig.gates.reached("journal.open").await;
    executions.drain(Duration::from_secs(3)).await;
    assert_eq!((rig.states(), rig.calls().len()), (vec![State::Failed], 0));
    let row = rig.attempt();
    assert_eq!(row.error.unwrap().code.as_deref(), Some("never_sent"));
    assert_eq!(row.cost.unwrap().amount.micros(), 0);
    rig.gates.open("journal.open");
    assert_eq!(code(&rig.run().await), "succeeded");
}

#[tokio::test]
async fn b8_a_zombie_is_fenced_off_and_calls_nothing() {
    let rig = Rig::new().await;
    // It holds the lease and is about to open when another process takes the job.
    rig.gates.close("journal.open:before");
    let zombie = rig.begin();
    rig.gates.reached("journal.open:before").await;
    rig.journal.with(|job| job.lease += 1);
    rig.gates.open("journal.open:before");
    let report = zombie.await.unwrap();
    assert_eq!((is_interrupted(&report), code(&report)), (true, "STALE_LEASE"));
    assert_eq!((rig.calls().len(), rig.journal.with(|job| job.fenced)), (0, 1));
}

#[tokio::test]
async fn b8_a_zombie_that_waits_stops_at_its_first_refused_write() {
    let rig = Rig::scripted(&json!({"run_ms": 300})).await;
    let zombie = rig.begin();
    until("acceptance", || rig.gates.count("journal.accepted") == 1).await;
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!(code(&zombie.await.unwrap()), "STALE_LEASE");
    assert_eq!((rig.states(), rig.calls().len()), (vec![State::Succeeded], 1));
    assert_eq!(rig.bucket.with(|shelf| shelf.writes.len()), 1);
}

#[tokio::test]
async fn a_job_that_has_ended_is_not_executed() {
    for (status, expected) in [(Status::Cancelled, "cancelled"), (Status::Failed, "STALE_LEASE")] {
        let rig = Rig::new().await;
        rig.journal.with(|job| job.status = status);
        assert_eq!((code(&rig.run().await), rig.calls().len()), (expected, 0));
        // It ends between the lease and the opening.
        let rig = Rig::new().await;
        rig.gates.close("journal.open:before");
        let process = rig.begin();
        rig.gates.reached("journal.open:before").await;
        rig.journal.with(|job| job.status = status);
        rig.gates.open("journal.open:before");
        assert_eq!((code(&process.await.unwrap()), rig.calls().len()), (expected, 0));
    }
}

#[tokio::test]
async fn b3_an_attempt_that_another_hand_resolved_is_read_again() {
    let rig = Rig::scripted(&json!({"drop_response_after_accept": true})).await;
    // The provider's callback names the request while this process still wonders.
    rig.gates.close("journal.unknown:before");
    let process = rig.begin();
    rig.gates.reached("journal.unknown:before").await;
    let request_id = rig.calls()[0]["request_id"].as_str().unwrap().to_owned();
    rig.journal.with(|job| {
        job.attempts[0].state = State::Failed;
        job.attempts[0].error =
            Some(executor::providers::fault(domain::attempt::ErrorClass::Retryable, "x", "y"));
        job.attempts[0].provider_request_id = Some(request_id);
    });
    rig.script(&json!({}), None);
    rig.gates.open("journal.unknown:before");
    assert_eq!(code(&process.await.unwrap()), "succeeded");
    assert_eq!((rig.states(), rig.gates.count("journal.lease")), (vec![State::Failed, State::Succeeded], 2));
}

#[tokio::test]
async fn deadline_no_attempt_begins_after_it_and_none_is_waited_for() {
    let mut rig = Rig::new().await;
    rig.deadline_at = chrono::Utc::now() - Duration::from_secs(1);
    let report = rig.run().await;
    assert!(matches!(report, Report::Failed { .. }));
    assert_eq!((code(&report), rig.calls().len()), ("DEADLINE_EXCEEDED", 0));

    let mut rig = Rig::scripted(&json!({"never_finish": true})).await;
    rig.deadline_at = chrono::Utc::now() + Duration::from_millis(700);
    assert_eq!(code(&rig.run().await), "DEADLINE_EXCEEDED");
    let row = rig.attempt();
    assert_eq!((row.state, row.cost), (State::Abandoned, None));
    assert_eq!(row.error.unwrap().class, domain::attempt::ErrorClass::Timeout);
    assert_eq!(rig.calls().len(), 1);
}

#[tokio::test]
async fn deadline_a_stored_result_is_found_after_it() {
    let mut rig = Rig::new().await;
    assert_eq!(code(&rig.run().await), "succeeded");
    rig.deadline_at = chrono::Utc::now() - Duration::from_secs(1);
    assert_eq!(code(&rig.run().await), "succeeded");
}

#[tokio::test]
async fn deadline_an_attempt_of_a_lost_process_is_not_left_open() {
    let mut rig = Rig::new().await;
    rig.crash_at("journal.open").await;
    rig.deadline_at = chrono::Utc::now() - Duration::from_secs(1);
    assert_eq!(code(&rig.run().await), "DEADLINE_EXCEEDED");
    assert_eq!(rig.states(), [State::Unknown]);
    // Nothing more happens to it.
    let process = rig.begin();
    until("the end", || process.is_finished()).await;
    assert_eq!(code(&process.await.unwrap()), "DEADLINE_EXCEEDED");
}
