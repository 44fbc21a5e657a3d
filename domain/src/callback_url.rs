//! Where a webhook may be sent: the guard against server-side request forgery (B12, F24).
//!
//! A Worker cannot pin the address that a name resolves to, so a public name that resolves to a private address
//! passes this guard; Cloudflare's network, from which the consumer sends, does not route to private addresses.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// An acceptable receiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallbackUrl(Url);

/// Whether `http://localhost`, `http://127.0.0.1` and `http://[::1]` are receivers. Only a development stack says
/// [`Loopback::Allowed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loopback {
    Allowed,
    Refused,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("is not an absolute URL: {0}")]
    NotAUrl(url::ParseError),
    #[error("must have at most {} characters", CallbackUrl::MAX_LENGTH)]
    TooLong,
    #[error("must begin with https://")]
    NotHttps,
    #[error("must not carry a user name or password")]
    UserInfo,
    #[error("must not carry a fragment")]
    Fragment,
    #[error("must name its host by a public DNS name, not by an IP address")]
    IpLiteral,
    #[error("must name a public host; {0:?} is not one")]
    NotPublic(String),
}

/// Names that never lead to a public host (RFC 6761, RFC 6762, RFC 8375 and common private zones).
const PRIVATE_ZONES: [&str; 14] = [
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "private",
    "test",
    "example",
    "invalid",
    "onion",
    "arpa",
];

impl CallbackUrl {
    pub const MAX_LENGTH: usize = 2048;

    pub fn parse(text: &str, loopback: Loopback) -> Result<Self, Refused> {
        if text.len() > Self::MAX_LENGTH {
            return Err(Refused::TooLong);
        }
        // The WHATWG parser turns every notation of an IPv4 address (decimal, hex, octal, short) into `Host::Ipv4`.
        let url = Url::parse(text).map_err(Refused::NotAUrl)?;
        if loopback == Loopback::Allowed && is_loopback(&url) {
            return Ok(Self(url));
        }
        if url.scheme() != "https" {
            return Err(Refused::NotHttps);
        }
        if !url.username().is_empty() || url.password().is_some() || authority_has_at(text) {
            return Err(Refused::UserInfo);
        }
        if url.fragment().is_some() {
            return Err(Refused::Fragment);
        }
        match url.host() {
            Some(Host::Domain(name)) => public_name(name)?,
            Some(Host::Ipv4(_) | Host::Ipv6(_)) => return Err(Refused::IpLiteral),
            None => return Err(Refused::NotPublic(String::new())),
        }
        Ok(Self(url))
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for CallbackUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn is_loopback(url: &Url) -> bool {
    let loopback = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    loopback
        && matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
}

/// An empty user name (`https://@host/`) leaves no trace in the parsed URL.
fn authority_has_at(text: &str) -> bool {
    let rest = text.split_once("//").map_or(text, |(_, rest)| rest);
    rest.split(['/', '?', '#', '\\']).next().is_some_and(|authority| authority.contains('@'))
}

fn public_name(name: &str) -> Result<(), Refused> {
    let refused = || Refused::NotPublic(name.to_owned());
    // A trailing dot names the same host; it is a way around lists of names, so it is refused.
    if name.ends_with('.') || name.len() > 253 {
        return Err(refused());
    }
    let labels: Vec<&str> = name.split('.').collect();
    let zone = labels.last().copied().unwrap_or_default();
    let well_formed = labels.len() >= 2 && labels.iter().all(|label| (1..=63).contains(&label.len()));
    let numeric = zone.bytes().all(|byte| byte.is_ascii_digit());
    if !well_formed || numeric || PRIVATE_ZONES.contains(&zone) { Err(refused()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f24_every_notation_of_a_private_address_is_refused() {
        for url in [
            "https://127.0.0.1/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0177.0.0.1/",
            "https://0x7f.1/",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[::ffff:7f00:1]/",
            "https://[64:ff9b::7f00:1]/",
            "https://169.254.169.254/latest/meta-data",
            "https://10.0.0.1/",
            "https://192.168.1.1/",
            "https://100.64.0.1/",
            "https://8.8.8.8/",
            "https://①②⑦.⓪.⓪.①/",
            "https://localhost/",
            "https://LOCALHOST/",
            "https://a.localhost/",
            "https://localhost./",
            "https://example.com./",
            "https://metadata.google.internal/",
            "https://printer.local/",
            "https://intranet/",
            "https://user@example.com/",
            "https://user:pw@example.com/",
            "https://@example.com/",
            "https://example.com@127.0.0.1/",
            "http://example.com/",
            "ftp://example.com/",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "//example.com/",
            "example.com",
            "",
            "https://",
            "https:///x",
            "https://a..com/",
            "https://example.com/#frag",
            "http://localhost:9000/hooks",
            "http://127.0.0.1:9000/hooks",
        ] {
            assert!(CallbackUrl::parse(url, Loopback::Refused).is_err(), "{url} was accepted");
        }
    }

    #[test]
    fn public_receivers_are_accepted() {
        for url in [
            "https://hooks.studio.com/afc",
            "https://studio.co.uk/",
            "https://xn--bcher-kva.ch/h?x=1",
            "https://bücher.ch/",
            "https://a.b.c.d.example.org:8443/path/with%20space",
        ] {
            assert!(CallbackUrl::parse(url, Loopback::Refused).is_ok(), "{url} was refused");
        }
    }

    #[test]
    fn a_development_stack_may_call_its_own_machine_and_nothing_else() {
        for url in ["http://127.0.0.1:9000/hooks/a", "http://localhost:9000/", "http://[::1]:9/"] {
            assert!(CallbackUrl::parse(url, Loopback::Allowed).is_ok(), "{url}");
        }
        for url in ["http://10.0.0.1/", "http://example.com/", "https://10.0.0.1/", "http://u@127.0.0.1/"] {
            assert!(CallbackUrl::parse(url, Loopback::Allowed).is_err(), "{url}");
        }
    }
}
