//! Facts and decisions of AFC.
//!
//! Nothing in here performs I/O, reads a clock, draws randomness or awaits: time and jitter are arguments, so
//! every decision that touches money can be tested and searched exhaustively. The rules it holds (`A…`, `B…`,
//! `I…`) are stated in `docs/GUARANTEES.md`.

mod ids;
pub use ids::{AttemptId, ClientId, DeliveryId, EndpointId, InputId, JobId, NotAnId, StyleRunId};
mod key_pair;
pub use key_pair::KeyPair;
mod money;
pub use money::{DecimalError, Units, Usd};
mod secret;
pub use secret::Secret;

pub mod error;
pub mod job;

pub mod canonical;
pub mod fields;
pub mod json;
pub mod query;

pub mod budget;
pub mod callback_url;
pub mod client;
pub mod endpoint;
pub mod estimate;
pub mod generation;
pub mod idempotency;
pub mod inputs;
pub mod label;
pub mod listing;
pub mod provider;
pub mod rates;
pub mod scope;

pub mod attempt;
pub mod gate;
pub mod resolution;
pub mod retention;
pub mod runner;

pub mod execution;
pub mod journal;
pub mod token;
pub mod trace;

pub mod event;
pub mod media;
pub mod output;
pub mod signed;

pub mod review_link;
pub mod style_run;

pub mod timeline;
pub mod timing;
pub mod watch;
