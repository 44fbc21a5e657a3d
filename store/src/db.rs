use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{Json, ToSql, Type};
use tokio_postgres::{Client, Row};

/// A statement's parameter and its type; the types travel with the statement, so that no prepared statement has to
/// outlive it (transaction pooling keeps none).
pub(crate) type Param<'a> = (&'a (dyn ToSql + Sync), Type);

/// Stands before every statement: a control plane must see its own writes (F1). What Hyperdrive caches are statements that
/// only read and use no volatile or stable function (its page on query caching). Whether a name in a comment counts for
/// it is not said there, so nothing rests on this alone: its cache is switched off (docs/OPERATIONS.md).
const UNCACHED: &str = "/* now() */ ";

/// The one narrow interface to the driver: a statement and typed parameters in, one JSON value out.
#[derive(Clone, Copy)]
pub struct Db<'c>(&'c Client);

/// What kept the database from answering as asked. Display is for the log; it may quote the database.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Away, restarting, overloaded, or it gave this transaction up: the same statement may be sent again.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    #[error("the database did not answer in time: {0}")]
    Timeout(String),
    /// A unique constraint, by name.
    #[error("conflict on {0}")]
    Conflict(String),
    /// The database refused a value that the border should have refused.
    #[error("the database refused a value: {0}")]
    Invalid(String),
    #[error("unexpected: {0}")]
    Unexpected(String),
}

impl<'c> Db<'c> {
    pub const fn new(client: &'c Client) -> Self {
        Self(client)
    }

    /// Runs a statement that answers with one row of one JSON column. Parse, bind and execute leave in one write:
    /// one round trip.
    pub(crate) async fn one<T: DeserializeOwned>(self, sql: &str, params: &[Param<'_>]) -> Result<T, Error> {
        let rows = self.0.query_typed(&format!("{UNCACHED}{sql}"), params).await?;
        let row =
            rows.first().ok_or_else(|| Error::Unexpected("a statement answered without a row".to_owned()))?;
        read(row)
    }
}

/// Whether the database answers.
pub async fn ping(db: Db<'_>) -> Result<(), Error> {
    db.one::<bool>("select to_json(true)", &[]).await.map(drop)
}

fn read<T: DeserializeOwned>(row: &Row) -> Result<T, Error> {
    // SQL's NULL and JSON's null say the same: there is none.
    let value = row.try_get::<_, Option<Json<Value>>>(0)?.map_or(Value::Null, |Json(value)| value);
    serde_json::from_value(value)
        .map_err(|error| Error::Unexpected(format!("a row does not read back: {error}")))
}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(refusal) = error.as_db_error() else {
            // Without a refusal of the server's it is the connection: closed, reset, never made.
            let text = std::error::Error::source(&error)
                .map_or_else(|| error.to_string(), |why| format!("{error}: {why}"));
            return if text.contains("deserializing") || text.contains("converting") {
                Self::Unexpected(text)
            } else {
                Self::Unavailable(text)
            };
        };
        let code = refusal.code();
        let text = format!("{} {}", code.code(), refusal.message());
        if *code == SqlState::UNIQUE_VIOLATION {
            return Self::Conflict(refusal.constraint().unwrap_or_default().to_owned());
        }
        if *code == SqlState::QUERY_CANCELED {
            return Self::Timeout(text);
        }
        match code.code().get(..2) {
            // Connection, resources, operator, system (and Hyperdrive's pool), serialisation, lock not available.
            Some("08" | "53" | "57" | "58" | "40" | "55") => Self::Unavailable(text),
            Some("22" | "23") => Self::Invalid(text),
            _ => Self::Unexpected(text),
        }
    }
}
