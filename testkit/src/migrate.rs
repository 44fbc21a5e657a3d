//! Brings a database to the schema of a folder of numbered SQL files (`NNNN_name.sql`).
//!
//! Each file is applied once, in order, in a transaction of its own, and recorded with its checksum. A file that was
//! edited after it was applied is refused: what runs elsewhere can no longer be told from it.

use std::path::Path;

use sha2::{Digest, Sha256};
use tokio_postgres::{Client, Transaction};

/// A numbered SQL file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    /// Its number.
    pub version: i32,
    /// What follows the number in the file's name.
    pub name: String,
    /// What it does. It runs in a transaction, so it must not end one.
    pub sql: String,
}

/// What a database has of one migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It was applied, as it is in the folder.
    Applied,
    /// It was not.
    Pending,
}

/// Why a database is not at the folder's schema.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder or a file of it.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// Which.
        path: String,
        /// Why not.
        source: std::io::Error,
    },
    /// A file that ends in `.sql` and has no number.
    #[error("{0} is not named NNNN_name.sql")]
    Misnamed(String),
    /// Their order would be chance.
    #[error("two migrations have the number {0:04}")]
    Twice(i32),
    /// Nothing was changed.
    #[error("{0} was edited after it was applied; undo the edit and add a new migration instead")]
    Edited(String),
    /// Nothing was changed.
    #[error("the database has migration {0}, which this folder lacks; it belongs to a newer version")]
    Unheard(String),
    /// Those before it are applied; nothing of it is.
    #[error("{name}: {source}")]
    Failed {
        /// Which.
        name: String,
        /// What Postgres said.
        source: tokio_postgres::Error,
    },
    /// The connection, or the record's table.
    #[error("the database: {0}")]
    Database(#[from] tokio_postgres::Error),
}

impl Migration {
    fn checksum(&self) -> String {
        Sha256::digest(self.sql.as_bytes()).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
    }

    /// The file's name without its ending.
    pub fn label(&self) -> String {
        format!("{:04}_{}", self.version, self.name)
    }
}

/// The migrations of a folder, in order.
pub fn read(folder: &Path) -> Result<Vec<Migration>, Error> {
    let unreadable = |path: &Path, source| Error::Unreadable { path: path.display().to_string(), source };
    let mut migrations = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| unreadable(folder, error))? {
        let path = entry.map_err(|error| unreadable(folder, error))?.path();
        if path.extension().is_none_or(|extension| extension != "sql") {
            continue;
        }
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let numbered = stem.split_once('_').and_then(|(number, name)| Some((number.parse().ok()?, name)));
        let (version, name) = numbered.ok_or_else(|| Error::Misnamed(path.display().to_string()))?;
        let sql = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?;
        migrations.push(Migration { version, name: name.to_owned(), sql });
    }
    migrations.sort_by_key(|migration| migration.version);
    match migrations.windows(2).find(|pair| pair.first().map(|m| m.version) == pair.last().map(|m| m.version))
    {
        Some(pair) => Err(Error::Twice(pair.first().map_or(0, |migration| migration.version))),
        None => Ok(migrations),
    }
}

/// What the database has of each migration. Changes nothing but the presence of the record's own table.
pub async fn status(client: &mut Client, migrations: &[Migration]) -> Result<Vec<State>, Error> {
    let transaction = begin(client).await?;
    let states = compare(&transaction, migrations).await?;
    transaction.commit().await?;
    Ok(states)
}

/// Applies what is missing and returns the labels of what was applied.
///
/// Two at once wait for each other: each file's transaction takes a lock of this schema first.
pub async fn up(client: &mut Client, migrations: &[Migration]) -> Result<Vec<String>, Error> {
    let mut applied = Vec::new();
    for (index, migration) in migrations.iter().enumerate() {
        let transaction = begin(client).await?;
        let states = compare(&transaction, migrations).await?;
        if states.get(index) == Some(&State::Pending) {
            let failed = |source| Error::Failed { name: migration.label(), source };
            transaction.batch_execute(&migration.sql).await.map_err(failed)?;
            let record = "insert into schema_migrations (version, name, checksum) values ($1, $2, $3)";
            transaction
                .execute(record, &[&migration.version, &migration.name, &migration.checksum()])
                .await?;
            applied.push(migration.label());
        }
        transaction.commit().await?;
    }
    Ok(applied)
}

/// Begins a transaction that no other migrator of this schema runs beside. "create table if not exists" alone would
/// race on the catalogue, so the lock comes first; it ends with the transaction.
async fn begin(client: &mut Client) -> Result<Transaction<'_>, Error> {
    let transaction = client.transaction().await?;
    let alone = "select pg_advisory_xact_lock(hashtext('schema_migrations'), hashtext(current_schema()))";
    transaction.query(alone, &[]).await?;
    let table = "create table if not exists schema_migrations (
            version integer primary key, name text not null, checksum text not null,
            applied_at timestamptz not null default now()
        )";
    transaction.batch_execute(table).await?;
    Ok(transaction)
}

async fn compare(transaction: &Transaction<'_>, migrations: &[Migration]) -> Result<Vec<State>, Error> {
    let rows = transaction
        .query("select version, name, checksum from schema_migrations order by version", &[])
        .await?;
    let mut states = vec![State::Pending; migrations.len()];
    for row in rows {
        let (version, name, checksum): (i32, String, String) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let known = migrations.iter().zip(&mut states).find(|(migration, _)| migration.version == version);
        let (migration, state) = known.ok_or_else(|| Error::Unheard(format!("{version:04}_{name}")))?;
        if migration.checksum() != checksum {
            return Err(Error::Edited(migration.label()));
        }
        *state = State::Applied;
    }
    Ok(states)
}
