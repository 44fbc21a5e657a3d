//! One execution per job in a process (A16, A17, A19), over HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use domain::Secret;
use domain::execution::{Answer, Look, Looked, Phase, Report};
use executor::executions::{Executions, Order, Run, interrupted};
use executor::server::router;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::support::journal::SUBMIT_TOKEN;
use crate::support::serve::Server;
use crate::support::{Rig, code, is_interrupted, until};

/// An executor's HTTP face.
struct Daemon {
    server: Server,
    http: reqwest::Client,
}

impl Daemon {
    async fn of(executions: Arc<Executions>) -> Self {
        let tls = executor::net::tls(None).unwrap();
        let http = executor::net::free_client(&tls, Duration::from_secs(30)).unwrap();
        Self { server: Server::start(router(executions)).await, http }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.server.url)
    }

    async fn submit(&self, rig: &Rig, token: &str) -> (u16, Answer) {
        let mut submit = rig.submit();
        submit.token = Secret::new(token);
        let url = self.url(&format!("/executions/{}", rig.job));
        read(self.http.put(url).json(&submit).send().await.unwrap()).await
    }

    async fn look(&self, rig: &Rig, wait: u32) -> (u16, Answer) {
        let url = self.url(&format!("/executions/{}?wait={wait}", rig.job));
        read(self.http.get(url).send().await.unwrap()).await
    }
}

async fn read(response: reqwest::Response) -> (u16, Answer) {
    (response.status().as_u16(), response.json().await.unwrap())
}

fn report(answer: Answer) -> Report {
    let Answer::Ended { report } = answer else { panic!("still {answer:?}") };
    report
}

#[tokio::test]
async fn a16_a_repeated_submit_attaches_to_the_execution_that_runs() {
    let rig = Rig::scripted(&json!({"run_ms": 200})).await;
    let daemon = Daemon::of(rig.executions()).await;
    let (status, answer) = daemon.submit(&rig, SUBMIT_TOKEN).await;
    assert_eq!((status, answer), (202, Answer::Running { phase: Phase::Starting }));
    for _ in 0..5 {
        assert_eq!(daemon.submit(&rig, SUBMIT_TOKEN).await.0, 202);
    }
    let (status, answer) = daemon.look(&rig, 20).await;
    assert_eq!((status, code(&report(answer.clone()))), (200, "succeeded"));
    // A17: the stored answer, again and again.
    assert_eq!(daemon.submit(&rig, SUBMIT_TOKEN).await, (200, answer.clone()));
    assert_eq!(daemon.look(&rig, 0).await, (200, answer));
    assert_eq!((rig.calls().len(), rig.gates.count("journal.lease")), (1, 1));
}

#[tokio::test]
async fn a17_a_long_poll_answers_at_the_end_and_not_before_its_time() {
    let rig = Rig::scripted(&json!({"never_finish": true})).await;
    let daemon = Daemon::of(rig.executions()).await;
    daemon.submit(&rig, SUBMIT_TOKEN).await;
    let began = Instant::now();
    let (status, answer) = daemon.look(&rig, 1).await;
    assert_eq!(status, 202);
    assert!(matches!(answer, Answer::Running { .. }));
    assert!(began.elapsed() >= Duration::from_secs(1));
    until("waiting", || rig.gates.count("journal.accepted") == 1).await;
    assert_eq!(daemon.look(&rig, 0).await.1, Answer::Running { phase: Phase::Waiting });
    let polling = daemon.look(&rig, 60);
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let url = daemon.url(&format!("/executions/{}/cancel", rig.job));
        daemon.http.post(url).send().await.unwrap();
    };
    let ((status, answer), ()) = tokio::join!(polling, cancelling);
    assert_eq!((status, report(answer)), (200, Report::Cancelled));
}

#[tokio::test]
async fn a19_a_replaced_process_answers_404_and_is_submitted_to_again() {
    let rig = Rig::new().await;
    rig.crash_at("journal.accepted").await;
    let daemon = Daemon::of(rig.executions()).await;
    let url = daemon.url(&format!("/executions/{}?wait=20", rig.job));
    assert_eq!(daemon.http.get(&url).send().await.unwrap().status().as_u16(), 404);
    daemon.submit(&rig, SUBMIT_TOKEN).await;
    assert_eq!(code(&report(daemon.look(&rig, 20).await.1)), "succeeded");
    assert_eq!(rig.calls().len(), 1);
}

#[tokio::test]
async fn a16_a_newer_token_is_taken_over_until_one_was_used() {
    let mut rig = Rig::new().await;
    rig.timing.journal_patience_ms = 20_000;
    rig.journal.with(|job| job.token = "newer-token".to_owned());
    let daemon = Daemon::of(rig.executions()).await;
    daemon.submit(&rig, SUBMIT_TOKEN).await;
    until("a refused token", || rig.gates.count("journal.lease:before") > 0).await;
    assert_eq!(daemon.submit(&rig, "newer-token").await.0, 202);
    assert_eq!(code(&report(daemon.look(&rig, 20).await.1)), "succeeded");
}

#[tokio::test]
async fn a16_after_a_report_that_decides_nothing_a_submit_begins_anew() {
    let rig = Rig::new().await;
    let daemon = Daemon::of(rig.executions()).await;
    rig.journal.set_away(true);
    daemon.submit(&rig, SUBMIT_TOKEN).await;
    let interrupted = report(daemon.look(&rig, 20).await.1);
    assert!(is_interrupted(&interrupted));
    assert_eq!(code(&interrupted), "JOURNAL_UNAVAILABLE");
    rig.journal.set_away(false);
    assert_eq!(daemon.submit(&rig, SUBMIT_TOKEN).await.0, 202);
    assert_eq!(code(&report(daemon.look(&rig, 20).await.1)), "succeeded");
}

#[tokio::test]
async fn requests_that_are_none_are_refused() {
    let rig = Rig::new().await;
    let daemon = Daemon::of(rig.executions()).await;
    let put = |path: &str, body: Value| daemon.http.put(daemon.url(path)).json(&body).send();
    let submit = serde_json::to_value(rig.submit()).unwrap();
    for (path, body, expected) in [
        ("/executions/nonsense", submit.clone(), 404),
        ("/executions/0198c0de-0000-7000-8000-000000000001", submit.clone(), 400),
        ("/executions/0198c0de-0000-7000-8000-000000000001", json!({"job": 1}), 422),
        ("/executions/0198c0de-0000-7000-8000-000000000001", json!({"x": "y".repeat(2 << 20)}), 413),
    ] {
        assert_eq!(put(path, body).await.unwrap().status().as_u16(), expected, "{path}");
    }
    let health: Value = daemon.http.get(daemon.url("/health")).send().await.unwrap().json().await.unwrap();
    assert_eq!(health, json!({"status": "ok", "executions": 0}));
}

/// Panics the first time, succeeds the second.
struct Panics(AtomicUsize);

impl Run for Panics {
    fn look(&self, _look: Look) -> BoxFuture<'static, Looked> {
        Box::pin(async { Looked::default() })
    }

    fn run(&self, _order: Order) -> BoxFuture<'static, Report> {
        let earlier = self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            tokio::task::yield_now().await;
            assert!(earlier > 0, "boom");
            Report::Succeeded { outputs: Vec::new() }
        })
    }
}

#[tokio::test]
async fn a_panicking_execution_is_interrupted_and_the_process_lives_on() {
    let rig = Rig::new().await;
    let executions = Arc::new(Executions::new(Arc::new(Panics(AtomicUsize::new(0))), 4));
    let daemon = Daemon::of(executions).await;
    daemon.submit(&rig, SUBMIT_TOKEN).await;
    let Report::Interrupted { failure } = report(daemon.look(&rig, 20).await.1) else {
        panic!("not interrupted")
    };
    assert_eq!(failure.code.as_str(), "INTERNAL");
    assert!(failure.message.contains("boom"));
    assert_eq!(daemon.submit(&rig, SUBMIT_TOKEN).await.0, 202);
    assert_eq!(code(&report(daemon.look(&rig, 20).await.1)), "succeeded");
}

/// Never ends of itself.
struct Endless;

impl Run for Endless {
    fn look(&self, _look: Look) -> BoxFuture<'static, Looked> {
        Box::pin(async { Looked::default() })
    }

    fn run(&self, _order: Order) -> BoxFuture<'static, Report> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_process_takes_only_so_many_executions_and_says_so_in_band() {
    let executions = Executions::new(Arc::new(Endless), 1);
    let (first, second) = (Rig::new().await, Rig::new().await);
    assert!(matches!(executions.submit(first.submit()), Answer::Running { .. }));
    let turned_away = report(executions.submit(second.submit()));
    assert_eq!((is_interrupted(&turned_away), code(&turned_away)), (true, "EXECUTOR_UNAVAILABLE"));
    assert!(executions.watch(second.job).is_none());
}

#[tokio::test]
async fn a_drained_process_ends_what_does_not_end_itself_and_begins_nothing() {
    let executions = Executions::new(Arc::new(Endless), 4);
    let (first, second) = (Rig::new().await, Rig::new().await);
    executions.submit(first.submit());
    executions.drain(Duration::from_millis(20)).await;
    let ended = report(executions.watch(first.job).unwrap().now());
    assert_eq!((is_interrupted(&ended), code(&ended)), (true, "EXECUTOR_UNAVAILABLE"));
    assert_eq!(
        report(executions.submit(second.submit())),
        interrupted(domain::error::Code::ExecutorUnavailable, "this process is being replaced")
    );
}
