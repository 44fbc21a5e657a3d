use domain::error::Failure;
use domain::event::EventType;
use domain::style_run::{State, limit};
use domain::{JobId, StyleRunId};
use serde_json::{Value, json};
use tokio_postgres::types::{Json, Type};
use uuid::Uuid;

use super::{StyleRun, get};
use crate::db::Param;
use crate::{Db, Error};

/// What a transition, first or repeated, finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Moved {
    /// This write moved the run; its events were committed with it.
    Won(Box<StyleRun>),
    /// The run is not where this could be done, perhaps because it was done before; this is what stands.
    Stands(Box<StyleRun>),
    Missing,
}

/// For a `with` list: the events of a run that the CTE `moved` has just changed and whose `told` has grown by one for each
/// of them. Their numbers come from the row, under its lock: no two events share one, and a repeat makes none.
///
/// `types` is a text array in SQL; `decision` is JSON or `null`.
pub(super) fn events(types: &str, decision: &str) -> String {
    format!(
        "told as (
            insert into outbox_events (event_id, run_id, kind, event_type, payload)
            select m.id || '_' || (m.told - cardinality({types}) + t.n) || '_' || replace(t.type, '.', '_'),
                m.id, 'webhook', t.type,
                jsonb_build_object('id', m.id, 'object', 'style_run', 'state', m.state, 'round', m.round,
                    'version', m.version, 'reminder', m.reminders, 'review_deadline_at', m.review_deadline_at,
                    'metadata', m.metadata, 'project', m.project, 'error', m.error, 'decision', {decision})
            from moved m, unnest({types}) with ordinality t (type, n)
            order by t.n
        )"
    )
}

/// For a `with` list: the run that `moved` has changed is to be woken, since its Workflow does not know of it.
pub(super) const WOKEN: &str = "woken as (
    insert into outbox_events (event_id, run_id, kind) select m.id || '_' || m.version || '_wake', m.id, 'wake' from moved m
)";

/// One guarded transition. `set` ends the list of assignments, `guard` continues the condition, `with` (ending in a comma)
/// is a list of CTEs after `moved`. Parameters from $4 on are the caller's.
struct Transition<'a> {
    to: State,
    set: &'a str,
    guard: &'a str,
    with: &'a str,
    decision: &'a str,
    events: &'a [EventType],
}

/// What every state but `awaiting_review` says of a review.
pub(super) const NO_REVIEW: &str =
    "review_opened_at = null, review_deadline_at = null, next_reminder_at = null";

/// Safe to repeat and to race: the guard matches the states that the new one may be reached from. A second round trip reads
/// what stands, since the statement's own snapshot is from before it.
async fn apply(
    db: Db<'_>,
    run: StyleRunId,
    transition: &Transition<'_>,
    more: &[Param<'_>],
) -> Result<Moved, Error> {
    let Transition { to, set, guard, with, decision, events: types } = transition;
    let ends = if to.is_terminal() { "finished_at = now()," } else { "" };
    let sql = format!(
        "with moved as (
            update style_runs r
            set state = $2, version = r.version + 1, told = r.told + cardinality($3::text[]), {ends}
                updated_at = now(), {set}
            where r.id = $1 and r.state in ({sources}) {guard}
            returning r.*
        ), {with} {events}
        select to_json((select id from moved))",
        sources = words(to.sources()),
        events = events("$3::text[]", decision),
    );
    let types: Vec<&str> = types.iter().map(|event| event.as_str()).collect();
    let (id, word) = (run.uuid(), to.as_str());
    let mut params: Vec<Param<'_>> = vec![(&id, Type::UUID), (&word, Type::TEXT), (&types, Type::TEXT_ARRAY)];
    params.extend(more.iter().cloned());
    let moved: Option<StyleRunId> = db.one(&sql, &params).await?;
    standing(db, run, moved).await
}

async fn standing(db: Db<'_>, run: StyleRunId, moved: Option<StyleRunId>) -> Result<Moved, Error> {
    let stands = get(db, run).await?.map(Box::new);
    Ok(match (stands, moved) {
        (None, _) => Moved::Missing,
        (Some(run), Some(_)) => Moved::Won(run),
        (Some(run), None) => Moved::Stands(run),
    })
}

/// States as a list of SQL literals; the words are the domain's own.
pub(super) fn words(states: &[State]) -> String {
    states.iter().map(|state| format!("'{state}'")).collect::<Vec<_>>().join(", ")
}

/// Begins `round`: its candidates are written down with the step that makes the run generating. `bodies` are their requests,
/// `jobs` the ids that their generations will have; those of a repeated call are dropped, the first call's stand.
pub async fn plan(
    db: Db<'_>,
    run: StyleRunId,
    round: u32,
    jobs: &[JobId],
    bodies: &[Value],
) -> Result<Moved, Error> {
    let transition = Transition {
        to: State::Generating,
        set: &format!("round = $4, {NO_REVIEW}"),
        guard: "and r.round = $4 - 1",
        with: "planned as (
            insert into style_candidates (run_id, round, index, job_id, request)
            select m.id, m.round, c.n - 1, c.job, c.body
            from moved m, rows from (unnest($5::uuid[]), jsonb_array_elements($6::jsonb))
                with ordinality c (job, body, n)
        ),",
        decision: "null",
        events: &[],
    };
    let round = i32::try_from(round).unwrap_or(i32::MAX);
    let jobs: Vec<Uuid> = jobs.iter().map(|job| job.uuid()).collect();
    let bodies = Json::<Value>(json!(bodies));
    let more: [Param<'_>; 3] = [(&round, Type::INT4), (&jobs, Type::UUID_ARRAY), (&bodies, Type::JSONB)];
    apply(db, run, &transition, &more).await
}

/// Gives a person the word, for the run's own time. `second_ms` is the length of a second of it.
pub async fn open_review(db: Db<'_>, run: StyleRunId, second_ms: i64) -> Result<Moved, Error> {
    let transition = Transition {
        to: State::AwaitingReview,
        set: &format!("reminders = 0, review_opened_at = now(), review_deadline_at = {DEADLINE}, next_reminder_at = {REMINDER}")
            .replace("$second", "$4"),
        guard: "",
        with: "",
        decision: "null",
        events: &[EventType::StyleRunReviewRequested],
    };
    apply(db, run, &transition, &[(&second_ms, Type::INT8)]).await
}

const DEADLINE: &str =
    "now() + (r.spec #>> '{review,deadline_seconds}')::bigint * $second::bigint * interval '1 millisecond'";
/// Null where the run wants no reminders.
const REMINDER: &str =
    "now() + (r.spec #>> '{review,reminder_seconds}')::bigint * $second::bigint * interval '1 millisecond'";

/// Reminds of a review whose reminder is due. Safe to repeat: the next one is due later. The version stays, so that a
/// reviewer who has the page open is not refused.
pub async fn remind(db: Db<'_>, run: StyleRunId, second_ms: i64) -> Result<Moved, Error> {
    nudge(db, run, "", "r.next_reminder_at <= now()", second_ms).await
}

/// Reminds of a review whose deadline has passed, and gives it its time again.
pub async fn prolong(db: Db<'_>, run: StyleRunId, second_ms: i64) -> Result<Moved, Error> {
    nudge(db, run, &format!(", review_deadline_at = {DEADLINE}"), "r.review_deadline_at <= now()", second_ms)
        .await
}

async fn nudge(db: Db<'_>, run: StyleRunId, set: &str, due: &str, second_ms: i64) -> Result<Moved, Error> {
    let sql = format!(
        "with moved as (
            update style_runs r
            set told = r.told + 1, reminders = r.reminders + 1, updated_at = now(),
                next_reminder_at = case when r.reminders + 1 < $3 then {REMINDER} end {set}
            where r.id = $1 and r.state = 'awaiting_review' and {due}
            returning r.*
        ), {events}
        select to_json((select id from moved))",
        events = events("array['style_run.review_requested']", "null"),
    )
    .replace("$second", "$2");
    let most = i32::try_from(limit::REMINDERS).unwrap_or(i32::MAX);
    let params: [Param<'_>; 3] = [(&run.uuid(), Type::UUID), (&second_ms, Type::INT8), (&most, Type::INT4)];
    let moved: Option<StyleRunId> = db.one(&sql, &params).await?;
    standing(db, run, moved).await
}

/// Ends a run as expired or failed. Expiry is guarded by the clock of the database: a decision or a longer deadline that
/// came between is not run over.
pub async fn end(db: Db<'_>, run: StyleRunId, failure: Option<&Failure>) -> Result<Moved, Error> {
    let (to, guard, event) = match failure {
        Some(_) => (State::Failed, "", EventType::StyleRunFailed),
        None => (State::Expired, "and r.review_deadline_at <= now()", EventType::StyleRunExpired),
    };
    let set = format!("error = $4, {NO_REVIEW}");
    let transition = Transition { to, set: &set, guard, with: "", decision: "null", events: &[event] };
    let error = failure.map(|failure| Json::<Value>(json!(failure)));
    apply(db, run, &transition, &[(&error, Type::JSONB)]).await
}

/// Ends an open run as cancelled; its Workflow then cancels the generations that are under way.
pub async fn cancel(db: Db<'_>, run: StyleRunId) -> Result<Moved, Error> {
    let events = &[EventType::StyleRunCancelled];
    let with = format!("{WOKEN},");
    let transition =
        Transition { to: State::Cancelled, set: NO_REVIEW, guard: "", with: &with, decision: "null", events };
    apply(db, run, &transition, &[]).await
}

/// Approves a candidate because the deadline has passed. One decision a round, as with a reviewer's.
pub async fn approve_best(db: Db<'_>, run: StyleRunId, candidate: u32) -> Result<Moved, Error> {
    let transition = Transition {
        to: State::Approved,
        set: NO_REVIEW,
        guard: "and r.review_deadline_at <= now()",
        with: "decided as (
            insert into style_decisions (id, run_id, round, action, idempotency_key, request_hash, candidates)
            select gen_random_uuid(), m.id, m.round, 'approve', 'deadline:' || m.round, sha256('deadline'), array[$4::integer]
            from moved m
        ), marked as (
            update style_candidates c set approved = true from moved m
            where c.run_id = m.id and c.round = m.round and c.index = $4
        ),",
        decision: "jsonb_build_object('action', 'approve', 'reviewer', null, 'candidates', jsonb_build_array($4::integer))",
        events: &[EventType::StyleRunDecided, EventType::StyleRunApproved],
    };
    let candidate = i32::try_from(candidate).unwrap_or(i32::MAX);
    apply(db, run, &transition, &[(&candidate, Type::INT4)]).await
}
