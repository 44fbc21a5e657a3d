//! `wrangler dev` with both Workers: one process group, so that its workerd processes never outlive it.

use std::cell::Cell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use tokio::sync::mpsc::Receiver;

use super::crew::{Crew, Spec, Stdin};
use super::file::StackFile;
use super::ports::Ports;
use super::{cron, ready};
use crate::failure::{Failure, OrFail, Outcome};
use crate::paths::Repo;

/// The time from the start to the first answer: a start of workerd takes seconds, a rebuild of the Workers a minute.
const START: Duration = Duration::from_mins(3);
/// wrangler removes its session's containers before it ends.
const GRACE: Duration = Duration::from_secs(10);

/// How to start `wrangler dev`, again if need be.
pub(super) struct Launch {
    /// One configuration a Worker; the first answers requests.
    pub(super) configs: Vec<PathBuf>,
    pub(super) ports: Ports,
    /// `DOCKER_HOST` and the like.
    pub(super) engine: Vec<(&'static str, OsString)>,
    /// What the Workers' Hyperdrive binding connects to.
    pub(super) pooled_url: String,
}

/// A running `wrangler dev` and what is known about its stack.
pub(super) struct Wrangler<'a> {
    repo: &'a Repo,
    crew: &'a Crew<'a>,
    launch: Launch,
    file: StackFile,
    starts: Cell<u32>,
}

impl<'a> Wrangler<'a> {
    /// Starts it, waits until both Workers answer, and writes `stack.json`.
    pub(super) async fn start(
        repo: &'a Repo,
        crew: &'a Crew<'a>,
        launch: Launch,
        file: StackFile,
    ) -> Outcome<Self> {
        let wrangler = Self { repo, crew, launch, file, starts: Cell::new(0) };
        wrangler.start_again().await?;
        Ok(wrangler)
    }

    /// What `stack.json` says.
    pub(super) fn file(&self) -> StackFile {
        let mut pids = self.crew.pids();
        pids.extend(i32::try_from(std::process::id()).ok().map(|pid| ("xtask".to_owned(), pid)));
        StackFile { wrangler_starts: self.starts.get(), pids, logs: self.crew.logs(), ..self.file.clone() }
    }

    /// Fires the cron triggers and restarts on demand, until something fails.
    pub(super) async fn keep(&self, mut restarts: Receiver<()>) -> Failure {
        loop {
            let asked = tokio::select! {
                fired = cron::keep_firing(&self.file.api, self.crew) => fired,
                asked = restarts.recv() => match asked {
                    Some(()) => self.restart().await,
                    None => std::future::pending().await,
                },
            };
            if let Err(failure) = asked {
                return failure;
            }
        }
    }

    async fn restart(&self) -> Outcome {
        eprintln!("· killing wrangler and starting it again");
        self.crew.kill("wrangler").await?;
        self.start_again().await?;
        eprintln!("✓ wrangler is up again");
        Ok(())
    }

    async fn start_again(&self) -> Outcome {
        let spec = Spec { name: "wrangler", command: self.command()?, stdin: Stdin::Null, grace: GRACE };
        self.crew.start(spec)?;
        ready::answers("the api-worker", &format!("{}/readyz", self.file.api), START).await?;
        self.starts.set(self.starts.get() + 1);
        self.crew.survey()?;
        let text =
            serde_json::to_string_pretty(&self.file()).or_fail("cannot write stack.json", "report this")?;
        self.crew.place().write("stack.json", &text)
    }

    fn command(&self) -> Outcome<Command> {
        let place = self.crew.place();
        let mut command = Command::new(self.repo.node_program("node"));
        command.arg(self.repo.join("node_modules/wrangler/bin/wrangler.js")).arg("dev");
        for config in &self.launch.configs {
            command.arg("-c").arg(config);
        }
        command
            .args(["--ip", "127.0.0.1", "--port", &self.launch.ports.api.to_string()])
            .args(["--inspector-port", &self.launch.ports.inspector.to_string()])
            .arg("--persist-to")
            .arg(place.folder("wrangler")?)
            .arg("--show-interactive-dev-session=false")
            .current_dir(self.repo.root())
            .env("PATH", self.repo.node_path()?)
            .env("CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_DB", &self.launch.pooled_url)
            // Workers of other sessions on this machine have the same names and are none of our business.
            .env("WRANGLER_REGISTRY_PATH", place.folder("registry")?)
            .env("WRANGLER_SEND_METRICS", "false")
            .env("WRANGLER_WRITE_LOGS", "false")
            .env("WRANGLER_HIDE_BANNER", "true")
            .env("NO_COLOR", "1")
            // Nobody's location is looked up on the network.
            .env("CLOUDFLARE_CF_FETCH_ENABLED", "false")
            // The build that wrangler calls finds its checkout by this.
            .env("CARGO_MANIFEST_DIR", self.repo.join("xtask"))
            .env_remove("WRANGLER_DOCKER_HOST")
            .envs(self.launch.engine.iter().map(|(name, value)| (name, value)));
        Ok(command)
    }
}
