use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use chrono::{DateTime, Utc};
use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::sync::{oneshot, watch};

use crate::port::Lease;
use crate::signal::exit_code;
use crate::spec::Restart;
use crate::status::{Afterlife, Phase, Removal, Status};

/// Everything a container's process is started with.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) output: Output,
    pub(crate) lease: Arc<Lease>,
    pub(crate) restart: Restart,
}

/// Where the process's stdout and stderr go.
#[derive(Debug)]
pub(crate) enum Output {
    /// Appended to this file.
    File(PathBuf),
    /// To our stderr, line by line, each after this name.
    Prefixed(String),
}

/// What came of starting a container.
#[derive(Debug)]
pub(crate) enum Started {
    Now,
    AlreadyRunning,
    /// Removed meanwhile.
    Gone,
    Failed(io::Error),
}

/// Starts the process and stays with it to its end, and through its revivals.
///
/// Each container has a thread of its own, because only a thread can wait for a process without reaping it: the
/// process is reaped under the lock of its status, and whoever signals holds that lock. So no signal ever reaches
/// a stranger that was given the same pid.
pub(crate) async fn start(status: Arc<watch::Sender<Status>>, launch: Launch) -> Started {
    let (report, started) = oneshot::channel();
    let life = Life { status, launch };
    match thread::Builder::new().name("container".to_owned()).spawn(move || life.run(report)) {
        Ok(_) => started.await.unwrap_or(Started::Gone),
        Err(error) => Started::Failed(error),
    }
}

struct Life {
    status: Arc<watch::Sender<Status>>,
    launch: Launch,
}

impl Life {
    fn run(self, report: oneshot::Sender<Started>) {
        let mut child = match self.begin() {
            Ok(child) => child,
            Err(outcome) => {
                let _ = report.send(outcome);
                return;
            }
        };
        // Nobody may be listening any more; the container runs all the same.
        let _ = report.send(Started::Now);
        loop {
            let (afterlife, exits) = self.end(child);
            let Afterlife::Revive { after } = afterlife else { return };
            thread::sleep(after);
            match self.revive(exits) {
                Some(revived) => child = revived,
                None => return,
            }
        }
    }

    /// The check and the spawn are one step under the lock: two starts cannot both find the container idle.
    fn begin(&self) -> Result<Child, Started> {
        let mut outcome = Err(Started::AlreadyRunning);
        self.status.send_if_modified(|status| {
            if status.removal != Removal::None {
                outcome = Err(Started::Gone);
                return false;
            }
            if status.is_running() {
                return false;
            }
            status.stop_requested = false;
            status.restarts = 0;
            outcome = self.spawn_into(status).map_err(Started::Failed);
            true
        });
        outcome
    }

    /// `exits` names the exit that called for this revival: if the container ended, or was started, by other means
    /// meanwhile, it is not ours to revive.
    fn revive(&self, exits: u64) -> Option<Child> {
        let mut revived = None;
        self.status.send_if_modified(|status| {
            if !matches!(status.phase, Phase::Restarting) || status.exits != exits {
                return false;
            }
            status.restarts += 1;
            revived = self.spawn_into(status).ok();
            true
        });
        revived
    }

    fn spawn_into(&self, status: &mut Status) -> io::Result<Child> {
        match self.launch.spawn() {
            Ok(child) => {
                let process = Pid::from_child(&child);
                status.begin(Phase::Running { process, lease: Arc::clone(&self.launch.lease) }, now());
                Ok(child)
            }
            Err(error) => {
                // As a shell and Docker say it: 127 not found, 126 found but not to be run.
                status.exit_code = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
                status.error = format!("{}: {error}", self.launch.program.display());
                if matches!(status.phase, Phase::Restarting) {
                    status.end(Phase::Exited, status.exit_code, now());
                }
                Err(error)
            }
        }
    }

    /// Waits for the end of the process and takes its group with it, as the end of a container's first process does.
    fn end(&self, mut child: Child) -> (Afterlife, u64) {
        let process = Pid::from_child(&child);
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let _ = retry_on_intr(|| waitid(WaitId::Pid(process), options));
        let mut outcome = (Afterlife::Exited, 0);
        self.status.send_modify(|status| {
            // While the leader is not reaped, the group's number cannot be anybody else's.
            let _ = kill_process_group(process, Signal::KILL);
            let code = child.wait().map_or(255, exit_code);
            let afterlife = status.afterlife(self.launch.restart, code);
            let phase = match afterlife {
                Afterlife::Exited => Phase::Exited,
                Afterlife::Revive { .. } => Phase::Restarting,
            };
            status.end(phase, code, now());
            outcome = (afterlife, status.exits);
        });
        outcome
    }
}

impl Launch {
    fn spawn(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(key, value)| (key, value)))
            .current_dir("/")
            .stdin(Stdio::null())
            .process_group(0);
        match &self.output {
            Output::File(path) => {
                let file = File::options().append(true).create(true).open(path)?;
                command.stdout(file.try_clone()?).stderr(file);
                command.spawn()
            }
            Output::Prefixed(name) => {
                let (reader, writer) = io::pipe()?;
                command.stdout(writer.try_clone()?).stderr(writer);
                let child = command.spawn()?;
                // `command` holds our ends of the pipe: without them the reader sees the end of the container.
                drop(command);
                let name = name.clone();
                thread::spawn(move || forward(&name, reader));
                Ok(child)
            }
        }
    }
}

fn forward(name: &str, reader: io::PipeReader) {
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let text = String::from_utf8_lossy(&line);
        // A closed stderr must not end the reading: the application would block on a full pipe.
        let _ = writeln!(io::stderr().lock(), "{name} | {}", text.trim_end_matches(['\n', '\r']));
        line.clear();
    }
}

pub(crate) fn now() -> DateTime<Utc> {
    DateTime::from(std::time::SystemTime::now())
}

/// How long a stopped process may take, in Docker's terms: negative is for ever.
pub(crate) fn patience(seconds: i64) -> Option<Duration> {
    u64::try_from(seconds).ok().map(Duration::from_secs)
}
