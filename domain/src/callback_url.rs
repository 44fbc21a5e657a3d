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
    #[error(
        "must be spelled as RFC 3986 has it: scheme, \"://\", host, and no spaces, backslashes or quotes"
    )]
    Misspelled,
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
    #[error("must not lead to AFC itself")]
    Own,
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
        if !is_spelled_out(text) {
            return Err(Refused::Misspelled);
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

    /// Refuses AFC itself as a receiver: the host of `own`, the URL that it is reached at, and names below it.
    pub fn elsewhere(&self, own: &str) -> Result<(), Refused> {
        let Ok(own) = Url::parse(own) else { return Ok(()) };
        let (Some(host), Some(own_host)) = (self.0.host_str(), own.host_str()) else { return Ok(()) };
        let below = host.strip_suffix(own_host).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        // All of a development stack is on one host.
        let beside = is_loopback(&own) && self.0.port_or_known_default() != own.port_or_known_default();
        if below && !beside { Err(Refused::Own) } else { Ok(()) }
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

/// Whether nothing has to be repaired. The WHATWG parser drops tabs and line ends, takes `\` for `/` and any number of
/// slashes for two; whoever reads the same text by RFC 3986 finds another host in it.
fn is_spelled_out(text: &str) -> bool {
    let foreign = |c: char| c.is_whitespace() || c.is_control() || "\"<>\\^`{|}".contains(c);
    let rest = text.split_once("://").map(|(_, rest)| rest);
    rest.is_some_and(|rest| !rest.starts_with(['/', '?', '#'])) && !text.contains(foreign)
}

/// An empty user name (`https://@host/`) leaves no trace in the parsed URL.
fn authority_has_at(text: &str) -> bool {
    let rest = text.split_once("//").map_or(text, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().is_some_and(|authority| authority.contains('@'))
}

fn public_name(name: &str) -> Result<(), Refused> {
    let refused = || Refused::NotPublic(name.to_owned());
    // A trailing dot names the same host; it is a way around lists of names, so it is refused.
    if name.ends_with('.') || name.len() > 253 {
        return Err(refused());
    }
    let labels: Vec<&str> = name.split('.').collect();
    let zone = labels.last().copied().unwrap_or_default();
    let well_formed = labels.len() >= 2 && labels.iter().all(|label| is_label(label));
    let numeric = zone.bytes().all(|byte| byte.is_ascii_digit());
    if !well_formed || numeric || PRIVATE_ZONES.contains(&zone) { Err(refused()) } else { Ok(()) }
}

/// Letters, digits, hyphens inside, and underscores, which some hosts do carry.
fn is_label(label: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=63).contains(&label.len())
        && label.bytes().all(allowed)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(corpus: &str) -> Vec<&str> {
        corpus.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect()
    }

    #[test]
    fn f24_hostile_receivers_are_refused_in_every_notation() {
        let hostile = lines(include_str!("callback_url/hostile.txt"));
        assert!(hostile.len() >= 120, "{}", hostile.len());
        let accepted: Vec<_> =
            hostile.into_iter().filter(|url| CallbackUrl::parse(url, Loopback::Refused).is_ok()).collect();
        assert!(accepted.is_empty(), "accepted: {accepted:#?}");
    }

    #[test]
    fn f24_a_development_stack_opens_its_own_machine_and_nothing_else() {
        let loopback =
            ["127.", "localhost", "[::1]", "[0:0:0:0:0:0:0:1]", "0x7f", "0177", "2130706433", "①②⑦"];
        let others = lines(include_str!("callback_url/hostile.txt")).into_iter();
        let others = others.filter(|url| !loopback.iter().any(|own| url.to_lowercase().contains(own)));
        let accepted: Vec<_> = others
            .filter(|url| CallbackUrl::parse(url, Loopback::Allowed).is_ok_and(|url| !is_loopback(&url.0)))
            .collect();
        assert!(accepted.is_empty(), "accepted: {accepted:#?}");
    }

    #[test]
    fn f24_what_a_parser_would_have_to_repair_is_refused() {
        for url in [
            "https:studio.com/hook",
            "https:/studio.com/hook",
            "https:///studio.com/hook",
            "https:\\\\studio.com\\hook",
            "https://studio.com\\hook",
            " https://studio.com/",
            "https://studio.com/ ",
            "https://stu\tdio.com/",
            "https://studio.com/a\nb",
            "https://studio.com/\u{7f}",
            "https://studio.com/\u{a0}",
            "https://studio.com/a b",
            "https://studio.com/<a>",
            "https://studio.com/?q={a}",
        ] {
            assert_eq!(CallbackUrl::parse(url, Loopback::Refused), Err(Refused::Misspelled), "{url:?}");
        }
    }

    #[test]
    fn f24_afc_is_no_receiver_of_its_own_events() {
        let leads = |url: &str, own: &str| CallbackUrl::parse(url, Loopback::Allowed).unwrap().elsewhere(own);
        let own = "https://afc-api.studio.com";
        for url in [
            "https://afc-api.studio.com/v1",
            "https://AFC-API.studio.com:8443/",
            "https://a.afc-api.studio.com/",
        ] {
            assert_eq!(leads(url, own), Err(Refused::Own), "{url}");
        }
        for url in ["https://hooks.studio.com/", "https://not-afc-api.studio.com/", "https://studio.com/"] {
            assert_eq!(leads(url, own), Ok(()), "{url}");
        }
        let own = "http://127.0.0.1:8787";
        assert_eq!(leads("http://127.0.0.1:8787/v1", own), Err(Refused::Own));
        assert_eq!(leads("http://127.0.0.1:9000/hooks/a", own), Ok(()));
        assert_eq!(leads("https://hooks.studio.com/", ""), Ok(()));
    }

    #[test]
    fn f24_public_receivers_are_accepted() {
        let good = lines(include_str!("callback_url/good.txt"));
        assert!(good.len() >= 40, "{}", good.len());
        for url in good {
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
