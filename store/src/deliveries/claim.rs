//! Who may post a delivery now.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::trace::Trace;
use domain::{DeliveryId, Secret};
use serde::Deserialize;
use tokio_postgres::types::Type;

use crate::{Db, Error};

/// What a consumer that wants to post finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// Nobody else posts this delivery until the lease runs out.
    Claimed(Box<Claimed>),
    AlreadyDelivered,
    /// Out of tries, or its endpoint is disabled; only a redelivery revives it.
    Dead,
    /// Another consumer posts right now, the schedule says later, or the receiver wants room: not before this moment.
    Later(DateTime<Utc>),
    Missing,
}

/// A delivery in the hands of one consumer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Claimed {
    /// Names this claim; a failure is recorded only while it is the current one.
    pub claim: i64,
    pub url: String,
    /// Names the receiver among the posts under way: the endpoint, or the URL's origin.
    pub target: String,
    /// The exact text to sign and send.
    pub payload: String,
    /// Tries so far, this one included.
    pub tries: u32,
    /// The claim before this one ran out without a word of what came of it: the receiver may have the event already.
    pub after_lost: bool,
    /// Standard Webhooks secrets to sign with, all of them, the newest first.
    pub secrets: Vec<Secret>,
    /// The endpoint's own headers.
    pub headers: BTreeMap<String, String>,
    /// The story that the event belongs to.
    pub trace: Option<Trace>,
}

#[derive(Deserialize)]
struct Answer {
    claimed: Option<Claimed>,
    standing: Option<Standing>,
    parked: bool,
}

#[derive(Deserialize)]
struct Standing {
    status: String,
    not_before: DateTime<Utc>,
}

/// `d` names its receiver.
const TARGET: &str = "coalesce(d.endpoint_id::text, substring(d.url from '^[a-z]+://[^/?#]+'), d.url)";

/// Claims a delivery for `lease_ms`, unless its receiver is one of the `busy` (see [`Claimed::target`]). A crash after
/// it costs the lease's time and nothing else.
///
/// An endpoint with a rate limit gives out one slot after another: the slot is taken under the row's lock, by the claim
/// that then posts. One whose endpoint is disabled is dead when it falls due, so that enabling it soon loses nothing.
pub async fn claim(
    db: Db<'_>,
    delivery: &DeliveryId,
    lease_ms: i64,
    busy: &[String],
) -> Result<Claim, Error> {
    let sql = format!(
        "with due as (
            select d.id, d.endpoint_id, d.event_type, d.claimed_until is not null as after_lost from deliveries d
            where d.id = $1 and d.status = 'pending' and d.next_attempt_at <= now()
                and (d.claimed_until is null or d.claimed_until <= now()) and {TARGET} <> all ($3)
            for update
        ), parked as (
            update deliveries d
            set status = 'dead', claimed_until = null, last_error = 'not sent: the endpoint is disabled'
            from due join endpoints e on e.id = due.endpoint_id
            where d.id = due.id and due.event_type <> 'webhook.test'
                and (e.disabled_reason is not null or e.deleted_at is not null)
            returning d.id
        ), slot as (
            update endpoints e set next_post_at = now() + interval '1 second' / e.rate_limit
            from due
            where e.id = due.endpoint_id and e.rate_limit is not null and e.next_post_at <= now()
                and (e.paused_until is null or e.paused_until <= now())
            returning e.id
        ), free as (
            select due.id, due.after_lost from due left join endpoints e on e.id = due.endpoint_id
            where not exists (select from parked) and (
                due.endpoint_id is null or exists (select from slot)
                or (e.rate_limit is null and (e.paused_until is null or e.paused_until <= now()))
            )
        ), claimed as (
            update deliveries d
            set claimed_until = now() + $2::bigint * interval '1 millisecond', claim = claim + 1, tries = tries + 1
            from free
            where d.id = free.id and d.status = 'pending' and d.next_attempt_at <= now()
                and (d.claimed_until is null or d.claimed_until <= now())
            returning d.*, free.after_lost
        )
        select json_build_object(
            'claimed', (
                select json_build_object('claim', d.claim, 'url', coalesce(e.url, d.url), 'target', {TARGET},
                    'payload', d.payload, 'trace', d.trace, 'tries', d.tries, 'after_lost', d.after_lost, 'headers', coalesce(e.headers, '{{}}'),
                    'secrets', case when d.endpoint_id is null then to_json(c.webhook_secrets) else (
                        select coalesce(json_agg(s.secret order by s.id desc), '[]') from endpoint_secrets s
                        where s.endpoint_id = d.endpoint_id and (s.expires_at is null or s.expires_at > now())
                    ) end)
                from claimed d join clients c on c.id = d.client_id left join endpoints e on e.id = d.endpoint_id
            ),
            'standing', (
                select json_build_object('status', d.status, 'not_before', greatest(d.next_attempt_at,
                    d.claimed_until, e.paused_until, case when e.rate_limit is not null then e.next_post_at end, now()))
                from deliveries d left join endpoints e on e.id = d.endpoint_id where d.id = $1
            ),
            'parked', exists (select from parked)
        )"
    );
    let answer: Answer = db
        .one(&sql, &[(&delivery.as_str(), Type::TEXT), (&lease_ms, Type::INT8), (&busy, Type::TEXT_ARRAY)])
        .await?;
    Ok(match (answer.claimed, answer.standing) {
        (Some(claimed), _) => Claim::Claimed(Box::new(claimed)),
        (None, None) => Claim::Missing,
        (None, Some(_)) if answer.parked => Claim::Dead,
        (None, Some(standing)) => match standing.status.as_str() {
            "delivered" => Claim::AlreadyDelivered,
            "dead" => Claim::Dead,
            _ => Claim::Later(standing.not_before),
        },
    })
}
