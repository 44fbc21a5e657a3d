//! Webhook deliveries: who may post now, and what came of it.

use domain::event::API_VERSION;
use domain::timing::ENDPOINT_FAILING_DAYS;
use domain::{DeliveryId, JobId};
use tokio_postgres::types::Type;

use crate::db::Param;
use crate::endpoints::note;
use crate::{Db, Error};

mod fan_out;
pub(crate) use fan_out::tell;

mod claim;
pub use claim::{Claim, Claimed, claim};

mod inspect;
pub use inspect::{Delivery, Duplicates, Ending, Redelivery, Try, inspect};
mod redelivery;
pub use redelivery::{Redelivered, Selection, Which, list, meant, redeliver, redeliver_all};
mod dead_messages;
pub use dead_messages::{DeadMessage, Parked, park};

/// The deliveries of a job that nobody has posted yet, for the queue.
pub async fn untried(db: Db<'_>, job: JobId) -> Result<Vec<DeliveryId>, Error> {
    let sql = "select coalesce(json_agg(id order by id), '[]') from deliveries
        where job_id = $1 and status = 'pending' and tries = 0";
    db.one(sql, &[(&job.uuid(), Type::UUID)]).await
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
    /// Whether anything went to the receiver.
    pub sent: bool,
    /// Why it counts as failed; `None` for a 2xx.
    pub error: Option<&'a str>,
    /// What it answered, 16 kB at most.
    pub response: Option<&'a str>,
    pub duration_ms: i64,
}

/// What a failure says of the endpoint, besides that it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// Nothing: it counts towards the days of nothing but failures.
    Failing,
    /// It wants room: nothing is posted to it for so long.
    Busy { pause_ms: i64 },
    /// It wants no more of it (410) and is disabled.
    Gone,
    /// The failure is ours and says nothing of it.
    Unharmed,
}

/// Records a 2xx. It counts whoever holds the claim by now: the receiver has the event.
pub async fn delivered(db: Db<'_>, delivery: &DeliveryId, post: &Post<'_>) -> Result<Settled, Error> {
    let set = "status = 'delivered', delivered_at = now(), claimed_until = null, last_status = $3, last_error = null
        where d.id = $1 and d.status <> 'delivered'";
    let health = "well as (
        update endpoints e set failing_since = null from settled s
        where e.id = s.endpoint_id and e.failing_since is not null
    )";
    settle(db, delivery, post, (set, health), &[]).await
}

/// Records a failed try. `next_in_ms` is the next one's distance; `None` when there is none left: the delivery is dead.
///
/// In the same statement the endpoint is paused, or disabled: when it is gone, or has done nothing but fail for
/// [`ENDPOINT_FAILING_DAYS`]; the client's other endpoints are told. Of failures at once each sees what the one before did.
pub async fn failed(
    db: Db<'_>,
    delivery: &DeliveryId,
    post: &Post<'_>,
    next_in_ms: Option<i64>,
    health: Health,
) -> Result<Settled, Error> {
    let set = "status = case when $8::bigint is null then 'dead' else 'pending' end,
        next_attempt_at = now() + coalesce($8::bigint, 0) * interval '1 millisecond',
        claimed_until = null, last_status = $3, last_error = $4
        where d.id = $1 and d.claim = $2 and d.status = 'pending'";
    let ill = format!(
        "ill as (
            select e.id, e.paused_until, case
                when $10::boolean then 'gone'
                when e.failing_since <= now() - $11::integer * interval '1 day' then 'failing'
            end as reason
            from settled s join endpoints e on e.id = s.endpoint_id
            where e.disabled_reason is null and e.deleted_at is null and $12::boolean
            for update of e
        ), touched as (
            update endpoints e
            set failing_since = coalesce(e.failing_since, now()),
                paused_until = greatest(e.paused_until, now() + $9::bigint * interval '1 millisecond'),
                disabled_reason = ill.reason, disabled_at = case when ill.reason is not null then now() end
            from ill where e.id = ill.id and e.disabled_reason is null
            returning e.*, ill.paused_until as paused_before
        ), changes as (
            select *, 'disabled' as change, disabled_reason as reason from touched where disabled_reason is not null
            union all
            -- Once for a time of pauses, not for each.
            select *, 'slowed', $3::integer::text from touched
            where $9 is not null and (paused_before is null or paused_before < now() - interval '1 hour')
        ), {note}",
        note = note("changes", "$13")
    );
    let pause_ms = if let Health::Busy { pause_ms } = health { Some(pause_ms) } else { None };
    settle(
        db,
        delivery,
        post,
        (set, &ill),
        &[
            (&next_in_ms, Type::INT8),
            (&pause_ms, Type::INT8),
            (&(health == Health::Gone), Type::BOOL),
            (&ENDPOINT_FAILING_DAYS, Type::INT4),
            (&(health != Health::Unharmed), Type::BOOL),
            (&API_VERSION, Type::TEXT),
        ],
    )
    .await
}

/// The try itself is kept whatever it changes. Safe to repeat: a try is one row, and what it says of the endpoint is
/// said only by the write that settles.
async fn settle(
    db: Db<'_>,
    delivery: &DeliveryId,
    post: &Post<'_>,
    (set, health): (&str, &str),
    more: &[Param<'_>],
) -> Result<Settled, Error> {
    let sql = format!(
        "with settled as (
            update deliveries d set {set} returning d.id, d.endpoint_id
        ), tried as (
            insert into delivery_tries (delivery_id, claim, status, error, duration_ms, sent, response)
            select id, $2, $3, $4, $5, $6, $7 from deliveries where id = $1
            on conflict do nothing
        ), {health}
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
        (&post.sent, Type::BOOL),
        (&post.response, Type::TEXT),
    ];
    params.extend(more.iter().cloned());
    let recorded: bool = db.one(&sql, &params).await?;
    Ok(if recorded { Settled::Recorded } else { Settled::Superseded })
}
