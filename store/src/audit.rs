//! The log of what operators do: written before it is done, so no action is ever missing from it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_postgres::types::{Json, Type};

use crate::{Db, Error};

/// An action that is about to begin.
pub struct Beginning<'a> {
    /// `admin_token`, or a key's id.
    pub actor: &'a str,
    /// Method and route.
    pub action: &'a str,
    /// The path with its ids.
    pub path: &'a str,
    pub request_id: &'a str,
}

/// What an action came to.
pub struct Outcome<'a> {
    /// HTTP.
    pub status: u16,
    /// What it changed, as it was; null if nothing.
    pub before: &'a Value,
    /// … and as it is since.
    pub after: &'a Value,
}

/// An action as it is remembered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub id: i64,
    pub actor: String,
    pub action: String,
    pub path: String,
    pub request_id: String,
    pub begun_at: DateTime<Utc>,
    /// `None` while it is at work, and for ever if its process was lost: then it may have happened.
    pub status: Option<i32>,
    pub before: Option<Value>,
    pub after: Option<Value>,
    pub ended_at: Option<DateTime<Utc>>,
}

/// Writes an action down and returns its id.
pub async fn begin(db: Db<'_>, beginning: &Beginning<'_>) -> Result<i64, Error> {
    let sql = "with written as (
            insert into audit (actor, action, path, request_id) values ($1, $2, $3, $4) returning id
        )
        select to_json(id) from written";
    let Beginning { actor, action, path, request_id } = beginning;
    db.one(sql, &[(actor, Type::TEXT), (action, Type::TEXT), (path, Type::TEXT), (request_id, Type::TEXT)])
        .await
}

/// Adds what came of it. Safe to repeat: the first outcome stands.
pub async fn end(db: Db<'_>, id: i64, outcome: &Outcome<'_>) -> Result<(), Error> {
    let sql = "with ended as (
            update audit set status = $2, before = nullif($3, 'null'), after = nullif($4, 'null'), ended_at = now()
            where id = $1 and status is null
        )
        select to_json(true)";
    let _: bool = db
        .one(
            sql,
            &[
                (&id, Type::INT8),
                (&i32::from(outcome.status), Type::INT4),
                (&Json(outcome.before), Type::JSONB),
                (&Json(outcome.after), Type::JSONB),
            ],
        )
        .await?;
    Ok(())
}

/// Actions before the one with id `before`, newest first; at most `limit`.
pub async fn list(db: Db<'_>, before: Option<i64>, limit: i64) -> Result<Vec<Record>, Error> {
    let sql = "select coalesce(json_agg(to_json(a) order by a.id desc), '[]')
        from (select * from audit where $1::bigint is null or id < $1 order by id desc limit $2) a";
    db.one(sql, &[(&before, Type::INT8), (&limit, Type::INT8)]).await
}
