//! What an operator sees of a delivery (A38).

use chrono::{DateTime, Utc};
use domain::{ClientId, DeliveryId, EndpointId, JobId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
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
    /// When a sweep last put it on the queue.
    pub enqueued_at: Option<DateTime<Utc>>,
    pub delivered_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    /// In order.
    pub tries: Vec<Try>,
    /// In order.
    pub redeliveries: Vec<Redelivery>,
}

/// An operator's word to send it again.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Redelivery {
    /// It was delivered already.
    pub forced: bool,
    /// The range it was one of; `None` when it was asked for by its id.
    pub selection: Option<Value>,
    pub created_at: DateTime<Utc>,
}

/// One claim and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Try {
    /// The first is 1; they go on when a delivery is sent again.
    pub claim: i64,
    pub ending: Ending,
    pub status: Option<u16>,
    pub error: Option<String>,
    /// The beginning of what the receiver answered, 16 kB at most.
    pub response: Option<String>,
    /// `None` while it is under way, and when it was lost.
    pub duration_ms: Option<i64>,
    pub finished_at: Option<DateTime<Utc>>,
}

/// How a try ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// A 2xx.
    Delivered,
    /// Another status.
    Refused,
    /// No answer; the receiver may have the event all the same.
    Unanswered,
    /// It failed on our side, before anything was sent.
    NotSent,
    /// Its consumer was gone before it could say; the receiver may have the event.
    Lost,
    UnderWay,
}

impl Ending {
    pub const ALL: [Self; 6] =
        [Self::Delivered, Self::Refused, Self::Unanswered, Self::NotSent, Self::Lost, Self::UnderWay];
}

/// How often a receiver got an event that it had already (A39).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duplicates {
    /// It answered 2xx so often beyond the first time.
    pub certain: usize,
    /// So many more may have reached it.
    pub possible: usize,
}

impl Delivery {
    pub fn duplicates(&self) -> Duplicates {
        let count =
            |endings: &[Ending]| self.tries.iter().filter(|one| endings.contains(&one.ending)).count();
        let (delivered, unheard) = (count(&[Ending::Delivered]), count(&[Ending::Unanswered, Ending::Lost]));
        // While nobody has answered 2xx, one of the others would be the first.
        let possible = if delivered == 0 { unheard.saturating_sub(1) } else { unheard };
        Duplicates { certain: delivered.saturating_sub(1), possible }
    }
}

/// `d` as [`Delivery`]. Every claim is a try, whether or not somebody lived to record it. `response` spells what is shown
/// of the answer to the try `t`.
pub(super) fn shown(response: &str) -> String {
    format!("json_build_object(
    'id', d.id, 'client_id', d.client_id, 'job_id', d.job_id, 'endpoint_id', d.endpoint_id, 'event_type', d.event_type,
    'url', d.url, 'payload', d.payload, 'status', d.status, 'next_attempt_at', d.next_attempt_at,
    'enqueued_at', d.enqueued_at, 'delivered_at', d.delivered_at, 'created_at', d.created_at, 'tries', (
        select coalesce(json_agg(json_build_object('claim', n, 'status', t.status, 'error', t.error, 'response', {response},
            'duration_ms', t.duration_ms, 'finished_at', t.finished_at, 'ending', case
                when t.claim is null and n = d.claim and d.claimed_until > now() then 'under_way'
                when t.claim is null then 'lost'
                when not t.sent then 'not_sent'
                when t.status between 200 and 299 then 'delivered'
                when t.status is not null then 'refused'
                else 'unanswered'
            end) order by n), '[]')
        from generate_series(1, d.claim) n left join delivery_tries t on t.delivery_id = d.id and t.claim = n
    ), 'redeliveries', (
        select coalesce(json_agg(json_build_object('forced', r.forced, 'selection', r.selection, 'created_at', r.created_at)
            order by r.id), '[]')
        from redeliveries r where r.delivery_id = d.id
    )
)")
}

/// One delivery, whole; `None` if there is none.
pub async fn inspect(db: Db<'_>, delivery: &DeliveryId) -> Result<Option<Delivery>, Error> {
    let sql = format!("select to_json((select {} from deliveries d where d.id = $1))", shown("t.response"));
    db.one(&sql, &[(&delivery.as_str(), Type::TEXT)]).await
}
