//! What an operator asks of deliveries, and sends again (A38).

use chrono::{DateTime, Utc};
use domain::{ClientId, DeliveryId, EndpointId, JobId};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio_postgres::types::Type;

use crate::{Db, Error};

/// A delivery with its tries.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Delivery {
    pub id: DeliveryId,
    pub client_id: ClientId,
    /// `None` where the event is no job's.
    pub job_id: Option<JobId>,
    /// `None` for a job's own `callback_url`.
    pub endpoint_id: Option<EndpointId>,
    pub event_type: String,
    pub url: String,
    /// The exact text that was, or will be, signed and sent.
    pub payload: String,
    /// `pending`, `delivered` or `dead`.
    pub status: String,
    pub next_attempt_at: DateTime<Utc>,
    pub delivered_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    /// In order.
    pub tries: Vec<Try>,
}

/// One post.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Try {
    pub status: Option<u16>,
    pub error: Option<String>,
    pub duration_ms: i64,
    pub finished_at: DateTime<Utc>,
}

/// `d` as [`Delivery`].
const DELIVERY: &str = "json_build_object(
    'id', d.id, 'client_id', d.client_id, 'job_id', d.job_id, 'endpoint_id', d.endpoint_id, 'event_type', d.event_type, 'url', d.url,
    'payload', d.payload, 'status', d.status, 'next_attempt_at', d.next_attempt_at, 'delivered_at', d.delivered_at,
    'created_at', d.created_at, 'tries', (
        select coalesce(json_agg(json_build_object('status', t.status, 'error', t.error,
            'duration_ms', t.duration_ms, 'finished_at', t.finished_at) order by t.claim), '[]')
        from delivery_tries t where t.delivery_id = d.id
    )
)";

/// One delivery, whole; `None` if there is none.
pub async fn inspect(db: Db<'_>, delivery: &DeliveryId) -> Result<Option<Delivery>, Error> {
    let sql = format!("select to_json((select {DELIVERY} from deliveries d where d.id = $1))");
    db.one(&sql, &[(&delivery.as_str(), Type::TEXT)]).await
}

/// Which deliveries are meant: made in `since..until`, at most `limit` of them, newest first.
#[derive(Clone, Debug)]
pub struct Selection {
    pub since: DateTime<Utc>,
    pub until: DateTime<Utc>,
    /// Those of one endpoint only.
    pub endpoint: Option<EndpointId>,
    /// Those of one event type only.
    pub event_type: Option<String>,
    pub limit: i64,
}

/// Dead deliveries.
pub async fn list(db: Db<'_>, selection: &Selection) -> Result<Vec<Delivery>, Error> {
    let sql = format!(
        "select coalesce(json_agg({DELIVERY} order by d.created_at desc), '[]') from (
            select * from deliveries
            where {SELECTED} order by created_at desc limit $3
        ) d"
    );
    select(db, &sql, selection).await
}

/// What sending a delivery again finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redelivered {
    /// It is due now, with all tries of the schedule before it.
    Due,
    /// The receiver has it; nothing was changed.
    AlreadyDelivered,
    Missing,
}

#[derive(Deserialize)]
struct Answer {
    due: bool,
    status: Option<String>,
}

/// Makes a delivery due again, from the start of the schedule. One that was delivered stays so. Safe to repeat.
pub async fn redeliver(db: Db<'_>, delivery: &DeliveryId) -> Result<Redelivered, Error> {
    let sql = "with due as (
            update deliveries
            set status = 'pending', tries = 0, next_attempt_at = now(), enqueued_at = now()
            where id = $1 and status <> 'delivered'
            returning job_id
        ), event as (
            insert into events (job_id, type, data)
            select job_id, 'delivery.redelivered', json_build_object('delivery', $1) from due where job_id is not null
        )
        select json_build_object(
            'due', exists (select from due), 'status', (select status from deliveries where id = $1)
        )";
    let answer: Answer = db.one(sql, &[(&delivery.as_str(), Type::TEXT)]).await?;
    Ok(match answer {
        Answer { due: true, .. } => Redelivered::Due,
        Answer { status: Some(_), .. } => Redelivered::AlreadyDelivered,
        Answer { status: None, .. } => Redelivered::Missing,
    })
}

/// Makes dead deliveries due again and returns which. They reach the queue through the sweeper, at its pace.
pub async fn redeliver_dead(db: Db<'_>, selection: &Selection) -> Result<Vec<DeliveryId>, Error> {
    let sql = format!(
        "with due as (
            update deliveries
            set status = 'pending', tries = 0, next_attempt_at = now(), enqueued_at = null
            where id in (
                select id from deliveries
                where {SELECTED}
                order by created_at desc limit $3 for update skip locked
            )
            returning id, job_id
        ), event as (
            insert into events (job_id, type, data)
            select job_id, 'delivery.redelivered', json_build_object('delivery', id) from due where job_id is not null
        )
        select coalesce(json_agg(id order by id), '[]') from due"
    );
    select(db, &sql, selection).await
}

/// The rows of a [`Selection`].
const SELECTED: &str = "status = 'dead' and created_at >= $1 and created_at < $2
    and ($4::uuid is null or endpoint_id = $4) and ($5::text is null or event_type = $5)";

async fn select<T: DeserializeOwned>(db: Db<'_>, sql: &str, selection: &Selection) -> Result<T, Error> {
    let Selection { since, until, endpoint, event_type, limit } = selection;
    db.one(
        sql,
        &[
            (since, Type::TIMESTAMPTZ),
            (until, Type::TIMESTAMPTZ),
            (limit, Type::INT8),
            (&endpoint.map(EndpointId::uuid), Type::UUID),
            (event_type, Type::TEXT),
        ],
    )
    .await
}
