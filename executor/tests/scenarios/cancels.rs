//! Cancellation is remembered and final (A24), and what is open at a provider is settled (F29).

use domain::attempt::{CostSource, ErrorClass, State};
use domain::execution::{Answer, Report};
use domain::job::Status;
use serde_json::json;

use crate::support::{MODEL, Rig, code, spec, until};

async fn cancelled(rig: &Rig, executions: &executor::executions::Executions) {
    let watched = executions.watch(rig.job).unwrap();
    let answer = watched.ended_within(std::time::Duration::from_secs(20)).await;
    assert_eq!(answer, Answer::Ended { report: Report::Cancelled });
    // Final: a submit gets the same, and begins nothing.
    assert_eq!(executions.submit(rig.submit()), answer);
}

#[tokio::test]
async fn a24_a_cancel_before_the_submit_is_remembered() {
    let rig = Rig::new().await;
    let executions = rig.executions();
    assert_eq!(executions.cancel(rig.job), Answer::Ended { report: Report::Cancelled });
    assert_eq!(executions.submit(rig.submit()), Answer::Ended { report: Report::Cancelled });
    cancelled(&rig, &executions).await;
    assert_eq!((rig.calls().len(), rig.gates.passed().len()), (0, 0));
}

#[tokio::test]
async fn a24_a_cancel_before_the_call_costs_nothing() {
    for gate in ["bucket.head:before", "journal.lease:before", "journal.open:before", "journal.open"] {
        let rig = Rig::new().await;
        let executions = rig.executions();
        rig.gates.close(gate);
        executions.submit(rig.submit());
        rig.gates.reached(gate).await;
        assert!(matches!(executions.cancel(rig.job), Answer::Running { .. }), "{gate}");
        rig.gates.open(gate);
        cancelled(&rig, &executions).await;
        assert_eq!(rig.calls().len(), 0, "{gate}");
        for row in rig.journal.attempts() {
            assert_eq!(
                (row.state, row.error.unwrap().class),
                (State::Failed, ErrorClass::Cancelled),
                "{gate}"
            );
            assert_eq!(row.cost.unwrap().source, CostSource::Local);
        }
    }
}

#[tokio::test]
async fn a24_a_cancel_during_the_submit_waits_for_its_outcome() {
    let rig = Rig::scripted(&json!({"submit_delay_ms": 300, "never_finish": true})).await;
    let executions = rig.executions();
    executions.submit(rig.submit());
    until("the call", || !rig.calls().is_empty()).await;
    executions.cancel(rig.job);
    cancelled(&rig, &executions).await;
    let row = rig.attempt();
    assert!(row.provider_request_id.is_some(), "the acceptance is not lost");
    assert_eq!((row.state, row.error.unwrap().class), (State::Failed, ErrorClass::Cancelled));
    assert_eq!(rig.calls()[0]["cancelled"], true);
}

#[tokio::test]
async fn f29_a_cancel_while_it_waits_reaches_the_provider_and_the_cost_is_recorded() {
    let mut rig =
        Rig::scripted(&json!({"queue_ms": 0, "run_ms": 300, "ignore_cancel": true, "units": "8"})).await;
    // Long enough polls that those after the cancel outlast the run.
    rig.timing.provider_poll_ms = 60;
    let executions = rig.executions();
    executions.submit(rig.submit());
    until("a poll", || rig.calls().first().is_some_and(|call| call["polls"].as_u64() >= Some(1))).await;
    executions.cancel(rig.job);
    cancelled(&rig, &executions).await;
    let row = rig.attempt();
    assert_eq!((row.state, row.error.unwrap().class), (State::Failed, ErrorClass::Cancelled));
    assert_eq!(rig.calls().len(), 1);
    let cost = row.cost.unwrap();
    assert_eq!((cost.amount.to_string().as_str(), cost.source), ("3.200000", CostSource::Derived));
}

#[tokio::test]
async fn a24_a_run_that_does_not_stop_is_followed_for_a_bounded_time_only() {
    let rig = Rig::scripted(&json!({"never_finish": true, "ignore_cancel": true})).await;
    let executions = rig.executions();
    executions.submit(rig.submit());
    until("acceptance", || rig.gates.count("journal.accepted") == 1).await;
    executions.cancel(rig.job);
    cancelled(&rig, &executions).await;
    assert_eq!((rig.attempt().state, rig.attempt().cost), (State::Failed, None));
}

#[tokio::test]
async fn a24_a_cancel_in_a_backoff_begins_no_other_attempt() {
    let mut rig = Rig::scripted(
        &json!({"http_status": 429, "error_body": {"detail": "x"}, "error_headers": {"retry-after": "60"}}),
    )
    .await;
    rig.spec = spec(&json!([{"provider": "fal", "model": MODEL, "attempts": 5}]));
    let executions = rig.executions();
    executions.submit(rig.submit());
    until("a rejection", || rig.gates.count("journal.settled") == 1).await;
    executions.cancel(rig.job);
    cancelled(&rig, &executions).await;
    assert_eq!(rig.calls().len(), 1);
}

#[tokio::test]
async fn a24_a_cancel_during_the_fetch_settles_what_was_paid() {
    let rig =
        Rig::scripted(&json!({"output_bytes": 60_000, "slow_body_bytes_per_s": 30_000, "units": "8"})).await;
    let executions = rig.executions();
    executions.submit(rig.submit());
    until("a fetch", || rig.calls().first().is_some_and(|call| call["fetches"].as_u64() >= Some(1))).await;
    executions.cancel(rig.job);
    cancelled(&rig, &executions).await;
    let row = rig.attempt();
    assert_eq!((row.state, row.cost.unwrap().amount.to_string().as_str()), (State::Failed, "3.200000"));
    assert_eq!(rig.bucket.with(|shelf| shelf.objects.len()), 0);
}

#[tokio::test]
async fn a24_a_cancel_during_the_put_is_reported_though_the_bytes_are_kept() {
    let rig = Rig::new().await;
    let executions = rig.executions();
    rig.gates.close("bucket.put:before");
    executions.submit(rig.submit());
    rig.gates.reached("bucket.put:before").await;
    executions.cancel(rig.job);
    rig.gates.open("bucket.put:before");
    cancelled(&rig, &executions).await;
    assert_eq!((rig.states(), rig.bucket.with(|shelf| shelf.objects.len())), (vec![State::Succeeded], 1));
}

#[tokio::test]
async fn a24_a_cancel_after_the_end_changes_nothing() {
    let rig = Rig::new().await;
    let executions = rig.executions();
    executions.submit(rig.submit());
    let ended = executions.watch(rig.job).unwrap().ended_within(std::time::Duration::from_secs(20)).await;
    assert_eq!(executions.cancel(rig.job), ended);
    let Answer::Ended { report } = ended else { panic!("not ended") };
    assert_eq!(code(&report), "succeeded");
    // But what decided nothing is decided by it.
    let held = Rig::scripted(&json!({"drop_response_after_accept": true})).await;
    let executions = held.executions();
    executions.submit(held.submit());
    executions.watch(held.job).unwrap().ended_within(std::time::Duration::from_secs(20)).await;
    assert_eq!(executions.cancel(held.job), Answer::Ended { report: Report::Cancelled });
}

#[tokio::test]
async fn b4_a_job_cancelled_while_its_process_was_lost_is_wound_down_by_the_next() {
    let rig = Rig::scripted(&json!({"queue_ms": 60_000})).await;
    rig.crash_at("journal.accepted").await;
    rig.journal.with(|job| job.status = Status::Cancelled);
    assert_eq!(rig.run().await, Report::Cancelled);
    let row = rig.attempt();
    assert_eq!((row.state, row.error.unwrap().class), (State::Failed, ErrorClass::Cancelled));
    assert_eq!((rig.calls().len(), &rig.calls()[0]["cancel_requested"]), (1, &json!(true)));
}
