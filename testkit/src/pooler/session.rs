//! One client: its opening, and then transaction after transaction, each on whatever backend is free.

use std::sync::{Arc, Mutex};

use bytes::BytesMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Shared;
use super::cycle::Cycle;
use super::pool::{Dirt, Lease, Pool};
use super::traffic::Record;
use super::wire::{self, Frame, Key, Opening};
use crate::lock::lock;

/// Bytes on their way in one direction before no more are read: what a slow reader makes the pooler hold.
const IN_FLIGHT: usize = 1 << 20;

/// Room made for a read.
const CHUNK: usize = 8 << 10;

/// The backend that a client has at this moment, for cancel requests.
pub(super) type Current = Arc<Mutex<Option<(Arc<Pool>, Key)>>>;

/// Why a client's session is over.
enum End {
    /// It said so, or is just gone.
    ClientLeft,
    /// Postgres closed the connection without a word.
    BackendLost,
    /// There is no backend for it; the last words it gets.
    Refused(bytes::Bytes),
}

/// Serves a client until it leaves.
pub(super) async fn serve(mut client: TcpStream, shared: Arc<Shared>) {
    // Without this a small answer waits for the acknowledgement of the one before.
    client.set_nodelay(true).unwrap_or_default();
    let mut buffer = BytesMut::new();
    let Some((user, database)) = receive_opening(&mut client, &mut buffer, &shared).await else { return };
    let record = shared.traffic.open(&user, &database);
    let pool = shared.pool(&user, &database);
    let (key, current) = shared.register();
    let welcome = match pool.parameters().await {
        Ok(parameters) => wire::welcome(&parameters, key).freeze(),
        Err(refusal) => refusal.frame(),
    };
    let admitted = welcome.first() == Some(&b'R');
    if client.write_all(&welcome).await.is_ok() && admitted {
        let session = Session { client, buffer, pool, record: Arc::clone(&record), current };
        session.run().await;
    }
    record.close();
    shared.unregister(key);
}

/// Reads up to a session's opening, answering what comes before it. `None`: there is no session to serve.
async fn receive_opening(
    client: &mut TcpStream,
    buffer: &mut BytesMut,
    shared: &Shared,
) -> Option<(String, String)> {
    loop {
        match Opening::take(buffer) {
            Ok(Some(Opening::Session { user, database })) => return Some((user, database)),
            // "No encryption": the client goes on without, or hangs up.
            Ok(Some(Opening::Encryption)) => client.write_all(b"N").await.ok()?,
            Ok(Some(Opening::Cancel(key))) => {
                shared.cancel(key).await;
                return None;
            }
            Ok(None) => {
                if client.read_buf(buffer).await.ok()? == 0 {
                    return None;
                }
            }
            Err(violation) => {
                drop(client.write_all(&wire::fatal("08P01", &violation.to_string())).await);
                return None;
            }
        }
    }
}

struct Session {
    client: TcpStream,
    buffer: BytesMut,
    pool: Arc<Pool>,
    record: Arc<Record>,
    current: Current,
}

impl Session {
    async fn run(mut self) {
        let mut cycle = Cycle::default();
        let end = loop {
            if let Err(end) = self.transaction(&mut cycle).await {
                break end;
            }
        };
        lock(&self.current).take();
        let words = match end {
            End::ClientLeft => return,
            End::BackendLost => wire::fatal("58000", "server closed the connection unexpectedly").freeze(),
            End::Refused(words) => words,
        };
        if self.client.write_all(&words).await.is_ok() {
            drop(self.client.shutdown().await);
        }
    }

    /// Waits for the client to ask something, and serves it on one backend until that has nothing open.
    async fn transaction(&mut self, cycle: &mut Cycle) -> Result<(), End> {
        let first = self.receive().await?;
        let mut lease = self.pool.lend().await.map_err(|refusal| End::Refused(refusal.frame()))?;
        *lock(&self.current) = Some((Arc::clone(&self.pool), lease.backend.key));
        // On an error the lease is dropped and with it the connection: Postgres rolls back what was open.
        let left = self.relay(first, &mut lease, cycle).await?;
        lock(&self.current).take();
        let dirt = if cycle.take_dirt() { Dirt::Dirty } else { Dirt::Clean };
        self.pool.take_back(lease, dirt);
        match left {
            Presence::There => Ok(()),
            Presence::Leaving => Err(End::ClientLeft),
        }
    }

    /// The client's next frame, unless it says goodbye.
    async fn receive(&mut self) -> Result<Frame, End> {
        loop {
            match Frame::take(&mut self.buffer) {
                Ok(Some(frame)) if frame.tag() != b'X' => return Ok(frame),
                Ok(None) => {}
                Ok(Some(_)) | Err(_) => return Err(End::ClientLeft),
            }
            self.buffer.reserve(CHUNK);
            if self.client.read_buf(&mut self.buffer).await.map_err(|_| End::ClientLeft)? == 0 {
                return Err(End::ClientLeft);
            }
        }
    }

    /// Carries frames both ways until everything asked is answered and no transaction is open.
    async fn relay(&mut self, first: Frame, lease: &mut Lease, cycle: &mut Cycle) -> Result<Presence, End> {
        let backend = &mut lease.backend;
        cycle.sent(&first);
        let (mut to_backend, mut to_client) = (BytesMut::from(first.bytes()), BytesMut::new());
        let (mut from_us, mut to_us) = self.client.split();
        let (mut from_pg, mut to_pg) = backend.stream.split();
        let mut presence = Presence::There;
        loop {
            while let Some(frame) = Frame::take(&mut self.buffer).map_err(|_| End::ClientLeft)? {
                if frame.tag() == b'X' {
                    presence = Presence::Leaving;
                    break;
                }
                cycle.sent(&frame);
                to_backend.extend_from_slice(frame.bytes());
            }
            while let Some(frame) = Frame::take(&mut backend.buffer).map_err(|_| End::BackendLost)? {
                cycle.received(&frame);
                to_client.extend_from_slice(frame.bytes());
            }
            self.record.note(cycle);
            if to_client.is_empty() && to_backend.is_empty() {
                if cycle.is_settled() {
                    return Ok(presence);
                }
                if presence == Presence::Leaving && !cycle.awaits_server() {
                    return Err(End::ClientLeft);
                }
            }
            self.buffer.reserve(CHUNK);
            backend.buffer.reserve(CHUNK);
            let listening = presence == Presence::There && to_backend.len() < IN_FLIGHT;
            tokio::select! {
                read = from_us.read_buf(&mut self.buffer), if listening => match read {
                    Ok(0) | Err(_) => return Err(End::ClientLeft),
                    Ok(_) => {}
                },
                read = from_pg.read_buf(&mut backend.buffer), if to_client.len() < IN_FLIGHT => match read {
                    Ok(0) | Err(_) => return Err(last_words(cycle, &mut to_us, &to_client).await),
                    Ok(_) => {}
                },
                written = to_us.write_buf(&mut to_client), if !to_client.is_empty() => {
                    written.map_err(|_| End::ClientLeft)?;
                }
                // A backend that takes no more has usually said why: that is read above.
                written = to_pg.write_buf(&mut to_backend), if !to_backend.is_empty() => {
                    if written.is_err() {
                        to_backend.clear();
                    }
                }
            }
        }
    }
}

/// Is the client still there?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    There,
    /// It said goodbye behind its last question.
    Leaving,
}

/// The backend is gone: passes on what it said last. When that was why (57P01), nothing is left for us to add.
async fn last_words(cycle: &Cycle, client: &mut (impl AsyncWriteExt + Unpin), words: &[u8]) -> End {
    match client.write_all(words).await {
        Err(_) => End::ClientLeft,
        Ok(()) if cycle.has_ended() => End::Refused(bytes::Bytes::new()),
        Ok(()) => End::BackendLost,
    }
}
