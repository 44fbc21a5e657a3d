//! The examples of both clients against this stack, each through a proxy that cuts off the first answer to its create.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use e2e::{Api, Job, Stack, eventually, marker};
use reqwest::Method;
use serde_json::{Value, json};
use testkit::proxy::{self, Mode, Options, Proxy};
use tokio::process::Command;

#[path = "../../../clients/rust/examples/generate.rs"]
#[expect(dead_code, reason = "its main is for people")]
mod example;

async fn proxy_to(stack: &Stack) -> Proxy {
    let to: std::net::SocketAddr = stack.api.trim_start_matches("http://").parse().unwrap();
    proxy::start(Options::new(to)).await.unwrap()
}

/// The one job whose prompt has `mark`, once it is there.
async fn job_of(api: &Api, mark: &str) -> Job {
    eventually("the job to be recorded", async || {
        let listed = api.send(api.request(Method::GET, "/v1/generations?project=film-7&limit=100")).await;
        let mut jobs = listed.body["data"].as_array().cloned().unwrap_or_default();
        jobs.retain(|job| job["input"]["prompt"].as_str().is_some_and(|prompt| prompt.starts_with(mark)));
        assert!(jobs.len() < 2, "{jobs:?}");
        jobs.pop()
    })
    .await
}

/// Every answer is cut off until the job is there and a later try has come: then the create's own answer is lost.
async fn cut_until_recorded(stack: &Stack, proxy: &Proxy, mark: &str) -> Job {
    let job = job_of(&stack.api(), mark).await;
    let accepted = proxy.state().accepted;
    assert!(accepted > 0);
    eventually("the client to try again", async || (proxy.state().accepted > accepted).then_some(())).await;
    proxy.set(Mode::Pass).await;
    job
}

/// One job, one call, one charge: what the retry with the same key must have come to.
async fn paid_once(stack: &Stack, mark: &str, id: &str) {
    let api = stack.api();
    assert_eq!(job_of(&api, mark).await["id"], id);
    assert_eq!(stack.simulator().accepted(mark).await, 1);
    let attempts = api.attempts(id).await;
    assert_eq!(attempts.len(), 1);
    let job = api.get(id).await;
    assert_eq!(job["cost"]["priced"], attempts[0]["cost"], "{job}");
}

fn saved(mark: &str) -> PathBuf {
    std::env::temp_dir().join(format!("{mark}.mp4"))
}

async fn took(stack: &Stack, file: &Path, id: &str) {
    assert_eq!(tokio::fs::read(file).await.unwrap(), stack.api().output(id).await);
    tokio::fs::remove_file(file).await.unwrap();
}

#[tokio::test]
async fn f18_the_rust_client_keeps_its_key_when_an_answer_is_cut_off() {
    let stack = Stack::running();
    let (mark, proxy) = (marker("client-rust"), proxy_to(&stack).await);
    proxy.set(Mode::CutAfterBytes(0)).await;
    let file = saved(&mark);
    let (url, key) = (proxy.url(), stack.client_key.clone());
    let generating = async { example::generate(&url, &key, &mark, &file).await.unwrap() };
    let (made, job) = tokio::join!(generating, cut_until_recorded(&stack, &proxy, &mark));
    let id = made.value.id.to_string();
    assert!(made.replayed, "the first answer was cut off");
    assert_eq!(job["id"], id);
    paid_once(&stack, &mark, &id).await;
    took(&stack, &file, &id).await;
}

#[tokio::test]
async fn f18_the_typescript_client_keeps_its_key_when_an_answer_is_cut_off() {
    let stack = Stack::running();
    let (mark, proxy) = (marker("client-typescript"), proxy_to(&stack).await);
    proxy.set(Mode::CutAfterBytes(0)).await;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let file = saved(&mark);
    let program = Command::new(root.join("node_modules/.bin/node"))
        .arg(root.join("clients/typescript/examples/generate.ts"))
        .env("AFC_URL", proxy.url())
        .env("AFC_KEY", &stack.client_key)
        .env("AFC_WISH", &mark)
        .env("AFC_FILE", &file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let (output, job) = tokio::join!(program.wait_with_output(), cut_until_recorded(&stack, &proxy, &mark));
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    let id = said["id"].as_str().unwrap();
    assert_eq!((&said["replayed"], &job["id"]), (&json!(true), &said["id"]), "{said}");
    paid_once(&stack, &mark, id).await;
    took(&stack, &file, id).await;
}

#[tokio::test]
async fn refusals_reach_the_client_with_code_and_request() {
    use afc_client::{ChainStep, Client, Code, GenerationRequest, IdempotencyKey};
    let (stack, mark) = (Stack::running(), marker("client-refusal"));
    let afc = Client::new(&stack.api, &stack.client_key).unwrap();
    let key = IdempotencyKey::new(&mark).unwrap();
    let wish = |prompt: &str| GenerationRequest::video(prompt, [ChainStep::new("fal", "fal-ai/veo3.1")]);
    let made = afc.create_generation(&wish(&mark), &key).await.unwrap();
    let again = afc.create_generation(&wish(&mark), &key).await.unwrap();
    assert_eq!((again.value.id, made.replayed, again.replayed), (made.value.id, false, true));
    let conflict = afc.create_generation(&wish("another"), &key).await.unwrap_err();
    assert_eq!(conflict.code(), Some(&Code::IdempotencyConflict));
    assert!(conflict.problem().unwrap().request_id.is_some());
    let invalid = afc.upload(b"no picture".to_vec(), "image/png", None).await.unwrap_err();
    assert_eq!(invalid.code(), Some(&Code::InputInvalid));
    let cancelled = afc.cancel_generation(made.value.id).await.unwrap();
    assert!(cancelled.status.is_final(), "{cancelled:?}");
    assert!(afc.spend(&afc_client::SpendQuery::default()).await.is_ok());
}
