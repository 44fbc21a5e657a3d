use chrono::{DateTime, Utc};

use super::candidate::{Candidate, Progress};
use super::{OnDeadline, State, limit};
use crate::error::{Code, Failure};
use crate::timing::{REVIEW_MAX_SECONDS, Timing};

/// What of a run's row the decision needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub state: State,
    /// The round under way, from 1; 0 before the first.
    pub round: u32,
    pub on_deadline: OnDeadline,
    /// When the review was opened, when it ends, and when its next reminder is due.
    pub review_opened_at: Option<DateTime<Utc>>,
    pub review_deadline_at: Option<DateTime<Utc>>,
    pub next_reminder_at: Option<DateTime<Utc>>,
    /// Of the review under way, so far.
    pub reminders: u32,
}

/// What a run's Workflow does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Write the candidates of this round down and mark the run generating.
    Plan {
        round: u32,
    },
    /// Create the generations that do not exist yet.
    Start,
    /// Nothing can be done before an event comes or so many milliseconds have passed.
    Wait {
        ms: u64,
    },
    OpenReview,
    Remind,
    /// Remind, and give the review its time again.
    Prolong,
    Expire,
    ApproveBest {
        candidate: u32,
    },
    Fail(Failure),
    /// The run has ended, but generations of it have not: nobody waits for them any more.
    WindDown,
    Over,
}

/// Decides from the row, the candidates of its round and the time. An event that woke the Workflow says nothing by itself:
/// the row is the truth, so a lost, late or doubled event changes nothing.
pub fn decide(run: &Standing, candidates: &[Candidate], now: DateTime<Utc>, timing: &Timing) -> Next {
    match run.state {
        State::Queued | State::Revising => Next::Plan { round: run.round.saturating_add(1) },
        State::Generating => generating(candidates, timing),
        State::AwaitingReview => reviewing(run, candidates, now, timing),
        State::Approved | State::Rejected | State::Expired | State::Cancelled | State::Failed => {
            let open = candidates.iter().any(|one| one.progress() == Progress::Open);
            if open { Next::WindDown } else { Next::Over }
        }
    }
}

/// One failed candidate does not end a round: what was made is shown.
fn generating(candidates: &[Candidate], timing: &Timing) -> Next {
    let any = |progress| candidates.iter().any(|one| one.progress() == progress);
    if any(Progress::Planned) {
        Next::Start
    } else if any(Progress::Open) {
        Next::Wait { ms: timing.style_poll_ms }
    } else if any(Progress::Usable) {
        Next::OpenReview
    } else {
        Next::Fail(Failure::new(Code::NoCandidates, "every candidate of the round failed or was cancelled"))
    }
}

fn reviewing(run: &Standing, candidates: &[Candidate], now: DateTime<Utc>, timing: &Timing) -> Next {
    let Some(deadline) = run.review_deadline_at else {
        return Next::Fail(Failure::new(Code::Internal, "a review without a deadline"));
    };
    if deadline <= now {
        return match run.on_deadline {
            OnDeadline::Expire => Next::Expire,
            OnDeadline::ApproveBest => {
                best(candidates).map_or(Next::Expire, |candidate| Next::ApproveBest { candidate })
            }
            OnDeadline::Remind if outlived(run, now, timing) => Next::Expire,
            OnDeadline::Remind => Next::Prolong,
        };
    }
    if run.next_reminder_at.is_some_and(|due| due <= now) {
        return Next::Remind;
    }
    let due = run.next_reminder_at.map_or(deadline, |reminder| reminder.min(deadline));
    Next::Wait { ms: u64::try_from((due - now).num_milliseconds()).unwrap_or(0).max(1) }
}

/// Whether a review that is prolonged again and again has had its year, or all its reminders.
fn outlived(run: &Standing, now: DateTime<Utc>, timing: &Timing) -> bool {
    let year = u64::from(REVIEW_MAX_SECONDS).saturating_mul(timing.review_second_ms);
    run.reminders >= limit::REMINDERS
        || run.review_opened_at.is_none_or(|opened| {
            u64::try_from((now - opened).num_milliseconds()).is_ok_and(|open| open >= year)
        })
}

/// The candidate that `approve_best` takes: of those that succeeded, the one whose predecessor had the best mark, then the
/// first in the caller's order. AFC does not judge pictures.
pub fn best(candidates: &[Candidate]) -> Option<u32> {
    let usable = candidates.iter().filter(|one| one.progress() == Progress::Usable);
    usable.max_by_key(|one| (one.mark.unwrap_or(0), std::cmp::Reverse(one.index))).map(|one| one.index)
}
