//! What holds for every provider with a shipped description, over its own protocol; and what is peculiar to one.

use domain::attempt::{CostSource, ErrorClass, State};
use domain::execution::{Answer, Report};
use domain::provider::Provider;
use serde_json::{Value, json};

use crate::support::{Rig, code, until};

/// How a provider shows what is the same everywhere.
#[derive(Clone, Copy)]
struct Case {
    provider: Provider,
    model: &'static str,
    /// The code of a refused run.
    refused: Option<&'static str>,
    /// Units, unit, dollars and source of a run that is charged 0.50 and took 4 of whatever is counted.
    usage: Option<(&'static str, &'static str)>,
    cost: Option<&'static str>,
    /// Whether a call whose answer was lost is found without a callback having come.
    found: bool,
}

const CASES: &[Case] = &[
    Case {
        provider: Provider::Replicate,
        model: "google/veo-3-fast",
        refused: Some("failed"),
        usage: Some(("4.000000", "predict_second")),
        cost: None,
        found: true,
    },
    Case {
        provider: Provider::Runway,
        model: "gen4.5",
        refused: Some("SAFETY.INPUT.TEXT"),
        usage: Some(("50.000000", "credit")),
        cost: Some("0.500000"),
        found: false,
    },
    Case {
        provider: Provider::LumaDreamMachine,
        model: "ray-2",
        refused: None,
        usage: None,
        cost: None,
        found: true,
    },
    Case {
        provider: Provider::Bfl,
        model: "flux-pro-1.1",
        refused: Some("Content Moderated"),
        usage: Some(("50.000000", "credit")),
        cost: Some("0.500000"),
        found: false,
    },
    Case {
        provider: Provider::LumaAgents,
        model: "ray-3.2",
        refused: Some("content_moderated"),
        usage: None,
        cost: None,
        found: false,
    },
    Case {
        provider: Provider::Minimax,
        model: "MiniMax-H3",
        refused: Some("1027"),
        usage: Some(("4.000000", "total_second")),
        cost: None,
        found: false,
    },
    Case {
        provider: Provider::Kling,
        model: "kling-3.0",
        refused: None,
        usage: None,
        cost: Some("0.500000"),
        found: true,
    },
    Case {
        provider: Provider::KlingV1,
        model: "kling-v2-1",
        refused: None,
        usage: Some(("4.000000", "kling_unit")),
        cost: None,
        found: true,
    },
    Case {
        provider: Provider::Veo,
        model: "veo-3.1-generate-preview",
        refused: Some("withheld"),
        // What was asked for: the provider never says.
        usage: Some(("8.000000", "second")),
        cost: Some("3.200000"),
        found: false,
    },
    Case {
        provider: Provider::MinimaxV1,
        model: "MiniMax-Hailuo-2.3",
        refused: Some("1027"),
        usage: None,
        cost: None,
        found: false,
    },
];

/// Done at the first look: some providers may not be asked more often than every few seconds.
fn at_once(more: &Value) -> Value {
    let mut behaviour = json!({"queue_ms": 0, "run_ms": 0, "charge": "0.50", "units": "4"});
    behaviour.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    behaviour
}

async fn rig(case: &Case, more: &Value) -> Rig {
    let rig = Rig::of(case.provider, case.model).await;
    rig.journal.with(|job| job.callbacks = Some("http://127.0.0.1:9/v1/callbacks/x".to_owned()));
    rig.script(&at_once(more), None);
    rig
}

fn one_attempt(rig: &mut Rig) {
    rig.spec.chain[0].attempts = 1;
}

#[tokio::test]
async fn a43_a_result_is_stored_and_costs_what_the_provider_says_or_nothing_known() {
    for case in CASES {
        let rig = rig(case, &json!({})).await;
        assert_eq!(code(&rig.run().await), "succeeded", "{}", case.provider);
        let row = rig.attempt();
        let usage = row.usage.map(|usage| (usage.units.to_string(), usage.unit));
        let usage = usage.as_ref().map(|(units, unit)| (units.as_str(), unit.as_str()));
        assert_eq!(usage, case.usage, "{}", case.provider);
        let cost = row.cost.map(|cost| (cost.amount.to_string(), cost.source));
        let source = if case.provider == Provider::Veo { CostSource::Derived } else { CostSource::Quoted };
        let expected = case.cost.map(|amount| (amount.to_owned(), source));
        assert_eq!(cost, expected, "{}", case.provider);
        let call = rig.calls().remove(0);
        assert_eq!((&call["fetches"], &call["fetches_with_credentials"]), (&json!(1), &json!(0)));
        rig.audit();
    }
}

#[tokio::test]
async fn a_run_is_waited_for_through_every_status_and_those_that_nobody_knows() {
    for case in CASES {
        for behaviour in
            [json!({"queue_ms": 30, "run_ms": 30}), json!({"run_ms": 60, "unknown_status": "MUSING"})]
        {
            let rig = rig(case, &behaviour).await;
            assert_eq!(code(&rig.run().await), "succeeded", "{} {behaviour}", case.provider);
            assert_eq!(rig.calls().len(), 1);
        }
    }
}

#[tokio::test]
async fn b7_a_refused_run_is_a_refusal_and_an_empty_one_too() {
    for case in CASES {
        for (outcome, expected) in [("refuse", case.refused), ("empty", Some("no_output"))] {
            let mut rig = rig(case, &json!({"outcome": outcome})).await;
            one_attempt(&mut rig);
            assert_eq!(code(&rig.run().await), "PROVIDER_REFUSED", "{} {outcome}", case.provider);
            let error = rig.attempt().error.unwrap();
            assert_eq!(
                (error.class, error.code.as_deref()),
                (ErrorClass::Refusal, expected),
                "{}",
                case.provider
            );
        }
    }
}

#[tokio::test]
async fn b7_a_bad_key_and_a_lack_of_money_stop_the_chain_at_once() {
    for case in CASES {
        for (status, expected) in [(401, "PROVIDER_AUTHENTICATION"), (402, "PROVIDER_INSUFFICIENT_FUNDS")] {
            let rig = rig(case, &json!({"http_status": status, "error_body": {"detail": "x"}})).await;
            assert_eq!(code(&rig.run().await), expected, "{}", case.provider);
            assert_eq!((rig.accepted(), rig.attempt().cost.unwrap().source), (0, CostSource::Local));
        }
    }
}

#[tokio::test]
async fn b3_a_lost_answer_is_looked_for_where_that_is_possible_and_never_sent_again() {
    for case in CASES {
        let rig = rig(case, &json!({"drop_response_after_accept": true})).await;
        let expected = if case.found { "succeeded" } else { "held" };
        assert_eq!(code(&rig.run().await), expected, "{}", case.provider);
        assert_eq!((rig.calls().len(), rig.accepted()), (1, 1), "{}", case.provider);
        rig.audit();
    }
}

#[tokio::test]
async fn b3_a_listing_that_lags_behind_is_looked_at_again() {
    for case in CASES.iter().filter(|case| case.found) {
        let rig = rig(case, &json!({"drop_response_after_accept": true, "lookup_lag_ms": 15})).await;
        assert_eq!(code(&rig.run().await), "succeeded", "{}", case.provider);
        assert_eq!((rig.calls().len(), rig.states()), (1, vec![State::Succeeded]));
    }
}

#[tokio::test]
async fn b3_a_call_that_never_arrived_is_not_taken_for_another_and_held() {
    for case in CASES {
        let rig = rig(case, &json!({"drop_before_accept": true})).await;
        // Somebody else's call, for the same thing.
        let other =
            Rig { journal: crate::support::journal::FakeJournal::start(rig.gates.clone()).await, ..rig };
        other.journal.with(|job| job.callbacks = Some("http://127.0.0.1:9/other".to_owned()));
        other.script(&at_once(&json!({})), Some(1));
        assert_eq!(code(&other.run().await), "succeeded", "{}", case.provider);
        let journal = crate::support::journal::FakeJournal::start(other.gates.clone()).await;
        journal.with(|job| job.callbacks = Some("http://127.0.0.1:9/v1/callbacks/x".to_owned()));
        other.bucket.with(|shelf| shelf.objects.clear());
        let ours = Rig { journal, ..other };
        assert_eq!(code(&ours.run().await), "held", "{}", case.provider);
        assert_eq!((ours.accepted(), ours.states()), (1, vec![State::Unknown]), "{}", case.provider);
    }
}

#[tokio::test]
async fn b2_a_lost_process_is_followed_by_one_that_resumes_and_pays_nothing() {
    for case in CASES {
        let rig = rig(case, &json!({})).await;
        rig.crash_at("journal.accepted").await;
        assert_eq!(code(&rig.run().await), "succeeded", "{}", case.provider);
        assert_eq!((rig.accepted(), rig.states()), (1, vec![State::Succeeded]));
        rig.audit();
    }
}

#[tokio::test]
async fn an_expired_url_is_asked_for_anew_everywhere() {
    for case in CASES {
        let rig = rig(case, &json!({"result_expired_times": 1})).await;
        assert_eq!(code(&rig.run().await), "succeeded", "{}", case.provider);
        assert_eq!(rig.calls().len(), 1);
    }
}

async fn cancelled(rig: &Rig, when: &str) {
    let executions = rig.executions();
    executions.submit(rig.submit());
    until(when, || rig.calls().first().is_some_and(|call| call[when].as_u64() >= Some(1))).await;
    executions.cancel(rig.job);
    let watched = executions.watch(rig.job).unwrap();
    let answer = watched.ended_within(std::time::Duration::from_secs(20)).await;
    assert_eq!(answer, Answer::Ended { report: Report::Cancelled });
}

#[tokio::test]
async fn f29_a_cancel_never_destroys_a_result_that_was_paid() {
    for case in CASES {
        let rig = rig(case, &json!({"output_bytes": 60_000, "slow_body_bytes_per_s": 30_000})).await;
        cancelled(&rig, "fetches").await;
        let (row, call) = (rig.attempt(), rig.calls().remove(0));
        assert_eq!((row.state, &call["deleted"]), (State::Failed, &json!(false)), "{}", case.provider);
        assert_eq!(row.cost.map(|cost| cost.amount.to_string()).as_deref(), case.cost, "{}", case.provider);
    }
}

#[tokio::test]
async fn a24_a_cancel_reaches_a_provider_that_can_stop() {
    for case in CASES {
        let rig = rig(case, &json!({"never_finish": true})).await;
        cancelled(&rig, "polls").await;
        let stops = matches!(case.provider, Provider::Replicate | Provider::Runway);
        let call = rig.calls().remove(0);
        let requested = &call["cancel_requested"];
        assert_eq!((requested, rig.attempt().state), (&json!(stops), State::Failed), "{}", case.provider);
        let deleted = case.provider == Provider::Runway;
        assert_eq!(call["deleted"], deleted, "{}: nothing is deleted that could be a result", case.provider);
    }
}

#[tokio::test]
async fn a24_minimax_is_asked_to_stop_only_while_nothing_can_be_lost() {
    let minimax = CASES.iter().find(|case| case.provider == Provider::Minimax).unwrap();
    for (behaviour, requested) in
        [(json!({"queue_ms": 60_000}), true), (json!({"never_finish": true}), false)]
    {
        let rig = rig(minimax, &behaviour).await;
        cancelled(&rig, "polls").await;
        let call = rig.calls().remove(0);
        assert_eq!((&call["cancel_requested"], &call["deleted"]), (&json!(requested), &json!(false)));
    }
}

#[tokio::test]
async fn b7_minimax_v1s_refusal_to_answer_is_no_end_of_a_paid_run() {
    let minimax = CASES.iter().find(|case| case.provider == Provider::MinimaxV1).unwrap();
    for behaviour in [
        json!({"poll_http_status": 503, "poll_errors": 2}),
        json!({"result_http_status": 503, "result_errors": 2}),
    ] {
        let rig = rig(minimax, &behaviour).await;
        assert_eq!(code(&rig.run().await), "succeeded", "{behaviour}");
        assert_eq!((rig.calls().len(), rig.states()), (1, vec![State::Succeeded]), "{behaviour}");
        rig.audit();
    }
}

#[tokio::test]
async fn b3_minimax_v1s_no_inside_a_200_is_a_sure_rejection_and_its_own_trouble_is_not() {
    let minimax = CASES.iter().find(|case| case.provider == Provider::MinimaxV1).unwrap();
    for (told, expected, state) in [
        (1008, "PROVIDER_INSUFFICIENT_FUNDS", State::Failed),
        (2049, "PROVIDER_AUTHENTICATION", State::Failed),
        (1026, "PROVIDER_REFUSED", State::Failed),
        (1000, "held", State::Unknown),
    ] {
        let body = json!({"base_resp": {"status_code": told, "status_msg": "words"}});
        let mut rig = rig(minimax, &json!({"http_status": 200, "error_body": body})).await;
        one_attempt(&mut rig);
        assert_eq!(code(&rig.run().await), expected, "{told}");
        assert_eq!((rig.accepted(), rig.states()), (0, vec![state]), "{told}");
    }
}

#[tokio::test]
async fn a_kling_v1_task_is_followed_under_the_path_that_made_it_and_signed_for_each_time() {
    let kling = Case { model: "image2video/kling-v2-1", ..CASES[7] };
    for more in [json!({}), json!({"drop_response_after_accept": true})] {
        let rig = rig(&kling, &more).await;
        assert_eq!(code(&rig.run().await), "succeeded", "{more}");
        let call = rig.calls().remove(0);
        assert_eq!(call["body"]["model_name"], "kling-v2-1");
        assert_eq!(call["body"]["external_task_id"], json!(rig.attempt().id));
    }
}

#[tokio::test]
async fn b7_a_veo_operation_that_is_done_with_an_error_is_no_result() {
    for (error, class, cost) in [
        (
            json!({"code": 3, "message": "words may violate our usage guidelines"}),
            ErrorClass::Refusal,
            Some(CostSource::Local),
        ),
        (json!({"code": 13, "message": "Internal error"}), ErrorClass::Retryable, None),
        (
            json!({"code": 8, "message": "Your prepayment credits are depleted"}),
            ErrorClass::InsufficientFunds,
            Some(CostSource::Local),
        ),
    ] {
        let mut rig = rig(&CASES[8], &json!({"outcome": "fail", "fail_body": {"error": error}})).await;
        one_attempt(&mut rig);
        rig.run().await;
        let row = rig.attempt();
        assert_eq!((row.error.unwrap().class, row.cost.map(|cost| cost.source)), (class, cost), "{error}");
    }
}

#[tokio::test]
async fn a43_a_video_that_veo_withheld_is_a_refusal_and_costs_nothing() {
    let mut rig = rig(&CASES[8], &json!({"outcome": "refuse"})).await;
    one_attempt(&mut rig);
    assert_eq!(code(&rig.run().await), "PROVIDER_REFUSED");
    let row = rig.attempt();
    assert!(row.error.unwrap().message.contains("usage guidelines"));
    assert_eq!(
        row.cost.map(|cost| (cost.amount.to_string(), cost.source)),
        Some(("0.000000".to_owned(), CostSource::Local))
    );
}

#[tokio::test]
async fn f24_veos_key_opens_the_file_and_does_not_follow_where_that_leads() {
    let rig = rig(&CASES[8], &json!({"result_expired_times": 1})).await;
    assert_eq!(code(&rig.run().await), "succeeded");
    let call = rig.calls().remove(0);
    assert_eq!((&call["fetches"], &call["fetches_with_credentials"]), (&json!(2), &json!(0)));
}

#[tokio::test]
async fn a43_kling_prices_only_what_was_paid_in_dollars() {
    let kling = CASES.iter().find(|case| case.provider == Provider::Kling).unwrap();
    let cash = json!({"charge_type": "cash", "amount": "0.50", "currency": "USD"});
    let unit = json!({"charge_type": "unit", "amount": "5", "package_type": "video"});
    let yuan = json!({"charge_type": "cash", "amount": "3.50", "currency": "CNY"});
    for (billing, expected) in [
        (json!([cash]), Some("0.500000")),
        (json!([unit]), None),
        (json!([yuan]), None),
        (json!([cash, unit]), None),
        (json!([]), None),
    ] {
        let behaviour = json!({"outcome": "fail", "fail_body": {"billing": billing}});
        let mut rig = rig(kling, &behaviour).await;
        one_attempt(&mut rig);
        rig.run().await;
        let cost = rig.attempt().cost.map(|cost| cost.amount.to_string());
        assert_eq!(cost.as_deref(), expected, "{billing}");
    }
}

#[tokio::test]
async fn a43_what_a_failed_run_cost_is_what_runway_says() {
    for (charge, expected) in [("0", "0.000000"), ("0.05", "0.050000")] {
        let mut rig = rig(&CASES[1], &json!({"outcome": "refuse", "charge": charge})).await;
        one_attempt(&mut rig);
        rig.run().await;
        let cost = rig.attempt().cost.unwrap();
        assert_eq!((cost.amount.to_string().as_str(), cost.source), (expected, CostSource::Quoted));
    }
    // Named at the submit, and owed for a result only.
    let mut rig = rig(&CASES[3], &json!({"outcome": "refuse"})).await;
    one_attempt(&mut rig);
    rig.run().await;
    assert_eq!(rig.attempt().cost, None);
}

#[tokio::test]
async fn b3_runways_load_shedding_is_a_sure_rejection() {
    let rig = Rig::of(Provider::Runway, "gen4.5").await;
    rig.script(&at_once(&json!({})), None);
    rig.script(&json!({"http_status": 503, "error_body": "busy"}), Some(1));
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((rig.accepted(), rig.states()), (1, vec![State::Failed, State::Succeeded]));
}

#[tokio::test]
async fn b3_a_prediction_without_a_webhook_is_known_by_its_input() {
    let rig = Rig::of(Provider::Replicate, "google/veo-3-fast").await;
    rig.script(&at_once(&json!({"drop_response_after_accept": true})), None);
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((rig.calls().len(), rig.states()), (1, vec![State::Succeeded]));
}

#[tokio::test]
async fn b3_two_predictions_that_look_alike_are_neither() {
    let rig = Rig::of(Provider::Replicate, "google/veo-3-fast").await;
    rig.script(&at_once(&json!({"drop_response_after_accept": true, "accept_twice": true})), None);
    assert_eq!(code(&rig.run().await), "held");
}

#[tokio::test]
async fn b7_predictions_that_were_cancelled_or_never_ran_are_told_apart() {
    // Held back long enough that somebody else's cancel comes first.
    for (behaviour, class, cost) in [
        (json!({"queue_ms": 60_000}), ErrorClass::Timeout, Some(CostSource::Local)),
        (json!({"never_finish": true}), ErrorClass::Cancelled, None),
    ] {
        let mut rig = rig(&CASES[0], &behaviour).await;
        one_attempt(&mut rig);
        let process = rig.begin();
        until("a poll", || rig.calls().first().is_some_and(|call| call["polls"].as_u64() >= Some(1))).await;
        let id = rig.calls()[0]["request_id"].as_str().unwrap().to_owned();
        let url = format!("{}/predictions/{id}/cancel", rig.provider_url);
        let tls = executor::net::tls(None).unwrap();
        let http = executor::net::free_client(&tls, std::time::Duration::from_secs(5)).unwrap();
        http.post(url).header("authorization", "Bearer k").send().await.unwrap();
        process.await.unwrap();
        let row = rig.attempt();
        let cost_source = row.cost.map(|cost| cost.source);
        assert_eq!((row.error.unwrap().class, cost_source), (class, cost), "{behaviour}");
    }
}

#[tokio::test]
async fn a_callback_url_is_sent_as_each_provider_wants_it_and_journaled_nowhere() {
    for (case, member) in [
        (&CASES[0], "/webhook"),
        (&CASES[2], "/callback_url"),
        (&CASES[3], "/webhook_url"),
        (&CASES[6], "/options/callback_url"),
        (&CASES[7], "/callback_url"),
        (&CASES[8], "/webhookConfig/uris/0"),
    ] {
        let rig = rig(case, &json!({})).await;
        rig.run().await;
        let call = rig.calls().remove(0);
        let url = call["body"].pointer(member).and_then(Value::as_str).unwrap_or_default();
        assert!(url.contains(&rig.attempt().id.to_string()), "{}: {url}", case.provider);
        assert!(!rig.journal.with(|job| job.requests[0].to_string()).contains("callbacks"));
        if case.provider == Provider::Replicate {
            assert_eq!(call["body"]["webhook_events_filter"], json!(["completed"]));
        }
    }
}
