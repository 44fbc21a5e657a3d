//! Tenants and their keys.

use domain::{ClientId, Secret};
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::{Db, Error};

/// SHA-256 of a client key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
