//! The processes of a stack: started in groups of their own, watched, recorded, and ended.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::Value;
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::{mpsc, oneshot, watch};

use super::engine;
use super::output::{self, Logs, Terminal};
use super::place::{Member, Place, Record};
use super::signals::Signals;
use super::tail;
use crate::command::last_lines;
use crate::failure::{Failure, OrFail, Outcome};
use crate::process::{self, Identity, Table};

/// How long the system may take to end killed processes.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);
const LOG_LINES: usize = 25;

/// What to start.
pub(super) struct Spec {
    pub(super) name: &'static str,
    pub(super) command: std::process::Command,
    pub(super) stdin: Stdin,
    /// How long it may take to stop after SIGTERM, before its whole group is killed.
    pub(super) grace: Duration,
}

/// What a process gets as its input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stdin {
    /// Open as long as we live: it ends by itself when we are killed.
    HeldOpen,
    Null,
}

/// A started process's JSON line with which it says that it is ready.
pub(super) struct Started {
    pub(super) ready: oneshot::Receiver<Value>,
}

/// Handle on the processes; clones share them.
#[derive(Clone)]
pub(super) struct Crew<'place> {
    place: &'place Place,
    terminal: Terminal,
    deaths: mpsc::UnboundedSender<Failure>,
    members: Arc<Mutex<Vec<Running>>>,
    docker_api: Arc<Mutex<Option<String>>>,
}

/// Unexpected ends of processes.
pub(super) struct Deaths(mpsc::UnboundedReceiver<Failure>);

struct Running {
    name: &'static str,
    identity: Identity,
    grace: Duration,
    ended: watch::Receiver<bool>,
    /// Set before we end it ourselves.
    expected: Arc<Mutex<bool>>,
    stdin: Option<ChildStdin>,
}

impl<'place> Crew<'place> {
    pub(super) fn new(place: &'place Place, logs: Logs) -> (Self, Deaths) {
        let (deaths, ends) = mpsc::unbounded_channel();
        let crew = Self {
            place,
            terminal: Terminal::new(logs),
            deaths,
            members: Arc::default(),
            docker_api: Arc::default(),
        };
        (crew, Deaths(ends))
    }

    /// The folder of the stack.
    pub(super) fn place(&self) -> &'place Place {
        self.place
    }

    /// From now on the processes' lines go to the terminal, if they are to be shown at all.
    pub(super) fn show_logs(&self) {
        self.terminal.open();
    }

    /// Shows the executors' logs, if logs are shown at all; does not return.
    pub(super) async fn follow_executors<T>(&self) -> T {
        tail::follow(&self.place.join(engine::EXECUTOR_LOGS), &self.terminal).await;
        std::future::pending().await
    }

    /// Starts a process. Its output goes to `logs/<name>.log`, which a restart continues.
    pub(super) fn start(&self, spec: Spec) -> Outcome<Started> {
        let Spec { name, command, stdin, grace } = spec;
        let path = self.place.log(name);
        let advice = "check the permissions of the target folder";
        let log = OpenOptions::new().create(true).append(true).open(&path).or_fail(path.display(), advice)?;
        let second_log = log.try_clone().or_fail(path.display(), advice)?;
        let mut command = Command::from(command);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        command.stdin(if stdin == Stdin::HeldOpen { Stdio::piped() } else { Stdio::null() });
        let mut child = command
            .spawn()
            .or_fail(format!("cannot start {name}"), "run `cargo xtask setup`, then this again")?;
        let identity = identity_of(&child)?;

        let (announce, ready) = oneshot::channel();
        let mut pumps = tokio::task::JoinSet::new();
        if let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) {
            pumps.spawn(output::pump(name, stdout, log, self.terminal.clone(), Some(announce)));
            pumps.spawn(output::pump(name, stderr, second_log, self.terminal.clone(), None));
        }
        let (tell, ended) = watch::channel(false);
        let expected = Arc::new(Mutex::new(false));
        let stdin = child.stdin.take();
        let running =
            Running { name, identity: identity.clone(), grace, ended, expected: expected.clone(), stdin };
        locked(&self.members).push(running);
        let deaths = self.deaths.clone();
        tokio::spawn(async move {
            let status = child.wait().await.ok();
            // Its last words; a grandchild may hold the pipe open, so not for ever.
            let _ = tokio::time::timeout(Duration::from_millis(300), async {
                while pumps.join_next().await.is_some() {}
            })
            .await;
            if !*locked(&expected) {
                // Nobody listens when the stack has stopped already.
                let _ = deaths.send(death(name, status, &last_lines(&path, LOG_LINES)));
            }
            let _ = tell.send(true);
        });
        self.note(&[])?;
        Ok(Started { ready })
    }

    /// Containers of the Docker engine that were given this address are ours to remove.
    pub(super) fn owns_containers_of(&self, api: &str) {
        *locked(&self.docker_api) = Some(api.to_owned());
    }

    /// The pids of what runs, by name.
    pub(super) fn pids(&self) -> BTreeMap<String, i32> {
        locked(&self.members).iter().map(|running| (running.name.to_owned(), running.identity.pid)).collect()
    }

    /// The logs of what was started, by name.
    pub(super) fn logs(&self) -> BTreeMap<String, String> {
        let members = locked(&self.members);
        let log =
            |running: &Running| (running.name.to_owned(), self.place.log(running.name).display().to_string());
        members.iter().map(log).collect()
    }

    /// Kills a process and its whole group as a crash would; it counts as ended.
    pub(super) async fn kill(&self, name: &str) -> Outcome {
        let found = locked(&self.members).iter().position(|running| running.name == name);
        let Some(at) = found else { return Ok(()) };
        let running = locked(&self.members).remove(at);
        *locked(&running.expected) = true;
        process::send_to_group(running.identity.pid, Signal::SIGKILL)?;
        wait_for_end(&running.ended).await;
        end_group(&running.identity).await
    }

    /// Notes in `pids.json` what runs now, descendants in other groups included.
    pub(super) fn survey(&self) -> Outcome {
        let table = Table::read()?;
        let us = own_pid()?;
        let mut others = Vec::new();
        for entry in table.descendants(us) {
            if entry.is_zombie && !self.is_member(entry.identity.pid) {
                process::collect(entry.identity.pid);
            } else {
                others.push(entry.identity.clone());
            }
        }
        self.note(&others)
    }

    /// Ends everything in the reverse order of its start. A request to stop meanwhile ends the waiting: then all is
    /// killed at once.
    pub(super) async fn stop_all(&self, signals: &mut Signals) -> Outcome {
        let mut members: Vec<Running> = std::mem::take(&mut *locked(&self.members));
        for running in &members {
            *locked(&running.expected) = true;
        }
        let hurried = tokio::select! {
            () = stop_in_turn(&mut members) => false,
            () = signals.stop() => true,
        };
        if hurried {
            eprintln!("· stopping at once");
        }
        for running in &members {
            end_group(&running.identity).await?;
        }
        sweep().await?;
        let docker_api = locked(&self.docker_api).take();
        docker_api.map_or(Ok(()), |api| engine::remove_containers(&api))
    }

    fn is_member(&self, pid: i32) -> bool {
        locked(&self.members).iter().any(|running| running.identity.pid == pid)
    }

    fn note(&self, others: &[Identity]) -> Outcome {
        let owner = Table::read()?.find(own_pid()?).map(|entry| entry.identity.clone());
        let member =
            |running: &Running| Member { name: running.name.to_owned(), identity: running.identity.clone() };
        let members = locked(&self.members).iter().map(member).collect();
        let docker_api = locked(&self.docker_api).clone();
        self.place.record(&Record { owner, members, others: others.to_vec(), docker_api })
    }
}

impl Deaths {
    /// Resolves when a process ends that nobody ended.
    pub(super) async fn next(&mut self) -> Failure {
        match self.0.recv().await {
            Some(failure) => failure,
            None => std::future::pending().await,
        }
    }
}

async fn stop_in_turn(members: &mut [Running]) {
    for running in members.iter_mut().rev() {
        if *running.ended.borrow() {
            continue;
        }
        // A process that cannot be signalled is swept up afterwards.
        let _ = process::send(running.identity.pid, Signal::SIGTERM);
        // One that reads its input may wait there for the end of it.
        drop(running.stdin.take());
        if tokio::time::timeout(running.grace, wait_for_end(&running.ended)).await.is_err() {
            eprintln!("· {} did not stop within {} s and is killed", running.name, running.grace.as_secs());
        }
        let _ = end_group(&running.identity).await;
    }
}

/// Kills what is left of a group and waits until it is gone.
async fn end_group(leader: &Identity) -> Outcome {
    let since = Instant::now();
    while since.elapsed() < PATIENCE && !Table::read()?.group_of(leader).is_empty() {
        process::send_to_group(leader.pid, Signal::SIGKILL)?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Ends every descendant that is still there, whatever group it is in.
async fn sweep() -> Outcome {
    let us = own_pid()?;
    let since = Instant::now();
    loop {
        let table = Table::read()?;
        let left = table.descendants(us);
        if left.is_empty() {
            return Ok(());
        }
        for entry in &left {
            process::send(entry.identity.pid, Signal::SIGKILL)?;
            process::collect(entry.identity.pid);
        }
        if since.elapsed() > PATIENCE {
            let pids: Vec<String> = left.iter().map(|entry| entry.identity.pid.to_string()).collect();
            return Err(Failure::new(
                format!("processes {} outlive a SIGKILL", pids.join(", ")),
                "end them by hand",
            ));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn wait_for_end(ended: &watch::Receiver<bool>) {
    // An error means that the watcher is gone, and it goes last.
    let _ = ended.clone().wait_for(|ended| *ended).await;
}

fn death(name: &str, status: Option<ExitStatus>, log: &str) -> Failure {
    let status = status.map_or_else(|| "an unknown status".to_owned(), |status| status.to_string());
    Failure::new(
        format!("{name} has ended by itself ({status}); the stack stops. The end of its log:\n{log}"),
        "mend what its log names, then start again",
    )
}

fn identity_of(child: &Child) -> Outcome<Identity> {
    let pid = child.id().and_then(|pid| i32::try_from(pid).ok());
    let entry = pid
        .map(|pid| Table::read().map(|table| table.find(pid).map(|entry| entry.identity.clone())))
        .transpose()?;
    // It is not collected before somebody waits for it, so it is in the table even when it has ended.
    entry.flatten().or_fail("a started process is not in the process table", "report this")
}

fn own_pid() -> Outcome<i32> {
    i32::try_from(std::process::id()).or_fail("our own process id is out of range", "report this")
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The lists stay whole whoever panics.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
