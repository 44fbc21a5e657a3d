//! The only SQL of AFC.
//!
//! Each function is named after what it does, holds its guard in the WHERE clause, costs one round trip unless it
//! says otherwise, and names every outcome in its return type. Every statement answers with **one row of one JSON
//! column**: public reports say that the driver is fragile behind Hyperdrive with many rows, and that user-defined
//! types are not to be used there (`docs/OPERATIONS.md`).

mod db;
pub use db::{Db, Error, ping};
mod session;
pub use session::{Credentials, session};

pub mod jobs;
pub use jobs::Job;

pub mod attempts;
pub mod audit;
pub mod clients;
pub mod deliveries;
pub mod endpoints;
pub mod gates;
pub mod inputs;
pub mod journal;
pub mod looks;
pub mod metrics;
pub mod outbox;
pub mod retention;
pub mod spend;
pub mod style_runs;
pub mod sweep;
pub mod timeline;
pub mod unknown;
