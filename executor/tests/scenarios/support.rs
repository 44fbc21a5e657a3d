//! One job and everything around it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::attempt::{Attempt, State};
use domain::execution::{Report, Submit};
use domain::generation::Spec;
use domain::provider::Provider;
use domain::timing::Timing;
use domain::{ClientId, JobId, Secret};
use executor::config::{Config, S3Config};
use executor::execution::{Executor, Parts, execute};
use executor::executions::{Executions, Order};
use executor::providers::Gateways;
use serde_json::{Value, json};
use testkit::simulator::{Filter, Options, Simulator, key_of, start};
use tokio::task::JoinHandle;

pub(crate) mod bucket;
pub(crate) mod gates;
pub(crate) mod journal;
pub(crate) mod serve;

use bucket::FakeBucket;
use gates::Gates;
use journal::FakeJournal;

/// A model with a price by the second, and one without any.
pub(crate) const MODEL: &str = "fal-ai/veo3.1";
pub(crate) const UNPRICED: &str = "fal-ai/nobody-knows/text-to-video";

/// A job, its journal, its bucket and its provider.
pub(crate) struct Rig {
    pub(crate) job: JobId,
    pub(crate) client: ClientId,
    pub(crate) provider: Provider,
    pub(crate) spec: Spec,
    pub(crate) timing: Timing,
    pub(crate) deadline_at: DateTime<Utc>,
    pub(crate) output_limit: u64,
    pub(crate) provider_url: String,
    pub(crate) journal: FakeJournal,
    pub(crate) bucket: FakeBucket,
    pub(crate) simulator: Simulator,
    pub(crate) gates: Gates,
}

impl Rig {
    pub(crate) async fn new() -> Self {
        Self::of(Provider::Fal, MODEL).await
    }

    /// A job for another provider, with one model that may be tried twice.
    pub(crate) async fn of(provider: Provider, model: &str) -> Self {
        let gates = Gates::default();
        let simulator = start(Options::default()).await.unwrap();
        Self {
            job: JobId::new(uuid::Uuid::now_v7()),
            client: ClientId::new(uuid::Uuid::now_v7()),
            provider,
            spec: spec(&json!([{"provider": provider, "model": model, "attempts": 2}])),
            timing: timing(),
            deadline_at: Utc::now() + Duration::from_mins(1),
            output_limit: 200 << 20,
            provider_url: simulator.provider_url(provider.as_str()),
            journal: FakeJournal::start(gates.clone()).await,
            bucket: FakeBucket::start(gates.clone()).await,
            simulator,
            gates,
        }
    }

    /// A rig whose provider does what `behaviour` says, for every submit.
    pub(crate) async fn scripted(behaviour: &Value) -> Self {
        let rig = Self::new().await;
        rig.script(behaviour, None);
        rig
    }

    /// Scripts the next `times` submits, or all.
    pub(crate) fn script(&self, behaviour: &Value, times: Option<u32>) {
        let script = json!({"match": {"provider": self.provider}, "times": times, "behaviour": behaviour});
        self.simulator.script(serde_json::from_value(script).unwrap());
    }

    pub(crate) fn config(&self) -> Config {
        Config {
            port: 0,
            control_url: self.journal.url.parse().unwrap(),
            s3: S3Config {
                endpoint: self.bucket.url.parse().unwrap(),
                bucket: "afc-media".to_owned(),
                access_key_id: Secret::new("access"),
                secret_access_key: Secret::new("s3cr3t"),
            },
            provider_urls: BTreeMap::from([(self.provider, self.provider_url.parse().unwrap())]),
            provider_keys: BTreeMap::from([(
                self.provider,
                Secret::new(key_of(self.provider.as_str(), "fal-k3y")),
            )]),
            timing: self.timing.clone(),
            spool_dir: None,
            output_limit: self.output_limit,
            max_executions: 4,
            extra_roots: None,
            gateways: Gateways::default(),
        }
    }

    pub(crate) fn submit(&self) -> Submit {
        Submit {
            job: self.job,
            client: self.client,
            token: Secret::new(journal::SUBMIT_TOKEN),
            spec: self.spec.clone(),
            deadline_at: self.deadline_at,
            trace: None,
        }
    }

    pub(crate) fn parts(&self) -> Parts {
        Parts::build(&self.config()).unwrap()
    }

    /// A process that keeps executions as the daemon does.
    pub(crate) fn executions(&self) -> Arc<Executions> {
        Arc::new(Executions::new(Arc::new(Executor::new(self.parts())), 4))
    }

    /// An execution in a process of its own; aborting it is that process's death.
    pub(crate) fn begin(&self) -> JoinHandle<Report> {
        let (parts, order) = (self.parts(), Order::detached(self.submit()));
        tokio::spawn(async move { execute(&parts, &order).await })
    }

    /// A whole execution.
    pub(crate) async fn run(&self) -> Report {
        tokio::time::timeout(Duration::from_secs(30), self.begin()).await.unwrap().unwrap()
    }

    /// Runs a process up to a closed gate and kills it there.
    pub(crate) async fn crash_at(&self, gate: &str) {
        self.gates.close(gate);
        let process = self.begin();
        self.gates.reached(gate).await;
        kill(process).await;
        self.gates.open(gate);
    }

    /// The submits that reached the provider.
    pub(crate) fn calls(&self) -> Vec<Value> {
        self.simulator.ledger(&Filter::default())["calls"].as_array().unwrap().clone()
    }

    /// The calls that the provider accepted, and would bill.
    pub(crate) fn accepted(&self) -> u64 {
        self.simulator.ledger(&Filter::default())["accepted"].as_u64().unwrap()
    }

    pub(crate) fn states(&self) -> Vec<State> {
        self.journal.attempts().iter().map(|attempt| attempt.state).collect()
    }

    /// The job's only attempt.
    pub(crate) fn attempt(&self) -> Attempt {
        let attempts = self.journal.attempts();
        assert_eq!(attempts.len(), 1, "{attempts:#?}");
        attempts.into_iter().next().unwrap()
    }

    /// I2 and I3: what the provider accepted is never more than what the journal has.
    pub(crate) fn audit(&self) {
        let rows = self.journal.attempts();
        assert!(
            usize::try_from(self.accepted()).unwrap() <= rows.len(),
            "more accepted calls than journal rows"
        );
        for call in self.calls() {
            let request_id = call["request_id"].as_str().map(str::to_owned);
            let named =
                rows.iter().filter(|row| request_id.is_some() && row.provider_request_id == request_id);
            assert!(named.count() <= 1, "one call in two rows");
        }
    }
}

pub(crate) async fn kill(process: JoinHandle<Report>) {
    process.abort();
    assert!(process.await.unwrap_err().is_cancelled());
}

pub(crate) fn spec(chain: &Value) -> Spec {
    serde_json::from_value(json!({
        "kind": "video",
        "input": {"prompt": "a cat", "duration_seconds": 8},
        "chain": chain,
        "policy": {
            "max_paid_calls": 4, "on_unknown": "hold", "refusal_retries": 1, "attempt_window_seconds": 30,
            "fallback_on": ["rate_limited", "timeout", "unavailable", "retryable", "insufficient_funds", "model_gone"]
        }
    }))
    .unwrap()
}

/// Short enough to test with; long enough for a busy machine.
pub(crate) fn timing() -> Timing {
    Timing {
        attempt_backoff_ms: 10,
        attempt_backoff_limit_ms: 20,
        provider_poll_ms: 10,
        submit_timeout_ms: 5_000,
        free_retry_ms: 5,
        free_retries: 4,
        callback_patience_ms: 100,
        journal_patience_ms: 400,
        gate_poll_ms: 10,
        ..Timing::default()
    }
}

/// Waits for a state.
pub(crate) async fn until(what: &str, reached: impl Fn() -> bool) {
    let waiting = async {
        while !reached() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(20), waiting).await.is_ok(), "never: {what}");
}

/// The code of a report that is a failure or an interruption.
pub(crate) fn code(report: &Report) -> &'static str {
    match report {
        Report::Failed { failure } | Report::Interrupted { failure } => failure.code.as_str(),
        Report::Succeeded { .. } => "succeeded",
        Report::Held { .. } => "held",
        Report::Cancelled => "cancelled",
    }
}

pub(crate) fn is_interrupted(report: &Report) -> bool {
    matches!(report, Report::Interrupted { .. })
}
