//! Sending deliveries again on an operator's word (A38).

use chrono::{DateTime, Utc};
use domain::{DeliveryId, EndpointId};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio_postgres::types::Type;

use super::inspect::{Delivery, shown};
use crate::{Db, Error};

/// Which deliveries may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those that the receiver does not have, as far as we know.
    Undelivered,
    /// Those that were delivered too: the receiver has lost them, or wants to see them again.
    Delivered,
}

/// Which deliveries are meant: dead ones made in `since..until`, at most `limit` of them, newest first.
#[derive(Clone, Debug)]
pub struct Selection {
    pub since: DateTime<Utc>,
    pub until: DateTime<Utc>,
    /// Those of one endpoint only.
    pub endpoint: Option<EndpointId>,
    /// Those of one event type only.
    pub event_type: Option<String>,
    /// Whether those that were delivered are meant too. Those that are still pending never are: they are on their way.
    pub which: Which,
    pub limit: i64,
}

/// The selected deliveries, without the answers to their tries.
pub async fn list(db: Db<'_>, selection: &Selection) -> Result<Vec<Delivery>, Error> {
    let sql = format!(
        "select coalesce(json_agg({listed} order by d.created_at desc), '[]') from (
            select * from deliveries
            where {SELECTED} order by created_at desc limit $3
        ) d",
        listed = shown("null")
    );
    select(db, &sql, selection).await
}

/// The ids of what [`redeliver_all`] would send again.
pub async fn meant(db: Db<'_>, selection: &Selection) -> Result<Vec<DeliveryId>, Error> {
    let sql = format!(
        "select coalesce(json_agg(id order by id), '[]') from (
            select id from deliveries where {SELECTED} order by created_at desc limit $3
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
    /// Its payload is not kept any more; nothing was changed.
    Expired,
    Missing,
}

#[derive(Deserialize)]
struct Answer {
    due: bool,
    status: Option<String>,
    expired: Option<bool>,
}

/// Makes a delivery due again, from the start of the schedule. One that was delivered stays so unless `which` says
/// otherwise; then the receiver gets it again under the same id. Safe to repeat while it is not delivered.
pub async fn redeliver(db: Db<'_>, delivery: &DeliveryId, which: Which) -> Result<Redelivered, Error> {
    let sql = format!(
        "with due as (
            update deliveries d set {AGAIN}, enqueued_at = now()
            from (select id, status from deliveries where id = $1 and payload <> '' for update) before
            where d.id = before.id and (before.status <> 'delivered' or $2)
            returning d.id, before.status = 'delivered' as forced
        ), noted as (
            insert into redeliveries (delivery_id, forced) select id, forced from due
        )
        select json_build_object(
            'due', exists (select from due), 'status', (select status from deliveries where id = $1),
            'expired', (select payload = '' from deliveries where id = $1)
        )"
    );
    let forced = which == Which::Delivered;
    let answer: Answer = db.one(&sql, &[(&delivery.as_str(), Type::TEXT), (&forced, Type::BOOL)]).await?;
    Ok(match answer {
        Answer { due: true, .. } => Redelivered::Due,
        Answer { expired: Some(true), .. } => Redelivered::Expired,
        Answer { status: Some(_), .. } => Redelivered::AlreadyDelivered,
        Answer { status: None, .. } => Redelivered::Missing,
    })
}

/// Makes the selected deliveries due again and returns which. They reach the queue through the sweeper, at its pace.
pub async fn redeliver_all(db: Db<'_>, selection: &Selection) -> Result<Vec<DeliveryId>, Error> {
    let sql = format!(
        "with due as (
            update deliveries d set {AGAIN}, enqueued_at = null
            from (
                select id, status from deliveries
                where {SELECTED} order by created_at desc limit $3 for update skip locked
            ) before
            where d.id = before.id
            returning d.id, before.status = 'delivered' as forced
        ), noted as (
            insert into redeliveries (delivery_id, forced, selection)
            select id, forced, json_build_object('since', $1, 'until', $2, 'endpoint', $4::uuid, 'event_type', $5::text)
            from due
        )
        select coalesce(json_agg(id order by id), '[]') from due"
    );
    select(db, &sql, selection).await
}

/// Due now, as if it had never been tried. A claim under way goes on; what it records stands.
const AGAIN: &str = "status = 'pending', tries = 0, next_attempt_at = now(), delivered_at = null";

/// The rows of a [`Selection`].
const SELECTED: &str =
    "payload <> '' and (status = 'dead' or ($6 and status = 'delivered')) and created_at >= $1 and created_at < $2
    and ($4::uuid is null or endpoint_id = $4) and ($5::text is null or event_type = $5)";

async fn select<T: DeserializeOwned>(db: Db<'_>, sql: &str, selection: &Selection) -> Result<T, Error> {
    let Selection { since, until, endpoint, event_type, which, limit } = selection;
    db.one(
        sql,
        &[
            (since, Type::TIMESTAMPTZ),
            (until, Type::TIMESTAMPTZ),
            (limit, Type::INT8),
            (&endpoint.map(EndpointId::uuid), Type::UUID),
            (event_type, Type::TEXT),
            (&(*which == Which::Delivered), Type::BOOL),
        ],
    )
    .await
}
