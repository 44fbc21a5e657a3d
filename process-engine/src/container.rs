use std::sync::Arc;

use chrono::{DateTime, Utc};
use rustix::process::{Signal, kill_process, kill_process_group};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::process::{Started, now, patience};
use crate::sidecar::Sidecar;
use crate::signal::killed_by;
use crate::spec::Spec;
use crate::status::{Phase, Removal, Status};

/// One container: what it was asked to be, and where it stands.
#[derive(Debug)]
pub(crate) struct Container {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) spec: Spec,
    pub(crate) created: DateTime<Utc>,
    status: Arc<watch::Sender<Status>>,
}

/// What a waiter waits for, in Docker's words `not-running`, `next-exit`, `removed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    NotRunning,
    NextExit,
    Removed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Killed {
    Sent,
    NotRunning,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    Now,
    NotRunning,
}

/// What the first step of a removal found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condemned {
    Now,
    StillRunning,
    Already,
}

/// Whether a running container may be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Force {
    Yes,
    No,
}

impl Container {
    pub(crate) fn new(id: String, name: String, spec: Spec) -> Self {
        let status = Arc::new(watch::Sender::new(Status::created()));
        Self { id, name, spec, created: now(), status }
    }

    pub(crate) fn status(&self) -> Status {
        self.status.borrow().clone()
    }

    pub(crate) fn status_sender(&self) -> Arc<watch::Sender<Status>> {
        Arc::clone(&self.status)
    }

    /// Resolves to the exit code when `condition` holds. Exits count from the call, not from the first poll.
    pub(crate) fn wait(&self, condition: Condition) -> impl Future<Output = i32> + Send + 'static {
        let mut status = self.status.subscribe();
        let exits = status.borrow_and_update().exits;
        let holds = move |status: &Status| match condition {
            Condition::NotRunning => !status.is_running() || status.exits > exits,
            Condition::NextExit => status.exits > exits || status.removal == Removal::Done,
            Condition::Removed => status.removal == Removal::Done,
        };
        async move {
            // A container that is dropped was removed before: its last status satisfies every condition.
            status.wait_for(holds).await.map_or(0, |status| status.exit_code)
        }
    }

    /// `SIGKILL` ends every process of the container, any other signal goes to its first process only: that is
    /// what they do in a container.
    pub(crate) fn kill(&self, signal: Signal) -> Killed {
        let mut outcome = Killed::NotRunning;
        self.status.send_if_modified(|status| {
            match &status.phase {
                Phase::Created | Phase::Exited => return false,
                Phase::Running { process, .. } => {
                    // Not reaped, as we hold the lock: the pid is this process's. It may have ended already;
                    // then there is nothing to signal.
                    let _ = kill_process(*process, signal);
                    if signal == Signal::KILL {
                        let _ = kill_process_group(*process, signal);
                    }
                }
                Phase::Serving(_) | Phase::Restarting => {
                    status.end(Phase::Exited, killed_by(signal), now());
                }
            }
            status.stop_requested = true;
            outcome = Killed::Sent;
            true
        });
        outcome
    }

    /// Sends `signal`, and `SIGKILL` if the container is not down after `seconds` (negative: never).
    pub(crate) async fn stop(&self, signal: Signal, seconds: i64) -> Stopped {
        match self.kill(signal) {
            Killed::NotRunning => return Stopped::NotRunning,
            Killed::Sent => {}
        }
        let down = self.wait(Condition::NotRunning);
        match patience(seconds) {
            None => {
                down.await;
            }
            Some(limit) => {
                if timeout(limit, down).await.is_err() {
                    self.kill(Signal::KILL);
                    self.wait(Condition::NotRunning).await;
                }
            }
        }
        Stopped::Now
    }

    /// First step of a removal: from here on the container cannot be started.
    pub(crate) fn condemn(&self, force: Force) -> Condemned {
        let mut outcome = Condemned::Already;
        self.status.send_if_modified(|status| {
            if status.removal != Removal::None {
                return false;
            }
            if force == Force::No && status.is_running() {
                outcome = Condemned::StillRunning;
                return false;
            }
            status.removal = Removal::InProgress;
            outcome = Condemned::Now;
            true
        });
        outcome
    }

    /// Second step, of a condemned container: ends it.
    pub(crate) async fn put_down(&self) {
        if self.kill(Signal::KILL) == Killed::Sent {
            self.wait(Condition::NotRunning).await;
        }
    }

    /// Last step, once nobody can find the container any more.
    pub(crate) fn bury(&self) {
        self.status.send_modify(|status| status.removal = Removal::Done);
    }

    /// Takes a sidecar that listens already into service; if the container runs or is going, it is dropped.
    pub(crate) fn serve(&self, sidecar: Sidecar) -> Started {
        let mut outcome = Started::AlreadyRunning;
        self.status.send_if_modified(|status| {
            if status.removal != Removal::None {
                outcome = Started::Gone;
                return false;
            }
            if status.is_running() {
                return false;
            }
            status.stop_requested = false;
            status.begin(Phase::Serving(Arc::new(sidecar)), now());
            outcome = Started::Now;
            true
        });
        outcome
    }

    /// The sidecar, while it serves.
    pub(crate) fn sidecar(&self) -> Option<Arc<Sidecar>> {
        match &self.status.borrow().phase {
            Phase::Serving(sidecar) => Some(Arc::clone(sidecar)),
            Phase::Created | Phase::Running { .. } | Phase::Restarting | Phase::Exited => None,
        }
    }
}
