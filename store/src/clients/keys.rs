//! Keys: several are live while one is rotated; only their hashes are kept.

use chrono::{DateTime, Utc};
use domain::ClientId;
use domain::client::{KeyRequest, KeyRotation, MAX_KEYS};
use domain::scope::Scope;
use domain::timing::KEY_USE_NOTED_SECONDS;
use serde::{Deserialize, Serialize};
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::KeyHash;
use crate::{Db, Error};

/// A key as operators see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    pub id: Uuid,
    pub client: ClientId,
    pub label: String,
    /// Its first characters, by which a person tells keys apart.
    pub prefix: String,
    pub scopes: Vec<Scope>,
    pub created_at: DateTime<Utc>,
    /// `None`: until it is revoked.
    pub expires_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
    /// Exact to an hour; `None` if it was never used.
    pub last_used_at: Option<DateTime<Utc>>,
}

/// `k` as [`Key`].
const KEY: &str = "json_build_object('id', k.id, 'client', k.client_id, 'label', k.label, 'prefix', k.prefix,
    'scopes', k.scopes, 'created_at', k.created_at, 'expires_at', k.expires_at, 'revoked_at', k.revoked_at,
    'last_used_at', k.last_used_at)";

const LIVE: &str = "k.revoked_at is null and (k.expires_at is null or k.expires_at > now())";

/// What of a fresh key is kept.
pub struct NewKey<'a> {
    pub id: Uuid,
    pub hash: KeyHash,
    pub prefix: &'a str,
}

/// What issuing a key comes to. Each call makes another key: one whose answer was lost can be listed and revoked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Issued {
    Issued(Key),
    /// The client has as many live keys as a client may have.
    Full,
    NoSuchClient,
}

#[derive(Deserialize)]
struct Issue {
    client: bool,
    key: Option<Key>,
}

/// Adds a key beside those that stand.
pub async fn issue(
    db: Db<'_>,
    client: ClientId,
    new: &NewKey<'_>,
    request: &KeyRequest,
) -> Result<Issued, Error> {
    let sql = format!(
        "with fresh as (
            insert into client_keys (id, client_id, hash, prefix, label, scopes, lifetime_seconds, expires_at)
            select $2, c.id, $3, $4, $5, $6, $7::bigint, now() + $7::bigint * interval '1 second'
            from clients c
            where c.id = $1
                and (select count(*) from client_keys k where k.client_id = c.id and {LIVE}) < {MAX_KEYS}
            returning *
        )
        select json_build_object(
            'client', exists (select from clients where id = $1), 'key', (select {KEY} from fresh k)
        )"
    );
    let scopes: Vec<&str> = request.scopes.iter().map(|scope| scope.as_str()).collect();
    let answer: Issue = db
        .one(
            &sql,
            &[
                (&client.uuid(), Type::UUID),
                (&new.id, Type::UUID),
                (&new.hash.bytes(), Type::BYTEA),
                (&new.prefix, Type::TEXT),
                (&request.label, Type::TEXT),
                (&scopes, Type::TEXT_ARRAY),
                (&request.lifetime_seconds, Type::INT8),
            ],
        )
        .await?;
    Ok(match answer {
        Issue { key: Some(key), .. } => Issued::Issued(key),
        Issue { client: true, .. } => Issued::Full,
        Issue { .. } => Issued::NoSuchClient,
    })
}

/// A client's keys, oldest first, those that have ended too; `None` if there is no such client.
pub async fn list(db: Db<'_>, client: ClientId) -> Result<Option<Vec<Key>>, Error> {
    let sql = format!(
        "select to_json((
            select (select coalesce(json_agg({KEY} order by k.created_at, k.id), '[]')
                from client_keys k where k.client_id = c.id)
            from clients c where c.id = $1
        ))"
    );
    db.one(&sql, &[(&client.uuid(), Type::UUID)]).await
}

/// What a rotation comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rotated {
    /// Both are good until the old one expires.
    Rotated {
        old: Box<Key>,
        new: Box<Key>,
    },
    /// It was revoked or has expired: there is nothing to hand on.
    Over,
    Missing,
}

#[derive(Deserialize)]
struct Rotation {
    exists: bool,
    old: Option<Key>,
    new: Option<Key>,
}

/// Issues a successor with the same label, scopes and lifetime; the old key ends after the overlap, unless it ends
/// sooner. Each call makes another successor, and never lengthens the old key's life.
pub async fn rotate(
    db: Db<'_>,
    client: ClientId,
    key: Uuid,
    new: &NewKey<'_>,
    rotation: KeyRotation,
) -> Result<Rotated, Error> {
    let sql = format!(
        "with ending as (
            update client_keys k
            set expires_at = least(k.expires_at, now() + $6::bigint * interval '1 second')
            where k.id = $2 and k.client_id = $1 and {LIVE}
            returning *
        ), fresh as (
            insert into client_keys (id, client_id, hash, prefix, label, scopes, lifetime_seconds, expires_at)
            select $3, client_id, $4, $5, label, scopes, lifetime_seconds,
                now() + lifetime_seconds * interval '1 second'
            from ending
            returning *
        )
        select json_build_object(
            'exists', exists (select from client_keys where id = $2 and client_id = $1),
            'old', (select {KEY} from ending k), 'new', (select {KEY} from fresh k)
        )"
    );
    let answer: Rotation = db
        .one(
            &sql,
            &[
                (&client.uuid(), Type::UUID),
                (&key, Type::UUID),
                (&new.id, Type::UUID),
                (&new.hash.bytes(), Type::BYTEA),
                (&new.prefix, Type::TEXT),
                (&rotation.overlap_seconds, Type::INT8),
            ],
        )
        .await?;
    Ok(match answer {
        Rotation { old: Some(old), new: Some(new), .. } => {
            Rotated::Rotated { old: Box::new(old), new: Box::new(new) }
        }
        Rotation { exists: true, .. } => Rotated::Over,
        Rotation { .. } => Rotated::Missing,
    })
}

/// Ends a key at once; `None` if the client has no such key. Safe to repeat: it ended when it was first revoked.
pub async fn revoke(db: Db<'_>, client: ClientId, key: Uuid) -> Result<Option<Key>, Error> {
    let sql = format!(
        "with ended as (
            update client_keys k set revoked_at = coalesce(k.revoked_at, now())
            where k.id = $2 and k.client_id = $1
            returning *
        )
        select to_json((select {KEY} from ended k))"
    );
    db.one(&sql, &[(&client.uuid(), Type::UUID), (&key, Type::UUID)]).await
}

/// How a key ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    Revoked,
    Expired,
    /// It is good, but its client is disabled.
    ClientDisabled,
}

/// How a key stands.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Standing {
    pub key: Uuid,
    pub client: ClientId,
    pub scopes: Vec<Scope>,
    /// `None` while it is good.
    pub ended: Option<Ended>,
}

/// How the key stands, for the operator's API and for whoever asks why a key was refused; `None` if there is none.
/// A client's request does not ask: the statement that answers it looks the key up itself.
pub async fn standing(db: Db<'_>, key: KeyHash) -> Result<Option<Standing>, Error> {
    let sql = "select to_json((
            select json_build_object('key', k.id, 'client', k.client_id, 'scopes', k.scopes, 'ended', case
                when k.revoked_at is not null then 'revoked'
                when k.expires_at <= now() then 'expired'
                when c.disabled_at is not null then 'client_disabled'
            end)
            from client_keys k join clients c on c.id = k.client_id where k.hash = $1
        ))";
    db.one(sql, &[(&key.bytes(), Type::BYTEA)]).await
}

/// Writes down that a key is in use, unless that was done within the hour. Safe beside itself: the row is locked by the
/// first, and nobody waits for it.
pub async fn note_use(db: Db<'_>, key: KeyHash) -> Result<(), Error> {
    let sql = format!(
        "with due as (
            select id from client_keys
            where hash = $1
                and (last_used_at is null or last_used_at < now() - {KEY_USE_NOTED_SECONDS} * interval '1 second')
            for update skip locked
        ), noted as (
            update client_keys k set last_used_at = now() from due where k.id = due.id
        )
        select to_json(true)"
    );
    let _: bool = db.one(&sql, &[(&key.bytes(), Type::BYTEA)]).await?;
    Ok(())
}
