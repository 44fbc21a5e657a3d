//! A small HTTP/1.1 client for plain `http://` URLs, one connection a request: for the simulator's callbacks, and for
//! tests that want to see an answer as it is.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_TYPE, HOST};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use url::Url;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not an `http://` URL with a host.
    #[error("{0} is not a plain http URL")]
    Url(String),
    /// A header that HTTP does not allow.
    #[error("an impossible header")]
    Header(#[source] http::Error),
    /// No connection.
    #[error("no connection")]
    Connect(#[source] std::io::Error),
    /// The connection ended before the answer's head was complete, or what came was not HTTP.
    #[error("no answer")]
    NoAnswer(#[source] hyper::Error),
    /// It took too long.
    #[error("no answer within {0:?}")]
    Timeout(Duration),
}

/// A request to send.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The method.
    pub method: Method,
    /// Where to; `http://` only.
    pub url: String,
    /// Headers beside `Host` and `Content-Length`.
    pub headers: HeaderMap,
    /// The body; may be empty.
    pub body: Bytes,
    /// How long the whole exchange may take.
    pub limit: Duration,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body, as far as it came.
    pub body: Bytes,
    /// Did the body come to its proper end?
    pub complete: bool,
}

impl Outgoing {
    /// A request without headers and body, which may take 30 seconds.
    pub fn new(method: Method, url: impl Into<String>) -> Self {
        let limit = Duration::from_secs(30);
        Self { method, url: url.into(), headers: HeaderMap::new(), body: Bytes::new(), limit }
    }

    /// A GET.
    pub fn get(url: impl Into<String>) -> Self {
        Self::new(Method::GET, url)
    }

    /// A POST of `body` as JSON.
    pub fn post_json(url: impl Into<String>, body: &Value) -> Self {
        let mut request = Self::new(Method::POST, url);
        request.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        request.body = body.to_string().into();
        request
    }

    /// With one more header. A value that HTTP does not allow is left out.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.append(name, value);
        }
        self
    }

    /// Sends it, once. Redirects are answers like any other.
    pub async fn send(self) -> Result<Answer, Error> {
        let limit = self.limit;
        tokio::time::timeout(limit, self.exchange()).await.unwrap_or(Err(Error::Timeout(limit)))
    }

    async fn exchange(self) -> Result<Answer, Error> {
        let url = Url::parse(&self.url).ok().filter(|url| url.scheme() == "http");
        let Some((url, host)) = url.and_then(|url| url.host_str().map(str::to_owned).map(|host| (url, host)))
        else {
            return Err(Error::Url(self.url));
        };
        let port = url.port_or_known_default().unwrap_or(80);
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((bare, port)).await.map_err(Error::Connect)?;
        stream.set_nodelay(true).map_err(Error::Connect)?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(Error::NoAnswer)?;
        let target =
            url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        let mut request = Request::builder()
            .method(self.method)
            .uri(target)
            .header(HOST, format!("{host}:{port}"))
            .body(Full::new(self.body))
            .map_err(Error::Header)?;
        request.headers_mut().extend(self.headers);
        let asking = async {
            let answer = sender.send_request(request).await.map_err(Error::NoAnswer)?;
            let (head, mut body) = answer.into_parts();
            let mut bytes = BytesMut::new();
            let mut complete = true;
            while let Some(frame) = body.frame().await {
                match frame.map(hyper::body::Frame::into_data) {
                    Ok(Ok(data)) => bytes.extend_from_slice(&data),
                    Ok(Err(_trailers)) => {}
                    Err(_) => complete = false,
                }
            }
            Ok(Answer { status: head.status, headers: head.headers, body: bytes.freeze(), complete })
        };
        // The connection moves the bytes; it is driven beside the exchange and dropped with it.
        let mut asking = std::pin::pin!(asking);
        tokio::select! {
            answer = &mut asking => answer,
            _ = connection => asking.await,
        }
    }
}

impl Answer {
    /// The body as JSON; `null` when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// A header as text; empty when it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}
