//! A blocking client of an engine on a unix socket: for the docker command line, and for tests that look for a process.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::Value;

/// Where an engine is. Text form `unix:///absolute/path`, as in `DOCKER_HOST`, or a bare path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    socket: PathBuf,
}

/// A text that names no unix socket.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is no unix socket: only unix:// hosts can be reached")]
pub struct InvalidHost(String);

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("no engine answers at unix://{}", socket.display())]
    Unreachable { socket: PathBuf, source: io::Error },
    #[error("the answer is no HTTP/1.0, or has no JSON in it")]
    Malformed,
}

/// An answer: status code, and the body (`null` if there is none).
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub body: Value,
}

impl FromStr for Client {
    type Err = InvalidHost;

    fn from_str(host: &str) -> Result<Self, InvalidHost> {
        let path = match host.split_once("://") {
            Some(("unix", path)) => path,
            Some(_) => return Err(InvalidHost(host.to_owned())),
            None => host,
        };
        if path.is_empty() {
            return Err(InvalidHost(host.to_owned()));
        }
        Ok(Self::new(Path::new(path)))
    }
}

impl Client {
    pub fn new(socket: &Path) -> Self {
        Self { socket: socket.to_owned() }
    }

    /// Calls `path` (with query) without a body.
    ///
    /// # Errors
    /// [`CallError::Unreachable`] if nothing answers.
    pub fn call(&self, method: &str, path: &str) -> Result<Answer, CallError> {
        self.send(method, path, &[])
    }

    /// Calls `path` (with query) with a JSON body.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn call_with(&self, method: &str, path: &str, body: &Value) -> Result<Answer, CallError> {
        self.send(method, path, body.to_string().as_bytes())
    }

    fn send(&self, method: &str, path: &str, body: &[u8]) -> Result<Answer, CallError> {
        let exchange = || {
            let mut stream = UnixStream::connect(&self.socket)?;
            // 1.0, because its answers are as they are: no chunks, and the end of the stream is that of the body.
            let head = format!(
                "{method} {path} HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes())?;
            stream.write_all(body)?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer)?;
            Ok(answer)
        };
        let answer =
            exchange().map_err(|source| CallError::Unreachable { socket: self.socket.clone(), source })?;
        parse(&answer).ok_or(CallError::Malformed)
    }
}

fn parse(answer: &[u8]) -> Option<Answer> {
    let text = std::str::from_utf8(answer).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.0 ")?.split(' ').next()?.parse().ok()?;
    let is_json =
        head.lines().any(|line| line.to_ascii_lowercase().starts_with("content-type: application/json"));
    let body = if is_json {
        serde_json::from_str(body).ok()?
    } else if body.is_empty() {
        Value::Null
    } else {
        Value::String(body.to_owned())
    };
    Some(Answer { status, body })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hosts_are_unix_sockets() {
        let client = Client::new(Path::new("/run/e.sock"));
        assert_eq!("unix:///run/e.sock".parse(), Ok(client.clone()));
        assert_eq!("/run/e.sock".parse(), Ok(client));
        assert!("tcp://localhost:2375".parse::<Client>().is_err());
        assert!("unix://".parse::<Client>().is_err());
    }

    #[test]
    fn answers_are_read_to_their_end() {
        let json = b"HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n{\"a\":1}";
        assert_eq!(parse(json), Some(Answer { status: 200, body: json!({"a": 1}) }));
        let empty = b"HTTP/1.0 204 No Content\r\n\r\n";
        assert_eq!(parse(empty), Some(Answer { status: 204, body: Value::Null }));
        assert_eq!(parse(b"HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n{\"a\""), None);
        assert_eq!(parse(b""), None);
    }
}
