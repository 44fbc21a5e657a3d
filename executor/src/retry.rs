//! Waiting before a free phase is tried again.

use std::sync::Arc;
use std::time::Duration;

use domain::timing::{Timing, backoff_ms};

use crate::machine::Machine;

/// No pause between two free tries is longer.
const LIMIT_MS: u64 = 30_000;

/// Counts the failures in a row of something that costs nothing to repeat.
pub struct Backoff {
    machine: Arc<dyn Machine>,
    first_ms: u64,
    failures: u32,
}

impl Backoff {
    /// Begins with `free_retry_ms`.
    pub fn new(timing: &Timing, machine: &Arc<dyn Machine>) -> Self {
        Self { machine: Arc::clone(machine), first_ms: timing.free_retry_ms, failures: 0 }
    }

    /// Another failure: how long to wait before the next try.
    pub fn pause(&mut self) -> Duration {
        let pause = backoff_ms(self.first_ms, LIMIT_MS, self.failures, self.machine.jitter());
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
