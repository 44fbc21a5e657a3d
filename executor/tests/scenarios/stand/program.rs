//! A running executor, as a process.

use std::process::Stdio;

use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::{Stand, Vehicle, keyed};

const KEY: &str = "provider-k3y";

pub(crate) struct Program {
    pub(crate) url: String,
    process: Child,
}

impl Program {
    pub(super) async fn start(stand: &Stand) -> Self {
        let mut process = command(stand.vehicle)
            .envs(environment(stand))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let url = testkit::listening::url(&mut lines).await.unwrap();
        let shown = std::env::var_os("STAND_LOG").is_some();
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                if shown {
                    eprintln!("{line}");
                }
            }
        });
        Self { url, process }
    }

    /// SIGKILL; no code of it runs any more when this returns.
    pub(crate) async fn kill(mut self) {
        self.process.kill().await.unwrap();
    }
}

fn command(vehicle: Vehicle) -> Command {
    let mut command = match vehicle {
        Vehicle::Executor => Command::new(env!("CARGO_BIN_EXE_executor")),
        Vehicle::Keyed => {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", keyed::PROCESS, "--ignored", "--nocapture"]);
            command
        }
    };
    command.env_clear();
    command
}

fn environment(stand: &Stand) -> Vec<(&'static str, String)> {
    let provider = stand.provider.as_str();
    let provider_url = format!("{}/{provider}", stand.outside.url());
    vec![
        ("PORT", "0".to_owned()),
        ("CONTROL_URL", stand.control.url()),
        ("S3_ENDPOINT", format!("{}/s3", stand.storage.url())),
        ("S3_BUCKET", "afc-media".to_owned()),
        ("S3_ACCESS_KEY_ID", "access".to_owned()),
        ("S3_SECRET_ACCESS_KEY", "s3cr3t".to_owned()),
        ("PROVIDER_URLS", json!({provider: provider_url}).to_string()),
        ("PROVIDER_KEYS", json!({provider: KEY}).to_string()),
        ("TIMING_OVERRIDES", serde_json::to_string(&stand.timing).unwrap()),
        ("LOG", std::env::var("STAND_LOG").unwrap_or_else(|_| "info".to_owned())),
    ]
}
