use std::sync::Arc;

use hyper::StatusCode;
use rustix::process::Signal;
use serde_json::json;

use super::Query;
use super::images::no_image;
use super::reply::{Refusal, Reply};
use crate::container::{Condition, Container, Force, Killed, Stopped};
use crate::engine::{Created, Engine, Removed, Start};
use crate::signal;
use crate::spec::{InvalidSpec, Kind, Spec};

/// `POST /containers/create`.
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
            format!(
                "Conflict. The container name \"/{}\" is already in use by container \"{}\"",
                by.name, by.id
            ),
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

/// The head of the answer tells that the wait has begun: an exit from then on is not missed. The code follows in time.
pub(super) fn wait(engine: &Engine, key: &str, query: &Query) -> Result<Reply, Refusal> {
    let condition = match query.get("condition").unwrap_or_default() {
        "" | "not-running" => Condition::NotRunning,
        "next-exit" => Condition::NextExit,
        "removed" => Condition::Removed,
        other => return Err(Refusal::new(StatusCode::BAD_REQUEST, format!("invalid condition: {other}"))),
    };
    let container = find(engine, key)?;
    let code = container.wait(condition);
    Ok(Reply::Later(Box::pin(async move { json!({"StatusCode": code.await}) })))
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

pub(super) fn find(engine: &Engine, key: &str) -> Result<Arc<Container>, Refusal> {
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
