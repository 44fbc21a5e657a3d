//! Webhook deliveries: who may post now, and what came of it.

use chrono::{DateTime, Utc};
use domain::{DeliveryId, Secret};
use serde::Deserialize;
use tokio_postgres::types::Type;

use crate::db::Param;
use crate::{Db, Error};

mod dead_letters;
pub use dead_letters::{Delivery, Redelivered, Selection, Try, inspect, list, redeliver, redeliver_dead};

/// What a consumer that wants to post finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// Nobody else posts this delivery until the lease runs out.
    Claimed(Box<Claimed>),
    AlreadyDelivered,
    /// Out of tries; only a redelivery revives it.
    Dead,
    /// Another consumer posts right now, or the schedule says later: not before this moment.
    Later(DateTime<Utc>),
    Missing,
}

/// A delivery in the hands of one consumer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Claimed {
    /// Names this claim; a failure is recorded only while it is the current one.
    pub claim: i64,
    pub url: String,
    /// The exact text to sign and send.
    pub payload: String,
    /// Tries so far, this one included.
    pub tries: u32,
    /// Standard Webhooks secrets to sign with, all of them.
    pub secrets: Vec<Secret>,
}

#[derive(Deserialize)]
struct Answer {
    claimed: Option<Claimed>,
    standing: Option<Standing>,
}

#[derive(Deserialize)]
struct Standing {
    status: String,
    not_before: DateTime<Utc>,
}

/// Claims a delivery for `lease_ms`. A crash after it costs the lease's time and nothing else.
pub async fn claim(db: Db<'_>, delivery: &DeliveryId, lease_ms: i64) -> Result<Claim, Error> {
    let sql = "with claimed as (
            update deliveries
            set claimed_until = now() + $2::bigint * interval '1 millisecond', claim = claim + 1, tries = tries + 1
            where id = $1 and status = 'pending' and next_attempt_at <= now()
                and (claimed_until is null or claimed_until <= now())
            returning *
        )
        select json_build_object(
            'claimed', (
                select json_build_object('claim', d.claim, 'url', d.url, 'payload', d.payload, 'tries', d.tries,
                    'secrets', to_json(c.webhook_secrets))
                from claimed d join clients c on c.id = d.client_id
            ),
            'standing', (
                select json_build_object('status', status, 'not_before', greatest(next_attempt_at, claimed_until, now()))
                from deliveries where id = $1
            )
        )";
    let answer: Answer = db.one(sql, &[(&delivery.as_str(), Type::TEXT), (&lease_ms, Type::INT8)]).await?;
    Ok(match (answer.claimed, answer.standing) {
        (Some(claimed), _) => Claim::Claimed(Box::new(claimed)),
        (None, None) => Claim::Missing,
        (None, Some(standing)) => match standing.status.as_str() {
            "delivered" => Claim::AlreadyDelivered,
            "dead" => Claim::Dead,
            _ => Claim::Later(standing.not_before),
        },
    })
}

/// What recording a try's result finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    Recorded,
    /// Another claim, or an earlier success, stands; nothing was changed.
    Superseded,
}

/// One post that was made.
pub struct Post<'a> {
    pub claim: i64,
    /// The receiver's HTTP status, if it answered.
    pub status: Option<u16>,
    /// Why it counts as failed; `None` for a 2xx.
    pub error: Option<&'a str>,
    pub duration_ms: i64,
}

/// Records a 2xx. It counts whoever holds the claim by now: the receiver has the event.
pub async fn delivered(db: Db<'_>, delivery: &DeliveryId, post: &Post<'_>) -> Result<Settled, Error> {
    let set = "status = 'delivered', delivered_at = now(), claimed_until = null, last_status = $3, last_error = null
        where d.id = $1 and d.status <> 'delivered'";
    settle(db, delivery, post, set, &[]).await
}

/// Records a failed try. `next_in_ms` is the next one's distance; `None` when there is none left: the delivery is dead.
pub async fn failed(
    db: Db<'_>,
    delivery: &DeliveryId,
    post: &Post<'_>,
    next_in_ms: Option<i64>,
) -> Result<Settled, Error> {
    let set = "status = case when $6::bigint is null then 'dead' else 'pending' end,
        next_attempt_at = now() + coalesce($6::bigint, 0) * interval '1 millisecond',
        claimed_until = null, last_status = $3, last_error = $4
        where d.id = $1 and d.claim = $2 and d.status = 'pending'";
    settle(db, delivery, post, set, &[(&next_in_ms, Type::INT8)]).await
}

/// The try itself is kept whatever it changes. Safe to repeat: a try is one row.
async fn settle(
    db: Db<'_>,
    delivery: &DeliveryId,
    post: &Post<'_>,
    set: &str,
    more: &[Param<'_>],
) -> Result<Settled, Error> {
    let sql = format!(
        "with settled as (
            update deliveries d set {set} returning d.id
        ), tried as (
            insert into delivery_tries (delivery_id, claim, status, error, duration_ms)
            select id, $2, $3, $4, $5 from deliveries where id = $1
            on conflict do nothing
        )
        select to_json(exists (select from settled))"
    );
    let status = post.status.map(i32::from);
    let id = delivery.as_str();
    let mut params: Vec<Param<'_>> = vec![
        (&id, Type::TEXT),
        (&post.claim, Type::INT8),
        (&status, Type::INT4),
        (&post.error, Type::TEXT),
        (&post.duration_ms, Type::INT8),
    ];
    params.extend(more.iter().cloned());
    let recorded: bool = db.one(&sql, &params).await?;
    Ok(if recorded { Settled::Recorded } else { Settled::Superseded })
}
