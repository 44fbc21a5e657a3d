//! W3C Trace Context, from the request to the provider and the receiver.

use e2e::{Api, Stack, eventually, marker};
use serde_json::json;

const CALLERS: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// Trace id and span id of a `traceparent`.
fn parts(traceparent: &str) -> (&str, &str) {
    let parts: Vec<&str> = traceparent.split('-').collect();
    let ["00", trace, span, _] = parts[..] else { unreachable!("no traceparent: {traceparent}") };
    assert_eq!((trace.len(), span.len()), (32, 16), "{traceparent}");
    (trace, span)
}

/// Creates a generation with these headers and follows it: the provider's and the receiver's `traceparent`, and the
/// receiver's `tracestate`.
async fn followed(name: &str, headers: &[(&str, &str)]) -> (String, String, Option<String>) {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker(name));
    let mut body = Api::video(&mark);
    body["callback_url"] = json!(stack.receiver().hook(&mark));
    let mut request = api.request(reqwest::Method::POST, "/v1/generations").header("idempotency-key", &mark);
    for (header, value) in headers {
        request = request.header(*header, *value);
    }
    let created = api.send(request.json(&body)).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let id = created.text("/id");
    api.ended(id).await;

    let calls = stack.simulator().calls(&mark).await;
    let provider = calls[0].header("traceparent").unwrap().to_owned();
    // The caller's words for other systems are none of the provider's business.
    assert_eq!(calls[0].header("tracestate"), None);
    let attempts = api.attempts(id).await;
    let attempt = attempts[0]["id"].as_str().unwrap().replace('-', "");
    assert_eq!(parts(&provider).1, attempt.get(16..).unwrap(), "the span of a call is named by its attempt");

    let delivery = stack.receiver().until(&mark, 1).await.remove(0);
    let state = delivery.headers.iter().find(|(header, _)| header == "tracestate");
    (provider, delivery.header("traceparent").to_owned(), state.map(|(_, value)| value.clone()))
}

#[tokio::test]
async fn a_callers_trace_reaches_the_provider_and_the_receiver() {
    let parent = format!("00-{CALLERS}-00f067aa0ba902b7-01");
    let headers = [("traceparent", &*parent), ("tracestate", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE")];
    let (provider, receiver, state) = followed("traced", &headers).await;
    assert_eq!((parts(&provider).0, parts(&receiver).0), (CALLERS, CALLERS));
    assert_ne!(parts(&provider).1, parts(&receiver).1);
    assert_eq!(state.as_deref(), Some("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"));
}

#[tokio::test]
async fn a_traceparent_that_is_not_valid_begins_a_trace() {
    let parent = format!("00-{CALLERS}-0000000000000000-01");
    let (provider, receiver, state) =
        followed("untraced", &[("traceparent", &*parent), ("tracestate", "rojo=1")]).await;
    assert_ne!(parts(&provider).0, CALLERS);
    assert_eq!(parts(&provider).0, parts(&receiver).0);
    assert_eq!(state, None);
}

#[tokio::test]
async fn a_style_runs_generations_and_events_have_its_trace() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("traced-run"));
    let body = Api::two_pictures(&mark, &stack.receiver().hook(&mark));
    let request = api.request(reqwest::Method::POST, "/v1/style-runs").header("idempotency-key", &mark);
    let request = request.header("traceparent", format!("00-{CALLERS}-00f067aa0ba902b7-00"));
    let created = api.send(request.json(&body)).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let calls = eventually("both candidates' calls", async || {
        let calls = stack.simulator().calls(&mark).await;
        (calls.len() >= 2).then_some(calls)
    })
    .await;
    for call in &calls {
        assert_eq!(parts(call.header("traceparent").unwrap()).0, CALLERS);
    }
    let delivery = stack.receiver().until(&mark, 1).await.remove(0);
    assert_eq!(parts(delivery.header("traceparent")).0, CALLERS);
    assert!(delivery.header("traceparent").ends_with("-00"), "not sampled stays not sampled");
    api.cancel_run(created.text("/id")).await;
}
