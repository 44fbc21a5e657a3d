use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use rustix::process::Pid;

use crate::port::Lease;
use crate::sidecar::Sidecar;
use crate::spec::Restart;

/// Where a container stands. Changed under one lock (that of its `watch` channel), read by everybody who waits.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    pub(crate) phase: Phase,
    pub(crate) removal: Removal,
    /// Of the last exit.
    pub(crate) exit_code: i32,
    /// How often it has ended: a waiter that misses a short stop sees it in this number.
    pub(crate) exits: u64,
    /// Revivals since the last start.
    pub(crate) restarts: u32,
    /// Somebody asked for the end: it is not to be revived.
    pub(crate) stop_requested: bool,
    /// Why the last start failed; empty if it did not.
    pub(crate) error: String,
    pub(crate) started_at: Option<DateTime<Utc>>,
    pub(crate) finished_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Phase {
    Created,
    /// A process that has not been reaped: its pid cannot belong to anybody else.
    Running {
        process: Pid,
        lease: Arc<Lease>,
    },
    /// A sidecar that listens.
    Serving(Arc<Sidecar>),
    /// Ended, and about to be revived.
    Restarting,
    Exited,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Removal {
    None,
    InProgress,
    Done,
}

/// What becomes of a process that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Afterlife {
    Exited,
    Revive { after: Duration },
}

impl Status {
    pub(crate) fn created() -> Self {
        Self {
            phase: Phase::Created,
            removal: Removal::None,
            exit_code: 0,
            exits: 0,
            restarts: 0,
            stop_requested: false,
            error: String::new(),
            started_at: None,
            finished_at: None,
        }
    }

    /// A container that is about to be revived counts as running, as it does for Docker.
    pub(crate) fn is_running(&self) -> bool {
        match self.phase {
            Phase::Running { .. } | Phase::Serving(_) | Phase::Restarting => true,
            Phase::Created | Phase::Exited => false,
        }
    }

    /// Docker's word for the phase.
    pub(crate) fn word(&self) -> &'static str {
        if self.removal == Removal::InProgress {
            return "removing";
        }
        match self.phase {
            Phase::Created => "created",
            Phase::Running { .. } | Phase::Serving(_) => "running",
            Phase::Restarting => "restarting",
            Phase::Exited => "exited",
        }
    }

    pub(crate) fn begin(&mut self, phase: Phase, now: DateTime<Utc>) {
        self.phase = phase;
        self.error.clear();
        self.started_at = Some(now);
    }

    pub(crate) fn end(&mut self, phase: Phase, exit_code: i32, now: DateTime<Utc>) {
        self.phase = phase;
        self.exit_code = exit_code;
        self.exits += 1;
        self.finished_at = Some(now);
    }

    /// Decides what follows an exit under `policy`, as Docker does: a wait of 100 ms that doubles with each
    /// revival up to a minute.
    pub(crate) fn afterlife(&self, policy: Restart, exit_code: i32) -> Afterlife {
        let revive = match policy {
            Restart::Never => false,
            Restart::OnFailure { attempts } => exit_code != 0 && (attempts == 0 || self.restarts < attempts),
            Restart::Always => true,
        };
        if !revive || self.stop_requested || self.removal != Removal::None {
            return Afterlife::Exited;
        }
        let doublings = self.restarts.min(10);
        Afterlife::Revive { after: (FIRST_DELAY * 2_u32.pow(doublings)).min(LONGEST_DELAY) }
    }
}

const FIRST_DELAY: Duration = Duration::from_millis(100);
const LONGEST_DELAY: Duration = Duration::from_mins(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_failure_revives_after_failures_only() {
        let policy = Restart::OnFailure { attempts: 2 };
        let mut status = Status::created();
        assert_eq!(status.afterlife(policy, 0), Afterlife::Exited);
        assert_eq!(status.afterlife(policy, 1), Afterlife::Revive { after: Duration::from_millis(100) });
        status.restarts = 1;
        assert_eq!(status.afterlife(policy, 137), Afterlife::Revive { after: Duration::from_millis(200) });
        status.restarts = 2;
        assert_eq!(status.afterlife(policy, 137), Afterlife::Exited);
        assert_eq!(status.afterlife(Restart::Never, 1), Afterlife::Exited);
        assert_eq!(
            status.afterlife(Restart::Always, 0),
            Afterlife::Revive { after: Duration::from_millis(400) }
        );
        status.restarts = u32::MAX;
        assert_eq!(status.afterlife(Restart::Always, 0), Afterlife::Revive { after: Duration::from_mins(1) });
    }

    #[test]
    fn nothing_is_revived_that_was_to_end() {
        let mut status = Status::created();
        status.stop_requested = true;
        assert_eq!(status.afterlife(Restart::Always, 1), Afterlife::Exited);
        status.stop_requested = false;
        status.removal = Removal::InProgress;
        assert_eq!(status.afterlife(Restart::Always, 1), Afterlife::Exited);
    }
}
