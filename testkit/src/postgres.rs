//! An embedded Postgres for development and tests, from the programs in npm's `embedded-postgres` package.
//!
//! It runs as an account without privileges when the caller is root, ends with this process whatever happens to it,
//! and comes back on a directory whose last server was killed.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use tokio_postgres::NoTls;

use account::Account;
use binaries::Binaries;
pub use data::Data;
use process::{Failure, Launch, Process};

mod account;
mod binaries;
mod data;
mod process;

/// Starts before giving up, when the port was taken in between or a killed server's children linger (100 ms apart).
const STARTS: u32 = 50;

/// What to start.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder with `bin`, `lib` and `share`. `None`: the npm package in `node_modules`, looked for from the
    /// working directory upwards, then from this crate upwards.
    pub native: Option<PathBuf>,
    /// Where the data is.
    pub data: Data,
    /// The port on 127.0.0.1; `None`: a free one below 32768.
    pub port: Option<u16>,
    /// A database to create unless it exists.
    pub database: String,
}

impl Default for Options {
    /// Throw-away data, any port, the database `afc`.
    fn default() -> Self {
        Self { native: None, data: Data::Throwaway, port: None, database: "afc".to_owned() }
    }
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The npm package is not installed.
    #[error("no Postgres programs in {}: run `npm install` in the repository", .0.display())]
    NoBinaries(PathBuf),
    /// Root, with no account to lend.
    #[error("running as root, and there is neither a postgres nor a nobody account for the server to run as")]
    NoAccount,
    /// Somebody else's folder has the name of our copy.
    #[error("{} is not a folder that only we can write to: remove it", .0.display())]
    ForeignCopy(PathBuf),
    /// Another server has the directory.
    #[error("another Postgres (process {pid}) is running on {}", data.display())]
    InUse {
        /// The directory.
        data: PathBuf,
        /// The other server.
        pid: i32,
    },
    /// `initdb` failed; its output.
    #[error("initdb failed: {0}")]
    Initialise(String),
    /// The server ended while it started.
    #[error("postgres ended with {status}:\n{log}")]
    Ended {
        /// How it ended.
        status: ExitStatus,
        /// The last lines of its log.
        log: String,
    },
    /// The server did not get ready within a minute; the last lines of its log.
    #[error("postgres was not ready within a minute:\n{0}")]
    NotReady(String),
    /// The port that was asked for is in use.
    #[error("port {0} is in use")]
    PortTaken(u16),
    /// The database could not be created.
    #[error("the database could not be created")]
    Database(#[source] tokio_postgres::Error),
    /// Something with files or processes.
    #[error("{}", path.display())]
    Files {
        /// What was touched.
        path: PathBuf,
        /// What happened.
        #[source]
        source: io::Error,
    },
    /// The work was cancelled with its runtime.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    fn files(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Files { path, source }
    }
}

/// A server with its directory. Dropping it stops it and waits; better is [`Server::stop`], which does not block.
#[derive(Debug)]
pub struct Server {
    binaries: Binaries,
    account: Option<Account>,
    folder: PathBuf,
    throwaway: bool,
    port: u16,
    database: String,
    process: Option<Process>,
}

/// Starts a server and returns once it takes connections and has its database.
pub async fn start(options: Options) -> Result<Server, Error> {
    let native = match options.native.clone() {
        Some(native) => native,
        None => find_native()?,
    };
    let prepared = tokio::task::spawn_blocking(move || prepare(&native, &options));
    let (mut server, wanted) = prepared.await.map_err(|_| Error::Interrupted)??;
    server.launch(wanted).await?;
    server.create_database().await?;
    Ok(server)
}

/// The programs of the npm package installed where we are.
fn find_native() -> Result<PathBuf, Error> {
    let here = std::env::current_dir().map_err(Error::files(Path::new(".")))?;
    binaries::find_native(&here)
        .or_else(|| binaries::find_native(Path::new(env!("CARGO_MANIFEST_DIR"))))
        .ok_or_else(|| Error::NoBinaries(here.join("node_modules/@embedded-postgres")))
}

/// Everything before the first start; blocking.
fn prepare(native: &Path, options: &Options) -> Result<(Server, Option<u16>), Error> {
    let account = account::unprivileged()?;
    let binaries = Binaries::prepare(native, account)?;
    let folder = data::prepare(&options.data, account)?;
    let throwaway = options.data == Data::Throwaway;
    let database = options.database.clone();
    // From here on dropping the server removes throw-away data, whatever fails.
    let server = Server { binaries, account, folder, throwaway, port: 0, database, process: None };
    data::initialise(&server.binaries, &server.folder, account)?;
    Ok((server, options.port))
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.take());
        if self.throwaway {
            drop(std::fs::remove_dir_all(&self.folder));
        }
    }
}

impl Server {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// The connection string of its database. The password is any: the server trusts loopback.
    pub fn url(&self) -> String {
        format!("postgres://postgres:postgres@127.0.0.1:{}/{}", self.port, self.database)
    }

    /// The data directory.
    pub fn data(&self) -> &Path {
        &self.folder
    }

    /// The process id of the running server.
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(Process::pid)
    }

    /// Is it running? Notices a server that ended by itself or was killed by somebody else.
    pub fn is_running(&mut self) -> bool {
        if self.process.as_mut().is_some_and(|process| process.ended().is_some()) {
            self.process = None;
        }
        self.process.is_some()
    }

    /// Starts it again, on the same port and data, after [`Server::stop`], [`Server::kill`] or a death of its own.
    /// Nothing happens when it runs.
    pub async fn start_again(&mut self) -> Result<(), Error> {
        if self.is_running() {
            return Ok(());
        }
        self.launch(Some(self.port)).await
    }

    /// Fast shutdown: clients are told (57P01), transactions in progress are rolled back. Throw-away data is removed
    /// when this value is dropped.
    pub async fn stop(&mut self) {
        if let Some(process) = self.process.take() {
            process.stop().await;
        }
    }

    /// Kills all processes of the server at once, as a power cut would: connections just break. What it had
    /// acknowledged is there after [`Server::start_again`].
    pub async fn kill(&mut self) {
        if let Some(process) = self.process.take() {
            process.kill().await;
        }
    }

    async fn launch(&mut self, wanted: Option<u16>) -> Result<(), Error> {
        data::claim(&self.folder).await?;
        for _ in 0..STARTS {
            let port = match wanted {
                Some(port) => port,
                None => crate::ports::free().map_err(Error::files(Path::new("127.0.0.1")))?,
            };
            let launch = Launch {
                binaries: &self.binaries,
                account: self.account,
                folder: &self.folder,
                port,
                throwaway: self.throwaway,
            };
            match Process::launch(&launch).await {
                Ok(process) => {
                    self.port = port;
                    self.process = Some(process);
                    return Ok(());
                }
                Err(Failure::PortTaken) if wanted.is_some() => return Err(Error::PortTaken(port)),
                Err(Failure::PortTaken | Failure::StillInUse) => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                Err(Failure::Other(error)) => return Err(error),
            }
        }
        Err(Error::NotReady("no start succeeded".to_owned()))
    }

    async fn create_database(&self) -> Result<(), Error> {
        let admin = format!("postgres://postgres:postgres@127.0.0.1:{}/postgres", self.port);
        let (client, connection) = tokio_postgres::connect(&admin, NoTls).await.map_err(Error::Database)?;
        let connection = tokio::spawn(connection);
        let found = client
            .query("select 1 from pg_database where datname = $1", &[&self.database])
            .await
            .map_err(Error::Database)?;
        if found.is_empty() {
            let quoted = self.database.replace('"', "\"\"");
            client.batch_execute(&format!("create database \"{quoted}\"")).await.map_err(Error::Database)?;
        }
        drop(client);
        drop(connection.await);
        Ok(())
    }
}
