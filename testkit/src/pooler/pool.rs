//! Backends of one user on one database, lent one transaction at a time.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::wire::{self, Frame, Key, Violation};
use crate::lock::lock;

/// How long a connection to Postgres may take. On loopback it takes a few ms; a stalled server answers nothing.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// How long a session reset may take before the backend is thrown away instead.
const RESET_LIMIT: Duration = Duration::from_secs(5);

/// Why a client gets no backend.
#[derive(Clone, Debug)]
pub(super) enum Refusal {
    /// Our own words, for code 58000.
    Pooler(String),
    /// Postgres said why (no such database, too many connections, still starting): its error, word for word.
    Postgres(Bytes),
}

impl Refusal {
    /// The error as the client gets it.
    pub(super) fn frame(&self) -> Bytes {
        match self {
            Self::Pooler(message) => wire::fatal("58000", message).freeze(),
            Self::Postgres(frame) => frame.clone(),
        }
    }
}

/// A connection to Postgres.
#[derive(Debug)]
pub(super) struct Backend {
    pub(super) stream: TcpStream,
    pub(super) buffer: BytesMut,
    pub(super) key: Key,
    parameters: Bytes,
}

/// A backend on loan, with its place among the pool's connections.
#[derive(Debug)]
pub(super) struct Lease {
    pub(super) backend: Backend,
    place: OwnedSemaphorePermit,
}

/// The backends of one user on one database.
#[derive(Debug)]
pub(super) struct Pool {
    postgres: SocketAddr,
    user: String,
    database: String,
    wait: Duration,
    /// One for each backend that may be on loan. Idle ones hold none, but one is only opened when none is idle, so
    /// there are never more connections than places.
    places: Arc<Semaphore>,
    idle: Mutex<Vec<Backend>>,
    parameters: Mutex<Option<Bytes>>,
}

impl Pool {
    pub(super) fn new(postgres: SocketAddr, size: usize, wait: Duration, user: &str, database: &str) -> Self {
        Self {
            postgres,
            user: user.to_owned(),
            database: database.to_owned(),
            wait,
            places: Arc::new(Semaphore::new(size)),
            idle: Mutex::default(),
            parameters: Mutex::default(),
        }
    }

    /// Lends a backend, waiting for one to come back when all are out.
    pub(super) async fn lend(&self) -> Result<Lease, Refusal> {
        let place = timeout(self.wait, Arc::clone(&self.places).acquire_owned()).await;
        let Ok(Ok(place)) = place else {
            return Err(Refusal::Pooler("Failed to acquire a connection from the pool.".to_owned()));
        };
        while let Some(backend) = self.pop_idle() {
            if backend.is_alive() {
                return Ok(Lease { backend, place });
            }
        }
        let connecting =
            timeout(CONNECT_LIMIT, Backend::open(self.postgres, &self.user, &self.database)).await;
        let backend = connecting
            .map_err(|_| Refusal::Pooler("Server connection attempt failed: timeout".to_owned()))
            .and_then(|result| result)?;
        *lock(&self.parameters) = Some(backend.parameters.clone());
        Ok(Lease { backend, place })
    }

    fn pop_idle(&self) -> Option<Backend> {
        lock(&self.idle).pop()
    }

    /// Takes a backend back, wiping what its last client left in the session when it is `dirty`.
    pub(super) fn take_back(self: &Arc<Self>, lease: Lease, dirt: Dirt) {
        if !lease.backend.buffer.is_empty() {
            // Half a frame nobody asked for: the next client must not get the other half.
            return;
        }
        match dirt {
            Dirt::Clean => self.keep(lease),
            Dirt::Dirty => {
                let pool = Arc::clone(self);
                tokio::spawn(async move {
                    if let Some(lease) = reset(lease).await {
                        pool.keep(lease);
                    }
                });
            }
        }
    }

    fn keep(&self, lease: Lease) {
        lock(&self.idle).push(lease.backend);
        drop(lease.place);
    }

    /// The server's parameters, as frames, as the last backend reported them.
    pub(super) async fn parameters(self: &Arc<Self>) -> Result<Bytes, Refusal> {
        if let Some(known) = lock(&self.parameters).clone() {
            return Ok(known);
        }
        let lease = self.lend().await?;
        let parameters = lease.backend.parameters.clone();
        self.take_back(lease, Dirt::Clean);
        Ok(parameters)
    }

    /// Stops what the backend `key` is doing. Postgres answers by closing.
    pub(super) async fn cancel(&self, key: Key) {
        let sending = async {
            let mut stream = TcpStream::connect(self.postgres).await?;
            stream.write_all(&wire::cancel(key)).await?;
            stream.read(&mut [0]).await
        };
        if let Ok(Err(error)) = timeout(CONNECT_LIMIT, sending).await {
            tracing::debug!(%error, "a cancel request did not reach Postgres");
        }
    }
}

/// Has a client left something in the session?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dirt {
    Clean,
    Dirty,
}

impl Backend {
    async fn open(postgres: SocketAddr, user: &str, database: &str) -> Result<Self, Refusal> {
        let failed = |error: &dyn std::fmt::Display| {
            Refusal::Pooler(format!("Server connection attempt failed: {error}"))
        };
        let mut stream = match TcpStream::connect(postgres).await {
            Ok(stream) => stream,
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                return Err(failed(&"connection_refused"));
            }
            Err(error) => return Err(failed(&error)),
        };
        stream.set_nodelay(true).map_err(|error| failed(&error))?;
        stream.write_all(&wire::open_session(user, database)).await.map_err(|error| failed(&error))?;
        let (mut buffer, mut parameters) = (BytesMut::new(), BytesMut::new());
        let mut key = Key { process: 0, secret: 0 };
        loop {
            let frame = read_frame(&mut stream, &mut buffer).await.map_err(|error| failed(&error))?;
            match frame.tag() {
                b'S' => parameters.extend_from_slice(frame.bytes()),
                b'K' => key = read_key(frame.body()).ok_or_else(|| failed(&"a short key"))?,
                b'E' => return Err(Refusal::Postgres(Bytes::copy_from_slice(frame.bytes()))),
                b'R' if frame.body() != [0; 4] => return Err(failed(&"the server wants a password")),
                b'Z' => return Ok(Self { stream, buffer, key, parameters: parameters.freeze() }),
                _ => {}
            }
        }
    }

    /// An idle backend has nothing to say: whatever can be read is its end, or an error that announces it.
    fn is_alive(&self) -> bool {
        matches!(self.stream.try_read(&mut [0]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    }
}

async fn reset(mut lease: Lease) -> Option<Lease> {
    let backend = &mut lease.backend;
    let resetting = async {
        backend.stream.write_all(&wire::query("DISCARD ALL")).await.ok()?;
        loop {
            let frame = read_frame(&mut backend.stream, &mut backend.buffer).await.ok()?;
            match frame.tag() {
                b'E' => return None,
                b'Z' => return Some(()),
                _ => {}
            }
        }
    };
    timeout(RESET_LIMIT, resetting).await.ok().flatten().map(|()| lease)
}

fn read_key(body: &[u8]) -> Option<Key> {
    let (process, rest) = body.split_first_chunk()?;
    let secret = rest.first_chunk()?;
    Some(Key { process: i32::from_be_bytes(*process), secret: i32::from_be_bytes(*secret) })
}

#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Violation(#[from] Violation),
    #[error("connection_closed")]
    Closed,
}

async fn read_frame(stream: &mut TcpStream, buffer: &mut BytesMut) -> Result<Frame, ReadError> {
    loop {
        if let Some(frame) = Frame::take(buffer)? {
            return Ok(frame);
        }
        if stream.read_buf(buffer).await? == 0 {
            return Err(ReadError::Closed);
        }
    }
}
