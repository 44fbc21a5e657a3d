//! Tenants and their keys.

use chrono::{DateTime, Utc};
use domain::client::Settings;
use domain::endpoint::Switch;
use domain::{ClientId, Secret, Usd};
use serde::{Deserialize, Serialize};
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::{Db, Error};

mod keys;
pub use keys::{
    Ended, Issued, Key, NewKey, Rotated, Standing, issue, list as list_keys, note_use, revoke, rotate,
    standing,
};

/// SHA-256 of a client key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    pub const fn new(sha256: [u8; 32]) -> Self {
        Self(sha256)
    }

    pub(crate) const fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A tenant with its first key.
pub struct NewClient<'a> {
    pub id: ClientId,
    pub name: &'a str,
    pub webhook_secrets: &'a [Secret],
    pub key_id: Uuid,
    pub key_hash: KeyHash,
    /// The key's first characters.
    pub key_prefix: &'a str,
}

/// Adds a tenant. Sending it again is a conflict on its primary key and changes nothing.
pub async fn create(db: Db<'_>, new: &NewClient<'_>) -> Result<(), Error> {
    let secrets: Vec<&str> = new.webhook_secrets.iter().map(Secret::expose).collect();
    let sql = "with client as (
            insert into clients (id, name, webhook_secrets) values ($1, $2, $3) returning id
        ), key as (
            insert into client_keys (id, client_id, hash, prefix) select $4, id, $5, $6 from client
        )
        select to_json(true) from client";
    let _: bool = db
        .one(
            sql,
            &[
                (&new.id.uuid(), Type::UUID),
                (&new.name, Type::TEXT),
                (&secrets, Type::TEXT_ARRAY),
                (&new.key_id, Type::UUID),
                (&new.key_hash.bytes(), Type::BYTEA),
                (&new.key_prefix, Type::TEXT),
            ],
        )
        .await?;
    Ok(())
}

/// A client as operators see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    pub id: ClientId,
    pub name: String,
    /// Since when none of its keys is good; `None` while it is enabled.
    pub disabled_at: Option<DateTime<Utc>>,
    /// Keys that are neither revoked nor expired.
    pub live_keys: u32,
    /// Generations that may be open at once; `None` is no limit, and so below.
    pub max_open: Option<i32>,
    pub creates_per_minute: Option<i32>,
    pub budget_day: Option<Usd>,
    pub budget_month: Option<Usd>,
    /// Days that outputs, and payloads, are kept; `None`: as the deployment has it.
    pub output_days: Option<i32>,
    pub payload_days: Option<i32>,
    pub created_at: DateTime<Utc>,
}

/// `c` as [`Client`].
const CLIENT: &str = "json_build_object('id', c.id, 'name', c.name, 'disabled_at', c.disabled_at,
    'created_at', c.created_at, 'output_days', c.output_days, 'payload_days', c.payload_days, 'max_open', c.max_open,
    'creates_per_minute', c.creates_per_minute, 'budget_day', c.budget_day::text, 'budget_month', c.budget_month::text,
    'live_keys', (
        select count(*) from client_keys k
        where k.client_id = c.id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    ))";

/// Clients in the order of their ids, which is that of their making, after `after`; at most `limit`.
pub async fn list(db: Db<'_>, after: Option<ClientId>, limit: i64) -> Result<Vec<Client>, Error> {
    let sql = format!(
        "select coalesce(json_agg({CLIENT} order by c.id), '[]')
        from (select * from clients where $1::uuid is null or id > $1 order by id limit $2) c"
    );
    db.one(&sql, &[(&after.map(ClientId::uuid), Type::UUID), (&limit, Type::INT8)]).await
}

/// `None` if there is none.
pub async fn find(db: Db<'_>, id: ClientId) -> Result<Option<Client>, Error> {
    let sql = format!("select to_json((select {CLIENT} from clients c where c.id = $1))");
    db.one(&sql, &[(&id.uuid(), Type::UUID)]).await
}

/// A client before and after a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    pub before: Client,
    pub after: Client,
}

/// Changes what `settings` says; `None` if there is no such client. Safe to repeat: a client that is disabled already
/// stays disabled since when it was.
pub async fn change(db: Db<'_>, id: ClientId, settings: &Settings) -> Result<Option<Changed>, Error> {
    let sql = format!(
        "with before as (
            select * from clients where id = $1 for no key update
        ), after as (
            update clients c set
                name = coalesce($2, c.name),
                disabled_at = case when $3 then null when not $3 then coalesce(c.disabled_at, now())
                    else c.disabled_at end,
                max_open = case when $4 then $5 else c.max_open end,
                creates_per_minute = case when $6 then $7 else c.creates_per_minute end,
                budget_day = case when $8 then $9::text::numeric else c.budget_day end,
                budget_month = case when $10 then $11::text::numeric else c.budget_month end,
                output_days = case when $12 then $13 else c.output_days end,
                payload_days = case when $14 then $15 else c.payload_days end
            from before b where c.id = b.id
            returning c.*
        )
        select to_json((select json_build_object(
            'before', (select {CLIENT} from before c), 'after', (select {CLIENT} from after c)
        ) from after))"
    );
    let enabled = settings.switch.map(|switch| switch == Switch::On);
    let (open_said, open) = settings.max_open.said();
    let (creates_said, creates) = settings.creates_per_minute.said();
    let money = |(said, amount): (bool, Option<Usd>)| (said, amount.map(|amount| amount.to_string()));
    let (day_said, day) = money(settings.budget_day.said());
    let (month_said, month) = money(settings.budget_month.said());
    let (outputs_said, outputs) = settings.output_days.said();
    let (payload_said, payload) = settings.payload_days.said();
    db.one(
        &sql,
        &[
            (&id.uuid(), Type::UUID),
            (&settings.name, Type::TEXT),
            (&enabled, Type::BOOL),
            (&open_said, Type::BOOL),
            (&open, Type::INT4),
            (&creates_said, Type::BOOL),
            (&creates, Type::INT4),
            (&day_said, Type::BOOL),
            (&day, Type::TEXT),
            (&month_said, Type::BOOL),
            (&month, Type::TEXT),
            (&outputs_said, Type::BOOL),
            (&outputs, Type::INT4),
            (&payload_said, Type::BOOL),
            (&payload, Type::INT4),
        ],
    )
    .await
}
