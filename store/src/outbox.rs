//! The drainer's side of the outbox: what is due, who has it, what came of it (A42).

use chrono::{DateTime, Utc};
use domain::event::EventType;
use domain::timing::OUTBOX_LEASE_SECONDS;
use domain::{DeliveryId, StyleRunId};
use serde::Deserialize;
use serde_json::Value;
use tokio_postgres::types::Type;

use crate::db::Param;
use crate::deliveries::tell;
use crate::{Db, Error};

/// An event in the hands of one drainer, for a minute.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Claimed {
    pub id: i64,
    pub event_id: String,
    pub run_id: StyleRunId,
    /// `None` for a wake-up of the run's Workflow.
    pub event_type: Option<EventType>,
    /// What receivers are told, as it was committed.
    pub payload: Value,
    /// Tries so far, this one included; names this claim.
    pub tries: u32,
    /// When what it tells of was committed.
    pub created_at: DateTime<Utc>,
}

/// The statement of [`claim`]: `$1` is its limit, `$2` the lease in seconds. Public for those who measure what it reads.
pub const CLAIM: &str = "with due as (
        select e.id from outbox_events e
        where e.status = 'pending' and e.next_attempt_at <= now()
            and not exists (
                select from outbox_events earlier
                where earlier.run_id = e.run_id and earlier.kind = e.kind and earlier.id < e.id
                    and earlier.status = 'pending'
            )
        order by e.next_attempt_at limit $1
        for update skip locked
    ), claimed as (
        update outbox_events e
        set tries = e.tries + 1, next_attempt_at = now() + $2::bigint * interval '1 second'
        from due where e.id = due.id
        returning e.*
    )
    select coalesce(json_agg(json_build_object('id', id, 'event_id', event_id, 'run_id', run_id,
        'event_type', event_type, 'payload', payload, 'tries', tries, 'created_at', created_at) order by id), '[]')
    from claimed";

/// Claims at most `limit` due events and pushes their next attempt one minute out, in the same statement: the lease, should
/// the drainer die (A42).
///
/// By status and due time, never by a high-water mark, so that an event whose transaction took its number early and
/// committed late is found like any other (F19). Of one run and kind only the earliest pending event is given out: receivers
/// and the Workflow see a run's events in their order. Rows that another drainer is claiming are skipped, not waited for.
pub async fn claim(db: Db<'_>, limit: i64) -> Result<Vec<Claimed>, Error> {
    db.one(CLAIM, &[(&limit, Type::INT8), (&OUTBOX_LEASE_SECONDS, Type::INT8)]).await
}

/// What settling an event finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// Done; these deliveries were written with it and are not on the queue yet.
    Recorded(Vec<DeliveryId>),
    /// It was settled before, by a drainer whose lease had run out or by this very call; nothing was changed.
    Superseded,
}

#[derive(Deserialize)]
struct Answer {
    settled: bool,
    deliveries: Vec<DeliveryId>,
}

/// Settles a wake-up that was sent. It counts whoever holds the claim by now: the Workflow has it.
pub async fn woken(db: Db<'_>, event: &Claimed) -> Result<Settled, Error> {
    let sql = "with settled as (
            update outbox_events set status = 'done', settled_at = now(), last_error = null
            where id = $1 and status = 'pending' returning id
        )
        select json_build_object('settled', exists (select from settled), 'deliveries', '[]'::json)";
    db.one::<Answer>(sql, &[(&event.id, Type::INT8)]).await.map(Into::into)
}

/// Writes an event's delivery rows and settles it, in one statement: exactly one row a receiver, however often it is tried.
/// `payload` is the exact text that receivers get.
pub async fn deliver(
    db: Db<'_>,
    event: &Claimed,
    event_type: EventType,
    payload: &str,
) -> Result<Settled, Error> {
    let sql = format!(
        "with settled as (
            update outbox_events set status = 'done', settled_at = now(), last_error = null
            where id = $1 and status = 'pending' returning run_id
        ), subject as (
            select r.client_id, null::uuid as job_id, r.callback_url, r.trace, null::uuid as about
            from settled s join style_runs r on r.id = s.run_id
        ), told as (
            {tell}
        )
        select json_build_object('settled', exists (select from settled),
            'deliveries', (select coalesce(json_agg(id order by id), '[]') from told))",
        tell = tell("subject", "$2", "$3", "$4")
    );
    db.one::<Answer>(
        &sql,
        &[
            (&event.id, Type::INT8),
            (&event_type.as_str(), Type::TEXT),
            (&event.event_id, Type::TEXT),
            (&payload, Type::TEXT),
        ],
    )
    .await
    .map(Into::into)
}

impl From<Answer> for Settled {
    fn from(answer: Answer) -> Self {
        if answer.settled { Self::Recorded(answer.deliveries) } else { Self::Superseded }
    }
}

/// An event that was given up on.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Parked {
    pub id: i64,
    pub event_id: String,
    pub run_id: StyleRunId,
    pub event_type: Option<EventType>,
    pub tries: u32,
    pub last_error: Option<String>,
    pub created_at: DateTime<Utc>,
}

/// The parked events, oldest first, at most `limit`.
pub async fn parked(db: Db<'_>, limit: i64) -> Result<Vec<Parked>, Error> {
    let sql = "select coalesce(json_agg(json_build_object('id', id, 'event_id', event_id, 'run_id', run_id,
            'event_type', event_type, 'tries', tries, 'last_error', last_error, 'created_at', created_at)
            order by created_at), '[]')
        from (select * from outbox_events where status = 'parked' order by created_at limit $1) e";
    db.one(sql, &[(&limit, Type::INT8)]).await
}

/// What reviving a parked event finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revived {
    Due,
    NotParked,
}

/// Makes a parked event due again, with all its tries. Safe to repeat.
pub async fn revive(db: Db<'_>, event_id: &str) -> Result<Revived, Error> {
    let sql = "with due as (
            update outbox_events set status = 'pending', settled_at = null, tries = 0, next_attempt_at = now()
            where event_id = $1 and status = 'parked' returning id
        )
        select to_json(exists (select from due))";
    let due: bool = db.one(sql, &[(&event_id, Type::TEXT)]).await?;
    Ok(if due { Revived::Due } else { Revived::NotParked })
}

/// Records a try that failed. `next_in_ms` is the next one's distance; `None` parks the event, so that what comes after it
/// goes on and a person can see it. Only the current claim's word counts.
pub async fn failed(
    db: Db<'_>,
    event: &Claimed,
    why: &str,
    next_in_ms: Option<i64>,
) -> Result<Settled, Error> {
    let sql = "with failed as (
            update outbox_events
            set status = case when $4::bigint is null then 'parked' else 'pending' end,
                settled_at = case when $4::bigint is null then now() end,
                next_attempt_at = now() + coalesce($4::bigint, 0) * interval '1 millisecond', last_error = $3
            where id = $1 and tries = $2 and status = 'pending' returning id
        )
        select json_build_object('settled', exists (select from failed), 'deliveries', '[]'::json)";
    let tries = i32::try_from(event.tries).unwrap_or(i32::MAX);
    let params: [Param<'_>; 4] =
        [(&event.id, Type::INT8), (&tries, Type::INT4), (&why, Type::TEXT), (&next_in_ms, Type::INT8)];
    db.one::<Answer>(sql, &params).await.map(Into::into)
}
