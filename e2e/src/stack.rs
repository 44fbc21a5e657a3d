use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use crate::wait::fail;
use crate::{Api, Engine, Postgres, Receiver, Simulator, eventually, signal};

/// A running local stack, as its `stack.json` describes it.
#[derive(Clone, Debug, Deserialize)]
pub struct Stack {
    pub api: String,
    pub admin_token: String,
    pub client_key: String,
    pub webhook_secret: String,
    /// What links are signed with.
    pub link_keys: String,
    pub simulator: String,
    pub receiver: String,
    /// Control port of Postgres and its pooler.
    pub postgres_control: String,
    /// The container engine's unix socket.
    pub engine: PathBuf,
    /// Control port of the proxy between the executor and the API Worker.
    pub control_proxy: String,
    pub s3: S3,
    pub pids: Pids,
}

#[derive(Clone, Debug, Deserialize)]
pub struct S3 {
    pub endpoint: String,
    pub bucket: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Pids {
    pub xtask: u32,
    pub engine: u32,
}

impl Stack {
    /// # Panics
    /// When `AFC_STACK` names no readable stack file.
    pub fn running() -> Self {
        // `afc-client` has reqwest built without a provider of its own; the second to install one finds it there.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let path = std::env::var("AFC_STACK")
            .unwrap_or_else(|_| fail("AFC_STACK is not set: run the scenarios with `cargo xtask test`"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| fail(&format!("{path}: {error}")));
        serde_json::from_str(&text).unwrap_or_else(|error| fail(&format!("{path}: {error}")))
    }

    pub fn api(&self) -> Api {
        Api::new(&self.api, &self.client_key)
    }

    pub fn simulator(&self) -> Simulator {
        Simulator::new(&self.simulator)
    }

    pub fn receiver(&self) -> Receiver {
        Receiver::new(&self.receiver)
    }

    pub fn engine(&self) -> Engine {
        Engine::new(self.engine.clone())
    }

    /// Sets the fault of the proxy between the executor and the API Worker.
    ///
    /// # Panics
    /// When the proxy refuses.
    pub async fn control_path(&self, mode: &str) {
        let sent = reqwest::Client::new()
            .post(format!("{}/_proxy/mode", self.control_proxy))
            .json(&serde_json::json!({"mode": mode}))
            .send()
            .await;
        let answer = sent.unwrap_or_else(|error| fail(&format!("the fault proxy: {error}")));
        assert!(answer.status().is_success(), "the fault proxy answered {}", answer.status());
    }

    pub fn postgres(&self) -> Postgres {
        Postgres::new(&self.postgres_control)
    }

    /// Whether the API Worker and its database answer.
    pub async fn ready(&self) -> bool {
        let answer = reqwest::Client::new().get(format!("{}/readyz", self.api)).send().await;
        answer.is_ok_and(|answer| answer.status().is_success())
    }

    /// Kills both Workers, the Workflow engine, the Durable Objects and the queue: the whole of `wrangler dev`, which the
    /// stack then starts again. Returns when they are gone.
    ///
    /// # Panics
    /// When they do not go.
    pub async fn kill_workers(&self) {
        signal(self.pids.xtask, "USR1");
        eventually("the Workers to be gone", async || (!self.ready().await).then_some(())).await;
    }

    /// Waits until the stack answers again.
    ///
    /// # Panics
    /// When it does not.
    pub async fn back(&self) {
        eventually("the stack to be back", async || self.ready().await.then_some(())).await;
    }

    /// Whether a generation's output lies in the bucket, asked of the bucket itself.
    pub async fn stored(&self, generation: &str) -> bool {
        let explorer = format!("{}/cdn-cgi/explorer/api/r2/buckets/{}/objects", self.api, self.s3.bucket);
        let listed = async { reqwest::get(explorer).await?.text().await };
        listed.await.is_ok_and(|text| text.contains(&format!("generations/{generation}/output")))
    }

    /// Names of the Workflow instances, newest first, asked of the engine itself; at most the last thousand.
    ///
    /// # Panics
    /// When the engine does not answer.
    pub async fn workflow_instances(&self) -> Vec<String> {
        let mut names = Vec::new();
        for page in 1..=10 {
            let path =
                format!("/cdn-cgi/explorer/api/workflows/generation/instances?per_page=100&page={page}");
            let read = async { reqwest::get(format!("{}{path}", self.api)).await?.json::<Value>().await };
            let listed = read.await.unwrap_or_else(|error| fail(&format!("the Workflow engine: {error}")));
            let instances = listed.pointer("/result").and_then(Value::as_array).cloned();
            let instances = instances.unwrap_or_else(|| fail(&format!("no list of instances: {listed}")));
            let complete = instances.len() < 100;
            let ids = instances.iter().filter_map(|one| one.pointer("/id").and_then(Value::as_str));
            names.extend(ids.map(str::to_owned));
            if complete {
                break;
            }
        }
        names
    }
}
