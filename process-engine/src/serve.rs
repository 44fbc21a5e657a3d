//! One engine on one unix socket, from claiming the socket to removing it.

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::api;
use crate::engine::Engine;
use crate::image::NamedImage;
use crate::socket::{self, ClaimedSocket};

pub use crate::socket::ClaimError;

/// What an engine is told when it starts.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the Docker API is served; at most some 100 bytes long, as unix sockets have it.
    pub socket: PathBuf,
    /// The first match wins.
    pub images: Vec<NamedImage>,
    /// Folder for one log file per container; without it, output goes to stderr behind the container's name.
    pub log_dir: Option<PathBuf>,
    pub restart_policies: RestartPolicies,
}

/// Whether a container that ends by itself is revived when its restart policy asks for it.
///
/// `workerd` creates every local container with `on-failure`, for reasons of its own bookkeeping, and takes the first
/// exit as the end all the same: what Docker revives then runs on unowned, until its name is needed. So the default is
/// to ignore the policy; `Honoured` is for those who want to see what Docker would do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestartPolicies {
    #[default]
    Ignored,
    Honoured,
}

/// Why an engine could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("cannot serve on the socket")]
    Socket(#[from] ClaimError),
    #[error("cannot use the log folder {path}")]
    LogDir { path: PathBuf, source: io::Error },
    #[error("cannot listen")]
    Listen(#[source] io::Error),
}

/// How long clients may take to fetch answers once all containers are gone.
const FAREWELL: Duration = Duration::from_secs(2);

/// Pause after a failed accept, lest it fails again a million times a second.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// An engine whose socket takes connections.
#[derive(Debug)]
pub struct Server {
    engine: Arc<Engine>,
    listener: UnixListener,
    socket: ClaimedSocket,
}

impl Server {
    /// Claims the socket, replacing that of an engine that is gone. To be called within a tokio runtime.
    ///
    /// # Errors
    /// If the socket is in use or cannot be made, or the log folder cannot be made.
    pub fn bind(config: Config) -> Result<Self, ServeError> {
        let Config { socket, images, log_dir, restart_policies } = config;
        let log_dir = log_dir.map(|path| prepare(&path)).transpose()?;
        for image in images.iter().filter(|image| image.is_missing()) {
            // It may still be built before the first container starts.
            tracing::warn!(program = %image.program().display(), "image.program is missing");
        }
        let (socket, listener) = socket::claim(&socket)?;
        listener.set_nonblocking(true).map_err(ServeError::Listen)?;
        let listener = UnixListener::from_std(listener).map_err(ServeError::Listen)?;
        let engine = Arc::new(Engine::new(images, log_dir, restart_policies));
        Ok(Self { engine, listener, socket })
    }

    /// Serves until `end` resolves. Afterwards every container is dead, whoever waited for one has an answer, and
    /// the socket is removed.
    pub async fn run(self, end: impl Future<Output = ()>) {
        let Self { engine, listener, socket } = self;
        let farewell = watch::Sender::new(false);
        let mut connections = JoinSet::new();
        tokio::pin!(end);
        loop {
            tokio::select! {
                () = &mut end => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        connections.spawn(converse(stream, Arc::clone(&engine), farewell.subscribe()));
                    }
                    // No file descriptor left, most likely: connections that end give theirs back.
                    Err(error) => {
                        tracing::warn!(%error, "serve.accept failed");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
                Some(_) = connections.join_next() => {}
            }
        }
        // Off the file system first: a client that comes now is told at once that nobody is here.
        drop(socket);
        drop(listener);
        engine.close().await;
        farewell.send_replace(true);
        let drained = async { while connections.join_next().await.is_some() {} };
        if timeout(FAREWELL, drained).await.is_err() {
            tracing::warn!("serve.farewell: clients were cut off");
        }
    }
}

fn prepare(folder: &Path) -> Result<PathBuf, ServeError> {
    let failed = |source| ServeError::LogDir { path: folder.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(failed)?;
    // Log files are opened by whoever starts a container, from wherever.
    std::path::absolute(folder).map_err(failed)
}

async fn converse(stream: UnixStream, engine: Arc<Engine>, mut farewell: watch::Receiver<bool>) {
    let service = service_fn(|request| {
        let engine = Arc::clone(&engine);
        async move { Ok::<_, Infallible>(api::answer(&engine, request).await) }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let outcome = tokio::select! {
        outcome = &mut connection => outcome,
        // What `wait_for` yields is a read lock: turned into a plain value before the next await.
        _ = async { farewell.wait_for(|farewell| *farewell).await.is_ok() } => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "serve.connection ended");
    }
}
