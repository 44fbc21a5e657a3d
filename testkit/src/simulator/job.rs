//! Where a job is, told from its script, the time since it was accepted, and whether it was cancelled. No clock here.

use std::time::Duration;

use super::behaviour::{Behaviour, Outcome};

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Queued,
    Running,
    Ended(Outcome),
    /// It waited longer than its sender allowed, and was never run.
    NotStarted,
    Cancelled(Progress),
}

/// How far a job was when it was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Queued,
    Running,
}

/// An accepted job.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// The longest it may wait in the queue, if its sender said.
    pub(super) start_limit: Option<Duration>,
    /// When it was cancelled, counted from its acceptance.
    pub(super) cancelled: Option<Duration>,
}

impl Job {
    /// Where it is `elapsed` after it was accepted.
    pub(super) fn phase(&self, behaviour: &Behaviour, elapsed: Duration) -> Phase {
        if let Some(at) = self.cancelled {
            match undisturbed(behaviour, self.start_limit, at) {
                Phase::Queued => return Phase::Cancelled(Progress::Queued),
                Phase::Running if !behaviour.ignore_cancel => return Phase::Cancelled(Progress::Running),
                Phase::Running | Phase::Ended(_) | Phase::NotStarted | Phase::Cancelled(_) => {}
            }
        }
        undisturbed(behaviour, self.start_limit, elapsed)
    }

    /// How long after its acceptance it ends, if it does, unless it is cancelled.
    pub(super) fn end(&self, behaviour: &Behaviour) -> Option<Duration> {
        let limit = self.start_limit.filter(|limit| *limit < behaviour.queue());
        limit.or_else(|| (!behaviour.never_finish).then(|| behaviour.queue() + behaviour.run()))
    }
}

fn undisturbed(behaviour: &Behaviour, start_limit: Option<Duration>, elapsed: Duration) -> Phase {
    if elapsed < behaviour.queue() {
        let late = start_limit.is_some_and(|limit| limit <= elapsed);
        return if late { Phase::NotStarted } else { Phase::Queued };
    }
    if start_limit.is_some_and(|limit| limit < behaviour.queue()) {
        return Phase::NotStarted;
    }
    if behaviour.never_finish || elapsed < behaviour.queue() + behaviour.run() {
        return Phase::Running;
    }
    Phase::Ended(behaviour.outcome)
}

impl Phase {
    /// Will it change no more?
    pub(super) fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// The word for it in the ledger.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Ended(Outcome::Succeed) => "succeeded",
            Self::Ended(Outcome::Fail) => "failed",
            Self::Ended(Outcome::Refuse) => "refused",
            Self::Ended(Outcome::Empty) => "empty",
            Self::NotStarted => "not_started",
            Self::Cancelled(_) => "cancelled",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::behaviour::{Behaviour, Outcome};
    use super::{Job, Phase, Progress};

    const JOB: Job = Job { start_limit: None, cancelled: None };

    fn at(job: &Job, behaviour: &Behaviour, ms: u64) -> Phase {
        job.phase(behaviour, Duration::from_millis(ms))
    }

    #[test]
    fn a_job_queues_runs_and_ends() {
        let behaviour =
            Behaviour { queue_ms: 10, run_ms: 20, outcome: Outcome::Refuse, ..Behaviour::default() };
        assert_eq!(at(&JOB, &behaviour, 9), Phase::Queued);
        assert_eq!(at(&JOB, &behaviour, 10), Phase::Running);
        assert_eq!(at(&JOB, &behaviour, 30), Phase::Ended(Outcome::Refuse));
        let endless = Behaviour { never_finish: true, ..behaviour };
        assert_eq!(at(&JOB, &endless, 1_000_000), Phase::Running);
        assert_eq!(JOB.end(&endless), None);
    }

    #[test]
    fn a_cancel_counts_where_it_finds_the_job() {
        let behaviour = Behaviour { queue_ms: 10, run_ms: 20, ..Behaviour::default() };
        let cancelled = |ms| Job { cancelled: Some(Duration::from_millis(ms)), ..JOB };
        assert_eq!(at(&cancelled(5), &behaviour, 100), Phase::Cancelled(Progress::Queued));
        assert_eq!(at(&cancelled(15), &behaviour, 100), Phase::Cancelled(Progress::Running));
        assert_eq!(at(&cancelled(50), &behaviour, 100), Phase::Ended(Outcome::Succeed));
        let stubborn = Behaviour { ignore_cancel: true, ..behaviour };
        assert_eq!(at(&cancelled(15), &stubborn, 100), Phase::Ended(Outcome::Succeed));
    }

    #[test]
    fn a_job_that_may_not_wait_so_long_is_never_run() {
        let behaviour = Behaviour { queue_ms: 100, run_ms: 20, ..Behaviour::default() };
        let hasty = Job { start_limit: Some(Duration::from_millis(40)), ..JOB };
        assert_eq!(at(&hasty, &behaviour, 39), Phase::Queued);
        assert_eq!(at(&hasty, &behaviour, 40), Phase::NotStarted);
        assert_eq!(at(&hasty, &behaviour, 500), Phase::NotStarted);
        assert_eq!(hasty.end(&behaviour), Some(Duration::from_millis(40)));
    }
}
