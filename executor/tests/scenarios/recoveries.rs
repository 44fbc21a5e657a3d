//! What a provider may offer for a submit of unknown outcome (B3): descriptions that do not ship yet.

use std::sync::{Arc, Mutex};

use axum::extract::{Request, State as Shared};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use domain::Secret;
use domain::attempt::State;
use domain::provider::Provider;
use executor::execution::{Parts, execute};
use executor::executions::Order;
use executor::net;
use executor::providers::description::{
    Absence, Cancel, Description, Errors, Field, Fits, Form, Method, Outputs, Place, Poll, Recovery,
    ResultSource, Route, Source, Status, Submit, Takes, Usage,
};
use executor::providers::{Adapter, Adapters, ProviderClients};
use serde_json::{Value, json};

use crate::support::serve::{Server, hang_up};
use crate::support::{Rig, code};

const fn described(recovery: Recovery) -> Description {
    Description {
        provider: Provider::Fal,
        base_url: "https://api.example",
        hosts: &[],
        auth: ("x-key", "{key}"),
        headers: &[],
        submit: Submit {
            routes: &[Route { when: Fits::Always, url: "{base}/jobs" }],
            options: "",
            fields: &[Field { from: Source::Prompt, to: "/input/text", form: Form::Same, forms: &[] }],
            media: Takes::NOTHING,
            callback: None,
            reference: Some("/reference"),
            accepted: &[("/code", "0")],
            request_id: "/data/id",
            captures: &[],
        },
        recovery,
        poll: Poll {
            urls: &["{base}/jobs/{id}"],
            status: "/data/done",
            words: &[("false", Status::Pending), ("true", Status::Done)],
            absent: Some(Status::Pending),
            min_interval_ms: 0,
        },
        result: ResultSource::Poll,
        outputs: Outputs::at(&["/data/files/*"]),
        cancel: Some(Cancel { method: Method::Delete, urls: &["{base}/jobs/{id}"], only_in: &[] }),
        usage: Some(Usage { at: Place::Body("/data/seconds"), unit: None, more: &[] }),
        quote: None,
        errors: Errors { code: &[Place::Body("/code")], message: &["/message"], rules: &[] },
    }
}

static LOOKUP: Description = described(Recovery::Lookup {
    urls: &["{base}/by-reference/{attempt}"],
    request_id: "/data/id",
    absence: Absence::Proven,
});
static RESEND: Description = described(Recovery::Resend { header: "idempotency-key" });

#[derive(Clone, Default)]
struct Shop(Arc<Mutex<Stock>>);

#[derive(Default)]
struct Stock {
    /// Our reference of each accepted job.
    accepted: Vec<String>,
    submits: usize,
    /// The first submit is not taken, or taken; either way its connection is reset.
    loses_first: bool,
}

async fn shop(Shared(shop): Shared<Shop>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let path = parts.uri.path().to_owned();
    let mut stock = shop.0.lock().unwrap();
    let job = |id: usize| Json(json!({"code": 0, "data": {"id": format!("job-{id}")}})).into_response();
    if path == "/jobs" {
        stock.submits += 1;
        let body: Value = serde_json::from_slice(&body).unwrap();
        let reference = body["reference"].as_str().unwrap().to_owned();
        assert_eq!(body["input"]["text"], "a cat");
        let lost = stock.submits == 1;
        let known = stock.accepted.iter().position(|known| *known == reference);
        let idempotent = parts.headers.contains_key("idempotency-key");
        let repeated = idempotent && known.is_some();
        if !(repeated || lost && stock.loses_first) {
            stock.accepted.push(reference);
        }
        let id = stock.accepted.len();
        drop(stock);
        return if lost { hang_up() } else { job(id) };
    }
    if let Some(reference) = path.strip_prefix("/by-reference/") {
        let found = stock.accepted.iter().position(|known| known == reference);
        return found.map_or_else(|| StatusCode::NOT_FOUND.into_response(), |index| job(index + 1));
    }
    if path == "/media" {
        return ([("content-type", "video/webm")], &b"\x1a\x45\xdf\xa3more"[..]).into_response();
    }
    let host = parts.headers["host"].to_str().unwrap();
    Json(json!({"code": 0, "data": {"done": true, "seconds": 4, "files": [format!("http://{host}/media")]}}))
        .into_response()
}

/// Runs a job whose first submit gets no answer; the shop's stock and the journal's states afterwards.
async fn recovered(description: &'static Description, loses_first: bool) -> (Rig, Shop) {
    let rig = Rig::new().await;
    let stock = Shop::default();
    stock.0.lock().unwrap().loses_first = loses_first;
    let server = Server::start(Router::new().fallback(shop).with_state(stock.clone())).await;
    let tls = net::tls(None).unwrap();
    let clients = ProviderClients {
        submit: net::submit_client(&tls, std::time::Duration::from_secs(5)).unwrap().into(),
        free: net::free_client(&tls, std::time::Duration::from_secs(5)).unwrap().into(),
        patience: std::time::Duration::from_secs(5),
    };
    let adapter = Adapter::new(description, server.url.parse().unwrap(), &Secret::new("k"), clients).unwrap();
    let parts = Parts { adapters: Adapters::of([(Provider::Fal, adapter)]), ..rig.parts() };
    assert_eq!(code(&execute(&parts, &Order::detached(rig.submit())).await), "succeeded");
    (rig, stock)
}

#[tokio::test]
async fn b3_a_look_up_by_our_reference_finds_the_lost_call() {
    let (rig, shop) = recovered(&LOOKUP, false).await;
    let stock = shop.0.lock().unwrap();
    assert_eq!((stock.submits, stock.accepted.len()), (1, 1));
    assert_eq!(
        (rig.states(), rig.attempt().provider_request_id.as_deref()),
        (vec![State::Succeeded], Some("job-1"))
    );
    assert_eq!(rig.attempt().usage.unwrap().units.to_string(), "4.000000");
}

#[tokio::test]
async fn b3_a_look_up_proves_that_a_call_never_arrived() {
    let (rig, shop) = recovered(&LOOKUP, true).await;
    let stock = shop.0.lock().unwrap();
    assert_eq!((stock.submits, stock.accepted.len()), (2, 1));
    assert_eq!(rig.states(), [State::Failed, State::Succeeded]);
    let first = rig.journal.attempts().remove(0);
    assert_eq!(first.error.unwrap().code.as_deref(), Some("never_arrived"));
}

#[tokio::test]
async fn i4_an_idempotency_key_makes_the_repeat_the_same_call() {
    for loses_first in [false, true] {
        let (rig, shop) = recovered(&RESEND, loses_first).await;
        let stock = shop.0.lock().unwrap();
        assert_eq!((stock.submits, stock.accepted.len()), (2, 1));
        assert_eq!(rig.states(), [State::Succeeded]);
    }
}
