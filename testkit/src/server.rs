//! HTTP/1.1 over sockets that we own, so that a handler can break the connection its request came on.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::response::Response;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tower_service::Service;

/// A server on 127.0.0.1. Dropping it ends its connections.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    accepting: JoinHandle<()>,
}

/// The connection that a request came on: an extension of every request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    cut: Arc<Notify>,
}

/// What becomes of a request when its client closes the connection before the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    /// Its handler is dropped where it is.
    Ends,
    /// A request that is here whole is worked on to its end, as a provider does: the client's leaving changes nothing.
    ChangesNothing,
}

/// Serves `router` on `port`; 0 is any.
///
/// # Errors
/// Fails when the port is taken.
pub(crate) async fn start(port: u16, router: Router, closing: Closing) -> io::Result<Server> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let address = listener.local_addr()?;
    Ok(Server { address, accepting: tokio::spawn(accept(listener, router, closing)) })
}

impl Server {
    /// `http://127.0.0.1:port`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Line {
    /// Resets the connection (RST, not a polite end) instead of answering. Never returns: the handler is dropped
    /// with its connection.
    pub(crate) async fn reset(&self) -> Response {
        self.cut.notify_one();
        std::future::pending().await
    }
}

async fn accept(listener: TcpListener, router: Router, closing: Closing) {
    // The connections live in the set: they end with it when the server is dropped.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(converse(stream, router.clone(), closing));
                }
                // Out of file descriptors: those that are open will close.
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn converse(stream: TcpStream, router: Router, closing: Closing) {
    stream.set_nodelay(true).unwrap_or_default();
    let line = Line::default();
    let service = service_fn(|mut request: Request<Incoming>| {
        request.extensions_mut().insert(line.clone());
        let mut router = router.clone();
        async move { Ok::<_, Infallible>(router.call(request).await.unwrap_or_else(|never| match never {})) }
    });
    let mut connection = http1::Builder::new()
        .half_close(closing == Closing::ChangesNothing)
        .serve_connection(TokioIo::new(stream), service);
    let cut = tokio::select! {
        // A client that left, or a body that we broke off on purpose: nobody needs to hear of it.
        _ = &mut connection => false,
        () = line.cut.notified() => true,
    };
    if cut {
        let stream = connection.into_parts().io.into_inner();
        // Closing with a zero linger time sends a reset.
        stream.set_zero_linger().unwrap_or_default();
    }
}
