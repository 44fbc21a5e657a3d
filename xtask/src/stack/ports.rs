//! Free ports, below the range that the system hands out by itself (32768 and up on Linux), so that nothing takes one
//! between our choice and its use.

use std::net::TcpListener;

use serde::{Deserialize, Serialize};

use super::place::Place;
use super::secrets;
use crate::failure::{Failure, OrFail, Outcome};

const FILE: &str = "ports.json";
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// Where a stack's servers listen, on 127.0.0.1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ports {
    pub(super) api: u16,
    pub(super) inspector: u16,
    pub(super) simulator: u16,
    pub(super) receiver: u16,
    pub(super) proxy: u16,
}

impl Ports {
    /// Those of the folder's last stack if they are free, so that addresses in its data stay true; otherwise new ones.
    pub(super) fn of(place: &Place) -> Outcome<Self> {
        let kept = std::fs::read(place.join(FILE))
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        if let Some(ports) = kept.filter(|ports| ports.all().into_iter().all(is_free)) {
            return Ok(ports);
        }
        let [api, inspector, simulator, receiver, proxy] = free()?;
        let ports = Self { api, inspector, simulator, receiver, proxy };
        let text = serde_json::to_string(&ports).or_fail("cannot write ports", "report this")?;
        place.write(FILE, &text)?;
        Ok(ports)
    }

    const fn all(&self) -> [u16; 5] {
        [self.api, self.inspector, self.simulator, self.receiver, self.proxy]
    }
}

/// Some different ports of 127.0.0.1 that nobody listens on. The search begins at a random one: two stacks that start at
/// once rarely meet, and the loser fails clearly at its start.
fn free<const N: usize>() -> Outcome<[u16; N]> {
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

    use super::{COUNT, FIRST, Ports, free, is_free};
    use crate::paths::Repo;
    use crate::scratch::Scratch;
    use crate::stack::place::Place;

    #[test]
    fn a_folder_keeps_its_ports_until_somebody_takes_one() {
        let folder = Scratch::new();
        let place = Place::claim(&Repo::at(folder.path(), folder.path()), &"dev".parse().unwrap()).unwrap();
        let first = Ports::of(&place).unwrap();
        assert_eq!(Ports::of(&place).unwrap(), first);
        let taken = TcpListener::bind(("127.0.0.1", first.receiver)).unwrap();
        assert!(!Ports::of(&place).unwrap().all().contains(&first.receiver));
        drop(taken);
    }

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
