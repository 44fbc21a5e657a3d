//! A deterministic simulation of paid jobs: the real executor, with every request it makes answered by fakes on virtual
//! time, and broken at every await (`docs/decisions/0037-simulation.md`).
//!
//! A [`case::Case`] is a run in numbers. [`run::run`] runs it and lets the auditor compare the provider's ledger with the
//! record; [`explore`] does so with every single fault and with pairs of them by seed.

pub mod case;
pub mod explore;
pub mod run;
pub mod world;

mod audit;
mod bucket;
mod control;
mod message;
mod process;
mod provider;
mod record;
mod wire;
