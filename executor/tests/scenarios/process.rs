//! The real program: configuration, signals, a kill, and what it says in its log.

use std::process::Stdio;
use std::time::Duration;

use domain::attempt::State;
use domain::execution::{Answer, Report};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

use crate::support::{Rig, code, is_interrupted, until};

/// A running executor and its log.
struct Program {
    child: Child,
    url: String,
    http: reqwest::Client,
    log: mpsc::UnboundedReceiver<String>,
}

impl Program {
    async fn start(rig: &Rig) -> Self {
        let config = rig.config();
        let mut child = Command::new(env!("CARGO_BIN_EXE_executor"))
            .env_clear()
            .env("PORT", "0")
            .env("CONTROL_URL", config.control_url.as_str())
            .env("S3_ENDPOINT", config.s3.endpoint.as_str())
            .env("S3_BUCKET", &config.s3.bucket)
            .env("S3_ACCESS_KEY_ID", config.s3.access_key_id.expose())
            .env("S3_SECRET_ACCESS_KEY", config.s3.secret_access_key.expose())
            .env("PROVIDER_URLS", json!({"fal": rig.provider_url}).to_string())
            .env("PROVIDER_KEYS", json!({"fal": "fal-k3y"}).to_string())
            .env("TIMING_OVERRIDES", serde_json::to_string(&rig.timing).unwrap())
            .env("LOG", "debug")
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (sender, mut log) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                let _ = sender.send(line);
            }
        });
        let address = loop {
            let line: Value = serde_json::from_str(&log.recv().await.unwrap()).unwrap();
            if let Some(address) = line["server.address"].as_str() {
                break address.replace("0.0.0.0", "127.0.0.1");
            }
        };
        let tls = executor::net::tls(None).unwrap();
        let http = executor::net::free_client(&tls, Duration::from_secs(30)).unwrap();
        Self { child, url: format!("http://{address}"), http, log }
    }

    async fn submit(&self, rig: &Rig) {
        let url = format!("{}/executions/{}", self.url, rig.job);
        assert_eq!(self.http.put(url).json(&rig.submit()).send().await.unwrap().status().as_u16(), 202);
    }

    async fn ended(&self, rig: &Rig) -> Report {
        let url = format!("{}/executions/{}?wait=60", self.url, rig.job);
        match self.http.get(url).send().await.unwrap().json().await.unwrap() {
            Answer::Ended { report } => report,
            running @ Answer::Running { .. } => panic!("{running:?}"),
        }
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().unwrap().to_string();
        assert!(std::process::Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    async fn exit_code(&mut self) -> Option<i32> {
        tokio::time::timeout(Duration::from_secs(10), self.child.wait()).await.unwrap().unwrap().code()
    }

    async fn log(&mut self) -> String {
        let mut text = String::new();
        while let Some(line) = self.log.recv().await {
            text.push_str(&line);
            text.push('\n');
        }
        text
    }
}

#[tokio::test]
async fn a_job_runs_through_the_program_and_no_secret_is_logged() {
    let rig = Rig::new().await;
    rig.bucket.with(|shelf| shelf.failing = 1);
    let mut program = Program::start(&rig).await;
    program.submit(&rig).await;
    assert_eq!(code(&program.ended(&rig).await), "succeeded");
    program.signal("-TERM");
    assert_eq!(program.exit_code().await, Some(0));
    let log = program.log().await;
    for secret in ["fal-k3y", "s3cr3t", "submit-token", "lease-1", "X-Amz-Signature", "/_media/"] {
        assert!(!log.contains(secret), "{secret} is in the log:\n{log}");
    }
    let ours = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let accepted: Vec<Value> = ours.filter(|line| line["attempt.entry"] == "accepted").collect();
    assert_eq!(accepted.len(), 1);
    assert_eq!(accepted[0]["job.id"], rig.job.to_string());
    assert_eq!(accepted[0]["attempt.id"], rig.attempt().id.to_string());
}

#[tokio::test]
async fn a24_sigterm_is_no_cancellation_the_next_process_goes_on() {
    let rig = Rig::scripted(&json!({"run_ms": 600})).await;
    let mut program = Program::start(&rig).await;
    program.submit(&rig).await;
    until("a poll", || rig.calls().first().is_some_and(|call| call["polls"].as_u64() >= Some(1))).await;
    let polling = program.ended(&rig);
    let ending = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        program.signal("-TERM");
    };
    let (report, ()) = tokio::join!(polling, ending);
    assert_eq!((is_interrupted(&report), code(&report)), (true, "EXECUTOR_UNAVAILABLE"));
    assert_eq!(program.exit_code().await, Some(0));
    assert_eq!(rig.states(), [State::Accepted]);
    assert_eq!(rig.calls()[0]["cancelled"], false);
    let program = Program::start(&rig).await;
    program.submit(&rig).await;
    assert_eq!(code(&program.ended(&rig).await), "succeeded");
    assert_eq!((rig.states(), rig.calls().len()), (vec![State::Succeeded], 1));
}

#[tokio::test]
async fn a_draining_process_says_so_and_takes_nothing_new() {
    let rig = Rig::scripted(&json!({"submit_delay_ms": 1500})).await;
    let mut program = Program::start(&rig).await;
    program.submit(&rig).await;
    until("the call", || !rig.calls().is_empty()).await;
    program.signal("-TERM");
    // The submit is not cut off: its outcome is known before the process ends.
    let health = format!("{}/health", program.url);
    let draining = loop {
        let response = program.http.get(&health).send().await.unwrap();
        if response.status().as_u16() == 503 {
            break response.json::<Value>().await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(draining, json!({"status": "draining", "executions": 1}));
    let other = Rig::new().await;
    let url = format!("{}/executions/{}", program.url, other.job);
    let answer: Answer =
        program.http.put(url).json(&other.submit()).send().await.unwrap().json().await.unwrap();
    let Answer::Ended { report } = answer else { panic!("it began another") };
    assert!(is_interrupted(&report));
    assert_eq!(program.exit_code().await, Some(0));
    assert_eq!(rig.states(), [State::Accepted]);
}

#[tokio::test]
async fn b2_sigkill_anywhere_and_the_next_process_goes_on() {
    let rig = Rig::new().await;
    for gate in
        ["journal.accepted", "journal.settled:before", "bucket.put:before", "journal.succeeded:before"]
    {
        rig.gates.close(gate);
        let mut program = Program::start(&rig).await;
        program.submit(&rig).await;
        rig.gates.reached(gate).await;
        program.child.kill().await.unwrap();
        rig.gates.open(gate);
    }
    let program = Program::start(&rig).await;
    program.submit(&rig).await;
    assert_eq!(code(&program.ended(&rig).await), "succeeded");
    assert_eq!((rig.states(), rig.calls().len()), (vec![State::Succeeded], 1));
    rig.audit();
}

#[tokio::test]
async fn an_incomplete_environment_is_told_at_once() {
    let output = Command::new(env!("CARGO_BIN_EXE_executor"))
        .env_clear()
        .env("S3_BUCKET", "x")
        .output()
        .await
        .unwrap();
    assert_eq!(output.status.code(), Some(78));
    let told = String::from_utf8(output.stderr).unwrap();
    for name in ["CONTROL_URL", "S3_ENDPOINT", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY", "PROVIDER_KEYS"] {
        assert!(told.contains(name), "{told}");
    }
}
