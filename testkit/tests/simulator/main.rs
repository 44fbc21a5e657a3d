//! The provider simulator over real sockets: fal's protocol, and every fault a script can ask for.

mod fal;
mod faults;
mod hooks;
mod protocol;
