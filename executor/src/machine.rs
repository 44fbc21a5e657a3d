//! What a process takes from its machine beside the network: the time of day and chance. A parameter, so that a whole
//! execution can be repeated exactly (`docs/decisions/0037-simulation.md`).

use chrono::{DateTime, Utc};
use domain::AttemptId;
use uuid::Uuid;

/// A machine's clock and its chance.
pub trait Machine: Send + Sync + 'static {
    /// The time of day, which may jump.
    fn now(&self) -> DateTime<Utc>;

    /// 0 to 1000, for [`domain::timing::backoff_ms`].
    fn jitter(&self) -> u16;

    /// A time-ordered id for a paid call.
    fn mint(&self) -> AttemptId;
}

/// The machine that this process runs on.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThisMachine;

impl Machine for ThisMachine {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    fn jitter(&self) -> u16 {
        // Without randomness everybody waits the middle: still correct, only less spread.
        getrandom::u32().ok().and_then(|random| u16::try_from(random % 1001).ok()).unwrap_or(500)
    }

    fn mint(&self) -> AttemptId {
        AttemptId::new(Uuid::now_v7())
    }
}
