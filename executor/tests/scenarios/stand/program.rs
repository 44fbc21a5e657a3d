//! A running executor: the binary as a process, or the library in a runtime of its own.

use std::process::Stdio;
use std::sync::Arc;

use domain::Secret;
use domain::provider::Provider;
use executor::config::{Config, S3Config};
use executor::execution::{Executor, Parts};
use executor::executions::Executions;
use executor::providers::Adapters;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::{Stand, Vehicle, keyed};

const KEY: &str = "provider-k3y";

pub(crate) struct Program {
    pub(crate) url: String,
    running: Running,
}

enum Running {
    Process(Child),
    Runtime(tokio::runtime::Runtime),
}

impl Program {
    pub(super) async fn start(stand: &Stand) -> Self {
        match stand.vehicle {
            Vehicle::Process => process(stand).await,
            Vehicle::KeyedRuntime => runtime(stand),
        }
    }

    /// No code of it runs any more when this returns.
    pub(crate) async fn kill(self) {
        match self.running {
            Running::Process(mut child) => child.kill().await.unwrap(),
            // Its tasks are dropped where they stand, and their sockets with them.
            Running::Runtime(runtime) => {
                tokio::task::spawn_blocking(move || drop(runtime)).await.unwrap();
            }
        }
    }
}

async fn process(stand: &Stand) -> Program {
    let provider = stand.provider.as_str();
    let mut child = Command::new(env!("CARGO_BIN_EXE_executor"))
        .env_clear()
        .env("PORT", "0")
        .env("CONTROL_URL", stand.control.url())
        .env("S3_ENDPOINT", format!("{}/s3", stand.storage.url()))
        .env("S3_BUCKET", "afc-media")
        .env("S3_ACCESS_KEY_ID", "access")
        .env("S3_SECRET_ACCESS_KEY", "s3cr3t")
        .env("PROVIDER_URLS", json!({provider: provider_url(stand)}).to_string())
        .env("PROVIDER_KEYS", json!({provider: KEY}).to_string())
        .env("TIMING_OVERRIDES", serde_json::to_string(&stand.timing).unwrap())
        .env("LOG", std::env::var("STAND_LOG").unwrap_or_else(|_| "info".to_owned()))
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = loop {
        let line = lines.next_line().await.unwrap().expect("the executor says where it listens");
        let line: Value = serde_json::from_str(&line).unwrap();
        if let Some(address) = line["server.address"].as_str() {
            break address.replace("0.0.0.0", "127.0.0.1");
        }
    };
    let shown = std::env::var_os("STAND_LOG").is_some();
    tokio::spawn(async move {
        while let Ok(Some(line)) = lines.next_line().await {
            if shown {
                eprintln!("{line}");
            }
        }
    });
    Program { url: format!("http://{address}"), running: Running::Process(child) }
}

fn runtime(stand: &Stand) -> Program {
    let config = config(stand);
    let adapter = keyed::adapter(&provider_url(stand), KEY, &stand.timing);
    let parts = Parts { adapters: Adapters::of([(stand.provider, adapter)]), ..Parts::build(&config).unwrap() };
    let executions = Arc::new(Executions::new(Arc::new(Executor::new(parts)), 4));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.spawn(async move {
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        axum::serve(listener, executor::server::router(executions)).await.unwrap();
    });
    Program { url, running: Running::Runtime(runtime) }
}

fn provider_url(stand: &Stand) -> String {
    format!("{}/{}", stand.outside.url(), stand.provider)
}

fn config(stand: &Stand) -> Config {
    let provider: Provider = stand.provider;
    Config {
        port: 0,
        control_url: stand.control.url().parse().unwrap(),
        s3: S3Config {
            endpoint: format!("{}/s3", stand.storage.url()).parse().unwrap(),
            bucket: "afc-media".to_owned(),
            access_key_id: Secret::new("access"),
            secret_access_key: Secret::new("s3cr3t"),
        },
        provider_urls: [(provider, provider_url(stand).parse().unwrap())].into(),
        provider_keys: [(provider, Secret::new(KEY))].into(),
        timing: stand.timing.clone(),
        spool_dir: None,
        output_limit: 200 << 20,
        max_executions: 4,
        extra_roots: None,
    }
}
