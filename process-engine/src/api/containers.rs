use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, Utc};
use hyper::StatusCode;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::Query;
use super::images::no_image;
use super::reply::{Refusal, Reply};
use crate::container::{Condition, Container, Force, Killed, Stopped};
use crate::engine::{Created, Engine, Removed, Start};
use crate::signal;
use crate::spec::{InvalidSpec, Kind, Spec};
use crate::status::Phase;

pub(super) fn create(engine: &Engine, query: &Query, body: &[u8]) -> Result<Reply, Refusal> {
    let spec = Spec::parse(body).map_err(|error| {
        let status = match error {
            InvalidSpec::Malformed(_) => StatusCode::BAD_REQUEST,
            InvalidSpec::Unsupported(_) => StatusCode::NOT_IMPLEMENTED,
        };
        Refusal::new(status, error.to_string())
    })?;
    let image = spec.image.clone();
    match engine.create(query.get("name"), spec) {
        Created::New(container) => {
            Ok(Reply::Json(StatusCode::CREATED, json!({"Id": container.id, "Warnings": []})))
        }
        Created::NameTaken { by } => Err(Refusal::new(
            StatusCode::CONFLICT,
            format!("Conflict. The container name \"/{}\" is already in use by container \"{}\"", by.name, by.id),
        )),
        Created::InvalidName => Err(Refusal::new(
            StatusCode::BAD_REQUEST,
            "Invalid container name: only [a-zA-Z0-9][a-zA-Z0-9_.-]* of at most 200 are allowed",
        )),
        Created::NoImage => Err(no_image(&image)),
        Created::Closing => Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the engine is about to end")),
    }
}

pub(super) async fn start(engine: &Engine, key: &str) -> Result<Reply, Refusal> {
    let container = find(engine, key)?;
    match engine.start(&container).await {
        Start::Now => {
            tracing::info!(name = container.name, "container.started");
            Ok(Reply::Empty(StatusCode::NO_CONTENT))
        }
        Start::AlreadyRunning => Ok(Reply::Empty(StatusCode::NOT_MODIFIED)),
        Start::Gone => Err(no_container(key)),
        Start::NoNetwork(name) => Err(Refusal::new(
            StatusCode::CONFLICT,
            format!("cannot join the network of {name}: no running sidecar has that name"),
        )),
        Start::Failed(reason) => {
            tracing::warn!(name = container.name, reason, "container.start failed");
            Err(Refusal::new(StatusCode::BAD_REQUEST, format!("cannot start {}: {reason}", container.name)))
        }
    }
}

pub(super) async fn wait(engine: &Engine, key: &str, query: &Query) -> Result<Reply, Refusal> {
    let condition = match query.get("condition").unwrap_or_default() {
        "" | "not-running" => Condition::NotRunning,
        "next-exit" => Condition::NextExit,
        "removed" => Condition::Removed,
        other => return Err(Refusal::new(StatusCode::BAD_REQUEST, format!("invalid condition: {other}"))),
    };
    let container = find(engine, key)?;
    let code = container.wait(condition).await;
    Ok(Reply::ok(json!({"StatusCode": code})))
}

pub(super) fn kill(engine: &Engine, key: &str, query: &Query) -> Result<Reply, Refusal> {
    let signal = asked_signal(query, Signal::KILL)?;
    let container = find(engine, key)?;
    match container.kill(signal) {
        Killed::Sent => Ok(Reply::Empty(StatusCode::NO_CONTENT)),
        Killed::NotRunning => {
            Err(Refusal::new(StatusCode::CONFLICT, format!("container {} is not running", container.name)))
        }
    }
}

pub(super) async fn stop(engine: &Engine, key: &str, query: &Query) -> Result<Reply, Refusal> {
    let container = find(engine, key)?;
    let (own_signal, own_timeout) = match &container.spec.kind {
        Kind::App(app) => (signal::parse(&app.stop_signal).unwrap_or(Signal::TERM), app.stop_timeout),
        Kind::Sidecar { .. } => (Signal::TERM, 10),
    };
    let signal = asked_signal(query, own_signal)?;
    let timeout = match query.get("t") {
        None => own_timeout,
        Some(text) => text
            .parse()
            .map_err(|_| Refusal::new(StatusCode::BAD_REQUEST, format!("invalid timeout: {text}")))?,
    };
    Ok(Reply::Empty(match container.stop(signal, timeout).await {
        Stopped::Now => StatusCode::NO_CONTENT,
        Stopped::NotRunning => StatusCode::NOT_MODIFIED,
    }))
}

/// Removal goes on to its end even if the client hangs up: half removed is a state nobody could leave.
pub(super) async fn remove(engine: &Arc<Engine>, key: &str, query: &Query) -> Result<Reply, Refusal> {
    let container = find(engine, key)?;
    let force = if query.is_on("force") { Force::Yes } else { Force::No };
    let name = container.name.clone();
    let engine = Arc::clone(engine);
    let removal = tokio::spawn(async move { engine.remove(&container, force).await });
    let conflict = |text: String| Err(Refusal::new(StatusCode::CONFLICT, text));
    match removal.await {
        Ok(Removed::Now) => {
            tracing::info!(name, "container.removed");
            Ok(Reply::Empty(StatusCode::NO_CONTENT))
        }
        Ok(Removed::StillRunning) => {
            conflict(format!("cannot remove container \"{name}\": it is running: stop it or use force"))
        }
        Ok(Removed::InProgress) => conflict(format!("removal of container {name} is already in progress")),
        Err(error) => Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())),
    }
}

/// The one file `workerd` writes is the authority of the sidecar, for interception of HTTPS. It would end up in the
/// machine's own `/etc`, and nothing is signed by it: taken, and dropped.
pub(super) fn put_archive(engine: &Engine, key: &str, query: &Query) -> Result<Reply, Refusal> {
    find(engine, key)?;
    match query.get("path") {
        Some("/etc") => Ok(Reply::Empty(StatusCode::OK)),
        path => Err(Refusal::new(
            StatusCode::NOT_IMPLEMENTED,
            format!("a process has no files of its own to put at {}", path.unwrap_or_default()),
        )),
    }
}

pub(super) fn inspect(engine: &Engine, key: &str) -> Result<Reply, Refusal> {
    let container = find(engine, key)?;
    let status = container.status();
    let (program, arguments, environment) = match &container.spec.kind {
        Kind::App(app) => {
            let program = engine.image(&container.spec.image).map(|image| image.program().clone());
            (program, app.arguments.clone(), app.environment.clone())
        }
        Kind::Sidecar { .. } => (None, Vec::new(), Vec::new()),
    };
    let environment: Vec<String> = environment.iter().map(|(key, value)| format!("{key}={value}")).collect();
    Ok(Reply::ok(json!({
        "Id": container.id,
        "Name": format!("/{}", container.name),
        "Created": timestamp(Some(container.created)),
        "Path": program,
        "Args": arguments,
        "Image": container.spec.image,
        "RestartCount": status.restarts,
        "State": {
            "Status": status.word(),
            "Running": status.is_running(),
            "Paused": false,
            "Restarting": matches!(status.phase, Phase::Restarting),
            "OOMKilled": false,
            "Dead": false,
            "Pid": pid(&status.phase),
            "ExitCode": status.exit_code,
            "Error": status.error,
            "StartedAt": timestamp(status.started_at),
            "FinishedAt": timestamp(status.finished_at),
        },
        "Config": {
            "Image": container.spec.image,
            "Labels": container.spec.labels,
            "Env": environment,
            "Cmd": arguments,
            "WorkingDir": "/",
        },
        "HostConfig": {"NetworkMode": container.spec.network_mode},
        "NetworkSettings": {"Ports": ports(&container), "Networks": {}},
        "Mounts": [],
    })))
}

pub(super) fn list(engine: &Engine, query: &Query) -> Result<Reply, Refusal> {
    let filters = Filters::parse(query.get("filters").unwrap_or_default())?;
    let all = query.is_on("all") || filters.names_a_status();
    let listed = engine.containers().into_iter().filter(|container| {
        (all || container.status().is_running()) && filters.admit(container)
    });
    Ok(Reply::ok(listed.map(|container| summary(&container)).collect()))
}

fn summary(container: &Container) -> Value {
    let status = container.status();
    json!({
        "Id": container.id,
        "Names": [format!("/{}", container.name)],
        "Image": container.spec.image,
        "ImageID": container.spec.image,
        "Command": "",
        "Created": container.created.timestamp(),
        "State": status.word(),
        "Status": match status.phase {
            Phase::Exited => format!("Exited ({})", status.exit_code),
            Phase::Created | Phase::Running { .. } | Phase::Serving(_) | Phase::Restarting => status.word().to_owned(),
        },
        "Labels": container.spec.labels,
        "Ports": container.published().map_or_else(Vec::new, |(private, public)| vec![
            json!({"IP": "127.0.0.1", "PrivatePort": private, "PublicPort": public, "Type": "tcp"}),
        ]),
        "HostConfig": {"NetworkMode": container.spec.network_mode},
        "Mounts": [],
    })
}

fn ports(container: &Container) -> Value {
    container.published().map_or_else(
        || json!({}),
        |(private, public)| {
            json!({format!("{private}/tcp"): [{"HostIp": "127.0.0.1", "HostPort": public.to_string()}]})
        },
    )
}

/// 0 where there is no process: a sidecar has none of its own.
fn pid(phase: &Phase) -> i32 {
    match phase {
        Phase::Running { process, .. } => process.as_raw_nonzero().get(),
        Phase::Created | Phase::Serving(_) | Phase::Restarting | Phase::Exited => 0,
    }
}

/// Docker's zero is the year 1.
fn timestamp(time: Option<DateTime<Utc>>) -> String {
    time.map_or_else(
        || "0001-01-01T00:00:00Z".to_owned(),
        |time| time.to_rfc3339_opts(SecondsFormat::Nanos, true),
    )
}

fn find(engine: &Engine, key: &str) -> Result<Arc<Container>, Refusal> {
    engine.find(key).ok_or_else(|| no_container(key))
}

fn no_container(key: &str) -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, format!("No such container: {key}"))
}

fn asked_signal(query: &Query, default: Signal) -> Result<Signal, Refusal> {
    match query.get("signal") {
        None | Some("") => Ok(default),
        Some(text) => signal::parse(text)
            .ok_or_else(|| Refusal::new(StatusCode::BAD_REQUEST, format!("invalid signal: {text}"))),
    }
}

/// `{"label": ["key=value"], …}`, or the older `{"label": {"key=value": true}}`. All labels have to hold, and one of
/// each other kind.
#[derive(Debug, Default)]
struct Filters(BTreeMap<String, Vec<String>>);

impl Filters {
    fn parse(text: &str) -> Result<Self, Refusal> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let invalid = |reason: String| Refusal::new(StatusCode::BAD_REQUEST, format!("invalid filter: {reason}"));
        let given: BTreeMap<String, Value> =
            serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
        let mut filters = BTreeMap::new();
        for (kind, values) in given {
            if !matches!(kind.as_str(), "label" | "name" | "id" | "status") {
                return Err(invalid(kind));
            }
            let values = match values {
                Value::Array(values) => values.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                Value::Object(values) => values.into_iter().map(|(value, _)| value).collect(),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return Err(invalid(kind)),
            };
            filters.insert(kind, values);
        }
        Ok(Self(filters))
    }

    fn names_a_status(&self) -> bool {
        self.0.contains_key("status")
    }

    fn admit(&self, container: &Container) -> bool {
        self.0.iter().all(|(kind, values)| match kind.as_str() {
            "label" => values.iter().all(|wanted| has_label(&container.spec.labels, wanted)),
            "name" => values.iter().any(|wanted| container.name.contains(wanted.trim_start_matches('/'))),
            "id" => values.iter().any(|wanted| container.id.starts_with(wanted.as_str())),
            _ => values.iter().any(|wanted| container.status().word() == wanted),
        })
    }
}

fn has_label(labels: &BTreeMap<String, String>, wanted: &str) -> bool {
    match wanted.split_once('=') {
        Some((key, value)) => labels.get(key).is_some_and(|found| found == value),
        None => labels.contains_key(wanted),
    }
}
