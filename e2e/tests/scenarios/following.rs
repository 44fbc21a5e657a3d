//! Waiting for a generation: one long answer, the timeline, and the stream of events.

use std::time::{Duration, Instant};

use e2e::{Api, Stack, marker};
use reqwest::Method;
use serde_json::{Value, json};

/// One event of a stream: its id, its type, its data.
type Event = (Option<String>, String, Value);

/// Reads a stream until `enough` says so or it ends.
async fn read(api: &Api, path: &str, last: Option<&str>, enough: impl Fn(&[Event]) -> bool) -> Vec<Event> {
    let mut request = api.request(Method::GET, path);
    if let Some(last) = last {
        request = request.header("last-event-id", last);
    }
    let mut response = request.send().await.unwrap();
    assert_eq!(response.status().as_u16(), 200);
    assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/event-stream"));
    let (mut text, mut events) = (String::new(), Vec::new());
    while let Some(piece) = response.chunk().await.unwrap() {
        text.push_str(std::str::from_utf8(&piece).unwrap());
        while let Some((block, rest)) = text.split_once("\n\n") {
            let field =
                |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
            if let Some(kind) = field("event: ") {
                events.push((field("id: "), kind, serde_json::from_str(&field("data: ").unwrap()).unwrap()));
            }
            text = rest.to_owned();
        }
        if enough(&events) {
            break;
        }
    }
    events
}

fn kinds(events: &[Event]) -> Vec<&str> {
    events.iter().map(|(_, kind, _)| kind.as_str()).collect()
}

async fn timeline(api: &Api, id: &str) -> Vec<Value> {
    let answer = api.send(api.request(Method::GET, &format!("/v1/generations/{id}/timeline"))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn one_request_waits_for_the_end() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("waited-for"));
    let id = api.created(&mark, &Api::video(&mark)).await;
    let path = format!("/v1/generations/{id}?wait=60");
    let answer = api.send(api.request(Method::GET, &path)).await;
    assert_eq!((answer.status, answer.text("/status")), (200, "succeeded"), "{}", answer.body);
    // An ended one is not waited for.
    let asked = Instant::now();
    assert_eq!(api.send(api.request(Method::GET, &path)).await.text("/status"), "succeeded");
    assert!(asked.elapsed() < Duration::from_mins(1));
}

#[tokio::test]
async fn a_wait_ends_with_its_time() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("waited-in-vain"));
    stack.simulator().script(&mark, &json!({"never_finish": true})).await;
    let id = api.created(&mark, &Api::video(&mark)).await;
    let asked = Instant::now();
    let answer = api.send(api.request(Method::GET, &format!("/v1/generations/{id}?wait=2"))).await;
    assert!(asked.elapsed() >= Duration::from_secs(2));
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(["queued", "running"].contains(&answer.text("/status")), "{}", answer.body);
    for wrong in ["wait=61", "wait=a", "wiat=1"] {
        let refused = api.send(api.request(Method::GET, &format!("/v1/generations/{id}?{wrong}"))).await;
        assert_eq!((refused.status, refused.text("/code")), (400, "INVALID_REQUEST"), "{wrong}");
    }
    api.cancel(&id).await;
}

#[tokio::test]
async fn a_stream_that_breaks_goes_on_without_loss_or_repetition() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("followed"));
    stack.simulator().script(&mark, &json!({"run_ms": 3000})).await;
    let id = api.created(&mark, &Api::video(&mark)).await;
    let path = format!("/v1/generations/{id}/events");
    // Broken off while the provider works, then at each later event.
    let mut told = read(&api, &path, None, |events| kinds(events).contains(&"attempt.opened")).await;
    while kinds(&told).last() != Some(&"end") {
        let last = told.last().and_then(|(id, ..)| id.clone()).unwrap();
        told.extend(read(&api, &path, Some(&last), |events| !events.is_empty()).await);
    }
    assert_eq!(told.pop().unwrap(), (None, "end".to_owned(), json!({})));
    assert_eq!(
        kinds(&told),
        [
            "generation.queued",
            "generation.running",
            "attempt.opened",
            "attempt.accepted",
            "attempt.succeeded",
            "generation.succeeded"
        ]
    );
    let line = timeline(&api, &id).await;
    let data: Vec<Value> = told.iter().map(|(_, _, data)| data.clone()).collect();
    assert_eq!(data, line, "the stream tells the timeline");
    for (id, kind, data) in &told {
        assert_eq!((id.as_deref(), Some(kind.as_str())), (data["id"].as_str(), data["type"].as_str()));
    }

    // Who has everything is told to stay away; the query does what the header does.
    let last = told.last().unwrap().0.clone().unwrap();
    let over = api.send(api.request(Method::GET, &path).header("last-event-id", &last)).await;
    assert_eq!(over.status, 204, "{}", over.body);
    let first = told[0].0.clone().unwrap();
    let rest = read(&api, &format!("{path}?last_event_id={first}"), None, |_| false).await;
    assert_eq!(rest.len(), told.len(), "all but the first, and the end");
    let wrong = api.send(api.request(Method::GET, &path).header("last-event-id", "x")).await;
    assert_eq!((wrong.status, wrong.text("/code")), (400, "INVALID_REQUEST"), "{}", wrong.body);
}

#[tokio::test]
async fn a_failed_job_s_stream_says_why() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("followed-failure"));
    stack.simulator().script(&mark, &json!({"outcome": "refuse"})).await;
    let id = api.created(&mark, &Api::video(&mark)).await;
    let told = read(&api, &format!("/v1/generations/{id}/events"), None, |_| false).await;
    let [.., (_, kind, data), (None, end, _)] = &told[..] else { unreachable!("{told:?}") };
    assert_eq!((kind.as_str(), end.as_str()), ("generation.failed", "end"));
    assert_eq!(data["data"]["error"]["code"], "PROVIDER_REFUSED", "{data}");
    let refused = told.iter().find(|(_, kind, _)| kind == "attempt.failed").unwrap();
    assert_eq!(refused.2["data"]["class"], "refusal", "{}", refused.2);
}
