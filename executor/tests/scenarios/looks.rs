//! Later looks at attempts whose fate or price was not known when they ended: free, and outside of any execution.

use std::time::Duration;

use chrono::Utc;
use domain::attempt::{Attempt, State};
use domain::execution::{Finding, Look, LookAt, Report};
use domain::provider::Provider;
use executor::providers::{Recovered, Sought};
use serde_json::{Value, json};

use crate::stand::keyed;
use crate::support::serve::Server;
use crate::support::{Rig, code, spec, until};

/// What the daemon answers to a look at one attempt.
async fn look(rig: &Rig, attempt: &Attempt, request: &Value) -> Vec<Finding> {
    let at = LookAt { attempt: attempt.clone(), request: request.clone(), others: Vec::new() };
    let look = Look { job: rig.job, spec: rig.spec.clone(), attempts: vec![at] };
    let server = Server::start(executor::server::router(rig.executions())).await;
    let tls = executor::net::tls(None).unwrap();
    let http = executor::net::free_client(&tls, Duration::from_secs(20)).unwrap();
    let url = format!("{}/executions/{}/looks", server.url, rig.job);
    let answer = http.put(url).json(&look).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let looked: Value = answer.json().await.unwrap();
    serde_json::from_value(looked["findings"].clone()).unwrap()
}

fn posts(rig: &Rig) -> usize {
    rig.calls().len()
}

#[tokio::test]
async fn f9_a_run_that_outlives_its_job_is_priced_later_and_never_called_again() {
    let mut rig =
        Rig::scripted(&json!({"queue_ms": 0, "run_ms": 1500, "ignore_cancel": true, "units": "8"})).await;
    rig.deadline_at = Utc::now() + Duration::from_millis(700);
    let report = rig.run().await;
    assert_eq!(code(&report), "DEADLINE_EXCEEDED");
    let given_up = rig.attempt();
    assert_eq!((given_up.state, &given_up.cost), (State::Abandoned, &None), "no refund is invented");
    assert_eq!(look(&rig, &given_up, &Value::Null).await, [], "it still runs");
    until("the run's end", || rig.calls()[0]["state"] == "succeeded").await;
    let findings = look(&rig, &given_up, &Value::Null).await;
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!((finding.attempt, &finding.found), (given_up.id, &None));
    assert_eq!(finding.cost.as_ref().unwrap().amount.to_string(), "3.200000");
    assert_eq!((posts(&rig), rig.states()), (1, vec![State::Abandoned]), "the look itself writes nothing");
}

#[tokio::test]
async fn b3_a_look_finds_a_call_by_what_the_provider_can_be_searched_by() {
    for (provider, model) in [
        (Provider::Kling, "kling-3.0"),
        (Provider::KlingV1, "kling-v2-1"),
        (Provider::Replicate, "google/veo-3-fast"),
        (Provider::LumaDreamMachine, "ray-2"),
    ] {
        let mut rig = Rig::of(provider, model).await;
        rig.spec = spec(&json!([{"provider": provider, "model": model, "attempts": 1}]));
        rig.journal.with(|job| job.callbacks = Some("https://afc.example/v1/callbacks/x".to_owned()));
        assert!(matches!(rig.run().await, Report::Succeeded { .. }), "{provider}");
        let known = rig.attempt();
        // As if the answer had been lost, and the look-up of that time had found nothing.
        let lost = Attempt {
            state: State::Unknown,
            provider_request_id: None,
            captured: std::collections::BTreeMap::new(),
            cost: None,
            usage: None,
            ..known.clone()
        };
        let request = rig.journal.with(|job| job.requests[0].clone());
        let findings = look(&rig, &lost, &request).await;
        let [finding] = findings.as_slice() else { panic!("{provider}: {findings:?}") };
        let found = finding.found.as_ref().map(|found| &found.provider_request_id);
        assert_eq!(found, known.provider_request_id.as_ref(), "{provider}");
        assert_eq!((&finding.cost, &finding.usage), (&known.cost, &known.usage), "{provider}");
        assert_eq!(posts(&rig), 1, "{provider}");
    }
}

#[tokio::test]
async fn a_look_at_a_call_that_never_arrived_does_not_make_it() {
    for provider in Provider::ALL {
        let rig = Rig::of(provider, "some/model").await;
        let never: Attempt = serde_json::from_value(json!({
            "id": uuid::Uuid::now_v7(), "ordinal": 1, "chain_index": 0, "provider": provider, "model": "some/model",
            "lease": 1, "state": "unknown", "started_at": Utc::now()
        }))
        .unwrap();
        let request = json!({"input": {"prompt": "a cat"}, "prompt": "a cat"});
        assert_eq!(look(&rig, &never, &request).await, [], "{provider}");
        assert_eq!(posts(&rig), 0, "{provider}");
    }
}

/// Sending a request again under its key is a way to find it, and one that would make it if it never arrived.
#[tokio::test]
async fn a_look_does_not_send_again_what_a_recovery_would() {
    let rig = Rig::of(Provider::Runway, "gen4.5").await;
    assert!(matches!(rig.run().await, Report::Succeeded { .. }));
    let request = rig.journal.with(|job| job.requests[0].clone());
    let adapter = keyed::adapter(&rig.config());
    let looked = adapter.look(Sought { attempt: &rig.attempt(), request: &request, others: &[] }).await;
    assert!(matches!(looked, Recovered::CannotTell), "{looked:?}");
    assert_eq!(posts(&rig), 1);
}
