//! Free ports on loopback that outgoing connections do not take by accident.

use std::io;
use std::net::{Ipv4Addr, TcpListener};

/// First port that may be chosen. Below 32768, where Linux begins to give out ephemeral ports: a server that
/// leaves its port for a moment (a restart, a refusing proxy) would otherwise find a client on it.
const FIRST: u32 = 20_000;
/// How many ports may be chosen, from [`FIRST`] on.
const COUNT: u32 = 12_000;
/// Chances before giving up. With half of the range in use, the odds of failing are 2^-100.
const CHANCES: u32 = 100;

/// A port on 127.0.0.1 between 20000 and 31999 that nothing listens on at this moment.
///
/// # Errors
/// Fails when the system has no randomness to give, or every port tried was taken.
pub fn free() -> io::Result<u16> {
    for _ in 0..CHANCES {
        let drawn = getrandom::u32().map_err(io::Error::other)?;
        let port = u16::try_from(FIRST + drawn % COUNT).map_err(io::Error::other)?;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    Err(io::Error::new(io::ErrorKind::AddrInUse, "no free port found between 20000 and 31999"))
}
