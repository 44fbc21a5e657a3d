//! The subcommands.

pub(crate) mod life;
pub(crate) mod postgres;
pub(crate) mod proxy;
pub(crate) mod receiver;
pub(crate) mod simulator;

/// Why a subcommand failed; it is told and the process ends.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;
