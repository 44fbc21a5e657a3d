//! HTTP clients. None follows redirects or repeats a request of itself: what is tried again, and whether that can
//! cost money, is decided where the request is made.

use std::error::Error;
use std::fmt::{self, Write as _};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::future::BoxFuture;
use reqwest::{ClientBuilder, Request, RequestBuilder, Response, redirect, retry};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// Below every timeout of a whole request, so that a connection that never comes up is told apart from an answer
/// that never comes.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a client could not be made: each of these is the environment's fault.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The TLS library refuses its own defaults.
    #[error("no TLS protocol version fits")]
    Tls(#[source] rustls::Error),
    /// `SSL_CERT_FILE` cannot be read, or holds what is no certificate.
    #[error("SSL_CERT_FILE {} is no PEM bundle of certificates", path.display())]
    ExtraRoots { path: PathBuf, source: Box<dyn Error + Send + Sync> },
    /// The HTTP library refuses.
    #[error("cannot build an HTTP client")]
    Client(#[source] reqwest::Error),
}

/// TLS with the compiled-in roots, so that the image needs no bundle; `extra` adds to them.
pub fn tls(extra: Option<&Path>) -> Result<ClientConfig, ClientError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned());
    if let Some(path) = extra {
        let wrong =
            |source: Box<dyn Error + Send + Sync>| ClientError::ExtraRoots { path: path.to_owned(), source };
        for certificate in CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.into()))? {
            roots
                .add(certificate.map_err(|error| wrong(error.into()))?)
                .map_err(|error| wrong(error.into()))?;
        }
    }
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    Ok(config.map_err(ClientError::Tls)?.with_root_certificates(roots).with_no_client_auth())
}

fn builder(tls: &ClientConfig) -> ClientBuilder {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls.clone())
        .retry(retry::never())
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("afc-executor/", env!("CARGO_PKG_VERSION")))
}

/// For the one request that can cost money. No connection is kept: hyper sends a request again of itself when a
/// *reused* connection turns out dead, and a fresh one makes "never connected" a fact.
pub fn submit_client(tls: &ClientConfig, timeout: Duration) -> Result<reqwest::Client, ClientError> {
    // A shorter connect timeout than the whole, or both would expire together and the outcome would look unknown.
    let connect = CONNECT_TIMEOUT.min(timeout / 2);
    builder(tls)
        .pool_max_idle_per_host(0)
        .connect_timeout(connect)
        .timeout(timeout)
        .build()
        .map_err(ClientError::Client)
}

/// For requests that may be repeated at no cost. `timeout` covers a whole request; streams set their own.
pub fn free_client(tls: &ClientConfig, timeout: Duration) -> Result<reqwest::Client, ClientError> {
    builder(tls).timeout(timeout).build().map_err(ClientError::Client)
}

/// For requests of very different lengths: each sets its own limit.
pub fn unlimited_client(tls: &ClientConfig) -> Result<reqwest::Client, ClientError> {
    builder(tls).build().map_err(ClientError::Client)
}

/// For streaming: no limit on the whole, one on silence.
pub fn streaming_client(
    tls: &ClientConfig,
    silence: Duration,
    change: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> Result<reqwest::Client, ClientError> {
    change(builder(tls).read_timeout(silence)).build().map_err(ClientError::Client)
}

/// Carries one request to its server, and the answer back. The HTTP library does, but where a simulation is between.
pub trait Carrier: Send + Sync + 'static {
    /// Resolves with the answer's head; its body follows from the response.
    fn carry(&self, request: Request) -> BoxFuture<'static, Result<Response, SendError>>;
}

/// Makes requests as the HTTP library's client does, and has them carried.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    /// `None`: by the library.
    carrier: Option<Arc<dyn Carrier>>,
}

impl Client {
    /// `http` makes the requests and sends none.
    pub fn carried_by(http: reqwest::Client, carrier: Arc<dyn Carrier>) -> Self {
        Self { http, carrier: Some(carrier) }
    }

    /// Sends what this client's own methods began: nothing else may, or it would go past the carrier.
    pub async fn send(&self, request: RequestBuilder) -> Result<Response, SendError> {
        self.carry(request.build()?).await
    }

    /// The same for a request that is built.
    pub async fn carry(&self, request: Request) -> Result<Response, SendError> {
        match &self.carrier {
            None => Ok(self.http.execute(request).await?),
            Some(carrier) => carrier.carry(request).await,
        }
    }
}

impl From<reqwest::Client> for Client {
    fn from(http: reqwest::Client) -> Self {
        Self { http, carrier: None }
    }
}

impl Deref for Client {
    type Target = reqwest::Client;

    fn deref(&self) -> &reqwest::Client {
        &self.http
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("carried", &self.carrier.is_some()).finish_non_exhaustive()
    }
}

/// Why there is no answer to a request.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The HTTP library's reason.
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    /// A carrier's reason; whether the request arrived is not known.
    #[error("{0}")]
    Lost(&'static str),
}

impl SendError {
    /// Whether not a byte of it can have reached the server.
    pub fn is_surely_not_sent(&self) -> bool {
        match self {
            Self::Http(error) => error.is_connect() || error.is_builder(),
            Self::Lost(_) => false,
        }
    }
}

/// Why a body could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// More than the limit, in bytes.
    #[error("the answer is longer than {0} bytes")]
    TooLong(usize),
    /// The transport's words, without the URL.
    #[error("{0}")]
    Broken(String),
}

/// Reads a whole body of at most `limit` bytes.
pub async fn body(mut response: Response, limit: usize) -> Result<Bytes, BodyError> {
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| BodyError::Broken(told(error)))? {
        if body.len().saturating_add(chunk.len()) > limit {
            return Err(BodyError::TooLong(limit));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// A transport error in words, causes included, without the URL: URLs carry signatures.
pub fn told(error: impl Into<SendError>) -> String {
    let error = match error.into() {
        SendError::Http(error) => error.without_url(),
        lost @ SendError::Lost(_) => return lost.to_string(),
    };
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn tls_has_roots_of_its_own_and_takes_more() {
        assert!(tls(None).is_ok());
        let mut bundle = tempfile::NamedTempFile::new().unwrap();
        assert!(tls(Some(bundle.path())).is_ok(), "an empty bundle adds nothing");
        bundle.write_all(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
        let error = tls(Some(bundle.path())).unwrap_err();
        assert!(error.to_string().contains("SSL_CERT_FILE"), "{error}");
        assert!(tls(Some(Path::new("/nowhere/at/all.pem"))).is_err());
    }
}
