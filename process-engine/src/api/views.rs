use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::Query;
use super::containers::find;
use super::filters::Filters;
use super::reply::{Refusal, Reply};
use crate::container::Container;
use crate::engine::Engine;
use crate::spec::Kind;
use crate::status::Phase;

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
    let listed = engine
        .containers()
        .into_iter()
        .filter(|container| (all || container.status().is_running()) && filters.admit(container));
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
