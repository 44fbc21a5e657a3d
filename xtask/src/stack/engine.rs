//! What runs the executor's containers: a Docker engine, or plain processes behind the same API.

use std::ffi::OsString;
use std::process::Command;
use std::time::Duration;

use clap::ValueEnum;

use super::crew::{Crew, Spec, Stdin};
use super::ready;
use crate::command::output;
use crate::failure::{Failure, Outcome};
use crate::paths::Repo;

/// A container engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// The executor as a plain process; needs nothing installed
    Process,
    /// A Docker engine with buildx, whose containers reach the loopback addresses of this machine
    Docker,
}

/// Where the process engine writes what executors print, below the stack's folder.
pub(super) const EXECUTOR_LOGS: &str = "logs/executor";
const START_DOCKER: &str = "start Docker (with buildx), or use `--engine process`, which needs none";

impl Engine {
    /// Fails unless it can be used on this machine.
    pub(super) fn check(self) -> Outcome {
        match self {
            Self::Process => Ok(()),
            Self::Docker => docker_answers().map_err(|failure| {
                Failure::new(format!("no usable Docker engine ({})", failure.what()), START_DOCKER)
            }),
        }
    }

    /// Its word in `stack.json`.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Docker => "docker",
        }
    }
}

/// How to reach an engine.
pub(super) struct Access {
    /// Its unix socket.
    pub(super) socket: String,
    /// What `wrangler dev` needs in its environment to use it.
    pub(super) variables: Vec<(&'static str, OsString)>,
}

/// The Docker engine of this machine.
pub(super) fn docker_access() -> Access {
    let host = std::env::var("DOCKER_HOST").unwrap_or_default();
    let socket = host.strip_prefix("unix://").unwrap_or("/var/run/docker.sock");
    Access { socket: socket.to_owned(), variables: Vec::new() }
}

/// Starts the process engine. `classes` are the Durable Object classes with a container; each runs the executor.
pub(super) async fn start_process_engine(
    repo: &Repo,
    crew: &Crew<'_>,
    classes: &[String],
) -> Outcome<Access> {
    let socket = crew.place().socket("engine.sock")?;
    let mut command = Command::new(repo.debug_binary("process-engine"));
    command.arg("serve").arg("--socket").arg(&socket);
    let executor = repo.debug_binary("executor");
    for class in classes {
        // wrangler names an image after the class, with a tag of its own for each session.
        command.arg("--image").arg(format!("*/{}={}", class.to_lowercase(), executor.display()));
    }
    command
        .arg("--log-dir")
        .arg(crew.place().folder(EXECUTOR_LOGS)?)
        .args(["--ready-json", "--exit-with-stdin"]);
    let spec = Spec { name: "engine", command, stdin: Stdin::HeldOpen, grace: Duration::from_secs(8) };
    let line = ready::announced("engine", crew.start(spec)?, Duration::from_secs(20)).await?;
    let variables = vec![
        ("DOCKER_HOST", ready::text(&line, "docker_host")?.into()),
        ("WRANGLER_DOCKER_BIN", repo.debug_binary("process-engine-docker").into()),
    ];
    Ok(Access { socket: ready::text(&line, "socket")?, variables })
}

/// Removes the containers of the Docker engine that were given `api` as their control plane, and their sidecars.
pub(super) fn remove_containers(api: &str) -> Outcome {
    let mut list = docker();
    list.args(["ps", "--all", "--quiet", "--filter", "label=dev.workerd.session"]);
    let ids = output(&mut list, START_DOCKER)?;
    for id in ids.lines() {
        let mut inspect = docker();
        inspect.args(["inspect", "--format", "{{.Name}} {{json .Config.Env}}", id]);
        // One that has just gone by itself is no failure.
        let Ok(about) = output(&mut inspect, START_DOCKER) else { continue };
        let name = about.split_whitespace().next().unwrap_or_default().trim_start_matches('/');
        if about.contains(&format!("\"CONTROL_URL={api}\"")) {
            output(docker().args(["rm", "--force", id]), START_DOCKER)?;
            // The sidecar has the container's network and may be gone with it.
            let _ = output(docker().args(["rm", "--force", &format!("{name}-proxy")]), START_DOCKER);
        }
    }
    Ok(())
}

fn docker_answers() -> Outcome {
    output(docker().args(["version", "--format", "{{.Server.Version}}"]), START_DOCKER)?;
    output(docker().args(["buildx", "version"]), START_DOCKER)?;
    Ok(())
}

fn docker() -> Command {
    Command::new(std::env::var_os("WRANGLER_DOCKER_BIN").unwrap_or_else(|| "docker".into()))
}
