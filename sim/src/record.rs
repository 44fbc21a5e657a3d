//! The record as the executor reaches it: the rules of `store`'s SQL over one job (`store::journal`, `store::unknown`,
//! `store::jobs::finish`, `store::looks`), which the tests of `store` hold on a real Postgres.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::attempt::{
    Attempt, Cost, CostSource, ErrorClass, Looks, NEVER_ARRIVED, State, UNREACHABLE, Usage,
};
use domain::execution::{LookAt, Report};
use domain::generation::Spec;
use domain::job::Status;
use domain::journal::{Entry, EntryAnswer, LeaseAnswer, Open, OpenAnswer, Refusal};
use domain::{AttemptId, Secret, Usd};
use serde_json::Value;

use crate::case::Broken;

/// One job's rows.
#[derive(Clone, Debug)]
pub struct Record {
    pub status: Status,
    /// Why it waits.
    pub waiting: Option<String>,
    pub lease: i64,
    pub paid_calls: u32,
    pub rows: Vec<Row>,
    /// Terminal events, as they were written.
    pub events: Vec<Status>,
    pub fenced: u32,
    spec: Spec,
    /// Where providers report to.
    calls_back: bool,
    broken: Option<Broken>,
}

/// One attempt, and the body of its submit.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub attempt: Attempt,
    pub request: Value,
}

impl Record {
    pub fn new(spec: Spec, calls_back: bool, broken: Option<Broken>) -> Self {
        Self {
            status: Status::Queued,
            waiting: None,
            lease: 0,
            paid_calls: 0,
            rows: Vec::new(),
            events: Vec::new(),
            fenced: 0,
            spec,
            calls_back,
            broken,
        }
    }

    pub fn attempts(&self) -> Vec<Attempt> {
        self.rows.iter().map(|row| row.attempt.clone()).collect()
    }

    /// Whether an ended job has something open at a provider (B4).
    pub fn has_open(&self) -> bool {
        self.rows.iter().any(|row| matches!(row.attempt.state, State::Open | State::Accepted))
    }

    pub fn take_lease(&mut self) -> LeaseAnswer {
        let ended = self.status.is_terminal();
        if ended && !self.has_open() {
            return LeaseAnswer::Ended { status: self.status };
        }
        self.lease += 1;
        LeaseAnswer::Granted {
            lease: self.lease,
            token: Secret::new(format!("lease-{}", self.lease)),
            attempts: self.attempts(),
            ended: ended.then_some(self.status),
        }
    }

    pub fn open(&mut self, lease: i64, open: &Open, now: DateTime<Utc>) -> OpenAnswer {
        let callback_url =
            self.calls_back.then(|| format!("https://afc.example/v1/callbacks/{}", open.attempt));
        let standing = self.rows.iter().find(|row| row.attempt.id == open.attempt);
        let standing = standing.filter(|_| self.broken != Some(Broken::Repeat));
        if let Some(standing) = standing.filter(|_| self.holds(lease)) {
            return OpenAnswer::Opened { ordinal: standing.attempt.ordinal, callback_url };
        }
        if let Some(refusal) = self.refusal(lease, open) {
            self.fenced += u32::from(refusal == Refusal::StaleLease);
            return OpenAnswer::Refused { refusal };
        }
        self.paid_calls += 1;
        self.status = if self.status == Status::Waiting { Status::Running } else { self.status };
        self.waiting = None;
        let reserved = open.reserved.filter(|_| self.broken != Some(Broken::Reservation));
        self.rows.push(Row {
            attempt: Attempt {
                id: open.attempt,
                ordinal: self.paid_calls,
                chain_index: open.chain_index,
                provider: open.provider,
                model: open.model.clone(),
                lease,
                state: State::Open,
                provider_request_id: None,
                captured: BTreeMap::new(),
                error: None,
                started_at: now,
                accepted_at: None,
                finished_at: None,
                usage: None,
                cost: None,
                reserved,
                looks: Looks::default(),
            },
            request: open.request.clone(),
        });
        OpenAnswer::Opened { ordinal: self.paid_calls, callback_url }
    }

    fn refusal(&self, lease: i64, open: &Open) -> Option<Refusal> {
        let bounded = self.broken != Some(Broken::Bound);
        if !self.holds(lease) {
            Some(Refusal::StaleLease)
        } else if self.status.is_terminal() {
            Some(Refusal::JobEnded { status: self.status })
        } else if bounded && self.paid_calls >= self.spec.policy.max_paid_calls {
            Some(Refusal::PaidCallsExhausted)
        } else {
            self.over(open)
        }
    }

    fn over(&self, open: &Open) -> Option<Refusal> {
        let most = self.spec.policy.max_cost?;
        let Some(reserved) = open.reserved else { return Some(Refusal::Unpriceable) };
        let committed = self.rows.iter().map(|row| committed(&row.attempt).micros()).sum::<i64>();
        (committed + reserved.micros() > most.micros()).then_some(Refusal::MaxCostReached)
    }

    /// A provider's name belongs to one attempt of the job (I3).
    fn has_another_holder(&self, attempt: AttemptId, request_id: &str) -> bool {
        let mut others = self.rows.iter().filter(|row| row.attempt.id != attempt);
        others.any(|row| row.attempt.provider_request_id.as_deref() == Some(request_id))
    }

    fn holds(&self, lease: i64) -> bool {
        self.lease == lease || self.broken == Some(Broken::Lease)
    }

    pub fn write(
        &mut self,
        lease: i64,
        attempt: AttemptId,
        entry: &Entry,
        now: DateTime<Utc>,
    ) -> EntryAnswer {
        let held = self.holds(lease);
        let broken = self.broken;
        let taken = matches!(entry, Entry::Accepted { provider_request_id, .. }
            if self.has_another_holder(attempt, provider_request_id));
        let Some(row) = self.rows.iter_mut().find(|row| row.attempt.id == attempt) else {
            return EntryAnswer::NoSuchAttempt;
        };
        if held && taken {
            return EntryAnswer::Unchanged;
        }
        if held {
            let written = broken == Some(Broken::Acceptance) && matches!(entry, Entry::Accepted { .. })
                || apply(&mut row.attempt, entry, broken, now);
            return if written { EntryAnswer::Written } else { EntryAnswer::Unchanged };
        }
        // What the provider told a process is true all the same (B4).
        if let Entry::Accepted { provider_request_id, captured } = entry {
            self.report(attempt, provider_request_id, captured, now);
        }
        self.fenced += 1;
        EntryAnswer::StaleLease
    }

    /// The provider's word that it has an attempt; whether that was news to an open one.
    pub fn report(
        &mut self,
        attempt: AttemptId,
        request_id: &str,
        captured: &BTreeMap<String, String>,
        now: DateTime<Utc>,
    ) -> bool {
        if self.has_another_holder(attempt, request_id) {
            return false;
        }
        let row = self.rows.iter_mut().find(|row| row.attempt.id == attempt);
        let Some(attempt) = row.map(|row| &mut row.attempt) else {
            return false;
        };
        let name = |attempt: &mut Attempt| {
            attempt.provider_request_id = Some(request_id.to_owned());
            attempt.captured.extend(captured.clone());
        };
        match attempt.state {
            State::Open | State::Unknown => {
                name(attempt);
                attempt.state = State::Accepted;
                attempt.accepted_at = Some(now);
                attempt.error = None;
                true
            }
            State::Failed | State::Abandoned if attempt.provider_request_id.is_none() => {
                name(attempt);
                attempt.cost = attempt.cost.take().filter(|cost| cost.source != CostSource::Local);
                false
            }
            State::Failed | State::Abandoned | State::Accepted | State::Succeeded => false,
        }
    }

    /// Ends the job unless it has ended (A25).
    pub fn finish(&mut self, status: Status) {
        let forgotten = self.broken == Some(Broken::Cancel) && status == Status::Cancelled;
        let first = !self.status.is_terminal() || self.broken == Some(Broken::FirstEnd);
        if first && !forgotten {
            self.status = status;
            self.waiting = None;
            self.events.push(status);
        }
    }

    /// Takes an execution's report; `false` if it ends nothing.
    pub fn persist(&mut self, report: &Report) -> bool {
        let status = match report {
            Report::Succeeded { .. } => Status::Succeeded,
            Report::Failed { .. } => Status::Failed,
            Report::Cancelled => Status::Cancelled,
            Report::Held { .. } | Report::Interrupted { .. } => return false,
        };
        self.finish(status);
        true
    }

    /// Shows an open job as running, or as waiting for something.
    pub fn show(&mut self, waiting: Option<&str>) {
        if !self.status.is_terminal() {
            self.status = if waiting.is_some() { Status::Waiting } else { Status::Running };
            self.waiting = waiting.map(str::to_owned);
        }
    }

    /// Attempts that a later look may tell more of: what `wants_look` says in the database.
    pub fn wanting_looks(&self) -> Vec<LookAt> {
        let wanting = self.rows.iter().filter(|row| wants_look(&row.attempt));
        let others = |row: &Row| {
            let others = self.rows.iter().filter(|other| other.attempt.id != row.attempt.id);
            others.filter_map(|other| other.attempt.provider_request_id.clone()).collect()
        };
        wanting
            .map(|row| LookAt {
                attempt: row.attempt.clone(),
                request: row.request.clone(),
                others: others(row),
            })
            .collect()
    }

    /// A price that is told late; one that stands is not replaced.
    pub fn settle(&mut self, attempt: AttemptId, usage: Option<&Usage>, cost: Option<&Cost>) {
        let ended = |attempt: &Attempt| State::ENDED.contains(&attempt.state);
        for row in &mut self.rows {
            let row = &mut row.attempt;
            let nameless = code(row) == Some(NEVER_ARRIVED) && row.provider_request_id.is_none();
            if row.id == attempt && ended(row) && row.cost.is_none() && !nameless {
                row.usage = usage.cloned().or(row.usage.take());
                row.cost = cost.cloned();
            }
        }
    }
}

/// What an attempt counts for: its price, else what is reserved for it.
pub fn committed(attempt: &Attempt) -> Usd {
    attempt.cost.as_ref().map(|cost| cost.amount).or(attempt.reserved).unwrap_or(Usd::ZERO)
}

fn code(attempt: &Attempt) -> Option<&str> {
    attempt.error.as_ref().and_then(|error| error.code.as_deref())
}

fn wants_look(attempt: &Attempt) -> bool {
    let nameless = attempt.provider_request_id.is_none();
    match attempt.state {
        State::Unknown => true,
        State::Open | State::Accepted => false,
        _ if code(attempt) == Some(NEVER_ARRIVED) && nameless => true,
        _ if attempt.cost.is_some() || attempt.usage.is_some() => false,
        State::Failed => {
            let cancelled = attempt.error.as_ref().is_some_and(|error| error.class == ErrorClass::Cancelled);
            cancelled || matches!(code(attempt), Some(NEVER_ARRIVED | "request_not_found"))
        }
        State::Succeeded | State::Abandoned => true,
    }
}

/// Whether the entry changed the row (`store::journal::record`).
fn apply(row: &mut Attempt, entry: &Entry, broken: Option<Broken>, now: DateTime<Utc>) -> bool {
    let (state, error) = match entry {
        Entry::Accepted { provider_request_id, captured } => {
            let same =
                row.state == State::Accepted && row.provider_request_id.as_ref() == Some(provider_request_id);
            if !(same || matches!(row.state, State::Open | State::Unknown)) {
                return false;
            }
            row.state = State::Accepted;
            row.provider_request_id = Some(provider_request_id.clone());
            row.captured.clone_from(captured);
            row.accepted_at = row.accepted_at.or(Some(now));
            row.error = None;
            return true;
        }
        Entry::Settled { usage, cost } => {
            let local = cost.as_ref().is_some_and(|cost| cost.source == CostSource::Local);
            if local && code(row) == Some(NEVER_ARRIVED) && row.provider_request_id.is_some() {
                return false;
            }
            row.usage = usage.clone().or(row.usage.take());
            row.cost = cost.clone().or(row.cost.take());
            return true;
        }
        Entry::Unknown { error } if broken == Some(Broken::Unknown) => (State::Failed, Some(error)),
        Entry::Unknown { error } => (State::Unknown, Some(error)),
        Entry::Succeeded => (State::Succeeded, None),
        Entry::Failed { error } => (State::Failed, Some(error)),
        Entry::Abandoned { error } => (State::Abandoned, Some(error)),
    };
    let (class, code) = (error.map(|error| error.class), error.and_then(|error| error.code.as_deref()));
    let may_end = match row.state {
        State::Open | State::Unknown => true,
        State::Accepted => {
            (class != Some(ErrorClass::Unknown) || code == Some(UNREACHABLE)) && code != Some(NEVER_ARRIVED)
        }
        State::Succeeded | State::Failed | State::Abandoned => false,
    };
    if may_end {
        row.state = state;
        row.error = error.cloned();
        row.finished_at = (state != State::Unknown).then_some(now);
    }
    may_end
}
