//! One job on a stand: the real program as a process, the product's own journal on a real Postgres (`testkit::plane`), a
//! simulated provider with its ledger, a bucket, and a proxy on each line between them.

use std::sync::Arc;
use std::time::Duration;

use domain::JobId;
use domain::attempt::State;
use domain::execution::{Answer, Report};
use domain::provider::Provider;
use domain::timing::Timing;
use serde_json::{Value, json};
use testkit::database::Database;
use testkit::plane::{self, Creation, Pass, Plane, Standing};
use testkit::proxy::{self, Proxy};
use testkit::simulator::{Filter, Options, Simulator};
use tokio::sync::{Mutex, watch};
use tokio::time::{sleep, timeout};

use crate::support::bucket::FakeBucket;
use crate::support::gates::{Gates, Through};

pub(crate) mod keyed;
pub(crate) mod program;

use program::Program;

/// Every wait of the product is a twelfth of what it is in production, as far as it matters here.
pub(crate) const SCALE: u64 = 12;
/// Between two tries of the execute step.
const AGAIN: Duration = Duration::from_millis(300);
/// Tries of the execute step after the first (A18).
const RETRIES: u32 = 5;
/// How long a held job waits for a provider's report that is on its way.
const REPORT: Duration = Duration::from_secs(40);
const PATIENCE: Duration = Duration::from_mins(2);

/// What a process is started of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vehicle {
    /// The executor's binary.
    Executor,
    /// This test's own binary: the executor with the description of [`keyed`], which no provider of the product's has.
    Keyed,
}

pub(crate) struct Stand {
    pub(crate) vehicle: Vehicle,
    pub(crate) provider: Provider,
    pub(crate) timing: Timing,
    /// The provider reports what it was asked for.
    calls_back: bool,
    pub(crate) gates: Gates,
    pub(crate) plane: Plane,
    pub(crate) simulator: Simulator,
    pub(crate) bucket: FakeBucket,
    /// Executor and provider to plane.
    pub(crate) control: Proxy,
    /// Executor to provider and its results.
    pub(crate) outside: Proxy,
    /// Executor to bucket.
    pub(crate) storage: Proxy,
    pub(crate) job: JobId,
    /// What the job was created with.
    pub(crate) body: Value,
    program: Mutex<Option<Program>>,
    /// Faults are over.
    calm: watch::Sender<bool>,
    /// Programs that were started.
    pub(crate) starts: std::sync::atomic::AtomicU32,
    http: reqwest::Client,
    // Goes last: its schema is dropped with it.
    _database: Database,
}

/// How the Workflow's part ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Driven {
    Ended(Report),
    /// It waits for a human's word.
    Held,
}

impl Stand {
    /// A stand whose provider does what `behaviour` says.
    pub(crate) async fn new(vehicle: Vehicle, chain: &Value, more: &Value, behaviour: &Value) -> Self {
        let provider = Provider::from_word(chain[0]["provider"].as_str().unwrap()).unwrap();
        let gates = Gates::default();
        let database = testkit::database::fresh().await.unwrap();
        let timing = timing();
        let plane = Plane::start(&database, timing.clone(), gate(&gates)).await.unwrap();
        let bucket = FakeBucket::start(gates.clone()).await;
        // The simulator is told its public address at its start, so its port is found first.
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let outside = proxy::start(proxy::Options::new(free)).await.unwrap();
        let options = Options { port: free.port(), public_url: Some(outside.url()) };
        let simulator = testkit::simulator::start(options).await.unwrap();
        simulator.script(serde_json::from_value(json!({"behaviour": behaviour})).unwrap());
        let control = line(&plane.url()).await;
        let storage = line(&bucket.url).await;
        plane.publish(&control.url());
        let mut body = json!({
            "kind": "video", "input": {"prompt": "a cat", "duration_seconds": 4}, "chain": chain,
            "callback_url": "http://127.0.0.1:9/hooks/x", "deadline_seconds": 600
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let Creation::Created(job) = plane.create("the-key", body.clone()).await.unwrap() else {
            panic!("not created");
        };
        let tls = executor::net::tls(None).unwrap();
        Self {
            vehicle,
            provider,
            timing,
            calls_back: !provider.callback_request_ids().is_empty() && behaviour["callback"] != "never",
            gates,
            plane,
            simulator,
            bucket,
            control,
            outside,
            storage,
            job: job.id,
            body,
            program: Mutex::default(),
            calm: watch::Sender::new(true),
            starts: 0.into(),
            http: executor::net::free_client(&tls, Duration::from_secs(90)).unwrap(),
            _database: database,
        }
    }

    /// What the Workflow does: submit, wait, submit again after a loss, hold, end (A16 to A19).
    pub(crate) async fn drive(&self) -> Driven {
        let mut failures = 0;
        loop {
            match self.execute().await {
                None => {}
                Some(Report::Held { reason, .. }) => {
                    self.plane.hold(self.job, &reason).await.unwrap();
                    if !self.a_report_comes().await {
                        return Driven::Held;
                    }
                    continue;
                }
                Some(Report::Interrupted { failure }) if failures >= RETRIES => {
                    let report = Report::Failed { failure };
                    self.plane.finish(self.job, &report).await.unwrap();
                    return Driven::Ended(report);
                }
                Some(Report::Interrupted { .. }) => failures += 1,
                Some(report) => {
                    self.plane.finish(self.job, &report).await.unwrap();
                    return Driven::Ended(report);
                }
            }
            sleep(AGAIN).await;
        }
    }

    /// One execution, submitted or attached to; `None` if its process is lost.
    async fn execute(&self) -> Option<Report> {
        let url = self.program().await;
        let submit = self.plane.begin(self.job).await.unwrap();
        let url = format!("{url}/executions/{}", self.job);
        let mut answer = self.ask(self.http.put(&url).json(&submit)).await?;
        loop {
            match answer {
                Answer::Ended { report } => return Some(report),
                Answer::Running { .. } => answer = self.ask(self.http.get(format!("{url}?wait=25"))).await?,
            }
        }
    }

    /// Asks the program once more for the job's execution.
    pub(crate) async fn submit_again(&self) -> Option<Answer> {
        let url = format!("{}/executions/{}", self.program().await, self.job);
        let submit = self.plane.begin(self.job).await.unwrap();
        self.ask(self.http.put(&url).json(&submit)).await
    }

    async fn ask(&self, request: reqwest::RequestBuilder) -> Option<Answer> {
        let response = request.send().await.ok()?;
        assert!(response.status().is_success(), "{}", response.status());
        response.json().await.ok()
    }

    /// The running program's URL; one is started if none runs.
    async fn program(&self) -> String {
        let mut program = self.program.lock().await;
        if program.is_none() {
            self.starts.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            *program = Some(Program::start(self).await);
        }
        program.as_ref().unwrap().url.clone()
    }

    /// SIGKILL, or for a runtime its end between two polls: nothing of it runs any more when this returns.
    pub(crate) async fn kill(&self) {
        let program = self.program.lock().await.take();
        program.expect("a program runs").kill().await;
    }

    /// Leaves the program to itself: the next submit goes to another one.
    pub(crate) async fn replace(&self) -> Program {
        self.program.lock().await.take().expect("a program runs")
    }

    /// A fault is on, or over.
    pub(crate) fn is_calm(&self, calm: bool) {
        self.calm.send_replace(calm);
    }

    /// Whether a provider's report wakes a held job. Once the fault is over, the ledger says whether one can come at all.
    async fn a_report_comes(&self) -> bool {
        self.calm.subscribe().wait_for(|calm| *calm).await.unwrap();
        let attempts = self.standing().await.attempts;
        let named = attempts.iter().filter(|attempt| attempt.provider_request_id.is_some()).count();
        let came = attempts.iter().any(|attempt| attempt.state == State::Accepted);
        let may_come = self.calls_back && self.accepted() > named;
        (came || may_come) && timeout(REPORT, self.plane.learned()).await.is_ok()
    }

    pub(crate) async fn standing(&self) -> Standing {
        self.plane.standing(self.job).await.unwrap()
    }

    pub(crate) fn calls(&self) -> Vec<Value> {
        self.simulator.ledger(&Filter::default())["calls"].as_array().unwrap().clone()
    }

    pub(crate) fn accepted(&self) -> usize {
        self.calls().iter().filter(|call| call["accepted"] == true).count()
    }

    /// Waits for a state of the one call.
    pub(crate) async fn call_has(&self, counter: &str) {
        let has = || self.calls().first().is_some_and(|call| call[counter].as_u64() >= Some(1));
        eventually(counter, has).await;
    }
}

/// Waits for a state.
pub(crate) async fn eventually(what: &str, reached: impl Fn() -> bool) {
    let waiting = async {
        while !reached() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    assert!(timeout(PATIENCE, waiting).await.is_ok(), "never: {what}");
}

async fn line(url: &str) -> Proxy {
    let url: url::Url = url.parse().unwrap();
    let address = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
    proxy::start(proxy::Options::new(address.parse::<proxy::Target>().unwrap())).await.unwrap()
}

fn gate(gates: &Gates) -> plane::Gate {
    let gates = gates.clone();
    Arc::new(move |point| {
        let gates = gates.clone();
        Box::pin(async move {
            match gates.pass(&format!("journal.{point}")).await {
                Through::On => Pass::On,
                Through::Lost => Pass::Lost,
            }
        })
    })
}

/// A twelfth of production's.
fn timing() -> Timing {
    let usual = Timing::default();
    Timing {
        attempt_backoff_ms: usual.attempt_backoff_ms / SCALE,
        attempt_backoff_limit_ms: usual.attempt_backoff_limit_ms / SCALE,
        provider_poll_ms: usual.provider_poll_ms / SCALE,
        submit_timeout_ms: usual.submit_timeout_ms / SCALE,
        free_call_ms: usual.free_call_ms / SCALE,
        result_silence_ms: usual.result_silence_ms / SCALE,
        journal_call_ms: usual.journal_call_ms / SCALE,
        free_retry_ms: usual.free_retry_ms / SCALE,
        journal_patience_ms: usual.journal_patience_ms / SCALE,
        ..usual
    }
}
