use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicU16, Ordering};

/// Where applications listen. Below the range systems hand out for port 0 and for outgoing connections
/// (32768 and up on Linux, 49152 elsewhere), so that nothing takes a port between our choice and the
/// application's `bind`.
const FIRST: u16 = 20_000;
const COUNT: u16 = 10_000;

/// Hands out loopback ports, each to one container at a time, of whatever engine on this machine.
#[derive(Debug)]
pub(crate) struct Ports {
    next: AtomicU16,
}

/// A port that is this container's until dropped.
///
/// The TCP port has to be free for the application. What is held instead is the UDP port of the same number: the
/// kernel gives it to one engine only, and takes it back however that engine ends. Without it, two engines that
/// start applications at the same time could choose the same port, and requests would reach a stranger.
#[derive(Debug)]
pub(crate) struct Lease {
    port: u16,
    _lock: UdpSocket,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no free loopback port between {FIRST} and {}", FIRST + COUNT - 1)]
pub(crate) struct NoPort;

impl Ports {
    /// `seed` spreads the first choice, so that engines seldom try the same ports.
    pub(crate) fn new(seed: u32) -> Self {
        let next = u16::try_from(seed % u32::from(COUNT)).unwrap_or(0);
        Self { next: AtomicU16::new(next) }
    }

    /// A port nobody listens on now. Each call goes on from the last choice: a port that was just given back is
    /// the last to be given out again.
    pub(crate) fn lease(&self) -> Result<Lease, NoPort> {
        (0..COUNT).find_map(|_| lock(self.advance())).ok_or(NoPort)
    }

    fn advance(&self) -> u16 {
        let step = |next: u16| Some((next + 1) % COUNT);
        let chosen = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, step);
        FIRST + chosen.unwrap_or_else(|unchanged| unchanged)
    }
}

fn lock(port: u16) -> Option<Lease> {
    let lock = UdpSocket::bind((Ipv4Addr::LOCALHOST, port)).ok()?;
    // Asked under the lock, so that only strangers can be found listening. Not by listening ourselves: a process that
    // is being started at this moment would hold our listener, too, until its `exec`, and the application would
    // find its port taken.
    match TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => Some(Lease { port, _lock: lock }),
        Ok(_) | Err(_) => None,
    }
}

impl Lease {
    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn no_two_engines_lease_the_same_port() {
        let seed = std::process::id();
        let (one, other) = (Ports::new(seed), Ports::new(seed));
        let held: Vec<Lease> = (0..40).flat_map(|_| [one.lease().unwrap(), other.lease().unwrap()]).collect();
        let distinct: BTreeSet<u16> = held.iter().map(Lease::port).collect();
        assert_eq!(distinct.len(), held.len());
        assert!(distinct.iter().all(|port| (FIRST..FIRST + COUNT).contains(port)));
    }

    #[test]
    fn a_dropped_lease_frees_its_port() {
        let lease = Ports::new(std::process::id().wrapping_add(3_000)).lease().unwrap();
        let port = lease.port();
        assert!(lock(port).is_none());
        drop(lease);
        assert!(lock(port).is_some());
    }

    #[test]
    fn a_port_somebody_listens_on_is_passed_over() {
        let seed = std::process::id().wrapping_add(6_000);
        let next = Ports::new(seed).advance();
        // Either we hold the port ourselves or somebody else does: in both cases it is in use.
        let _busy = TcpListener::bind((Ipv4Addr::LOCALHOST, next));
        assert_ne!(Ports::new(seed).lease().unwrap().port(), next);
    }
}
