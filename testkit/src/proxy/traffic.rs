//! What has passed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use super::mode::Mode;

/// How a proxy stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct State {
    /// What it does.
    pub mode: Mode,
    /// Connections that are open.
    pub connections: u64,
    /// Connections ever accepted, those that were reset at once among them.
    pub accepted: u64,
    /// Bytes passed on to the target.
    pub bytes_up: u64,
    /// Bytes passed on from the target.
    pub bytes_down: u64,
}

#[derive(Debug, Default)]
pub(super) struct Traffic {
    accepted: AtomicU64,
    open: AtomicU64,
    pub(super) up: AtomicU64,
    pub(super) down: AtomicU64,
}

impl Traffic {
    pub(super) fn accept(&self) {
        self.accepted.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn state(&self, mode: Mode) -> State {
        State {
            mode,
            connections: self.open.load(Ordering::Relaxed),
            accepted: self.accepted.load(Ordering::Relaxed),
            bytes_up: self.up.load(Ordering::Relaxed),
            bytes_down: self.down.load(Ordering::Relaxed),
        }
    }
}

/// A connection that is open, until this is dropped.
#[derive(Debug)]
pub(super) struct Open {
    traffic: Arc<Traffic>,
}

impl Open {
    pub(super) fn begin(traffic: &Arc<Traffic>) -> Self {
        traffic.open.fetch_add(1, Ordering::Relaxed);
        Self { traffic: Arc::clone(traffic) }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.traffic.open.fetch_sub(1, Ordering::Relaxed);
    }
}
