//! Where results may be fetched from: the guard against being led to a private address by a result's URL.
//!
//! The URL is checked, each redirect is, and so is every address that a name resolves to, at the moment it is
//! connected to: a name that changes its mind between check and use gains nothing.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{ClientBuilder, redirect};
use url::{Host, Url};

use crate::net::SendError;

const REDIRECTS: usize = 5;

/// How far a fetch may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// `https` to public addresses.
    Public,
    /// This machine too, over `http`: where the provider itself is a simulator on it.
    Loopback,
}

/// Why a URL is not fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    /// Anything but `https`, files included.
    #[error("is not https")]
    NotHttps,
    /// It would be sent along.
    #[error("carries a user name or password")]
    UserInfo,
    /// By its literal address, or by what its name resolves to.
    #[error("leads to an address that is not public")]
    Private,
}

impl Reach {
    /// The reach of a provider that is called at `base`.
    pub fn of_base(base: &Url) -> Self {
        if base.scheme() == "http" && loopback_host(base) { Self::Loopback } else { Self::Public }
    }

    /// Judges a URL as far as it can be without resolving its name.
    pub fn check(self, url: &Url) -> Result<(), Unreachable> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Unreachable::UserInfo);
        }
        if self == Self::Loopback && matches!(url.scheme(), "http" | "https") && loopback_host(url) {
            return Ok(());
        }
        if url.scheme() != "https" {
            return Err(Unreachable::NotHttps);
        }
        let allowed = match url.host() {
            Some(Host::Domain(name)) => name != "localhost" && !name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => self.allows(address.into()),
            Some(Host::Ipv6(address)) => self.allows(address.into()),
            None => false,
        };
        if allowed { Ok(()) } else { Err(Unreachable::Private) }
    }

    /// Whether an address that a name resolved to may be connected to.
    fn allows(self, address: IpAddr) -> bool {
        is_public(address) || (self == Self::Loopback && address.is_loopback())
    }

    /// Makes a client keep to this reach. Without a proxy: a proxy would resolve names out of our sight.
    pub fn hold(self, builder: ClientBuilder) -> ClientBuilder {
        let redirects = redirect::Policy::custom(move |attempt| {
            if attempt.previous().len() > REDIRECTS {
                return attempt.error("too many redirects");
            }
            match self.check(attempt.url()) {
                Ok(()) => attempt.follow(),
                Err(why) => attempt.error(why),
            }
        });
        builder.no_proxy().redirect(redirects).dns_resolver(Guarded(self))
    }
}

/// Why a request to an allowed URL was not carried through all the same: by a redirect, or by what a name resolved to.
pub fn refusal(error: &SendError) -> Option<Unreachable> {
    let SendError::Http(error) = error else {
        return None;
    };
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        if let Some(why) = error.downcast_ref::<Unreachable>() {
            return Some(why.clone());
        }
        cause = error.source();
    }
    None
}

fn loopback_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

struct Guarded(Reach);

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> = found.filter(|found| reach.allows(found.ip())).collect();
            if allowed.is_empty() {
                return Err(Unreachable::Private.into());
            }
            let addresses: Addrs = Box::new(allowed.into_iter());
            Ok(addresses)
        })
    }
}

/// Whether an address belongs to the public internet (IANA's special-purpose registries).
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (18..20).contains(&b));
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    // Global unicast is 2000::/3; below it lie documentation (2001:db8::/32, 3fff::/20), Teredo and other protocol
    // assignments (2001::/23) and 6to4 (2002::/16), which lead elsewhere.
    let [a, b, ..] = address.segments();
    let global = (0x2000..0x4000).contains(&a);
    let special = (a == 0x2001 && (b < 0x200 || b == 0xdb8)) || a == 0x2002 || (a == 0x3fff && b < 0x1000);
    global && !special
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reach: Reach, url: &str) -> Result<(), Unreachable> {
        reach.check(&url.parse().unwrap())
    }

    #[test]
    fn f24_a_result_url_never_leads_to_a_private_address() {
        for url in [
            "http://v3.fal.media/x.mp4",
            "https://127.0.0.1/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://10.1.2.3/",
            "https://172.16.0.1/",
            "https://192.168.0.1/",
            "https://169.254.169.254/latest/meta-data",
            "https://100.64.0.1/",
            "https://0.0.0.0/",
            "https://198.18.0.1/",
            "https://255.255.255.255/",
            "https://[::1]/",
            "https://[::]/",
            "https://[::ffff:10.0.0.1]/",
            "https://[64:ff9b::7f00:1]/",
            "https://[fd00::1]/",
            "https://[fe80::1]/",
            "https://[2002:7f00:1::]/",
            "https://localhost/",
            "https://a.localhost/",
            "https://user@v3.fal.media/x.mp4",
            "file:///etc/passwd",
        ] {
            assert!(check(Reach::Public, url).is_err(), "{url}");
        }
        for url in ["https://v3.fal.media/files/x.mp4", "https://8.8.8.8/", "https://[2606:4700::1111]/"] {
            assert_eq!(check(Reach::Public, url), Ok(()), "{url}");
        }
    }

    #[test]
    fn a_simulator_on_this_machine_widens_the_reach_to_this_machine_only() {
        let reach = Reach::of_base(&"http://127.0.0.1:9000/fal".parse().unwrap());
        assert_eq!(reach, Reach::Loopback);
        assert_eq!(check(reach, "http://127.0.0.1:9001/x.mp4"), Ok(()));
        assert!(check(reach, "http://10.0.0.1/").is_err());
        assert!(check(reach, "http://example.com/").is_err());
        assert_eq!(Reach::of_base(&"https://queue.fal.run".parse().unwrap()), Reach::Public);
        assert_eq!(Reach::of_base(&"https://127.0.0.1".parse().unwrap()), Reach::Public);
    }

    #[tokio::test]
    async fn a_name_that_resolves_to_a_private_address_is_not_connected_to() {
        let resolved = Guarded(Reach::Public).resolve("localhost".parse().unwrap()).await;
        assert!(resolved.is_err());
        assert!(Guarded(Reach::Loopback).resolve("localhost".parse().unwrap()).await.is_ok());
    }
}
