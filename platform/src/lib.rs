//! What both Workers need of their runtime, and nothing of what either does.

pub mod log;
pub mod settings;

mod database;
pub use database::{now, session};
mod socket;
