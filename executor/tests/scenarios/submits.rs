//! The outcomes of a submit (B3), and what the error class makes of a rejection (A30 to A33, B7).

use domain::attempt::{CostSource, ErrorClass, State};
use domain::budget::Period;
use domain::execution::Report;
use domain::generation::OnUnknown;
use serde_json::{Value, json};

use crate::support::{MODEL, Rig, UNPRICED, code, spec, until};

/// A submit of unknown outcome is held, sent once, and priced nowhere.
async fn is_held(behaviour: Value, accepted: u64) {
    let mut rig = Rig::scripted(&behaviour).await;
    rig.timing.submit_timeout_ms = 300;
    let report = rig.run().await;
    let Report::Held { attempt, .. } = &report else { panic!("{behaviour}: {report:?}") };
    let row = rig.attempt();
    assert_eq!((row.id, row.state, row.cost), (*attempt, State::Unknown, None), "{behaviour}");
    assert_eq!(row.error.unwrap().class, ErrorClass::Unknown);
    assert!(row.reserved.is_some());
    assert_eq!((rig.calls().len(), rig.accepted()), (1, accepted), "{behaviour}");
    // A later execution finds nothing new and sends nothing.
    assert_eq!(code(&rig.run().await), "held");
    assert_eq!(rig.calls().len(), 1);
    rig.audit();
}

#[tokio::test]
async fn b3_a_reset_after_acceptance_is_unknown_and_held() {
    is_held(json!({"drop_response_after_accept": true}), 1).await;
}

#[tokio::test]
async fn b3_a_reset_before_acceptance_looks_the_same_and_is_held() {
    is_held(json!({"drop_before_accept": true}), 0).await;
}

#[tokio::test]
async fn f10_an_answer_after_our_timeout_is_unknown_and_sent_once() {
    is_held(json!({"submit_delay_ms": 2000}), 1).await;
}

#[tokio::test]
async fn b3_a_5xx_is_unknown_whatever_it_says() {
    is_held(json!({"http_status": 502, "error_body": "bad gateway"}), 0).await;
    is_held(json!({"http_status": 503, "accept_anyway": true, "error_body": {"detail": "x", "error_type": "runner_scheduling_failure"}}), 1).await;
}

#[tokio::test]
async fn b3_an_unreadable_success_is_unknown() {
    is_held(json!({"http_status": 200, "accept_anyway": true, "error_body": {"request_id": ""}}), 1).await;
    is_held(json!({"http_status": 200, "accept_anyway": true, "error_body": "<html>"}), 1).await;
}

#[tokio::test]
async fn b3_a_redirect_is_not_followed() {
    let headers = json!({"location": "/fal/elsewhere/app"});
    is_held(json!({"http_status": 307, "error_headers": headers}), 0).await;
}

#[tokio::test]
async fn b3_an_unknown_attempt_is_paid_again_only_where_the_policy_accepts_that() {
    let mut rig = Rig::new().await;
    rig.spec.policy.on_unknown = OnUnknown::Retry;
    rig.script(&json!({"drop_response_after_accept": true}), Some(1));
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((rig.accepted(), rig.states()), (2, vec![State::Abandoned, State::Succeeded]));
    let first = rig.journal.attempts().remove(0);
    assert_eq!((first.error.unwrap().class, first.cost), (ErrorClass::Unknown, None));
    rig.audit();
}

#[tokio::test]
async fn b3_a_held_attempt_that_the_callback_named_is_resumed() {
    let rig = Rig::scripted(&json!({"drop_response_after_accept": true})).await;
    assert_eq!(code(&rig.run().await), "held");
    let request_id = rig.calls()[0]["request_id"].as_str().unwrap().to_owned();
    // What the control plane writes when the provider calls back; it has no URLs to go with the id.
    rig.journal.with(|job| {
        job.attempts[0].state = State::Accepted;
        job.attempts[0].provider_request_id = Some(request_id);
        job.attempts[0].accepted_at = Some(chrono::Utc::now());
    });
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((rig.states(), rig.calls().len()), (vec![State::Succeeded], 1));
}

#[tokio::test]
async fn b3_what_was_never_sent_is_surely_rejected_and_costs_nothing() {
    let mut rig = Rig::new().await;
    // A port that nothing listens on.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    rig.provider_url = format!("http://{}/fal", free.local_addr().unwrap());
    drop(free);
    let report = rig.run().await;
    assert_eq!(code(&report), "PROVIDER_UNAVAILABLE");
    assert_eq!(rig.states(), [State::Failed, State::Failed]);
    for attempt in rig.journal.attempts() {
        assert_eq!(attempt.error.unwrap().code.as_deref(), Some("not_sent"));
        let cost = attempt.cost.unwrap();
        assert_eq!((cost.amount.micros(), cost.source), (0, CostSource::Local));
    }
}

/// A provider whose TLS never comes about: it says something else, or nothing at all.
async fn without_tls(says: &'static [u8]) -> String {
    use tokio::io::AsyncWriteExt;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/fal", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(says).await;
            held.push(stream);
        }
    });
    url
}

#[tokio::test]
async fn b3_a_handshake_that_fails_or_never_ends_has_sent_nothing() {
    for says in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b""] {
        let mut rig = Rig::new().await;
        rig.timing.submit_timeout_ms = 600;
        rig.provider_url = without_tls(says).await;
        rig.spec = spec(&json!([{"provider": "fal", "model": MODEL, "attempts": 1}]));
        assert_eq!(code(&rig.run().await), "PROVIDER_UNAVAILABLE");
        let row = rig.attempt();
        assert_eq!((row.state, row.error.unwrap().code.as_deref()), (State::Failed, Some("not_sent")));
    }
}

#[tokio::test]
async fn a30_errors_that_repeat_themselves_stop_the_chain() {
    for (status, body, expected) in [
        (401, json!({"detail": "Invalid key"}), "PROVIDER_AUTHENTICATION"),
        (422, json!({"detail": [{"msg": "too long", "type": "value_error"}]}), "PROVIDER_INVALID_INPUT"),
        (403, json!({"detail": "User is locked. Reason: Exhausted balance."}), "PROVIDER_INSUFFICIENT_FUNDS"),
    ] {
        let mut rig = Rig::scripted(&json!({"http_status": status, "error_body": body})).await;
        rig.spec = spec(
            &json!([{"provider": "fal", "model": MODEL, "attempts": 2}, {"provider": "fal", "model": UNPRICED, "attempts": 2}]),
        );
        let report = rig.run().await;
        assert!(matches!(report, Report::Failed { .. }));
        assert_eq!(code(&report), expected);
        let row = rig.attempt();
        assert_eq!((rig.calls().len(), row.state), (1, State::Failed));
        assert_eq!(row.cost.unwrap().source, CostSource::Local, "surely rejected is surely free");
    }
}

#[tokio::test]
async fn a31_a_rate_limit_backs_off_on_the_same_model() {
    let rig = Rig::new().await;
    rig.script(&json!({"http_status": 429, "error_body": {"detail": "slow down"}}), Some(1));
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((rig.states(), rig.accepted()), (vec![State::Failed, State::Succeeded], 1));
    // One look proves absence for one submit.
    assert_eq!(rig.gates.passed().iter().filter(|name| *name == "bucket.head").count(), 3);
}

#[tokio::test]
async fn a33_a_model_that_is_gone_gives_way_to_the_next() {
    let mut rig = Rig::new().await;
    rig.spec = spec(
        &json!([{"provider": "fal", "model": MODEL, "attempts": 2}, {"provider": "fal", "model": UNPRICED, "attempts": 1}]),
    );
    rig.script(&json!({"http_status": 404, "error_body": {"detail": "Application not found"}}), Some(1));
    assert_eq!(code(&rig.run().await), "succeeded");
    let models: Vec<String> = rig.journal.attempts().into_iter().map(|attempt| attempt.model).collect();
    assert_eq!(models, [MODEL, UNPRICED]);
}

#[tokio::test]
async fn b5_the_journal_bounds_the_paid_calls() {
    use domain::journal::Refusal;
    let rig = Rig::scripted(&json!({"http_status": 429, "error_body": {"detail": "slow down"}})).await;
    rig.journal.with(|job| job.max_paid_calls = 1);
    // The last attempt says more than that the calls are used up.
    assert_eq!(code(&rig.run().await), "PROVIDER_RATE_LIMITED");
    assert_eq!(rig.calls().len(), 1);
    for (refusal, expected) in [
        (Refusal::PaidCallsExhausted, "PAID_CALLS_EXHAUSTED"),
        (Refusal::MaxCostReached, "MAX_COST_REACHED"),
        (Refusal::Unpriceable, "COST_UNPRICEABLE"),
        (Refusal::BudgetExceeded { period: Period::Month }, "BUDGET_EXCEEDED"),
    ] {
        let rig = Rig::new().await;
        rig.journal.with(|job| job.refuse_open = Some(refusal));
        let report = rig.run().await;
        assert!(matches!(report, Report::Failed { .. }));
        assert_eq!((code(&report), rig.calls().len()), (expected, 0));
    }
}

#[tokio::test]
async fn i2_a_provider_that_accepts_twice_is_no_second_row() {
    let rig = Rig::scripted(&json!({"accept_twice": true})).await;
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((rig.states(), rig.calls().len()), (vec![State::Succeeded], 2));
}

#[tokio::test]
async fn b7_a_shut_gate_is_waited_for_and_nothing_is_paid_meanwhile() {
    use domain::gate::Cause;
    use domain::journal::Refusal;
    for shut in [
        Refusal::ProviderBusy { retry_after_ms: None },
        Refusal::BudgetBusy { retry_after_ms: Some(1) },
        Refusal::BreakerOpen { cause: Cause::Authentication, retry_after_ms: Some(900_000) },
        // The policy falls back on this, but the chain has nothing else to offer.
        Refusal::BreakerOpen { cause: Cause::InsufficientFunds, retry_after_ms: None },
    ] {
        let rig = Rig::new().await;
        rig.journal.with(|job| job.refuse_open = Some(shut));
        let opened = async {
            until("asked again", || rig.journal.with(|job| job.refused) >= 3).await;
            assert_eq!((rig.calls().len(), rig.states().len()), (0, 0));
            rig.journal.with(|job| job.refuse_open = None);
        };
        let (report, ()) = tokio::join!(rig.run(), opened);
        assert_eq!((code(&report), rig.accepted(), rig.states()), ("succeeded", 1, vec![State::Succeeded]));
        // Absence was proven anew for every asking (I5).
        let refused = rig.journal.with(|job| job.refused);
        assert!(rig.gates.passed().iter().filter(|name| *name == "bucket.head").count() > refused);
    }
}
