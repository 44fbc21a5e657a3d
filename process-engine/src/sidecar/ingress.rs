use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;

use super::Shared;

/// `workerd` reads the authority before it starts any application, and installs it where HTTPS is intercepted.
/// We intercept none, so that nothing is ever signed by it.
const AUTHORITY: &str = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n";

const MAX_BODY: usize = 64 * 1024;

/// A tunnel that was promised, to be run once the promise is on the wire.
type Pending = Arc<Mutex<Option<(OnUpgrade, TcpStream)>>>;

/// Answers one connection of `workerd`: `PUT /egress`, `GET /ca`, or `CONNECT` to the application.
pub(super) async fn converse(stream: TcpStream, shared: Arc<Shared>) {
    let pending = Pending::default();
    let service = service_fn(|request| {
        let (shared, pending) = (Arc::clone(&shared), Arc::clone(&pending));
        async move { Ok::<_, Infallible>(answer(request, &shared, &pending).await) }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    if let Err(error) = connection.with_upgrades().await {
        tracing::debug!(%error, "ingress.connection ended");
    }
    // The tunnel runs in the task of its connection: that task is owned, a spawned one would not be.
    let tunnel = pending.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some((upgrade, mut application)) = tunnel
        && let Ok(upgraded) = upgrade.await
    {
        // Either side may vanish at any time: killed applications are what this engine is for.
        let _ = copy_bidirectional(&mut TokioIo::new(upgraded), &mut application).await;
    }
}

async fn answer(mut request: Request<Incoming>, shared: &Shared, pending: &Pending) -> Response<Full<Bytes>> {
    match (request.method(), request.uri().path()) {
        (&Method::CONNECT, _) => match dial(&request, shared).await {
            Ok(application) => {
                let upgrade = hyper::upgrade::on(&mut request);
                *pending.lock().unwrap_or_else(PoisonError::into_inner) = Some((upgrade, application));
                Response::default()
            }
            Err(reason) => text(StatusCode::BAD_REQUEST, reason),
        },
        (&Method::GET, "/ca") => text(StatusCode::OK, AUTHORITY.to_owned()),
        (&Method::PUT, "/egress") => configure(request.into_body(), shared).await,
        (method, path) => {
            text(StatusCode::NOT_FOUND, format!("the sidecar does not answer {method} {path}\n"))
        }
    }
}

/// 400 is what tells `workerd` that nobody listens yet, and a Worker that it may try again.
async fn dial(request: &Request<Incoming>, shared: &Shared) -> Result<TcpStream, String> {
    let named = request
        .headers()
        .get("x-dst-addr")
        .and_then(|address| address.to_str().ok())
        .map_or_else(|| request.uri().to_string(), str::to_owned);
    let port = named
        .rsplit_once(':')
        .and_then(|(_, port)| port.parse().ok())
        .ok_or_else(|| format!("{named} names no port\n"))?;
    let target = shared.target(port).ok_or_else(|| format!("no application listens on port {port}\n"))?;
    TcpStream::connect((Ipv4Addr::LOCALHOST, target))
        .await
        .map_err(|error| format!("the application does not listen on port {port} yet: {error}\n"))
}

/// `{"port": N, …}`. Names and switches that come along need no action: `workerd` decides on every connection itself.
#[derive(Deserialize)]
struct Egress {
    port: u16,
}

async fn configure(body: Incoming, shared: &Shared) -> Response<Full<Bytes>> {
    let body = match Limited::new(body, MAX_BODY).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => return text(StatusCode::BAD_REQUEST, format!("{error}\n")),
    };
    match serde_json::from_slice::<Egress>(&body) {
        Ok(egress) => {
            shared.set_egress_port(egress.port);
            text(StatusCode::OK, "{}".to_owned())
        }
        Err(error) => text(StatusCode::BAD_REQUEST, format!("{error}\n")),
    }
}

fn text(status: StatusCode, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
