//! A plain HTTP/1.1 client for servers on this machine: one connection a call, no TLS, no redirects.

use std::time::Duration;

use http::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName};
use http::{Method, Request, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::failure::{OrFail, Outcome};

/// What to do when a local server does not answer as it should.
const ADVICE: &str = "read the logs of the stack (their folder is named in stack.json)";

/// A call under construction.
pub(crate) struct Call {
    method: Method,
    url: String,
    headers: Vec<(HeaderName, String)>,
    body: Bytes,
    limit: Duration,
}

/// What a server answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Call {
    /// A GET of an `http://` address; ends after 30 s.
    pub(crate) fn get(url: impl Into<String>) -> Self {
        Self {
            method: Method::GET,
            url: url.into(),
            headers: Vec::new(),
            body: Bytes::new(),
            limit: Duration::from_secs(30),
        }
    }

    /// A POST of JSON to an `http://` address; ends after 30 s.
    pub(crate) fn post(url: impl Into<String>, body: &Value) -> Self {
        let call = Self { method: Method::POST, body: body.to_string().into(), ..Self::get(url) };
        call.header(CONTENT_TYPE, "application/json")
    }

    /// A PUT of JSON; otherwise as [`Call::post`].
    pub(crate) fn put(url: impl Into<String>, body: &Value) -> Self {
        Self { method: Method::PUT, ..Self::post(url, body) }
    }

    /// A POST of a form to an `http://` address; ends after 30 s.
    pub(crate) fn form(url: impl Into<String>, fields: &str) -> Self {
        let call = Self { method: Method::POST, body: fields.to_owned().into(), ..Self::get(url) };
        call.header(CONTENT_TYPE, "application/x-www-form-urlencoded")
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: HeaderName, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// How long the whole call may take.
    pub(crate) fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Sends it. Fails when there is no whole answer in time; any status is an answer.
    pub(crate) async fn send(self) -> Outcome<Answer> {
        let named = format!("{} {}", self.method, self.url);
        let limit = self.limit;
        match tokio::time::timeout(limit, exchange(self)).await {
            Ok(answer) => answer.or_fail(named, ADVICE),
            Err(_) => Err(format!("no answer within {limit:?}")).or_fail(named, ADVICE),
        }
    }
}

impl Answer {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Outcome<Value> {
        serde_json::from_slice(&self.body)
            .or_fail(format!("the answer ({}) is no JSON: {}", self.status, self.excerpt()), ADVICE)
    }

    /// The begin of the body, for messages.
    pub(crate) fn excerpt(&self) -> String {
        String::from_utf8_lossy(&self.body).chars().take(400).collect()
    }
}

type Cause = Box<dyn std::error::Error + Send + Sync>;

async fn exchange(call: Call) -> Result<Answer, Cause> {
    let uri: Uri = call.url.parse()?;
    let authority = uri.authority().ok_or("the address names no host")?.clone();
    let stream = TcpStream::connect((authority.host(), authority.port_u16().unwrap_or(80))).await?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let driver = tokio::spawn(connection);
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let mut request = Request::builder().method(call.method).uri(path).header(HOST, authority.as_str());
    for (name, value) in call.headers {
        request = request.header(name, value);
    }
    let response = sender.send_request(request.body(Full::new(call.body))?).await?;
    let (head, body) = response.into_parts();
    let body = body.collect().await?.to_bytes();
    driver.abort();
    Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::Call;

    /// Answers one connection with `answer` and returns what it was sent.
    async fn serve_once(answer: &'static str) -> (String, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/path?x=1", listener.local_addr().unwrap());
        let seen = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut got = vec![0; 4096];
            let length = stream.read(&mut got).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8_lossy(&got[..length]).into_owned()
        });
        (url, seen)
    }

    #[tokio::test]
    async fn a_call_carries_its_path_headers_and_body() {
        let (url, seen) = serve_once("HTTP/1.1 409 Conflict\r\ncontent-length: 8\r\n\r\n{\"a\": 1}").await;
        let answer = Call::post(url, &json!({"b": 2})).send().await.unwrap();
        assert_eq!((answer.status, answer.json().unwrap()), (409, json!({"a": 1})));
        let seen = seen.await.unwrap().to_lowercase();
        assert!(seen.starts_with("post /path?x=1 http/1.1") && seen.ends_with("{\"b\":2}"), "{seen}");
        assert!(
            seen.contains("content-type: application/json") && seen.contains("host: 127.0.0.1:"),
            "{seen}"
        );
    }

    #[tokio::test]
    async fn silence_and_half_an_answer_are_failures() {
        let (url, _seen) = serve_once("").await;
        let failure = Call::get(url).within(Duration::from_millis(200)).send().await.err().unwrap();
        assert!(failure.to_string().contains("GET http://127.0.0.1"), "{failure}");
        let (url, _seen) = serve_once("HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n{").await;
        assert!(Call::get(url).send().await.is_err());
    }
}
