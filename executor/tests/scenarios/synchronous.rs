//! Providers whose answer to the submit is the result: there is nothing to ask about afterwards.

use domain::attempt::{CostSource, ErrorClass, State};
use domain::provider::Provider;
use serde_json::json;

use crate::support::{Rig, code, until};

const OPENAI: (Provider, &str) = (Provider::OpenaiImages, "gpt-image-1");
const FLUX: (Provider, &str) = (Provider::WorkersAi, "cf/black-forest-labs/flux-1-schnell");
const STABLE: (Provider, &str) = (Provider::WorkersAi, "cf/stabilityai/stable-diffusion-xl-base-1.0");
const ALL: [(Provider, &str); 3] = [OPENAI, FLUX, STABLE];

async fn rig((provider, model): (Provider, &str), more: &serde_json::Value) -> Rig {
    let mut rig = Rig::of(provider, model).await;
    let mut behaviour = json!({"queue_ms": 0, "run_ms": 0, "media": "image"});
    behaviour.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    rig.script(&behaviour, None);
    rig.spec.chain[0].attempts = 1;
    rig
}

#[tokio::test]
async fn a43_the_answer_is_the_result_and_is_priced_by_what_it_counts_or_what_was_asked() {
    for (who, usage, cost) in [
        (OPENAI, Some(("1056.000000", "output_token")), Some("0.042490")),
        (FLUX, Some(("1.000000", "image")), Some("0.000652")),
        (STABLE, None, None),
    ] {
        let rig = rig(who, &json!({"run_ms": 60})).await;
        assert_eq!(code(&rig.run().await), "succeeded", "{who:?}");
        let row = rig.attempt();
        let told = row.usage.as_ref().map(|usage| (usage.units.to_string(), usage.unit.as_str()));
        let told = told.as_ref().map(|(units, unit)| (units.as_str(), *unit));
        assert_eq!((row.state, told), (State::Succeeded, usage), "{who:?}");
        let derived = row.cost.map(|cost| (cost.amount.to_string(), cost.source));
        assert_eq!(derived, cost.map(|amount| (amount.to_owned(), CostSource::Derived)), "{who:?}");
        assert_eq!((rig.calls().len(), &rig.calls()[0]["fetches"]), (1, &json!(0)));
        let key = domain::output::key(rig.job, 0);
        assert_eq!(rig.bucket.get(&key).unwrap().headers["content-type"], "image/png", "{who:?}");
    }
}

#[tokio::test]
async fn every_file_of_an_answer_is_stored() {
    let rig = rig(OPENAI, &json!({"outputs": 3})).await;
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!(rig.bucket.with(|shelf| shelf.objects.len()), 3);
}

#[tokio::test]
async fn openais_support_can_be_told_which_attempt_it_was() {
    let rig = rig(OPENAI, &json!({})).await;
    rig.run().await;
    assert_eq!(rig.calls()[0]["headers"]["x-client-request-id"], json!(rig.attempt().id));
}

#[tokio::test]
async fn b3_a_lost_answer_is_held_and_never_asked_for_again() {
    for who in ALL {
        let rig = rig(who, &json!({"drop_response_after_accept": true})).await;
        assert_eq!(code(&rig.run().await), "held", "{who:?}");
        assert_eq!((rig.calls().len(), rig.states()), (1, vec![State::Unknown]), "{who:?}");
        rig.audit();
    }
}

#[tokio::test]
async fn b3_an_answer_that_takes_longer_than_it_is_waited_for_is_unknown() {
    for who in ALL {
        let mut rig = rig(who, &json!({"run_ms": 60_000})).await;
        rig.timing.answer_timeout_ms = 100;
        assert_eq!(code(&rig.run().await), "held", "{who:?}");
        assert_eq!((rig.accepted(), rig.states()), (1, vec![State::Unknown]), "{who:?}");
    }
}

/// A process that dies with the result in its hands: nobody else has it, and whether to pay again is the policy's.
#[tokio::test]
async fn b3_a_result_that_was_lost_with_its_process_is_unknown_and_its_price_known() {
    for who in [OPENAI, FLUX] {
        let rig = rig(who, &json!({})).await;
        rig.crash_at("bucket.put:before").await;
        assert_eq!(code(&rig.run().await), "held", "{who:?}");
        let row = rig.attempt();
        assert_eq!((rig.accepted(), row.state), (1, State::Unknown), "{who:?}");
        assert!(row.cost.is_some(), "{who:?}");
        rig.audit();
    }
}

#[tokio::test]
async fn a21_a_result_that_was_stored_before_its_process_died_is_found() {
    for who in ALL {
        let rig = rig(who, &json!({})).await;
        rig.crash_at("bucket.put").await;
        assert_eq!(code(&rig.run().await), "succeeded", "{who:?}");
        assert_eq!((rig.accepted(), rig.states()), (1, vec![State::Succeeded]), "{who:?}");
    }
}

#[tokio::test]
async fn b7_what_the_answer_says_instead_of_a_result_decides() {
    for (who, behaviour, class, state) in [
        (OPENAI, json!({"outcome": "refuse"}), ErrorClass::Refusal, State::Failed),
        (FLUX, json!({"outcome": "refuse"}), ErrorClass::Refusal, State::Failed),
        (OPENAI, json!({"outcome": "empty"}), ErrorClass::Refusal, State::Failed),
        (FLUX, json!({"outcome": "empty"}), ErrorClass::Refusal, State::Failed),
        // A server's error says nothing of the bill, and nothing can be looked up.
        (OPENAI, json!({"outcome": "fail"}), ErrorClass::Unknown, State::Unknown),
        (
            OPENAI,
            json!({"http_status": 429, "error_body": {"error": {"type": "insufficient_quota", "code": "insufficient_quota", "message": "x"}}}),
            ErrorClass::InsufficientFunds,
            State::Failed,
        ),
        (
            FLUX,
            json!({"http_status": 429, "error_body": {"errors": [{"code": 3036, "message": "x"}]}}),
            ErrorClass::InsufficientFunds,
            State::Failed,
        ),
        (
            FLUX,
            json!({"http_status": 429, "error_body": {"errors": [{"code": 3040, "message": "x"}]}}),
            ErrorClass::Unavailable,
            State::Failed,
        ),
    ] {
        let rig = rig(who, &behaviour).await;
        rig.run().await;
        let row = rig.attempt();
        assert_eq!((row.error.unwrap().class, row.state), (class, state), "{who:?} {behaviour}");
        assert_eq!(rig.calls().len(), 1);
    }
}

#[tokio::test]
async fn a24_a_cancel_while_the_result_is_stored_keeps_what_was_paid_and_ends_the_attempt() {
    let rig = rig(OPENAI, &json!({})).await;
    rig.gates.close("bucket.put:before");
    let executions = rig.executions();
    executions.submit(rig.submit());
    rig.gates.reached("bucket.put:before").await;
    executions.cancel(rig.job);
    rig.gates.open("bucket.put:before");
    let watched = executions.watch(rig.job).unwrap();
    watched.ended_within(std::time::Duration::from_secs(20)).await;
    until("the attempt has its end", || rig.states() == [State::Succeeded]).await;
    assert!(rig.attempt().cost.is_some());
}
