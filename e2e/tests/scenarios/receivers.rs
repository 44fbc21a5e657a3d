//! The examples of `docs/receivers`, each with the official library of its language, on deliveries of this stack.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use e2e::{Delivery, Stack, marker};
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use standardwebhooks::Webhook;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::clients::Tenant;

#[path = "../../../docs/receivers/rust/receive.rs"]
mod receive;
use receive::Answer;

/// A request to a receiver that holds `secret`, and what it must answer.
struct Case {
    secret: String,
    headers: BTreeMap<String, String>,
    body: String,
    answer: &'static str,
}

fn case(delivery: &Delivery, secret: &str, answer: &'static str) -> Case {
    let headers = delivery.headers.iter().filter(|(name, _)| name.starts_with("webhook-")).cloned().collect();
    Case { secret: secret.to_owned(), headers, body: delivery.body.clone(), answer }
}

fn in_rust(cases: &[Case]) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    let answers = cases.iter().map(|case| {
        let headers: HeaderMap = case
            .headers
            .iter()
            .map(|(name, value)| (name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap()))
            .collect();
        let remember = |id: &str| seen.insert(id.to_owned());
        match receive::receive(&case.secret, &headers, case.body.as_bytes(), remember) {
            Answer::New => "new",
            Answer::Duplicate => "duplicate",
            Answer::Refused => "refused",
        }
    });
    answers.map(str::to_owned).collect()
}

/// What a program answers that reads the requests line by line.
async fn in_program(program: &Path, script: &Path, cases: &[Case]) -> Vec<String> {
    let mut child = Command::new(program)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for case in cases {
        let line = json!({"secret": case.secret, "headers": case.headers, "body": case.body});
        input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }
    drop(input);
    let output = child.wait_with_output().await.unwrap();
    assert!(output.status.success(), "{} ended with {}", script.display(), output.status);
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Two tries of one event to an endpoint whose secret was rotated before them: the old one signs beside the new one.
/// Then one after its time. Returns the deliveries and the secrets: the last and the first.
async fn deliveries() -> (Vec<Delivery>, String, String) {
    let stack = Stack::running();
    // A client of its own: another's events would come here too.
    let (api, mark) = (Tenant::new(&stack, "official").await.api, marker("official"));
    let send = async |method, path: String, body: Value| {
        let answer = api.send(api.request(method, &path).json(&body)).await;
        assert!((200..300).contains(&answer.status), "{path}: {}", answer.body);
        answer
    };
    stack.receiver().script(&mark, &json!({"statuses": [500, 200]})).await;
    let body = json!({"url": stack.receiver().hook(&mark), "event_types": ["generation.cancelled"]});
    let endpoint = send(Method::POST, "/v1/webhook-endpoints".to_owned(), body).await;
    let (path, old) = (format!("/v1/webhook-endpoints/{}", endpoint.text("/id")), endpoint.text("/secret"));
    send(Method::POST, format!("{path}/secret/rotate"), json!({"overlap_seconds": 3600})).await;
    // A `v1a` signature beside `v1` must not trouble a library that does not know it.
    send(Method::POST, format!("{path}/key/rotate"), json!({})).await;
    send(Method::POST, format!("{path}/test"), json!({})).await;
    let mut all = stack.receiver().until(&mark, 2).await;
    let last = send(Method::POST, format!("{path}/secret/rotate"), json!({"overlap_seconds": 0})).await;
    send(Method::POST, format!("{path}/test"), json!({})).await;
    all = stack.receiver().until(&mark, all.len() + 1).await;
    send(Method::DELETE, path, json!({})).await;
    (all, last.text("/secret").to_owned(), old.to_owned())
}

fn cases(all: &[Delivery], last: &str, old: &str) -> Vec<Case> {
    let [first, second, third] = all else { unreachable!("{} deliveries", all.len()) };
    let mut cases = vec![
        case(first, old, "new"),
        // The retry, under its own timestamp and signature.
        case(second, old, "duplicate"),
        case(third, last, "new"),
        // Rotated out; somebody else's; none that was ever one.
        case(third, old, "refused"),
        case(third, &format!("whsec_{}", STANDARD.encode([7; 32])), "refused"),
        case(third, "hunter2", "refused"),
    ];
    let mut tampered = case(third, last, "refused");
    tampered.body = tampered.body.replace("webhook.test", "webhook.tesT");
    cases.push(tampered);
    let mut other_id = case(third, last, "refused");
    other_id.headers.insert("webhook-id".to_owned(), "another".to_owned());
    cases.push(other_id);
    // Rightly signed, ten minutes ago.
    let mut stale = case(third, last, "refused");
    let sent = stale.headers["webhook-timestamp"].parse::<i64>().unwrap() - 600;
    let webhook = Webhook::new(last).unwrap();
    let signature = webhook.sign(&stale.headers["webhook-id"], sent, stale.body.as_bytes()).unwrap();
    stale.headers.insert("webhook-timestamp".to_owned(), sent.to_string());
    stale.headers.insert("webhook-signature".to_owned(), signature);
    cases.push(stale);
    cases
}

#[tokio::test]
async fn b12_a39_the_official_libraries_accept_what_is_ours_once_and_nothing_else() {
    let (all, last, old) = deliveries().await;
    assert_eq!(all[0].header("webhook-id"), all[1].header("webhook-id"));
    let cases = cases(&all, &last, &old);
    let wanted: Vec<&str> = cases.iter().map(|case| case.answer).collect();
    assert_eq!(in_rust(&cases), wanted, "Rust");
    let receivers = root().join("docs/receivers");
    let node = root().join("node_modules/.bin/node");
    let typescript = in_program(&node, &receivers.join("typescript/main.mts"), &cases).await;
    assert_eq!(typescript, wanted, "TypeScript");
    // Set by `cargo xtask test`: the Python that has the library.
    let python = std::env::var_os("AFC_PYTHON");
    assert!(python.is_some(), "AFC_PYTHON is not set: run the scenarios with `cargo xtask test`");
    let python = python.unwrap();
    let python = in_program(Path::new(&python), &receivers.join("python/main.py"), &cases).await;
    assert_eq!(python, wanted, "Python");
}
