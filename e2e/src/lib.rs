//! What scenarios say: requests to a running stack, and waiting for states.
//!
//! Every scenario marks its prompts with a text of its own, so that scenarios run beside each other on one stack and
//! each audits its own part of the simulator's ledger.

mod stack;
pub use stack::Stack;

mod api;
pub use api::{Answer, Api, Job};

mod style_runs;
pub use style_runs::Run;

mod review;
pub use review::{Review, answer};

#[cfg(feature = "browser")]
mod browser;
#[cfg(feature = "browser")]
pub use browser::{Browser, Device, turn};

mod simulator;
pub use simulator::{Call, Simulator};

mod postgres;
pub use postgres::{Postgres, Session};

mod receiver;
pub use receiver::{Delivery, Receiver};

mod engine;
pub use engine::Engine;

mod signal;
pub use signal::signal;

mod wait;
pub use wait::eventually;

/// A text that no other scenario uses.
pub fn marker(name: &str) -> String {
    format!("{name}-{}", uuid::Uuid::new_v4().simple())
}
