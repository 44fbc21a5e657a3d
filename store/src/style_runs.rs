//! Style runs: creation, reading, decisions, and the guarded transitions of their state (A40, A41).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::error::Failure;
use domain::job::Status;
use domain::output::StoredOutput;
use domain::style_run::{Action, Candidate, Mark, Spec, Standing, State, Variation};
use domain::trace::Trace;
use domain::{ClientId, JobId, StyleRunId, Usd};
use serde::Deserialize;
use serde_json::Value;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::clients::KeyHash;
use crate::db::Param;
use crate::jobs::{Found, Scoped, Spend, key_holder};
use crate::{Db, Error};

mod create;
pub use create::{Creation, NewRun, create};
mod decide;
pub use decide::{Decided, NewDecision, decide};
mod transition;
pub use transition::{Moved, approve_best, cancel, end, open_review, plan, prolong, remind};

/// A run as it stands, with all its rounds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct StyleRun {
    pub id: StyleRunId,
    pub client_id: ClientId,
    pub spec: Spec,
    pub callback_url: Option<String>,
    pub metadata: BTreeMap<String, String>,
    pub project: Option<String>,
    pub trace: Option<Trace>,
    pub state: State,
    pub version: i64,
    pub round: u32,
    pub max_rounds: u32,
    pub budget: Option<Usd>,
    /// What its generations cost, or may cost at worst.
    pub committed: Usd,
    pub spend: Spend,
    pub review_opened_at: Option<DateTime<Utc>>,
    pub review_deadline_at: Option<DateTime<Utc>>,
    pub next_reminder_at: Option<DateTime<Utc>>,
    pub reminders: u32,
    pub error: Option<Failure>,
    pub created_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
    /// By round and index.
    pub candidates: Vec<Shown>,
    /// By round.
    pub decisions: Vec<Decision>,
}

/// A candidate of any round.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Shown {
    pub round: u32,
    pub index: u32,
    pub job_id: JobId,
    pub request: Value,
    pub approved: bool,
    /// `None` while the generation was not created.
    pub status: Option<Status>,
    pub outputs: Vec<StoredOutput>,
    pub error: Option<Failure>,
}

/// A decision that was made.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Decision {
    pub id: Uuid,
    pub round: u32,
    pub action: Action,
    /// `None` where the deadline's policy decided.
    pub reviewer: Option<String>,
    pub candidates: Vec<u32>,
    pub notes: Option<String>,
    pub marks: Vec<Mark>,
    pub variations: Option<Vec<Variation>>,
    pub created_at: DateTime<Utc>,
}

impl StyleRun {
    pub const fn standing(&self) -> Standing {
        Standing {
            state: self.state,
            round: self.round,
            on_deadline: self.spec.review.on_deadline,
            review_opened_at: self.review_opened_at,
            review_deadline_at: self.review_deadline_at,
            next_reminder_at: self.next_reminder_at,
            reminders: self.reminders,
        }
    }

    /// The candidates of the round under way, with the marks that the round before got.
    pub fn current(&self) -> Vec<Candidate> {
        let before = self.decisions.iter().find(|decision| decision.round.saturating_add(1) == self.round);
        let marks: &[Mark] = before.map_or(&[], |decision| &decision.marks);
        let current = self.candidates.iter().filter(|shown| shown.round == self.round);
        let seen = |shown: &Shown| Candidate {
            index: shown.index,
            job: shown.job_id,
            status: shown.status,
            mark: marks.iter().find(|mark| mark.candidate == shown.index).map(|mark| mark.mark),
        };
        current.map(seen).collect()
    }
}

/// `r` as [`StyleRun`].
const RUN: &str = "json_build_object(
    'id', r.id, 'client_id', r.client_id, 'spec', r.spec, 'callback_url', r.callback_url, 'metadata', r.metadata,
    'project', r.project, 'trace', r.trace, 'state', r.state, 'version', r.version, 'round', r.round, 'max_rounds', r.max_rounds,
    'budget', r.budget::text, 'review_opened_at', r.review_opened_at, 'review_deadline_at', r.review_deadline_at,
    'next_reminder_at', r.next_reminder_at, 'reminders', r.reminders, 'error', r.error, 'created_at', r.created_at,
    'finished_at', r.finished_at,
    'committed', (
        select coalesce(sum(j.committed), 0)::text
        from style_candidates c join jobs j on j.id = c.job_id where c.run_id = r.id
    ),
    'spend', (
        select json_build_object(
            'priced', coalesce(sum(a.cost), 0)::text,
            'unpriced', count(*) filter (where a.cost is null and a.state in ('succeeded', 'failed', 'abandoned')),
            'unknown', count(*) filter (where a.cost is null and a.state = 'unknown'),
            'reserved', coalesce(sum(a.reserved) filter (where a.cost is null), 0)::text
        )
        from style_candidates c join attempts a on a.job_id = c.job_id where c.run_id = r.id
    ),
    'candidates', (
        select coalesce(json_agg(json_build_object('round', c.round, 'index', c.index, 'job_id', c.job_id,
            'request', c.request, 'approved', c.approved, 'status', j.status, 'outputs', coalesce(j.outputs, '[]'),
            'error', j.error) order by c.round, c.index), '[]')
        from style_candidates c left join jobs j on j.id = c.job_id where c.run_id = r.id
    ),
    'decisions', (
        select coalesce(json_agg(json_build_object('id', d.id, 'round', d.round, 'action', d.action,
            'reviewer', d.reviewer, 'candidates', d.candidates, 'notes', d.notes, 'marks', d.marks,
            'variations', d.variations, 'created_at', d.created_at) order by d.round), '[]')
        from style_decisions d where d.run_id = r.id
    )
)";

/// Who asks.
#[derive(Clone, Copy, Debug)]
pub enum Caller {
    /// A client, by its key.
    Key(KeyHash),
    /// Whoever holds the run's review link, which was verified before.
    Link,
}

impl Caller {
    const fn key(&self) -> Option<&[u8]> {
        match self {
            Self::Key(hash) => Some(hash.bytes()),
            Self::Link => None,
        }
    }
}

/// The client behind a key ($1), or the one whose run ($2) a link opens.
macro_rules! caller {
    ($scope:literal) => {
        concat!(
            "caller as (",
            key_holder!($scope),
            " union all select l.client_id from style_runs l where l.id = $2 and $1 is null)"
        )
    };
}

/// Who may read a run.
const CALLER: &str = caller!("read");

/// Who may change a run.
const MAKER: &str = caller!("generate");

/// A run of the caller's, to be read.
pub async fn find(db: Db<'_>, caller: Caller, run: StyleRunId) -> Result<Found<StyleRun>, Error> {
    own(db, CALLER, caller, run).await
}

/// A run of the caller's, to be changed.
pub async fn find_to_change(db: Db<'_>, caller: Caller, run: StyleRunId) -> Result<Found<StyleRun>, Error> {
    own(db, MAKER, caller, run).await
}

async fn own(db: Db<'_>, holder: &str, caller: Caller, run: StyleRunId) -> Result<Found<StyleRun>, Error> {
    let sql = format!(
        "with {holder}
        select json_build_object(
            'client', (select client_id from caller),
            'found', (select {RUN} from style_runs r, caller c where r.id = $2 and r.client_id = c.client_id)
        )"
    );
    let params: [Param<'_>; 2] = [(&caller.key(), Type::BYTEA), (&run.uuid(), Type::UUID)];
    let scoped: Scoped<StyleRun> = db.one(&sql, &params).await?;
    Ok(match (caller, scoped.into()) {
        // A link to a run that is not there: there is no client to authenticate.
        (Caller::Link, Found::Unauthenticated) => Found::NotFound,
        (Caller::Key(_) | Caller::Link, found) => found,
    })
}

/// Any run, for AFC itself; `None` if there is none.
pub async fn get(db: Db<'_>, run: StyleRunId) -> Result<Option<StyleRun>, Error> {
    let sql = format!("select to_json((select {RUN} from style_runs r where r.id = $1))");
    db.one(&sql, &[(&run.uuid(), Type::UUID)]).await
}

/// A run for its Workflow, with the database's time, by which its deadlines are kept; `None` if there is none. It is touched
/// with the answer: the sign of life that keeps the sweeper off.
pub async fn look(db: Db<'_>, run: StyleRunId) -> Result<Option<Look>, Error> {
    let sql = format!(
        "with touched as (
            update style_runs set updated_at = now()
            where id = $1 and state in ('queued', 'generating', 'awaiting_review', 'revising')
        )
        select (select json_build_object('run', {RUN}, 'now', now()) from style_runs r where r.id = $1)"
    );
    db.one(&sql, &[(&run.uuid(), Type::UUID)]).await
}

/// What a run's Workflow sees.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Look {
    pub run: StyleRun,
    pub now: DateTime<Utc>,
}

/// The caller's runs before `before`, newest first, at most `limit`. Ids are in the order of their creation.
pub async fn list(
    db: Db<'_>,
    key: KeyHash,
    before: Option<StyleRunId>,
    limit: i64,
) -> Result<Found<Vec<StyleRun>>, Error> {
    let sql = format!(
        "with {CALLER}
        select json_build_object(
            'client', (select client_id from caller),
            'found', (
                select coalesce(json_agg({RUN} order by r.id desc), '[]') from (
                    select s.* from style_runs s, caller c
                    where s.client_id = c.client_id and ($2::uuid is null or s.id < $2)
                    order by s.id desc limit $3
                ) r
            )
        )"
    );
    let before = before.map(StyleRunId::uuid);
    let params: [Param<'_>; 3] =
        [(&Some(key.bytes()), Type::BYTEA), (&before, Type::UUID), (&limit, Type::INT8)];
    let scoped: Scoped<Vec<StyleRun>> = db.one(&sql, &params).await?;
    Ok(scoped.into())
}

/// Open runs that nobody touched for `idle_ms` or whose review is past a deadline or reminder by as much, at most `limit`;
/// each is touched with the answer, so that the next sweep finds others.
pub async fn idle(db: Db<'_>, idle_ms: i64, limit: i64) -> Result<Vec<StyleRunId>, Error> {
    let sql = "with idle as (
            select id from style_runs
            where state in ('queued', 'generating', 'awaiting_review', 'revising')
                and updated_at < now() - $1::bigint * interval '1 millisecond'
                and (state <> 'awaiting_review'
                    or least(review_deadline_at, next_reminder_at) < now() - $1::bigint * interval '1 millisecond')
            order by updated_at limit $2 for update skip locked
        ), touched as (
            update style_runs r set updated_at = now() from idle i where r.id = i.id returning r.id
        )
        select coalesce(json_agg(id), '[]') from touched";
    db.one(sql, &[(&idle_ms, Type::INT8), (&limit, Type::INT8)]).await
}
