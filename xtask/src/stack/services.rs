//! The parts of a stack that testkit provides: Postgres behind a pooler, the provider simulator, the webhook receiver.

use std::env;
use std::process::Command;
use std::time::Duration;

use super::crew::{Crew, Spec, Stdin};
use super::place::Place;
use super::ports::Ports;
use super::ready;
use crate::failure::Outcome;
use crate::paths::Repo;

/// A first start makes the database cluster.
const START: Duration = Duration::from_mins(1);

/// Names the folder with the data: not always ours, since Postgres's unprivileged account must be able to reach it.
const DATA_PATH: &str = "postgres.path";

/// Two addresses of one database.
pub(super) struct Database {
    /// Postgres itself: for migrations and people.
    pub(super) url: String,
    /// Through a transaction pooler, as Hyperdrive is one.
    pub(super) pooled_url: String,
    /// Where it is killed, started and asked what passed the pooler; none of somebody else's.
    pub(super) control: Option<String>,
}

/// Postgres with its data in the stack's folder, unless `DATABASE_URL` names another one, which then stands for both.
pub(super) async fn database(repo: &Repo, crew: &Crew<'_>) -> Outcome<Database> {
    if let Ok(url) = env::var("DATABASE_URL") {
        return Ok(Database { pooled_url: url.clone(), url, control: None });
    }
    let mut command = testkit(repo, "postgres");
    command.arg("--data").arg(crew.place().join("postgres"));
    let spec = Spec { name: "postgres", command, stdin: Stdin::HeldOpen, grace: Duration::from_secs(15) };
    let line = ready::announced("postgres", crew.start(spec)?, START).await?;
    crew.place().write(DATA_PATH, &ready::text(&line, "data")?)?;
    Ok(Database {
        url: ready::text(&line, "url")?,
        pooled_url: ready::text(&line, "pooled_url")?,
        control: Some(ready::text(&line, "control")?),
    })
}

/// Deletes the database of earlier runs, wherever it was.
pub(super) fn delete_database(place: &Place) -> Outcome {
    if let Ok(path) = std::fs::read_to_string(place.join(DATA_PATH)) {
        place.delete(path)?;
    }
    place.delete(DATA_PATH)
}

/// The provider simulator; returns its base URL.
pub(super) async fn simulator(repo: &Repo, crew: &Crew<'_>, port: u16) -> Outcome<String> {
    let url = server(repo, crew, "simulator", port).await?;
    ready::answers("simulator", &format!("{url}/_sim/health"), START).await?;
    Ok(url)
}

/// The webhook receiver; returns its base URL.
pub(super) async fn receiver(repo: &Repo, crew: &Crew<'_>, port: u16) -> Outcome<String> {
    let url = server(repo, crew, "receiver", port).await?;
    ready::answers("receiver", &format!("{url}/_receiver/health"), START).await?;
    Ok(url)
}

/// A proxy that injects faults.
pub(super) struct FaultProxy {
    /// What it stands in front of is reached here.
    pub(super) url: String,
    /// Where it is told what to do.
    pub(super) control: String,
}

/// Starts a proxy in front of the api-worker's port, where nobody need listen yet.
pub(super) async fn fault_proxy(repo: &Repo, crew: &Crew<'_>, ports: &Ports) -> Outcome<FaultProxy> {
    let mut command = testkit(repo, "proxy");
    command.args(["--to", &format!("127.0.0.1:{}", ports.api)]);
    command.args(["--listen", &format!("127.0.0.1:{}", ports.proxy)]);
    let spec = Spec { name: "proxy", command, stdin: Stdin::HeldOpen, grace: Duration::from_secs(5) };
    let line = ready::announced("proxy", crew.start(spec)?, START).await?;
    Ok(FaultProxy { url: ready::text(&line, "url")?, control: ready::text(&line, "control")? })
}

async fn server(repo: &Repo, crew: &Crew<'_>, name: &'static str, port: u16) -> Outcome<String> {
    let mut command = testkit(repo, name);
    command.arg("--port").arg(port.to_string());
    let spec = Spec { name, command, stdin: Stdin::HeldOpen, grace: Duration::from_secs(5) };
    let line = ready::announced(name, crew.start(spec)?, START).await?;
    ready::text(&line, "url")
}

fn testkit(repo: &Repo, part: &str) -> Command {
    let mut command = Command::new(repo.debug_binary("testkit"));
    command.arg(part).arg("--exit-with-stdin").current_dir(repo.root());
    command
}
