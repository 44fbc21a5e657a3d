//! Endpoints: where a client wants its events, besides the `callback_url` of a job (B12).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::endpoint::{Events, MAX_ENDPOINTS, Rate, Settings, Switch};
use domain::event::API_VERSION;
use domain::{ClientId, DeliveryId, EndpointId, Secret};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_postgres::types::{Json, Type};

use crate::clients::KeyHash;
use crate::db::Param;
use crate::deliveries::tell;
use crate::jobs::{CALLER, Found, MAKER, Scoped};
use crate::{Db, Error};

mod create;
pub use create::{NewEndpoint, Registered, create};
mod secrets;
pub use secrets::{end_keys, rotate, rotate_key};

/// An endpoint as it stands. Its secrets are not read back.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Endpoint {
    pub id: EndpointId,
    pub client_id: ClientId,
    pub url: String,
    pub description: String,
    /// `None` is every event.
    pub event_types: Option<Vec<String>>,
    pub headers: BTreeMap<String, String>,
    /// Posts a second; `None` is as fast as they come.
    pub rate_limit: Option<i32>,
    /// Why nothing is sent: `client`, `gone` or `failing`; `None` while it is enabled.
    pub disabled_reason: Option<String>,
    pub disabled_at: Option<DateTime<Utc>>,
    /// The first of the failures that no success has followed.
    pub failing_since: Option<DateTime<Utc>>,
    pub paused_until: Option<DateTime<Utc>>,
    /// How many secrets sign right now.
    pub live_secrets: u32,
    /// Of the key pairs that sign right now, the newest first.
    pub public_keys: Vec<PublicKey>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// The newest twenty, newest first.
    pub changes: Vec<Change>,
}

/// What a client verifies `v1a` signatures with.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PublicKey {
    /// `whpk_…`
    pub public_key: String,
    pub created_at: DateTime<Utc>,
    /// `None` while it is the current one.
    pub expires_at: Option<DateTime<Utc>>,
}

/// What happened to an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Change {
    /// `created`, `updated`, `secret_rotated`, `key_rotated`, `keys_ended`, `enabled`, `disabled`, `slowed` or `deleted`.
    pub change: String,
    pub reason: Option<String>,
    pub created_at: DateTime<Utc>,
}

/// `e` as [`Endpoint`]. Secrets and changes are those from before a statement that writes them.
pub(crate) const ENDPOINT: &str = "json_build_object(
    'id', e.id, 'client_id', e.client_id, 'url', e.url, 'description', e.description, 'event_types', e.event_types,
    'headers', e.headers, 'rate_limit', e.rate_limit, 'disabled_reason', e.disabled_reason,
    'disabled_at', e.disabled_at, 'failing_since', e.failing_since, 'paused_until', e.paused_until,
    'created_at', e.created_at, 'updated_at', e.updated_at, 'live_secrets', (
        select count(*) from endpoint_secrets s
        where s.endpoint_id = e.id and s.public_key is null and (s.expires_at is null or s.expires_at > now())
    ), 'public_keys', (
        select coalesce(json_agg(json_build_object('public_key', s.public_key, 'created_at', s.created_at,
            'expires_at', s.expires_at) order by s.id desc), '[]')
        from endpoint_secrets s
        where s.endpoint_id = e.id and s.public_key is not null and (s.expires_at is null or s.expires_at > now())
    ), 'changes', (
        select coalesce(json_agg(json_build_object('change', h.change, 'reason', h.reason, 'created_at', h.created_at)
            order by h.id desc), '[]')
        from (select * from endpoint_changes h where h.endpoint_id = e.id order by h.id desc limit 20) h
    )
)";

/// The client's own endpoint `$2`.
const OWN: &str = "e.id = $2 and e.client_id = c.client_id and e.deleted_at is null";

/// Notes what happened to endpoints and tells their client's others of it, for a `with` list.
///
/// `from` names rows of `endpoints` as they are now, with a `change` and its `reason` beside them; one row is one change and
/// one event, `domain::endpoint::CHANGE_EVENTS` lists them. `version` spells the envelope's version.
pub(crate) fn note(from: &str, version: &str) -> String {
    format!(
        "noted as (
            insert into endpoint_changes (endpoint_id, change, reason) select id, change, reason from {from}
            returning id, endpoint_id, change
        ), subject as (
            select e.client_id, null::uuid as job_id, null::text as callback_url,
                null::jsonb as trace, e.id as about, 'endpoint.' || e.change as event,
                'endpoint_' || e.change || '_' || e.id || '_' || n.id as delivery,
                json_build_object('type', 'endpoint.' || e.change, 'timestamp', now(), 'api_version', {version}::text,
                    'data', json_build_object('id', e.id, 'object', 'webhook_endpoint', 'url', e.url,
                        'enabled', e.disabled_reason is null and e.deleted_at is null,
                        'paused_until', e.paused_until, 'reason', e.reason))::text as payload
            from noted n join {from} e on e.id = n.endpoint_id and e.change = n.change
        ), told as (
            {}
        )",
        tell("subject", "s.event", "s.delivery", "s.payload")
    )
}

/// A client's endpoints, oldest first.
pub async fn list(db: Db<'_>, key: KeyHash) -> Result<Found<Vec<Endpoint>>, Error> {
    let sql = format!(
        "with {CALLER}
        select json_build_object(
            'client', (select client_id from caller),
            'found', (
                select coalesce(json_agg({ENDPOINT} order by e.id), '[]') from endpoints e, caller c
                where e.client_id = c.client_id and e.deleted_at is null
            )
        )"
    );
    let scoped: Scoped<Vec<Endpoint>> = db.one(&sql, &[(&key.bytes(), Type::BYTEA)]).await?;
    Ok(scoped.into())
}

/// Endpoints of all clients, for operators: the disabled and the failing first, at most `limit`.
pub async fn survey(db: Db<'_>, limit: i64) -> Result<Vec<Endpoint>, Error> {
    let sql = format!(
        "select coalesce(json_agg({ENDPOINT} order by e.disabled_at desc nulls last, e.failing_since nulls last, e.id),
            '[]')
        from (
            select * from endpoints where deleted_at is null
            order by disabled_at desc nulls last, failing_since nulls last, id limit $1
        ) e"
    );
    db.one(&sql, &[(&limit, Type::INT8)]).await
}

/// A client's own endpoint.
pub async fn find(db: Db<'_>, key: KeyHash, id: EndpointId) -> Result<Found<Endpoint>, Error> {
    let sql = format!(
        "with {CALLER}
        select json_build_object(
            'client', (select client_id from caller),
            'found', (select {ENDPOINT} from endpoints e, caller c where {OWN})
        )"
    );
    own(db, &sql, key, id, &[]).await
}

/// Changes what `settings` says. Safe to repeat. Enabling counts failures from zero again and ends a pause. An URL that another of them has is a
/// [`Error::Conflict`].
pub async fn update(
    db: Db<'_>,
    key: KeyHash,
    id: EndpointId,
    settings: &Settings,
) -> Result<Found<Endpoint>, Error> {
    let sql = format!(
        "with {MAKER}, before as (
            select e.id, e.disabled_reason as reason_before from endpoints e, caller c where {OWN} for update of e
        ), changed as (
            update endpoints e
            set url = coalesce($3, e.url), description = coalesce($4, e.description),
                event_types = case when $5::boolean then $6 else e.event_types end, headers = coalesce($7, e.headers),
                rate_limit = case when $8::boolean then $9 else e.rate_limit end,
                disabled_reason = case when $10 then null when not $10 then coalesce(e.disabled_reason, 'client')
                    else e.disabled_reason end,
                disabled_at = case when $10 then null when not $10 then coalesce(e.disabled_at, now())
                    else e.disabled_at end,
                failing_since = case when $10 and b.reason_before is not null then null else e.failing_since end,
                paused_until = case when $10 and b.reason_before is not null then null else e.paused_until end,
                updated_at = now()
            from before b where e.id = b.id
            returning e.*, b.reason_before
        ), changes as (
            select e.*, 'updated' as change, null as reason from changed e where $12::boolean
            union all
            select e.*, case when e.disabled_reason is null then 'enabled' else 'disabled' end, e.disabled_reason
            from changed e where (e.disabled_reason is null) <> (e.reason_before is null)
        ), {note}
        select json_build_object(
            'client', (select client_id from caller), 'found', (select {ENDPOINT} from changed e)
        )",
        note = note("changes", "$11")
    );
    let columns = Columns::of(settings);
    let switch = settings.switch.map(|switch| switch == Switch::On);
    own(
        db,
        &sql,
        key,
        id,
        &[
            (&columns.url, Type::TEXT),
            (&columns.description, Type::TEXT),
            (&settings.events.is_some(), Type::BOOL),
            (&columns.events, Type::TEXT_ARRAY),
            (&columns.headers, Type::JSONB),
            (&settings.rate.is_some(), Type::BOOL),
            (&columns.rate, Type::INT4),
            (&switch, Type::BOOL),
            (&API_VERSION, Type::TEXT),
            (&settings.edits(), Type::BOOL),
        ],
    )
    .await
}

/// Ends an endpoint. What is still to be delivered to it dies when it falls due. Safe to repeat.
pub async fn delete(db: Db<'_>, key: KeyHash, id: EndpointId) -> Result<Found<EndpointId>, Error> {
    let sql = format!(
        "with {MAKER}, ended as (
            update endpoints e set deleted_at = now(), updated_at = now() from caller c where {OWN}
            returning e.*, 'deleted' as change, null::text as reason
        ), {note}
        select json_build_object('client', (select client_id from caller), 'found', (
            select e.id from endpoints e, caller c where e.id = $2 and e.client_id = c.client_id
        ))",
        note = note("ended", "$3")
    );
    own(db, &sql, key, id, &[(&API_VERSION, Type::TEXT)]).await
}

/// Writes a test event for one endpoint, whatever it has subscribed to and even while it is disabled.
pub async fn test(
    db: Db<'_>,
    key: KeyHash,
    id: EndpointId,
    delivery: &DeliveryId,
    payload: &str,
) -> Result<Found<DeliveryId>, Error> {
    let sql = format!(
        "with {MAKER}, written as (
            insert into deliveries (id, client_id, endpoint_id, event_type, url, payload)
            select $3, e.client_id, e.id, 'webhook.test', e.url, $4 from endpoints e, caller c where {OWN}
            on conflict (id) do nothing
        )
        select json_build_object('client', (select client_id from caller), 'found', (
            select $3 from endpoints e, caller c where {OWN}
        ))"
    );
    own(db, &sql, key, id, &[(&delivery.as_str(), Type::TEXT), (&payload, Type::TEXT)]).await
}

/// Runs a statement of a client's on its endpoint; `$1` and `$2` are these two.
async fn own<T: serde::de::DeserializeOwned>(
    db: Db<'_>,
    sql: &str,
    key: KeyHash,
    id: EndpointId,
    more: &[Param<'_>],
) -> Result<Found<T>, Error> {
    let (hash, uuid) = (key.bytes(), id.uuid());
    let mut params: Vec<Param<'_>> = vec![(&hash, Type::BYTEA), (&uuid, Type::UUID)];
    params.extend(more.iter().cloned());
    let scoped: Scoped<T> = db.one(sql, &params).await?;
    Ok(scoped.into())
}

/// Settings as the table has them.
struct Columns<'s> {
    url: Option<&'s str>,
    description: Option<&'s str>,
    events: Option<&'s [String]>,
    headers: Option<Json<Value>>,
    rate: Option<i32>,
}

impl<'s> Columns<'s> {
    fn of(settings: &'s Settings) -> Self {
        Self {
            url: settings.url.as_ref().map(domain::callback_url::CallbackUrl::as_str),
            description: settings.description.as_deref(),
            events: match &settings.events {
                Some(Events::Only(only)) => Some(only),
                Some(Events::All) | None => None,
            },
            headers: settings.headers.as_ref().map(|headers| Json(json!(headers))),
            rate: match settings.rate {
                Some(Rate::Limited(limit)) => Some(limit),
                Some(Rate::Unlimited) | None => None,
            },
        }
    }
}
