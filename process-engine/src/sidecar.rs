//! The networking sidecar that `workerd` creates beside each application, served inside this process.
//!
//! `workerd` reaches the application through the sidecar's published port ([`ingress`]) and tells it where
//! outgoing traffic is to go. A real sidecar catches that traffic in the kernel; a plain process can only be asked
//! to send it to a proxy ([`egress`]), with the usual environment variables.

mod egress;
mod ingress;

use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::status::{Phase, Status};

/// Pause after a failed accept, lest it fails again a million times a second.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A sidecar that listens. Dropped, it takes its listeners and all connections through it along.
#[derive(Debug)]
pub(crate) struct Sidecar {
    /// Loopback port on which `workerd` reaches the application.
    pub(crate) ingress: u16,
    /// Loopback port of the HTTP proxy for the application's own requests.
    pub(crate) proxy: u16,
    shared: Arc<Shared>,
    listeners: [JoinHandle<()>; 2],
}

/// The application behind a sidecar.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    /// The port peers name.
    pub(crate) port: u16,
    pub(crate) status: watch::Receiver<Status>,
}

#[derive(Debug)]
struct Shared {
    peer: Mutex<Option<Peer>>,
    /// Loopback port on which `workerd` takes outgoing connections; 0 while it has named none.
    egress: AtomicU16,
}

impl Sidecar {
    /// # Errors
    /// If no loopback port can be had.
    pub(crate) async fn open(egress_port: u16) -> io::Result<Self> {
        let shared = Arc::new(Shared { peer: Mutex::new(None), egress: AtomicU16::new(egress_port) });
        let ingress = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let proxy = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        Ok(Self {
            ingress: ingress.local_addr()?.port(),
            proxy: proxy.local_addr()?.port(),
            listeners: [
                tokio::spawn(accept(ingress, Arc::clone(&shared), ingress::converse)),
                tokio::spawn(accept(proxy, Arc::clone(&shared), egress::converse)),
            ],
            shared,
        })
    }

    /// Names the application that connections from now on go to.
    pub(crate) fn attach(&self, peer: Peer) {
        *self.shared.peer.lock().unwrap_or_else(PoisonError::into_inner) = Some(peer);
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        self.listeners.iter().for_each(JoinHandle::abort);
    }
}

impl Shared {
    /// The loopback port behind the application's `port`; `None` while it does not run, or for any other port.
    fn target(&self, port: u16) -> Option<u16> {
        let peer = self.peer.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        if peer.port != port {
            return None;
        }
        match &peer.status.borrow().phase {
            Phase::Running { lease, .. } => Some(lease.port()),
            Phase::Created | Phase::Serving(_) | Phase::Restarting | Phase::Exited => None,
        }
    }

    fn egress_port(&self) -> u16 {
        self.egress.load(Ordering::Relaxed)
    }

    fn set_egress_port(&self, port: u16) {
        self.egress.store(port, Ordering::Relaxed);
    }
}

/// Accepts until aborted; the set owns every connection, so none outlives the listener.
async fn accept<F, C>(listener: TcpListener, shared: Arc<Shared>, converse: C)
where
    C: Fn(TcpStream, Arc<Shared>) -> F,
    F: Future<Output = ()> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(converse(stream, Arc::clone(&shared)));
                }
                // No file descriptor left, most likely: connections that end give theirs back.
                Err(error) => {
                    tracing::warn!(%error, "sidecar.accept failed");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}
