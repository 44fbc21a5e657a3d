//! Waiting for an accepted request.

use domain::attempt::{ErrorClass, State};
use domain::execution::Report;
use serde_json::json;

use crate::support::{MODEL, Rig, UNPRICED, code, spec, until};

#[tokio::test]
async fn a_status_that_nobody_knows_is_polled_on() {
    let rig = Rig::scripted(&json!({"unknown_status": "MEDITATING", "run_ms": 150})).await;
    assert_eq!(code(&rig.run().await), "succeeded");
    assert!(rig.calls()[0]["polls"].as_u64() > Some(3));
}

#[tokio::test]
async fn polls_that_fail_are_repeated_and_nothing_is_sent_again() {
    for status in [500, 502, 429, 401] {
        let rig = Rig::scripted(&json!({"poll_http_status": status, "poll_errors": 4})).await;
        assert_eq!(code(&rig.run().await), "succeeded", "{status}");
        assert_eq!(rig.calls().len(), 1);
    }
}

#[tokio::test]
async fn a_request_that_the_provider_does_not_know_yet_has_a_grace() {
    let rig = Rig::scripted(&json!({"poll_http_status": 404, "poll_errors": 5})).await;
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!(rig.calls().len(), 1);
}

#[tokio::test]
async fn a_request_that_the_provider_lost_fails_its_attempt() {
    let mut rig = Rig::scripted(&json!({"poll_http_status": 404})).await;
    rig.spec = spec(&json!([{"provider": "fal", "model": MODEL, "attempts": 1}]));
    assert_eq!(code(&rig.run().await), "PROVIDER_ERROR");
    let row = rig.attempt();
    assert_eq!(
        (row.state, row.error.unwrap().code.as_deref(), row.cost),
        (State::Failed, Some("request_not_found"), None)
    );
}

#[tokio::test]
async fn a_gateways_error_on_the_way_to_the_result_is_not_the_runs() {
    for status in [500, 503, 504] {
        let rig = Rig::scripted(&json!({"result_http_status": status, "result_errors": 3})).await;
        assert_eq!(code(&rig.run().await), "succeeded", "{status}");
        assert_eq!((rig.states(), rig.calls().len()), (vec![State::Succeeded], 1));
    }
}

#[tokio::test]
async fn an_error_in_place_of_the_result_that_persists_is_the_runs() {
    let mut rig = Rig::scripted(&json!({"result_http_status": 500})).await;
    rig.spec = spec(&json!([{"provider": "fal", "model": MODEL, "attempts": 1}]));
    assert_eq!(code(&rig.run().await), "PROVIDER_ERROR");
    assert_eq!(rig.attempt().error.unwrap().code.as_deref(), Some("internal_error"));
}

#[tokio::test]
async fn a34_an_expired_window_leaves_the_model_and_the_attempt() {
    let mut rig = Rig::new().await;
    rig.spec = spec(
        &json!([{"provider": "fal", "model": MODEL, "attempts": 3}, {"provider": "fal", "model": UNPRICED, "attempts": 1}]),
    );
    rig.spec.policy.attempt_window_seconds = 1;
    rig.script(&json!({"never_finish": true}), Some(1));
    assert_eq!(code(&rig.run().await), "succeeded");
    let rows = rig.journal.attempts();
    assert_eq!((rows.len(), rows[0].state, rows[1].model.as_str()), (2, State::Abandoned, UNPRICED));
    let error = rows[0].error.clone().unwrap();
    assert_eq!((error.class, error.code.as_deref()), (ErrorClass::Timeout, Some("window_expired")));
    assert_eq!(rows[0].cost, None, "the full run may have been paid");
}

#[tokio::test]
async fn a34_what_nobody_waits_for_is_cancelled_where_that_is_free() {
    let mut rig = Rig::new().await;
    rig.spec.policy.attempt_window_seconds = 1;
    rig.script(&json!({"queue_ms": 60_000}), Some(1));
    rig.run().await;
    assert_eq!(rig.journal.attempts()[0].state, State::Abandoned);
    assert_eq!(rig.calls()[0]["cancel_requested"], true, "{:?}", rig.calls());
}

#[tokio::test]
async fn a34_a_late_process_looks_before_it_judges_the_window() {
    let mut rig = Rig::new().await;
    rig.spec.policy.attempt_window_seconds = 1;
    rig.crash_at("journal.accepted").await;
    tokio::time::sleep(std::time::Duration::from_millis(1200)).await;
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!(rig.calls().len(), 1);
}

#[tokio::test]
async fn b2_a_succeeded_attempt_without_its_object_is_fetched_again_and_never_paid_again() {
    let rig = Rig::new().await;
    assert_eq!(code(&rig.run().await), "succeeded");
    rig.bucket.with(|shelf| shelf.objects.clear());
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!(rig.calls().len(), 1);
    // And where the provider has it no more, the job fails.
    rig.bucket.with(|shelf| shelf.objects.clear());
    rig.simulator.reset();
    let report = rig.run().await;
    assert!(matches!(report, Report::Failed { .. }));
    assert_eq!((code(&report), rig.calls().len()), ("STORAGE_FAILED", 0));
    until("settled", || rig.states() == [State::Succeeded]).await;
}
