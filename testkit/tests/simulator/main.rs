//! The provider simulator over real sockets: every provider's protocol, and every fault a script can ask for.

mod fal;
mod faults;
mod hooks;
mod protocol;
mod tasks;
