//! A schema of its own for each test, on real Postgres.
//!
//! `DATABASE_URL` names the server; without it one embedded server is started for the whole test process.

use std::path::{Path, PathBuf};

use tokio::sync::OnceCell;
pub use tokio_postgres::Client;
use tokio_postgres::{Config, NoTls};
use uuid::Uuid;

use crate::migrate;
use crate::postgres::{self, Data, Options, Server};

/// A fresh schema with all migrations applied. It is dropped with this value.
pub struct Database {
    config: Config,
    schema: String,
}

/// Why there is no schema.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `DATABASE_URL` is no connection string.
    #[error("no Postgres URL: {0}")]
    Url(tokio_postgres::Error),
    /// It is not set, and no server could be started.
    #[error("no embedded Postgres: {0}")]
    Embedded(#[from] postgres::Error),
    /// The server, or the connection to it.
    #[error("the database: {0}")]
    Postgres(#[from] tokio_postgres::Error),
    /// The migrations.
    #[error(transparent)]
    Migration(#[from] migrate::Error),
}

/// Ends the connections that a test made, known by their name, and waits up to 5 seconds for each.
const END_CLIENTS: &str =
    "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = $1";

static EMBEDDED: OnceCell<Server> = OnceCell::const_new();

/// Makes a schema and applies the migrations.
pub async fn fresh() -> Result<Database, Error> {
    let url = match std::env::var("DATABASE_URL") {
        Ok(url) => url,
        Err(_) => EMBEDDED.get_or_try_init(embedded).await?.url(),
    };
    fresh_on(&url).await
}

/// As [`fresh`], on the server that `url` names.
pub async fn fresh_on(url: &str) -> Result<Database, Error> {
    let config: Config = url.parse().map_err(Error::Url)?;
    let schema = format!("test_{}", Uuid::now_v7().simple());
    connect(&config).await?.batch_execute(&format!("create schema {schema}")).await?;
    let database = Database { config, schema };
    let migrations = migrate::read(&folder())?;
    migrate::up(&mut database.client().await?, &migrations).await?;
    Ok(database)
}

async fn embedded() -> Result<Server, postgres::Error> {
    postgres::start(Options { data: Data::Throwaway, ..Options::default() }).await
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations")
}

impl Database {
    /// A connection whose search path is this schema alone.
    pub async fn client(&self) -> Result<Client, tokio_postgres::Error> {
        let mut config = self.config.clone();
        config.options(format!("-c search_path={}", self.schema)).application_name(&self.schema);
        connect(&config).await
    }
}

impl Drop for Database {
    /// Dropping needs round trips, which a destructor cannot await; a thread of its own makes them. What clients of
    /// the test still have open is ended first: a lock of theirs would be waited for by the thread that holds them.
    fn drop(&mut self) {
        let (config, schema) = (self.config.clone(), self.schema.clone());
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let dropped = runtime.map(|runtime| {
                runtime.block_on(async {
                    let client = connect(&config).await?;
                    client.query(END_CLIENTS, &[&schema]).await?;
                    client.batch_execute(&format!("drop schema {schema} cascade")).await
                })
            });
            if let Ok(Err(error)) = dropped {
                tracing::warn!(%error, schema, "a test's schema was not dropped");
            }
        });
        if dropping.join().is_err() {
            tracing::warn!("a test's schema was not dropped");
        }
    }
}

/// A connection to the database that `url` names.
pub async fn open(url: &str) -> Result<Client, Error> {
    let config: Config = url.parse().map_err(Error::Url)?;
    Ok(connect(&config).await?)
}

async fn connect(config: &Config) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection ended");
        }
    });
    Ok(client)
}
