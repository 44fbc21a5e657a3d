use std::{
    collections::BTreeMap,
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Event, next, perform};
use crate::replay::{Failure, Policy, Steps};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Activity {
    Greet { name: String },
}

#[derive(Deserialize)]
struct Params {
    name: String,
}

async fn greet(steps: Steps<Activity>, event: Event<Params>) -> Result<String, Failure> {
    let policy = Policy::once(Duration::from_secs(1));
    let greeting: String =
        steps.perform("greet", policy, Activity::Greet { name: event.payload.name }).await?;
    Ok(format!("{}: {greeting} ({})", event.instance_id, event.timestamp))
}

/// The event as the engine gives it, with a field that we do not read.
const EVENT: &str = r#"{"payload": {"name": "ann"}, "timestamp": "2026-12-01T00:00:00.000Z",
    "instanceId": "i-1", "workflowName": "greetings", "schedule": null}"#;

fn decided(event: &str, history: &str) -> Value {
    serde_json::from_str(&next(event, history, greet)).expect("JSON")
}

/// Runs what never has to wait.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("pending"),
    }
}

async fn act(activity: Activity, attempt: u32) -> Result<String, Failure> {
    let Activity::Greet { name } = activity;
    if attempt < 2 { Err(Failure::new("ShyError", "not yet")) } else { Ok(format!("hello {name}")) }
}

#[test]
fn the_loop_is_led_to_the_end() {
    let config = json!({"retries": {"limit": 0, "delay": 0, "backoff": "constant"}, "timeout": 1000});
    let activity = json!({"kind": "greet", "name": "ann"});
    assert_eq!(
        decided(EVENT, "[]"),
        json!({"op": "do", "name": "greet", "config": config, "activity": activity})
    );
    let text = activity.to_string();
    assert_eq!(now(perform(&text, 1, act)), r#"{"err":{"name":"ShyError","message":"not yet"}}"#);
    assert_eq!(now(perform(&text, 2, act)), r#"{"ok":"hello ann"}"#);
    let history = r#"[{"op": "do", "name": "greet", "ok": "hello ann"}]"#;
    let output = "i-1: hello ann (2026-12-01T00:00:00.000Z)";
    assert_eq!(decided(EVENT, history), json!({"op": "done", "output": output}));
}

#[test]
fn input_that_cannot_be_read_is_a_named_failure() {
    let name = |command: Value| command["failure"]["name"].clone();
    assert_eq!(name(decided("{}", "[]")), "MalformedEventError");
    assert_eq!(name(decided(EVENT, "")), "MalformedHistoryError");
    assert_eq!(name(decided(EVENT, r#"[{"ok": 1}]"#)), "MalformedHistoryError");

    let outcome: Value = serde_json::from_str(&now(perform(r#"{"kind": "shout"}"#, 1, act))).expect("JSON");
    assert_eq!(outcome["err"]["name"], "NonRetryableError");
    let message = outcome["err"]["message"].as_str().expect("text");
    assert!(message.starts_with("MalformedActivityError: unknown variant `shout`"), "{message}");
}

#[test]
fn an_activity_without_a_json_form_is_a_named_failure() {
    let body = async |steps: Steps<BTreeMap<Vec<u8>, u8>>, _: Event<Value>| {
        steps.perform::<()>("a", Policy::once(Duration::from_secs(1)), BTreeMap::from([(vec![1], 1)])).await
    };
    let command: Value = serde_json::from_str(&next(EVENT, "[]", body)).expect("JSON");
    assert_eq!(command["failure"]["name"], "MalformedActivityError");
}

#[test]
fn a_result_that_is_too_large_is_not_retried() {
    let outcome = now(perform("null", 1, async |(), _| Ok("x".repeat(1 << 20))));
    let outcome: Value = serde_json::from_str(&outcome).expect("JSON");
    assert_eq!(outcome["err"]["name"], "NonRetryableError");
}
