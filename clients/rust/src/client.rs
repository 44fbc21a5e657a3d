use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderValue;
use rustls::{ClientConfig, RootCertStore};

use crate::{Error, Policy};

/// The API under one client key. Clones share their connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) http: reqwest::Client,
    pub(crate) base: Url,
    pub(crate) authorization: HeaderValue,
    pub(crate) policy: Policy,
}

/// A client that is not as usual.
#[derive(Clone)]
pub struct Builder {
    base: String,
    key: String,
    policy: Policy,
    http: Option<reqwest::Client>,
}

impl Client {
    /// The API at `base` (scheme and host, `https://afc.example.com`) under a client key, with the usual retries.
    ///
    /// # Errors
    /// [`Error::Usage`] when `base` is no http(s) URL or the key cannot stand in a header.
    pub fn new(base: &str, key: &str) -> Result<Self, Error> {
        Self::builder(base, key).build()
    }

    /// The same, to be changed before it is built.
    pub fn builder(base: &str, key: &str) -> Builder {
        Builder { base: base.to_owned(), key: key.to_owned(), policy: Policy::default(), http: None }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("base", &self.base).finish_non_exhaustive()
    }
}

impl Builder {
    /// Other limits of time.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Your own connections, for a proxy or roots of your own. It should neither follow redirects nor retry: both
    /// are decided here.
    #[must_use]
    pub fn http(mut self, http: reqwest::Client) -> Self {
        self.http = Some(http);
        self
    }

    /// Builds it.
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn build(self) -> Result<Client, Error> {
        let base = Url::parse(&self.base).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let base = base.ok_or_else(|| Error::usage(format!("{} is no http(s) URL", self.base)))?;
        let mut authorization = HeaderValue::try_from(format!("Bearer {}", self.key))
            .map_err(|_| Error::usage("the client key has characters that no key has".to_owned()))?;
        authorization.set_sensitive(true);
        let http = match self.http {
            Some(http) => http,
            None => connections()?,
        };
        Ok(Client { http, base, authorization, policy: self.policy })
    }
}

/// TLS in Rust with compiled-in roots: neither a system library nor a bundle is needed.
fn connections() -> Result<reqwest::Client, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::usage(format!("no TLS: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .retry(reqwest::retry::never())
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10))
        .user_agent(concat!("afc-client-rust/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| Error::usage(format!("no HTTP client: {error}")))
}
