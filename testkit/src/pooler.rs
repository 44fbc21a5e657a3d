//! A transaction pooler in front of Postgres, to stand where Hyperdrive stands in production.
//!
//! A backend is lent from a client's first frame until Postgres says it is idle outside a transaction, and is wiped
//! when the session was changed. So what breaks behind Hyperdrive breaks here: named statements (26000), settings,
//! temporary tables, session locks, LISTEN. A dead Postgres is an error for those who ask (58000), and no more than
//! that: the pooler goes on and serves again when Postgres is back.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

pub use traffic::Connection;

use crate::lock::lock;
use pool::Pool;
use session::Current;
use traffic::Traffic;
use wire::Key;

mod cycle;
mod pool;
mod session;
mod traffic;
mod wire;

/// What to start.
#[derive(Clone, Debug)]
pub struct Options {
    /// The server behind it, which trusts every connection from here.
    pub postgres: SocketAddr,
    /// The port on 127.0.0.1; `None`: a free one below 32768.
    pub port: Option<u16>,
    /// Connections to Postgres for each user and database. Hyperdrive has some 20 on the smaller plan.
    pub size: usize,
    /// How long a client waits for a backend before it gets 58000.
    pub wait: Duration,
}

impl Options {
    /// Ten connections, 15 seconds, any port.
    pub fn new(postgres: SocketAddr) -> Self {
        Self { postgres, port: None, size: 10, wait: Duration::from_secs(15) }
    }
}

/// A running pooler. Dropping it closes every connection.
#[derive(Debug)]
pub struct Pooler {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

/// Starts a pooler. Postgres need not be there yet.
///
/// # Errors
/// Fails when the port is taken.
pub async fn start(options: Options) -> io::Result<Pooler> {
    let port = options.port.map_or_else(crate::ports::free, Ok)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let address = listener.local_addr()?;
    let shared = Arc::new(Shared { options, ..Shared::default() });
    let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
    Ok(Pooler { address, shared, accepting })
}

impl Pooler {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The connection string of `database` through the pooler.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres:postgres@127.0.0.1:{}/{database}", self.address.port())
    }

    /// The client connections since the start or the last [`Pooler::forget`], oldest first, open ones among them.
    pub fn connections(&self) -> Vec<Connection> {
        self.shared.traffic.snapshot()
    }

    /// Forgets the connections seen so far, so that a test counts its own.
    pub fn forget(&self) {
        self.shared.traffic.forget();
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    // The sessions live in the set: they end with it when the pooler is dropped.
    let mut sessions = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((client, _)) => {
                    sessions.spawn(session::serve(client, Arc::clone(&shared)));
                }
                // Out of file descriptors: those that are open will close.
                Err(error) => {
                    tracing::warn!(%error, "the pooler could not accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
            Some(_) = sessions.join_next() => {}
        }
    }
}

/// What the sessions share.
#[derive(Debug, Default)]
struct Shared {
    options: Options,
    pools: Mutex<HashMap<(String, String), Arc<Pool>>>,
    clients: Mutex<Clients>,
    traffic: Traffic,
}

impl Default for Options {
    fn default() -> Self {
        Self::new((Ipv4Addr::LOCALHOST, 5432).into())
    }
}

#[derive(Debug, Default)]
struct Clients {
    last: i32,
    sessions: HashMap<Key, Current>,
}

impl Shared {
    fn pool(&self, user: &str, database: &str) -> Arc<Pool> {
        let mut pools = lock(&self.pools);
        let pool = pools.entry((user.to_owned(), database.to_owned())).or_insert_with(|| {
            let Options { postgres, size, wait, .. } = self.options;
            Arc::new(Pool::new(postgres, size, wait, user, database))
        });
        Arc::clone(pool)
    }

    /// A key for a new client, by which its requests can be cancelled.
    fn register(&self) -> (Key, Current) {
        let secret = getrandom::u32().map_or(0, u32::cast_signed);
        let mut clients = lock(&self.clients);
        clients.last = clients.last.wrapping_add(1);
        let key = Key { process: clients.last, secret };
        let current = Current::default();
        clients.sessions.insert(key, Arc::clone(&current));
        (key, current)
    }

    fn unregister(&self, key: Key) {
        lock(&self.clients).sessions.remove(&key);
    }

    /// Passes a cancel request on to the backend that the client has, if it has one.
    async fn cancel(&self, key: Key) {
        let current = lock(&self.clients).sessions.get(&key).cloned();
        let lent = current.and_then(|current| lock(&current).clone());
        if let Some((pool, backend)) = lent {
            pool.cancel(backend).await;
        }
    }
}
