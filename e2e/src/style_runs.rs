use reqwest::Method;
use serde_json::{Value, json};

use crate::{Answer, Api, Stack, eventually};

/// A style run as the API shows it.
pub type Run = Value;

impl Api {
    /// Two pictures a round, over two rounds, told to `hook`.
    pub fn two_pictures(prompt: &str, hook: &str) -> Value {
        json!({
            "brief": "a street at night, in the rain",
            "template": {
                "kind": "image",
                "input": {"prompt": prompt, "seed": 7},
                "chain": [{"provider": "fal", "model": "fal-ai/flux-pro/v1.1"}]
            },
            "variations": [{}, {"seed": 40}],
            "max_rounds": 2,
            "callback_url": hook
        })
    }

    pub async fn create_run(&self, key: &str, body: &Value) -> Answer {
        self.send(self.request(Method::POST, "/v1/style-runs").header("idempotency-key", key).json(body))
            .await
    }

    /// Creates and expects to have been the first; the id.
    ///
    /// # Panics
    /// When the answer is not 201.
    pub async fn created_run(&self, key: &str, body: &Value) -> String {
        let answer = self.create_run(key, body).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.text("/id").to_owned()
    }

    pub async fn get_run(&self, id: &str) -> Run {
        self.send(self.request(Method::GET, &format!("/v1/style-runs/{id}"))).await.body
    }

    /// Waits until the run's state is `state`, in `round` or later.
    pub async fn run_until(&self, id: &str, state: &str, round: u64) -> Run {
        eventually(&format!("style run {id} to be {state} in round {round}"), async || {
            let run = self.get_run(id).await;
            let there = run.pointer("/state").and_then(Value::as_str) == Some(state)
                && run.pointer("/round").and_then(Value::as_u64).is_some_and(|at| at >= round);
            there.then_some(run.clone())
        })
        .await
    }

    /// Decides under `key`, on the version `seen` if there is one.
    pub async fn decide(&self, id: &str, key: &str, seen: Option<u64>, body: &Value) -> Answer {
        let path = format!("/v1/style-runs/{id}/decisions");
        let mut request = self.request(Method::POST, &path).header("idempotency-key", key).json(body);
        if let Some(version) = seen {
            request = request.header("if-match", format!("\"{version}\""));
        }
        self.send(request).await
    }

    pub async fn cancel_run(&self, id: &str) -> Answer {
        self.send(self.request(Method::POST, &format!("/v1/style-runs/{id}/cancel"))).await
    }
}

impl Stack {
    /// Tells the engine, behind AFC's back, to `terminate`, `pause`, `resume` or `restart` a run's Workflow.
    ///
    /// # Panics
    /// When the engine does not do it.
    pub async fn order_style_run(&self, id: &str, order: &str) {
        let path = format!("/cdn-cgi/explorer/api/workflows/style-run/instances/{id}/status");
        let request = reqwest::Client::new().patch(format!("{}{path}", self.api));
        let sent = request.json(&json!({"status": order})).send().await;
        let answer = sent.unwrap_or_else(|error| crate::wait::fail(&format!("the Workflow engine: {error}")));
        let status = answer.status();
        assert!(status.is_success(), "the Workflow engine answered {status} to {order}");
    }
}
