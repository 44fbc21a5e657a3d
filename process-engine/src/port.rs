use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};

/// Where applications listen. Below the range systems hand out for port 0 and for outgoing connections
/// (32768 and up on Linux, 49152 elsewhere), so that nothing takes a port between our choice and the
/// application's `bind`.
const FIRST: u16 = 20_000;
const COUNT: u16 = 10_000;

/// Hands out loopback ports, each to one container at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ports(Arc<Mutex<Taken>>);

#[derive(Debug, Default)]
struct Taken {
    leased: BTreeSet<u16>,
    next: u16,
}

/// A port that is this container's until dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    port: u16,
    ports: Ports,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no free loopback port between {FIRST} and {}", FIRST + COUNT - 1)]
pub(crate) struct NoPort;

impl Ports {
    /// `seed` spreads the first choice, so that two engines do not race for the same ports.
    pub(crate) fn new(seed: u32) -> Self {
        let next = u16::try_from(seed % u32::from(COUNT)).unwrap_or(0);
        Self(Arc::new(Mutex::new(Taken { leased: BTreeSet::new(), next })))
    }

    /// A port nobody listens on now. Each call goes on from the last choice: a port that was just given back is
    /// the last to be given out again.
    pub(crate) fn lease(&self) -> Result<Lease, NoPort> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..COUNT {
            let port = FIRST + taken.next;
            taken.next = (taken.next + 1) % COUNT;
            if !taken.leased.contains(&port) && TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
                taken.leased.insert(port);
                return Ok(Lease { port, ports: self.clone() });
            }
        }
        Err(NoPort)
    }
}

impl Lease {
    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.ports.0.lock().unwrap_or_else(PoisonError::into_inner).leased.remove(&self.port);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_leased_twice_and_dropped_leases_come_back() {
        let ports = Ports::new(std::process::id());
        let held: Vec<Lease> = (0..20).map(|_| ports.lease().unwrap()).collect();
        let distinct: BTreeSet<u16> = held.iter().map(Lease::port).collect();
        assert_eq!(distinct.len(), held.len());
        drop(held);
        assert!(ports.0.lock().unwrap().leased.is_empty());
    }

    #[test]
    fn a_port_in_use_is_passed_over() {
        let ports = Ports::new(std::process::id().wrapping_add(5_000));
        let next = FIRST + ports.0.lock().unwrap().next;
        // Either we hold the next port ourselves or somebody else does: in both cases it is in use.
        let _busy = TcpListener::bind((Ipv4Addr::LOCALHOST, next));
        assert_ne!(ports.lease().unwrap().port(), next);
    }
}
