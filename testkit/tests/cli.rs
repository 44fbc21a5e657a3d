//! The binary: what it prints, and that it ends however it is ended, leaving nothing.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use http::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use testkit::client::Outgoing;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio_postgres::NoTls;
use tokio_postgres::error::SqlState;

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// How long a process may take for something that takes a moment.
const LIMIT: Duration = Duration::from_secs(20);

struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    ready: Value,
}

impl Process {
    async fn start(arguments: &[&str]) -> Outcome<Self> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_testkit"));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.kill_on_drop(true).spawn()?;
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut line = String::new();
        tokio::time::timeout(LIMIT, output.read_line(&mut line)).await??;
        Ok(Self { child, input, output, ready: serde_json::from_str(&line)? })
    }

    fn text(&self, field: &str) -> Outcome<String> {
        let found = self.ready.get(field).and_then(Value::as_str);
        Ok(found.ok_or_else(|| format!("no {field} in {}", self.ready))?.to_owned())
    }

    fn signal(&self, signal: Signal) -> Outcome {
        let pid = i32::try_from(self.child.id().ok_or("it has ended")?)?;
        Ok(kill_process(Pid::from_raw(pid).ok_or("pid 0")?, signal)?)
    }

    /// Waits for a clean end, after which nothing more was printed.
    async fn ended_cleanly(mut self) -> Outcome {
        let status = tokio::time::timeout(LIMIT, self.child.wait()).await??;
        assert!(status.success(), "{status}");
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).await?;
        assert_eq!(rest, "", "one line is all");
        Ok(())
    }
}

fn new_folder() -> PathBuf {
    Path::new("/var/tmp").join(format!("testkit-cli-{}", uuid::Uuid::now_v7().simple()))
}

/// A process that has ended and waits for its new parent to notice has no command line any more.
fn is_alive(pid: &Value) -> bool {
    std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty())
}

async fn gone(pid: &Value) -> Outcome {
    let waiting = async {
        while is_alive(pid) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    Ok(tokio::time::timeout(LIMIT, waiting).await?)
}

#[tokio::test]
async fn the_simulator_ends_with_a_signal_although_its_input_stays_open() -> Outcome {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let simulator = Process::start(&["simulator", "--exit-with-stdin"]).await?;
        assert_eq!(simulator.ready["ready"], "simulator");
        let health = Outgoing::get(format!("{}/_sim/health", simulator.text("url")?)).send().await?;
        assert_eq!(health.json()["ok"], true);
        simulator.signal(signal)?;
        simulator.ended_cleanly().await?;
    }
    Ok(())
}

#[tokio::test]
async fn the_end_of_standard_input_is_the_end_only_when_asked_for() -> Outcome {
    let mut bound = Process::start(&["--exit-with-stdin", "simulator"]).await?;
    drop(bound.input.take());
    bound.ended_cleanly().await?;

    let mut free = Process::start(&["simulator"]).await?;
    drop(free.input.take());
    let health = Outgoing::get(format!("{}/_sim/health", free.text("url")?)).send().await?;
    assert_eq!(health.status, 200);
    free.signal(Signal::TERM)?;
    free.ended_cleanly().await
}

#[tokio::test]
async fn postgres_is_driven_over_its_control_and_stops_with_its_process() -> Outcome {
    let folder = new_folder();
    let data = folder.display().to_string();
    let process = Process::start(&["postgres", "--data", &data, "--exit-with-stdin"]).await?;
    let (url, pooled, control) =
        (process.text("url")?, process.text("pooled_url")?, process.text("control")?);
    let act = |method: Method, path: &'static str| {
        Outgoing::new(method, format!("{control}/_postgres/{path}")).send()
    };
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
    let connection = tokio::spawn(connection);
    client.batch_execute("create table kept as select 5 as n").await?;
    drop(client);
    connection.await??;

    let (client, connection) = tokio_postgres::connect(&pooled, NoTls).await?;
    let connection = tokio::spawn(connection);
    client.query_typed("select n from kept", &[]).await?;
    let seen = act(Method::GET, "connections").await?.json();
    assert_eq!(seen["connections"][0]["flights"], 1);
    assert_eq!(act(Method::POST, "forget").await?.status, 204);
    assert_eq!(act(Method::GET, "connections").await?.json(), json!({"connections": []}));
    assert_eq!(
        act(Method::GET, "health").await?.json(),
        json!({"running": true, "pid": process.ready["pid"]})
    );

    assert_eq!(act(Method::POST, "kill").await?.json(), json!({"running": false, "pid": null}));
    assert!(!is_alive(&process.ready["pid"]));
    let refused = client.query_typed("select 1", &[]).await.err().and_then(|error| error.code().cloned());
    assert_eq!(refused, Some(SqlState::SYSTEM_ERROR));
    assert!(connection.await?.is_err());

    let health = act(Method::POST, "start").await?.json();
    assert_eq!(health["running"], true);
    let (client, connection) = tokio_postgres::connect(&pooled, NoTls).await?;
    tokio::spawn(connection);
    assert_eq!(client.query_typed("select n from kept", &[]).await?.len(), 1);

    process.signal(Signal::TERM)?;
    process.ended_cleanly().await?;
    gone(&health["pid"]).await?;
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

#[tokio::test]
async fn postgres_ends_with_a_process_that_is_killed_and_comes_back() -> Outcome {
    let folder = new_folder();
    let data = folder.display().to_string();
    let mut process = Process::start(&["postgres", "--data", &data]).await?;
    process.child.kill().await?;
    // Started before the old server is quite gone: it is waited for.
    let next = Process::start(&["postgres", "--data", &data]).await?;
    assert!(!is_alive(&process.ready["pid"]));
    next.signal(Signal::INT)?;
    let pid = next.ready["pid"].clone();
    next.ended_cleanly().await?;
    gone(&pid).await?;
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

#[tokio::test]
async fn a_start_that_fails_says_why_and_fails() -> Outcome {
    let arguments = ["postgres", "--data", "/var/tmp/testkit-never", "--native", "/nonexistent"];
    let output = Command::new(env!("CARGO_BIN_EXE_testkit")).args(arguments).output().await?;
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("npm install"));
    Ok(())
}
