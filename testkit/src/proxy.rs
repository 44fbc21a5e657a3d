//! A TCP proxy between any two parts, which breaks or holds what passes when it is told to.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

pub use mode::Mode;
pub use target::{NoTarget, Target};
pub use traffic::State;

use faults::{Admission, Faults};
use traffic::{Open, Traffic};

mod connection;
mod control;
mod faults;
mod mode;
mod target;
mod traffic;

/// What to start.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen; port 0 is any.
    pub listen: SocketAddr,
    /// Where every connection leads. Nothing need be there yet.
    pub to: Target,
}

impl Options {
    /// To there, from any port of 127.0.0.1.
    pub fn new(to: impl Into<Target>) -> Self {
        Self { listen: (Ipv4Addr::LOCALHOST, 0).into(), to: to.into() }
    }
}

/// A running proxy. Dropping it closes its connections.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

/// What the connections share.
#[derive(Debug)]
struct Shared {
    to: Target,
    faults: Faults,
    traffic: Arc<Traffic>,
}

/// Starts a proxy that passes everything on.
///
/// # Errors
/// Fails when the address cannot be listened on.
pub async fn start(options: Options) -> io::Result<Proxy> {
    let listener = TcpListener::bind(options.listen).await?;
    let address = listener.local_addr()?;
    let shared = Arc::new(Shared { to: options.to, faults: Faults::default(), traffic: Arc::default() });
    let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
    Ok(Proxy { address, shared, accepting })
}

impl Proxy {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://address:port`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes what it does. When this returns it holds: nothing passes that should not, and what had to be reset is.
    /// A connection that it had not accepted yet counts as a new one; [`Proxy::state`] tells.
    pub async fn set(&self, mode: Mode) {
        self.shared.faults.set(mode).await;
    }

    /// Resets the open connections and goes on as before; returns when they are reset.
    pub async fn drop_connections(&self) {
        self.shared.faults.drop_connections().await;
    }

    /// How it stands.
    pub fn state(&self) -> State {
        self.shared.state()
    }

    /// The same over HTTP, for [`crate::control::serve`]: `POST /_proxy/mode` and `GET /_proxy/state`.
    pub fn control(&self) -> Router {
        control::router(Arc::clone(&self.shared))
    }

    /// Ends it; returns when the open connections are reset and the port refuses new ones.
    pub async fn stop(mut self) {
        self.set(Mode::Refuse).await;
        self.accepting.abort();
        // The listener lives in the task, so it is gone when the task is.
        drop((&mut self.accepting).await);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Shared {
    fn state(&self) -> State {
        self.traffic.state(self.faults.mode())
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    // The connections live in the set: they end with it when the proxy is dropped.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((client, _)) => {
                    shared.traffic.accept();
                    match shared.faults.admit() {
                        Admission::Forward(ticket) => {
                            let open = Open::begin(&shared.traffic);
                            connections.spawn(connection::forward(ticket, open, client, Arc::clone(&shared)));
                        }
                        Admission::Refuse => connection::reset(client),
                    }
                }
                // Out of file descriptors: those that are open will close.
                Err(error) => {
                    tracing::warn!(%error, "the proxy could not accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}
