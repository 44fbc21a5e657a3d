//! If this exact call happens twice, what does the second one see?

use std::collections::HashSet;
use std::time::Duration;

use e2e::{Api, Stack, marker};
use futures::future::join_all;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

#[tokio::test]
async fn a6_a8_the_same_key_and_body_is_the_same_job_in_every_state() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("replay"));
    let body = Api::video(&mark);
    let id = api.created(&mark, &body).await;
    let early = api.create(&mark, &body).await;
    assert_eq!((early.status, early.text("/id")), (202, id.as_str()));
    api.ended(&id).await;
    let late = api.create(&mark, &body).await;
    assert_eq!((late.status, late.text("/id"), late.text("/status")), (202, id.as_str(), "succeeded"));
    assert_eq!(late.header("idempotent-replayed"), Some("true"));
    assert_eq!(late.header("location"), Some(format!("/v1/generations/{id}").as_str()));
    assert_eq!(stack.simulator().accepted(&mark).await, 1);
}

#[tokio::test]
async fn f28_the_same_body_written_otherwise_is_a_replay() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("canonical"));
    let id = api.created(&mark, &Api::video(&mark)).await;
    let otherwise = format!(
        "{{ \"chain\": [{{\"model\":\"fal-ai\\/veo3.1\", \"provider\":\"\\u0066al\"}}],\n \
         \"input\": {{\"duration_seconds\": 8.0, \"prompt\": \"{mark}\"}}, \"kind\": \"video\" }}"
    );
    let request = api.request(reqwest::Method::POST, "/v1/generations").header("idempotency-key", &mark);
    let answer = api.send(request.header("content-type", "application/json").body(otherwise)).await;
    assert_eq!((answer.status, answer.text("/id")), (202, id.as_str()), "{}", answer.body);
}

#[tokio::test]
async fn a6_the_same_key_with_another_body_is_a_conflict() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("conflict"));
    let id = api.created(&mark, &Api::video(&mark)).await;
    let answer = api.create(&mark, &Api::video(&format!("{mark} at night"))).await;
    assert_eq!((answer.status, answer.text("/code")), (409, "IDEMPOTENCY_CONFLICT"));
    assert!(answer.text("/detail").contains(&id), "{}", answer.body);
    api.ended(&id).await;
    assert_eq!(stack.simulator().calls(&mark).await.len(), 1);
}

#[tokio::test]
async fn a7_i1_a_hundred_identical_requests_at_once_make_one_job() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("hundred"));
    let body = Api::video(&mark);
    let answers = join_all((0..100).map(|_| api.create(&mark, &body))).await;
    let fresh = answers.iter().filter(|answer| answer.status == 201).count();
    let replayed = answers.iter().filter(|answer| answer.status == 202).count();
    assert_eq!(
        (fresh, replayed),
        (1, 99),
        "{:?}",
        answers.iter().map(|answer| answer.status).collect::<Vec<_>>()
    );
    let ids: HashSet<&str> = answers.iter().map(|answer| answer.text("/id")).collect();
    assert_eq!(ids.len(), 1);
    let id = answers[0].text("/id");
    assert_eq!(api.ended(id).await["status"], "succeeded");
    assert_eq!(stack.simulator().calls(&mark).await.len(), 1);
    assert_eq!(api.attempts(id).await.len(), 1);
    // Every Workflow that was ever started is named by a job that exists: no loser's id was (A9, I1).
    let instances = stack.workflow_instances().await;
    assert!(instances.iter().any(|name| name == id), "{instances:?}");
    for name in instances {
        assert!(api.is_anybodys(&name).await, "a Workflow without a job: {name}");
    }
}

#[tokio::test]
async fn a7_a_hundred_requests_with_two_bodies_make_one_job_and_conflicts() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("two-bodies"));
    let bodies = [Api::video(&mark), Api::video(&format!("{mark} at night"))];
    let answers = join_all((0..100).map(|n| api.create(&mark, &bodies[n % 2]))).await;
    let count = |status: u16| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!((count(201), count(202), count(409)), (1, 49, 50));
    let ids: HashSet<&str> = answers.iter().filter(|a| a.status != 409).map(|a| a.text("/id")).collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(api.ended(ids.into_iter().next().unwrap()).await["status"], "succeeded");
    assert_eq!(stack.simulator().calls(&mark).await.len(), 1);
}

#[tokio::test]
async fn a12_f12_replaying_an_old_key_wakes_nothing() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("old-key"));
    stack.simulator().script(&mark, &json!({"outcome": "refuse"})).await;
    let body = Api::video(&mark);
    let id = api.created(&mark, &body).await;
    let failed = api.ended(&id).await;
    assert_eq!(failed["status"], "failed");
    let calls = stack.simulator().calls(&mark).await.len();
    let replay = api.create(&mark, &body).await;
    assert_eq!((replay.status, &replay.body), (202, &failed));
    assert_eq!(api.get(&id).await, failed);
    assert_eq!(stack.simulator().calls(&mark).await.len(), calls);
}

#[tokio::test]
async fn f27_a_query_that_nobody_reads_is_refused_and_never_a_replay() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("query"));
    api.created(&mark, &Api::video(&mark)).await;
    let request =
        api.request(reqwest::Method::POST, "/v1/generations?model=other").header("idempotency-key", &mark);
    let answer = api.send(request.json(&Api::video(&mark))).await;
    assert_eq!((answer.status, answer.text("/code")), (400, "INVALID_REQUEST"));
    assert_eq!(answer.body["id"], Value::Null);
}

#[tokio::test]
async fn f18_a_caller_that_hangs_up_gets_its_job_on_the_retry() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("hung-up"));
    let body = Api::video(&mark).to_string();
    let address = stack.api.trim_start_matches("http://");
    for patience_ms in [0, 1, 5, 20] {
        let mut socket = TcpStream::connect(address).await.unwrap();
        let request = format!(
            "POST /v1/generations HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\
             Idempotency-Key: {mark}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            stack.client_key,
            body.len()
        );
        socket.write_all(request.as_bytes()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(patience_ms)).await;
        drop(socket);
    }
    let answer = api.create(&mark, &Api::video(&mark)).await;
    assert!([201, 202].contains(&answer.status), "{}", answer.body);
    assert_eq!(api.ended(answer.text("/id")).await["status"], "succeeded");
    assert_eq!(stack.simulator().calls(&mark).await.len(), 1);
}
