//! One connection, from a client to the target and back.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::FutureExt;
use futures::future::try_join;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{ReadHalf, WriteHalf};

use super::Shared;
use super::faults::{Revoked, Ticket};
use super::target::Target;
use super::traffic::Open;

/// Read at a time.
const CHUNK: usize = 16 << 10;

/// Forwards until both sides have ended, or resets both.
///
/// Whoever revoked the ticket waits for it to be dropped. It is the first argument, so it goes last: when the sockets
/// are closed and the connection is no longer counted.
pub(super) async fn forward(ticket: Ticket, _open: Open, mut client: TcpStream, shared: Arc<Shared>) {
    let connected = tokio::select! {
        biased;
        () = ticket.revoked() => Err(Broken::Revoked),
        connected = connect(&ticket, &shared.to) => connected,
    };
    let mut target = match connected {
        Ok(target) => target,
        Err(broken) => {
            tracing::debug!(to = %shared.to, reason = %broken, "the proxy has no connection to its target");
            return reset(client);
        }
    };
    let relayed = tokio::select! {
        biased;
        () = ticket.revoked() => Err(Broken::Revoked),
        relayed = relay(&ticket, &mut client, &mut target, &shared) => relayed,
    };
    if let Err(broken) = relayed {
        tracing::debug!(reason = %broken, "the proxy resets a connection");
        reset(client);
        reset(target);
    }
}

/// Closes with a reset (RST). What the other side has not taken in yet is lost.
pub(super) fn reset(stream: TcpStream) {
    stream.set_zero_linger().unwrap_or_default();
    drop(stream);
}

/// Why a connection is reset.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("all are reset")]
    Revoked,
    #[error("it is cut")]
    Cut,
    #[error("one side is broken: {0}")]
    Socket(#[from] io::Error),
}

impl From<Revoked> for Broken {
    fn from(Revoked: Revoked) -> Self {
        Self::Revoked
    }
}

/// Even the handshake does not pass while nothing may. One that is given up on its way shows at the target as a plain
/// end, if it shows there: nothing had passed.
async fn connect(ticket: &Ticket, to: &Target) -> Result<TcpStream, Broken> {
    ticket.pass(|_| ()).await?;
    Ok(to.connect().await?)
}

async fn relay(
    ticket: &Ticket,
    client: &mut TcpStream,
    target: &mut TcpStream,
    shared: &Shared,
) -> Result<(), Broken> {
    // A byte that waited for more would be lost in a cut.
    client.set_nodelay(true)?;
    target.set_nodelay(true)?;
    let (from_client, to_client) = client.split();
    let (from_target, to_target) = target.split();
    let up = Course { to: to_target, ticket, sense: Sense::Up, passed: 0, total: &shared.traffic.up };
    let down = Course { to: to_client, ticket, sense: Sense::Down, passed: 0, total: &shared.traffic.down };
    try_join(up.carry(from_client), down.carry(from_target)).await.map(|((), ())| ())
}

/// One direction of a connection.
struct Course<'a> {
    to: WriteHalf<'a>,
    ticket: &'a Ticket,
    sense: Sense,
    /// Bytes of this connection.
    passed: u64,
    /// Bytes of all connections.
    total: &'a AtomicU64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sense {
    Up,
    Down,
}

impl Course<'_> {
    async fn carry(mut self, mut from: ReadHalf<'_>) -> Result<(), Broken> {
        let mut buffer = vec![0; CHUNK];
        loop {
            let read = from.read(&mut buffer).await?;
            let Some(mut rest) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else {
                return self.end().await;
            };
            while !rest.is_empty() {
                self.to.writable().await?;
                let ticket = self.ticket;
                let written = ticket.pass(|limit| self.write(rest, limit)).await??;
                rest = rest.get(written..).unwrap_or_default();
            }
        }
    }

    /// Writes what can be written without waiting.
    fn write(&mut self, bytes: &[u8], limit: Option<u64>) -> Result<usize, Broken> {
        let limit = limit.filter(|_| self.sense == Sense::Down);
        let left = limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.passed));
        let part = usize::try_from(left).ok().and_then(|left| bytes.get(..left)).unwrap_or(bytes);
        let written = match self.to.try_write(part) {
            Ok(written) => written,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            Err(error) => return Err(error.into()),
        };
        let count = u64::try_from(written).unwrap_or(u64::MAX);
        self.passed += count;
        self.total.fetch_add(count, Ordering::Relaxed);
        if limit.is_some_and(|limit| self.passed >= limit) { Err(Broken::Cut) } else { Ok(written) }
    }

    /// Passes the end on.
    async fn end(&mut self) -> Result<(), Broken> {
        let ticket = self.ticket;
        // Shutting a socket down never waits.
        let ended = ticket.pass(|_| self.to.shutdown().now_or_never()).await?;
        Ok(ended.unwrap_or(Ok(()))?)
    }
}
