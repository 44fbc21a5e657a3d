//! A client of the simulated fal, as plain as can be.

use std::error::Error;
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::{HeaderName, Method};
use serde_json::{Value, json};
use testkit::client::{Answer, Outgoing};
use testkit::simulator::{self, Filter, Options, Simulator};

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// The model that most tests run.
pub(crate) const MODEL: &str = "fal-ai/veo3.1/fast";

pub(crate) struct Fal {
    pub(crate) simulator: Simulator,
}

impl Fal {
    /// A simulator of its own, with these scripts.
    pub(crate) async fn start(scripts: &[Value]) -> Outcome<Self> {
        let simulator = simulator::start(Options::default()).await?;
        for script in scripts {
            let url = format!("{}/_sim/script", simulator.url());
            let answer = Outgoing::post_json(url, script).send().await?;
            assert_eq!(answer.status, 200, "{}", answer.json());
        }
        Ok(Self { simulator })
    }

    /// A simulator whose every submit behaves like this.
    pub(crate) async fn behaving(behaviour: Value) -> Outcome<Self> {
        Self::start(&[json!({"behaviour": behaviour})]).await
    }

    pub(crate) fn submission(&self, model: &str, query: &str, body: &Value) -> Outgoing {
        let url = format!("{}/{model}{query}", self.simulator.provider_url("fal"));
        Outgoing::post_json(url, body).header(AUTHORIZATION, "Key test:secret")
    }

    /// Submits a prompt to the usual model; the answer must be an acceptance.
    pub(crate) async fn submit(&self, prompt: &str) -> Outcome<Value> {
        let answer = self.submission(MODEL, "", &json!({"prompt": prompt})).send().await?;
        assert_eq!(answer.status, 200, "{}", answer.json());
        Ok(answer.json())
    }

    /// Asks at one of the URLs of a submit's answer.
    pub(crate) async fn ask(&self, job: &Value, method: Method, url: &str) -> Outcome<Answer> {
        let url = job.get(url).and_then(Value::as_str).ok_or("no such URL")?;
        Ok(Outgoing::new(method, url).header(AUTHORIZATION, "Key test:secret").send().await?)
    }

    /// Polls until the job is over, and gives the last answer.
    pub(crate) async fn wait(&self, job: &Value) -> Outcome<Answer> {
        loop {
            let answer = self.ask(job, Method::GET, "status_url").await?;
            if answer.json().get("status") == Some(&json!("COMPLETED")) {
                return Ok(answer);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Submits, waits, and gives the answer to the request for the result.
    pub(crate) async fn run(&self, prompt: &str) -> Outcome<Answer> {
        let job = self.submit(prompt).await?;
        self.wait(&job).await?;
        self.ask(&job, Method::GET, "response_url").await
    }

    /// Submits, waits, and gives the URL of the first output.
    pub(crate) async fn output(&self, prompt: &str) -> Outcome<String> {
        let result = self.run(prompt).await?.json();
        let url = result.pointer("/video/url").or_else(|| result.pointer("/images/0/url"));
        Ok(url.and_then(Value::as_str).ok_or("no output")?.to_owned())
    }

    pub(crate) fn ledger(&self) -> Value {
        self.simulator.ledger(&Filter::default())
    }

    /// Waits until the ledger satisfies `wanted`.
    pub(crate) async fn ledger_when(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let ledger = self.ledger();
            if wanted(&ledger) {
                return ledger;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

pub(crate) fn named(name: &'static str) -> HeaderName {
    HeaderName::from_static(name)
}
