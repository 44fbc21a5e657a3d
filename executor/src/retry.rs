//! Waiting before a free phase is tried again.

use std::time::Duration;

use domain::timing::{Timing, backoff_ms};
use uuid::Uuid;

/// No pause between two free tries is longer.
const LIMIT_MS: u64 = 30_000;

/// Counts the failures in a row of something that costs nothing to repeat.
#[derive(Debug)]
pub struct Backoff {
    first_ms: u64,
    failures: u32,
}

impl Backoff {
    /// Begins with `free_retry_ms`.
    pub fn new(timing: &Timing) -> Self {
        Self { first_ms: timing.free_retry_ms, failures: 0 }
    }

    /// Another failure: how long to wait before the next try.
    pub fn pause(&mut self) -> Duration {
        let pause = backoff_ms(self.first_ms, LIMIT_MS, self.failures, jitter());
        self.failures = self.failures.saturating_add(1);
        Duration::from_millis(pause)
    }

    /// Failures in a row.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// It worked.
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

/// 0 to 1000, for [`backoff_ms`].
pub fn jitter() -> u16 {
    // Without randomness everybody waits the middle: still correct, only less spread.
    getrandom::u32().ok().and_then(|random| u16::try_from(random % 1001).ok()).unwrap_or(500)
}

/// A time-ordered id for a paid call.
pub fn mint_attempt() -> domain::AttemptId {
    domain::AttemptId::new(Uuid::now_v7())
}
