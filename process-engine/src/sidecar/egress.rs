use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Full, combinators::BoxBody};
use hyper::body::Incoming;
use hyper::header::{
    CONNECTION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHORIZATION, TE, TRAILER,
    TRANSFER_ENCODING, UPGRADE,
};
use hyper::http::uri::{Authority, PathAndQuery};
use hyper::server::conn::http1 as server;
use hyper::service::service_fn;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper::{Method, Request, Response, StatusCode, Uri, client::conn::http1 as client};
use hyper_util::rt::TokioIo;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpStream, lookup_host};

use super::Shared;

type Body = BoxBody<Bytes, hyper::Error>;
type Pending = Arc<Mutex<Option<(OnUpgrade, Upgraded)>>>;

/// Stands for a name that does not resolve, so that `workerd` can match the name itself. Of the block for
/// benchmarks: no host has it.
const UNRESOLVED: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 18, 0, 1));

/// Why a request of the application went nowhere; the application gets the text with a 502.
#[derive(Debug, thiserror::Error)]
enum EgressError {
    #[error("workerd has named no port for outgoing connections")]
    NotConfigured,
    #[error("the request names no host")]
    NoHost,
    #[error("{0} does not resolve, and no Worker intercepts it")]
    Unresolved(String),
    #[error("a Worker intercepts HTTPS to {0}, and this engine cannot open TLS")]
    TlsInterception(String),
    #[error("workerd answered the tunnel to {host} with {status}")]
    Refused { host: String, status: StatusCode },
    #[error("workerd takes no outgoing connections")]
    Io(#[from] io::Error),
    #[error("the connection through workerd broke: {0}")]
    Http(#[from] hyper::Error),
    #[error("the request cannot be passed on: {0}")]
    Request(#[from] hyper::http::Error),
}

/// Answers one connection of the application to its proxy: requests with an absolute URL, or `CONNECT`.
pub(super) async fn converse(stream: TcpStream, shared: Arc<Shared>) {
    let pending = Pending::default();
    let service = service_fn(|request: Request<Incoming>| {
        let (shared, pending) = (Arc::clone(&shared), Arc::clone(&pending));
        async move {
            let outcome = if request.method() == Method::CONNECT {
                connect(request, &shared, &pending).await
            } else {
                forward(request, &shared).await
            };
            Ok::<_, Infallible>(outcome.unwrap_or_else(|error| bad_gateway(&error)))
        }
    });
    let connection = server::Builder::new().serve_connection(TokioIo::new(stream), service);
    if let Err(error) = connection.with_upgrades().await {
        tracing::debug!(%error, "egress.connection ended");
    }
    let tunnel = pending.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some((upgrade, outside)) = tunnel
        && let Ok(inside) = upgrade.await
    {
        let _ = copy_bidirectional(&mut TokioIo::new(inside), &mut TokioIo::new(outside)).await;
    }
}

/// How `workerd` took a connection.
enum Tunnel {
    /// A Worker answers, and wants plain HTTP.
    Intercepted(Upgraded),
    /// Bytes go to the destination as they are (or nowhere, where the container has no internet).
    PassedThrough(Upgraded),
}

/// Each request has a tunnel of its own: clients reuse a proxy connection for any host, and the decision who answers
/// is made for each tunnel.
async fn forward(request: Request<Incoming>, shared: &Shared) -> Result<Response<Body>, EgressError> {
    let authority = request.uri().authority().cloned().ok_or(EgressError::NoHost)?;
    let destination = Destination::of(&authority, 80).await;
    let tunnel = match open(shared, &destination, "x-hostname").await? {
        Tunnel::Intercepted(tunnel) => tunnel,
        Tunnel::PassedThrough(tunnel) => destination.reachable(tunnel)?,
    };
    let (mut sender, connection) = client::handshake(tunnel).await?;
    // Ends with the response, or when the application (the body's reader) is gone: nothing is left to own.
    tokio::spawn(connection);
    let response = sender.send_request(origin_form(request, &authority)?).await?;
    let (mut parts, body) = response.into_parts();
    strip_hop_by_hop(&mut parts.headers);
    Ok(Response::from_parts(parts, body.boxed()))
}

/// `CONNECT` is how HTTPS passes a proxy.
async fn connect(
    mut request: Request<Incoming>,
    shared: &Shared,
    pending: &Pending,
) -> Result<Response<Body>, EgressError> {
    let authority = request.uri().authority().cloned().ok_or(EgressError::NoHost)?;
    let destination = Destination::of(&authority, 443).await;
    match open(shared, &destination, "x-tls-sni").await? {
        // A 200 promises HTTP in the clear, which only the end of the application's TLS could give.
        Tunnel::Intercepted(_) => Err(EgressError::TlsInterception(destination.host)),
        Tunnel::PassedThrough(tunnel) => {
            let tunnel = destination.reachable(tunnel)?;
            let upgrade = hyper::upgrade::on(&mut request);
            *pending.lock().unwrap_or_else(PoisonError::into_inner) = Some((upgrade, tunnel));
            Ok(Response::new(Empty::new().map_err(|never| match never {}).boxed()))
        }
    }
}

struct Destination {
    host: String,
    address: SocketAddr,
    resolved: bool,
}

impl Destination {
    /// A real sidecar sees addresses only, and learns names from DNS and from the traffic; a proxy is told the name.
    async fn of(authority: &Authority, default_port: u16) -> Self {
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = authority.port_u16().unwrap_or(default_port);
        let found = lookup_host((host.as_str(), port)).await.ok().and_then(|mut found| found.next());
        let address = found.unwrap_or(SocketAddr::new(UNRESOLVED, port));
        Self { host, address, resolved: found.is_some() }
    }

    fn reachable(&self, tunnel: Upgraded) -> Result<Upgraded, EgressError> {
        if self.resolved { Ok(tunnel) } else { Err(EgressError::Unresolved(self.host.clone())) }
    }
}

/// Asks `workerd` for a tunnel; `hint` is the header that tells it the name.
async fn open(shared: &Shared, destination: &Destination, hint: &'static str) -> Result<Tunnel, EgressError> {
    let port = shared.egress_port();
    if port == 0 {
        return Err(EgressError::NotConfigured);
    }
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    let (mut sender, connection) = client::handshake(TokioIo::new(stream)).await?;
    let mut request = Request::connect(destination.address.to_string())
        .header(HOST, destination.address.to_string())
        .body(Empty::<Bytes>::new())?;
    if destination.host.parse::<IpAddr>().is_err() {
        let name = HeaderValue::from_str(&destination.host).map_err(hyper::http::Error::from)?;
        request.headers_mut().insert(HeaderName::from_static(hint), name);
    }
    // The connection has to be driven while we wait; it is done when the tunnel is, or when `sender` is dropped.
    let (outcome, _) = tokio::join!(
        async move {
            let response = sender.send_request(request).await?;
            let status = response.status();
            let upgraded = if status.is_success() { Some(hyper::upgrade::on(response).await?) } else { None };
            Ok::<_, hyper::Error>((status, upgraded))
        },
        connection.with_upgrades()
    );
    let host = || destination.host.clone();
    let (status, upgraded) = outcome?;
    tracing::debug!(host = destination.host, status = status.as_u16(), "egress.tunnel");
    match (status, upgraded) {
        (StatusCode::OK, Some(tunnel)) => Ok(Tunnel::Intercepted(tunnel)),
        (StatusCode::ACCEPTED, Some(tunnel)) => Ok(Tunnel::PassedThrough(tunnel)),
        (status, _) => Err(EgressError::Refused { host: host(), status }),
    }
}

/// The request as the destination wants it: path only, and nothing in it that was meant for the proxy.
fn origin_form(request: Request<Incoming>, authority: &Authority) -> Result<Request<Incoming>, EgressError> {
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().cloned().unwrap_or(PathAndQuery::from_static("/"));
    parts.uri = Uri::from(path);
    strip_hop_by_hop(&mut parts.headers);
    if !parts.headers.contains_key(HOST) {
        let host = HeaderValue::from_str(authority.as_str()).map_err(hyper::http::Error::from)?;
        parts.headers.insert(HOST, host);
    }
    Ok(Request::from_parts(parts, body))
}

fn strip_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    let known = [CONNECTION, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE];
    let unnamed = ["keep-alive", "proxy-connection"].map(HeaderName::from_static);
    for name in named.into_iter().chain(known).chain(unnamed) {
        headers.remove(name);
    }
}

fn bad_gateway(error: &EgressError) -> Response<Body> {
    tracing::info!(%error, "egress.request refused");
    let text = Full::new(Bytes::from(format!("{error}\n"))).map_err(|never| match never {});
    let mut response = Response::new(text.boxed());
    *response.status_mut() = StatusCode::BAD_GATEWAY;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
