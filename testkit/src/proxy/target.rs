//! Where a proxy leads.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::str::FromStr;

use tokio::net::TcpStream;

/// A host and a port, looked up for every connection anew. Its text is `host:port`, `[host]:port` for an IPv6 address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    host: String,
    port: u16,
}

/// Not a target's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not HOST:PORT")]
pub struct NoTarget(String);

impl Target {
    pub(super) async fn connect(&self) -> io::Result<TcpStream> {
        TcpStream::connect((self.host.as_str(), self.port)).await
    }
}

impl FromStr for Target {
    type Err = NoTarget;

    fn from_str(text: &str) -> Result<Self, NoTarget> {
        let parse = || {
            let (host, port) = text.rsplit_once(':')?;
            let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
            // Without brackets it is not clear where an IPv6 address ends.
            let host = bare.or(Some(host).filter(|host| !host.contains(':')))?;
            let port = port.parse().ok().filter(|port| *port != 0)?;
            (!host.is_empty()).then(|| Self { host: host.to_owned(), port })
        };
        parse().ok_or_else(|| NoTarget(text.to_owned()))
    }
}

impl From<SocketAddr> for Target {
    fn from(address: SocketAddr) -> Self {
        Self { host: address.ip().to_string(), port: address.port() }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        if host.contains(':') {
            write!(formatter, "[{host}]:{port}")
        } else {
            write!(formatter, "{host}:{port}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn a_target_is_a_host_and_a_port() {
        for text in ["127.0.0.1:8787", "localhost:80", "[::1]:5432"] {
            assert_eq!(text.parse::<Target>().unwrap().to_string(), text);
        }
        let address: std::net::SocketAddr = "[::1]:5432".parse().unwrap();
        assert_eq!(Target::from(address), "[::1]:5432".parse().unwrap());
        for text in ["", "localhost", ":80", "localhost:", "localhost:0", "localhost:65536", "::1:80"] {
            assert!(text.parse::<Target>().is_err(), "{text}");
        }
    }
}
