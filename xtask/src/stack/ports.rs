//! Free ports, below the range that the system hands out by itself (32768 and up on Linux), so that nothing takes one
//! between our choice and its use.

use std::net::TcpListener;

use crate::failure::{Failure, Outcome};
use crate::stack::secrets;

const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// Some different ports of 127.0.0.1 that nobody listens on. The search begins at a random one: two stacks that start at
/// once rarely meet, and the loser fails clearly at its start.
pub(super) fn free<const N: usize>() -> Outcome<[u16; N]> {
    let start = u16::from_le_bytes(secrets::random()?) % COUNT;
    let mut found = (0..COUNT).map(|step| FIRST + (start + step) % COUNT).filter(|port| is_free(*port));
    let mut ports = [0; N];
    for port in &mut ports {
        *port = found.next().ok_or_else(|| {
            Failure::new(
                format!("no free port in {FIRST}..{}", FIRST + COUNT),
                "stop some of what listens there",
            )
        })?;
    }
    Ok(ports)
}

fn is_free(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::{COUNT, FIRST, free, is_free};

    #[test]
    fn ports_are_different_free_and_in_range() {
        let ports: [u16; 4] = free().unwrap();
        for port in ports {
            assert!((FIRST..FIRST + COUNT).contains(&port));
            assert_eq!(ports.iter().filter(|other| **other == port).count(), 1);
        }
        let held = TcpListener::bind(("127.0.0.1", ports[0])).unwrap();
        assert!(!is_free(ports[0]));
        drop(held);
    }
}
