//! A container engine without containers.
//!
//! `workerd` and `wrangler dev` run Cloudflare Containers through the HTTP API of a Docker engine on a unix
//! socket. This crate answers the calls they make, and runs each application container as an ordinary child
//! process on the same machine. The real container path of `workerd` is exercised; only the engine below it is
//! replaced. Development only: a process is not a sandbox.
//!
//! In reading order: [`serve`] holds one engine on one socket, `api` turns requests into calls of `engine`,
//! which holds the containers; a container is a `process` or the in-process `sidecar`. [`docker`] is the command
//! line that `wrangler` runs, and [`client`] is how it (and a test) asks the engine.

pub mod serve;

mod api;
mod container;
mod engine;
mod image;
mod port;
mod process;
mod sidecar;
mod signal;
mod socket;
mod spec;
mod status;

pub mod client;
pub mod docker;
mod template;

pub use image::{InvalidImage, NamedImage};
pub use serve::{Config, RestartPolicies, ServeError};
