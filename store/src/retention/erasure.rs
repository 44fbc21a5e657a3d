//! A client's wish that its data goes. Generations and runs go as if their days were over ([`super`]); the rest here.

use chrono::{DateTime, Utc};
use domain::ClientId;
use serde::{Deserialize, Serialize};
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::{Db, Error};

/// More of one kind are not counted.
const COUNTED: i64 = 10_000;

/// An erasure and what is left of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erasure {
    pub id: Uuid,
    pub client_id: ClientId,
    /// Everything made until then goes.
    pub asked_at: DateTime<Utc>,
    pub completed_at: Option<DateTime<Utc>>,
    pub remaining: Remaining,
}

/// What was made before and is not gone yet; ten thousand of a kind at most are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remaining {
    /// Open ones among them: they go when they have ended.
    pub generations: u32,
    pub style_runs: u32,
    pub inputs: u32,
    /// Events of endpoints and runs that receivers were told of.
    pub deliveries: u32,
}

/// What asking for an erasure finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    Begun(Erasure),
    /// One was under way, with its own moment.
    UnderWay(Erasure),
    NoClient,
}

/// Generations of the erasure `e` that are not gone, each kind by an index of its own, so that those that are gone are not
/// read again.
const LEFT: &str = "(select id from jobs where client_id = e.client_id and created_at <= e.asked_at
        and status in ('queued', 'running', 'waiting') limit 10000)
    union (select id from jobs where client_id = e.client_id and created_at <= e.asked_at
        and outputs_state = 'kept' and finished_at is not null limit 10000)
    union (select id from jobs where client_id = e.client_id and created_at <= e.asked_at
        and outputs_state = 'expiring' limit 10000)
    union (select id from jobs where client_id = e.client_id and created_at <= e.asked_at
        and payload_expired_at is null and finished_at is not null limit 10000)";

/// `e` as [`Erasure`].
fn shown() -> String {
    let count = |from: &str| format!("(select count(*) from (select from {from} limit {COUNTED}) n)");
    format!(
        "json_build_object('id', e.id, 'client_id', e.client_id, 'asked_at', e.asked_at, 'completed_at', e.completed_at,
        'remaining', json_build_object(
            'generations', {jobs}, 'style_runs', {runs}, 'inputs', {inputs}, 'deliveries', {deliveries}))",
        jobs = count(&format!("({LEFT}) j")),
        runs = count(
            "style_runs r where r.client_id = e.client_id and r.created_at <= e.asked_at
                and r.payload_expired_at is null"
        ),
        inputs = count("inputs i where i.client_id = e.client_id and i.created_at <= e.asked_at"),
        deliveries = count(
            "deliveries d where d.client_id = e.client_id and d.created_at <= e.asked_at and d.payload <> ''"
        ),
    )
}

/// Writes the wish down, unless one of the client's is under way: then that stands.
pub async fn ask(db: Db<'_>, client: ClientId, id: Uuid) -> Result<Asked, Error> {
    #[derive(Deserialize)]
    struct Answer {
        client: bool,
        begun: Option<Erasure>,
        standing: Option<Erasure>,
    }
    let shown = shown();
    let sql = format!(
        "with begun as (
            insert into erasures (id, client_id) select $2, id from clients where id = $1
            on conflict (client_id) where completed_at is null do nothing
            returning *
        )
        select json_build_object(
            'client', exists (select from clients where id = $1),
            'begun', (select {shown} from begun e),
            'standing', (select {shown} from erasures e where e.client_id = $1 and e.completed_at is null)
        )"
    );
    // The loser of a race sees the winner's row with its second snapshot.
    for _ in 0..2 {
        let answer: Answer = db.one(&sql, &[(&client.uuid(), Type::UUID), (&id, Type::UUID)]).await?;
        match answer {
            Answer { client: false, .. } => return Ok(Asked::NoClient),
            Answer { begun: Some(erasure), .. } => return Ok(Asked::Begun(erasure)),
            Answer { standing: Some(erasure), .. } => return Ok(Asked::UnderWay(erasure)),
            Answer { .. } => {}
        }
    }
    Err(Error::Unavailable("lost the race for an erasure twice".to_owned()))
}

/// The client's last one; `None` if there was none.
pub async fn find(db: Db<'_>, client: ClientId) -> Result<Option<Erasure>, Error> {
    let sql = format!(
        "select to_json((select {shown} from erasures e where e.client_id = $1 order by e.asked_at desc limit 1))",
        shown = shown()
    );
    db.one(&sql, &[(&client.uuid(), Type::UUID)]).await
}

/// Ends uploads, whose files the sweeper removes; empties deliveries that are no job's; drops what jobs are listed by. At
/// most `limit` of each kind, of the oldest erasure under way. Returns how many there were.
pub async fn forget(db: Db<'_>, limit: i64) -> Result<usize, Error> {
    let sql = "with wish as (
            select client_id, asked_at from erasures where completed_at is null order by asked_at limit 1
        ), ended as (
            update inputs set state = 'removing', remove_at = now() where id in (
                select i.id from inputs i, wish w
                where i.client_id = w.client_id and i.created_at <= w.asked_at and i.state = 'stored' limit $1
            )
            returning id
        ), told as (
            update deliveries set payload = '' where id in (
                select d.id from deliveries d, wish w
                where d.client_id = w.client_id and d.created_at <= w.asked_at and d.payload <> ''
                    and d.job_id is null and d.status <> 'pending' limit $1
            )
            returning id
        ), answered as (
            update delivery_tries t set response = null, error = null from told where t.delivery_id = told.id
        ), unlisted as (
            delete from job_labels l using (
                select k.client_id, k.label, k.created_at, k.job_id from job_labels k, wish w
                where k.client_id = w.client_id and k.created_at <= w.asked_at limit $1
            ) k
            where l.client_id = k.client_id and l.label = k.label and l.created_at = k.created_at and l.job_id = k.job_id
            returning l.job_id
        )
        select to_json((select count(*) from ended) + (select count(*) from told) + (select count(*) from unlisted))";
    db.one(sql, &[(&limit, Type::INT8)]).await
}

/// Closes erasures of which nothing remains. Returns how many.
pub async fn close(db: Db<'_>) -> Result<usize, Error> {
    let sql = format!(
        "with closed as (
            update erasures e set completed_at = now()
            where completed_at is null and not exists ({LEFT})
                and not exists (select from style_runs r where r.client_id = e.client_id
                    and r.created_at <= e.asked_at and r.payload_expired_at is null)
                and not exists (select from inputs i where i.client_id = e.client_id and i.created_at <= e.asked_at)
                and not exists (select from deliveries d where d.client_id = e.client_id
                    and d.created_at <= e.asked_at and d.payload <> '')
                and not exists (select from job_labels l where l.client_id = e.client_id
                    and l.created_at <= e.asked_at)
            returning id
        )
        select to_json(count(*)) from closed"
    );
    db.one(&sql, &[]).await
}
