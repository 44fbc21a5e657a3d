use hyper::StatusCode;
use serde_json::json;

use super::reply::{Refusal, Reply};
use crate::container::Container;
use crate::engine::Engine;

/// The newest version of the Docker API whose shapes these answers have.
pub(super) const API_VERSION: &str = "1.44";

pub(super) fn ping() -> Reply {
    Reply::Text(StatusCode::OK, "OK")
}

pub(super) fn version() -> Reply {
    Reply::ok(json!({
        "Platform": {"Name": "process-engine"},
        "Version": env!("CARGO_PKG_VERSION"),
        "ApiVersion": API_VERSION,
        "MinAPIVersion": "1.24",
        "Os": std::env::consts::OS,
        "Arch": architecture(),
    }))
}

pub(super) fn info(engine: &Engine) -> Reply {
    let containers = engine.containers();
    let running = containers.iter().filter(|container| runs(container)).count();
    Reply::ok(json!({
        "Name": "process-engine",
        "ServerVersion": env!("CARGO_PKG_VERSION"),
        "OSType": std::env::consts::OS,
        "Architecture": std::env::consts::ARCH,
        "Containers": containers.len(),
        "ContainersRunning": running,
        "ContainersPaused": 0,
        "ContainersStopped": containers.len() - running,
        "Images": engine.images().len(),
        "Driver": "process",
        "DriverStatus": [],
        "SecurityOptions": [],
    }))
}

fn runs(container: &Container) -> bool {
    container.status().is_running()
}

/// All containers live on the loopback of this machine; that is where `workerd` is to listen for their requests.
pub(super) fn network(name: &str) -> Result<Reply, Refusal> {
    if name != "bridge" {
        return Err(Refusal::new(StatusCode::NOT_FOUND, format!("network {name} not found")));
    }
    Ok(Reply::ok(json!({
        "Name": "bridge",
        "Id": "bridge",
        "Driver": "bridge",
        "Scope": "local",
        "IPAM": {"Driver": "default", "Config": [{"Subnet": "127.0.0.0/8", "Gateway": "127.0.0.1"}]},
    })))
}

/// There are never any: processes share the file system of the machine.
pub(super) fn volumes() -> Reply {
    Reply::ok(json!({"Volumes": [], "Warnings": []}))
}

pub(super) fn no_volume(name: &str) -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, format!("get {name}: no such volume"))
}

/// Docker's name for the processor.
pub(super) fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}
