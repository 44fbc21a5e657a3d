//! What AFC is developed and tested against: an embedded Postgres behind a transaction pooler, a provider simulator
//! with a ledger, a webhook receiver, a schema per test, a control plane without Workers, and a proxy that injects
//! faults. Nothing of it is deployed.

pub mod backlog;
pub mod bucket;
pub mod client;
pub mod control;
pub mod database;
pub mod growth;
pub mod listening;
mod lock;
pub mod migrate;
pub mod money;
pub mod plane;
pub mod pooler;
pub mod ports;
pub mod postgres;
pub mod proxy;
pub mod receiver;
mod server;
pub mod simulator;
