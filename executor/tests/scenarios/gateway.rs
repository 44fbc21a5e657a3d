//! Cloudflare's AI Gateway between the executor and a provider: one that asks for a token, and that retries and caches unless
//! it is told not to.

use domain::Secret;
use domain::attempt::{ErrorClass, State};
use domain::execution::Report;
use domain::provider::Provider;
use executor::execution::{Parts, execute};
use executor::executions::Order;
use executor::providers::Gateways;
use serde_json::{Value, json};
use testkit::simulator::Gate;

use crate::support::{Rig, code, spec};

const TOKEN: &str = "gateway-t0ken";

/// One provider that is polled, and one that answers with its result.
const BOTH: [(Provider, &str); 2] =
    [(Provider::LumaAgents, "ray-3.2"), (Provider::OpenaiImages, "gpt-image-1")];

async fn behind_gateway(provider: Provider, model: &str) -> Rig {
    let mut rig = Rig::of(provider, model).await;
    rig.provider_url = rig.simulator.gateway_url(provider.as_str());
    rig.spec = spec(&json!([{"provider": provider, "model": model, "attempts": 1}]));
    gate(&rig, &json!({}));
    rig
}

fn gate(rig: &Rig, more: &Value) {
    let mut gate = json!({"token": TOKEN});
    gate.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    rig.simulator.gate(serde_json::from_value::<Gate>(gate).unwrap());
}

async fn run(rig: &Rig, token: &str) -> Report {
    let mut config = rig.config();
    config.gateways = Gateways { before: [rig.provider].into(), token: Some(Secret::new(token)) };
    let parts = Parts::build(&config).unwrap();
    execute(&parts, &Order::detached(rig.submit())).await
}

#[tokio::test]
async fn a_provider_behind_the_gateway_is_paid_once_and_every_request_turns_retries_and_cache_off() {
    for (provider, model) in BOTH {
        let rig = behind_gateway(provider, model).await;
        assert!(matches!(run(&rig, TOKEN).await, Report::Succeeded { .. }), "{provider}");
        assert_eq!((rig.accepted(), rig.states()), (1, vec![State::Succeeded]), "{provider}");
        let passed = rig.simulator.passed_gateway();
        assert_eq!(passed[0]["method"], "POST", "{provider}");
        for request in &passed {
            let headers = &request["headers"];
            let off = (&headers["cf-aig-max-attempts"], &headers["cf-aig-skip-cache"]);
            assert_eq!(off, (&json!("1"), &json!("true")), "{provider} {request}");
        }
        // Results lie elsewhere: neither key goes there.
        assert!(rig.calls().iter().all(|call| call["fetches_with_credentials"] == 0), "{provider}");
    }
}

#[tokio::test]
async fn b3_a_provider_that_fails_behind_the_gateway_is_called_once() {
    for (provider, model) in BOTH {
        let rig = behind_gateway(provider, model).await;
        rig.script(&json!({"http_status": 500, "error_body": {"error": "x"}, "accept_anyway": true}), None);
        assert_eq!(code(&run(&rig, TOKEN).await), "held", "{provider}");
        assert_eq!((rig.calls().len(), rig.states()), (1, vec![State::Unknown]), "{provider}");
    }
}

#[tokio::test]
async fn i3_two_identical_submits_behind_the_gateway_are_two_calls() {
    let mut rig = behind_gateway(Provider::LumaAgents, "ray-3.2").await;
    rig.spec = spec(&json!([{"provider": "luma_agents", "model": "ray-3.2", "attempts": 2}]));
    rig.script(&json!({"outcome": "fail"}), Some(1));
    assert!(matches!(run(&rig, TOKEN).await, Report::Succeeded { .. }));
    let rows = rig.journal.attempts();
    assert_eq!((rig.accepted(), rows.len()), (2, 2));
    assert_ne!(rows[0].provider_request_id, rows[1].provider_request_id);
}

#[tokio::test]
async fn b7_what_the_gateway_refuses_is_not_the_providers_word() {
    for (provider, model) in BOTH {
        for (token, more, class, calls) in [
            ("wrong", json!({}), ErrorClass::Authentication, 0),
            (TOKEN, json!({"refuses": ["POST", 400, 2016]}), ErrorClass::Refusal, 0),
            (TOKEN, json!({"refuses": ["POST", 429, 2003]}), ErrorClass::RateLimited, 0),
        ] {
            let rig = behind_gateway(provider, model).await;
            gate(&rig, &more);
            assert!(matches!(run(&rig, token).await, Report::Failed { .. }), "{provider} {more}");
            assert_eq!(rig.calls().len(), calls, "{provider} {more}");
            let row = rig.attempt();
            assert_eq!(row.error.unwrap().class, class, "{provider} {more}");
            assert_eq!(row.cost.unwrap().amount.micros(), 0, "{provider}: nothing was called");
        }
    }
}

#[tokio::test]
async fn b3_an_answer_that_the_gateway_withholds_is_unknown_and_not_paid_again() {
    for (provider, model) in BOTH {
        let rig = behind_gateway(provider, model).await;
        gate(&rig, &json!({"refuses": ["POST", 400, 2017], "withholds": true}));
        assert_eq!(code(&run(&rig, TOKEN).await), "held", "{provider}");
        assert_eq!((rig.accepted(), rig.states()), (1, vec![State::Unknown]), "{provider}");
    }
}

#[tokio::test]
async fn b2_a_gateways_404_is_no_provider_that_lost_the_request() {
    let mut rig = behind_gateway(Provider::LumaAgents, "ray-3.2").await;
    gate(&rig, &json!({"refuses": ["GET", 404, 7003]}));
    rig.deadline_at = chrono::Utc::now() + std::time::Duration::from_secs(2);
    assert_eq!(code(&run(&rig, TOKEN).await), "DEADLINE_EXCEEDED");
    // Polled on and on, and given up with its price open: not taken for lost, not called again.
    let error = rig.attempt().error.unwrap();
    assert_eq!(error.code.as_deref(), Some("deadline_exceeded"));
    assert_eq!((rig.accepted(), rig.attempt().cost), (1, None));
    assert!(rig.simulator.passed_gateway().len() > 3);
}
