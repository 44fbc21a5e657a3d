//! The server's process, and the watchdog that ends it when this process ends, however it ends.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::Error;
use super::account::{Account, run_as};
use super::binaries::Binaries;
use super::data;
use crate::lock::lock;

/// A fast shutdown that takes longer than this is ended with SIGKILL.
const PATIENCE: Duration = Duration::from_secs(10);
/// A start includes recovery from a kill, which on a test's data takes a second at most.
const START_LIMIT: Duration = Duration::from_mins(1);
/// How often a state of the process is looked at.
const GLANCE: Duration = Duration::from_millis(10);
/// Lines of the log kept for error messages.
const TAIL: usize = 30;

/// Waits for the end of its standard input, which comes when we close it or when our process is gone, killed or not.
/// Then a fast shutdown (SIGINT), SIGKILL after ten seconds, and, unless we said `keep`, the removal of throw-away
/// data. A destructor alone would not do: nothing drops a `static`, and nothing runs after SIGKILL.
const WATCHDOG: &str = r#"
last=
while read -r word; do last=$word; done
works() {
  kill -0 "$1" 2>/dev/null || return 1
  # Ended, but not collected by whoever inherited it.
  case $(cat "/proc/$1/stat" 2>/dev/null) in *") Z "*) return 1 ;; esac
}
kill -INT "$1" 2>/dev/null
n=0
while [ $n -lt 100 ] && works "$1"; do sleep 0.1; n=$((n + 1)); done
kill -KILL "$1" 2>/dev/null
if [ -n "$2" ] && [ "$last" != keep ]; then rm -rf "$2"; fi
"#;

/// A started server. Dropping it stops the server and waits for that.
#[derive(Debug)]
pub(super) struct Process {
    server: Child,
    watchdog: Child,
    leash: Option<ChildStdin>,
    log: Arc<Mutex<Vec<String>>>,
    reader: Option<JoinHandle<()>>,
}

/// How a start can fail.
pub(super) enum Failure {
    /// Somebody took the port meanwhile.
    PortTaken,
    /// Children of a killed server still use its shared memory; they will notice.
    StillInUse,
    Other(Error),
}

/// What to start.
pub(super) struct Launch<'a> {
    pub(super) binaries: &'a Binaries,
    pub(super) account: Option<Account>,
    pub(super) folder: &'a Path,
    pub(super) port: u16,
    /// Remove the folder if this process ends without having stopped the server?
    pub(super) throwaway: bool,
}

/// The server's settings. Nothing is flushed to disk, which is safe against everything but a crash of the system:
/// commits stay synchronous, so a *killed* server has lost none it acknowledged.
fn settings(port: u16) -> Vec<String> {
    [
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        "fsync=off",
        "full_page_writes=off",
        "max_connections=200",
        "timezone=UTC",
        "log_timezone=UTC",
    ]
    .into_iter()
    .map(str::to_owned)
    .chain([format!("port={port}")])
    .collect()
}

impl Process {
    /// Starts the server and returns when it takes connections.
    pub(super) async fn launch(launch: &Launch<'_>) -> Result<Self, Failure> {
        let mut process = Self::spawn(launch).map_err(Failure::Other)?;
        let deadline = Instant::now() + START_LIMIT;
        loop {
            if let Ok(Some(status)) = process.server.try_wait() {
                return Err(process.explain(status));
            }
            if data::is_ready(launch.folder, process.pid()) {
                return Ok(process);
            }
            if Instant::now() > deadline {
                return Err(Failure::Other(Error::NotReady(process.tail())));
            }
            tokio::time::sleep(GLANCE).await;
        }
    }

    fn spawn(launch: &Launch<'_>) -> Result<Self, Error> {
        let program = launch.binaries.program("postgres");
        let mut command = Command::new(&program);
        command.arg("-D").arg(launch.folder);
        for setting in settings(launch.port) {
            command.arg("-c").arg(setting);
        }
        command.env_clear().env("LC_ALL", "C").env("TZ", "UTC").env("PATH", "/usr/bin:/bin").current_dir("/");
        // A group of its own: Ctrl-C in a terminal is for us to answer, in our order.
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        run_as(&mut command, launch.account);
        let mut server = command.spawn().map_err(Error::files(&program))?;
        let log = Arc::new(Mutex::new(Vec::new()));
        // A thread, not a task: a server shared by tests outlives the runtime of the test that started it.
        let reader = server.stderr.take().map(|stderr| {
            let kept = Arc::clone(&log);
            std::thread::spawn(move || follow(BufReader::new(stderr), &kept))
        });
        match watch(server.id(), launch) {
            Ok(mut watchdog) => {
                let leash = watchdog.stdin.take();
                Ok(Self { server, watchdog, leash, log, reader })
            }
            Err(error) => {
                drop(server.kill());
                drop(server.wait());
                Err(Error::files(Path::new("/bin/sh"))(error))
            }
        }
    }

    pub(super) fn pid(&self) -> u32 {
        self.server.id()
    }

    /// Has the server ended by itself?
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        self.server.try_wait().ok().flatten()
    }

    /// Fast shutdown: open transactions are rolled back, clients are told, the directory is clean afterwards.
    pub(super) async fn stop(mut self) {
        self.let_go();
        let deadline = Instant::now() + PATIENCE;
        while self.is_running() && Instant::now() < deadline {
            tokio::time::sleep(GLANCE).await;
        }
        // `Drop` does the rest, which by now is quick.
    }

    /// Kills the server and every process of it at once, as a power cut would.
    pub(super) async fn kill(mut self) {
        drop(self.watchdog.kill());
        drop(self.watchdog.wait());
        let children = children_of(self.pid());
        drop(self.server.kill());
        for child in &children {
            // It may have ended meanwhile, which is what we want.
            kill_process(*child, Signal::KILL).unwrap_or_default();
        }
        while self.is_running() || children.iter().any(|child| works(*child)) {
            tokio::time::sleep(GLANCE).await;
        }
    }

    /// Tells the watchdog to stop the server and to leave the data to us.
    fn let_go(&mut self) {
        if let Some(mut leash) = self.leash.take() {
            drop(leash.write_all(b"keep\n"));
        }
    }

    fn is_running(&mut self) -> bool {
        matches!(self.server.try_wait(), Ok(None))
    }

    fn explain(mut self, status: ExitStatus) -> Failure {
        self.let_go();
        // The last lines may still be on their way through the pipe, whose only writer is gone.
        if let Some(reader) = self.reader.take() {
            drop(reader.join());
        }
        let tail = self.tail();
        if tail.contains("could not bind") || tail.contains("Address already in use") {
            Failure::PortTaken
        } else if tail.contains("pre-existing shared memory block") {
            Failure::StillInUse
        } else {
            Failure::Other(Error::Ended { status, log: tail })
        }
    }

    fn tail(&self) -> String {
        lock(&self.log).join("\n")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.let_go();
        let deadline = Instant::now() + PATIENCE;
        while self.is_running() && Instant::now() < deadline {
            std::thread::sleep(GLANCE);
        }
        drop(self.server.kill());
        drop(self.server.wait());
        drop(self.watchdog.kill());
        drop(self.watchdog.wait());
    }
}

fn watch(server: u32, launch: &Launch<'_>) -> std::io::Result<Child> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", WATCHDOG, "postgres-watchdog"]).arg(server.to_string());
    command.arg(if launch.throwaway { launch.folder } else { Path::new("") });
    command
        .process_group(0)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    run_as(&mut command, launch.account);
    command.spawn()
}

fn follow(log: impl BufRead, kept: &Mutex<Vec<String>>) {
    for line in log.lines().map_while(Result::ok) {
        tracing::debug!(target: "postgres", "{line}");
        let mut kept = lock(kept);
        if kept.len() == TAIL {
            kept.remove(0);
        }
        kept.push(line);
    }
}

/// Does a process still do anything? Whoever inherits an orphan may be slow to collect it, or never do: one that has
/// ended and was not collected has an empty command line.
fn works(pid: Pid) -> bool {
    let line = std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero()));
    line.is_ok_and(|line| !line.is_empty())
}

/// The processes a process has started, as Linux lists them; none elsewhere.
fn children_of(pid: u32) -> Vec<Pid> {
    let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|number| Pid::from_raw(number.parse().ok()?)).collect()
}
