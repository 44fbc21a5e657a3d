//! What is in force, and which connections it concerns.

use std::convert::Infallible;
use std::mem;

use tokio::sync::{mpsc, watch};

use super::mode::Mode;

/// The mode and the connections under it.
///
/// A connection reads the setting under the lock of the watch for as long as a write lasts, so a change waits for
/// writes under way, and none that it forbids comes after it.
#[derive(Debug)]
pub(super) struct Faults {
    setting: watch::Sender<Setting>,
}

#[derive(Debug)]
struct Setting {
    mode: Mode,
    /// Counts the modes, so that a cut concerns the connections of its own time only.
    number: u64,
    generation: Generation,
}

/// The connections between two resets.
#[derive(Debug)]
struct Generation {
    number: u64,
    /// Every connection holds a copy: when `closed` ends, all are gone.
    open: mpsc::Sender<Infallible>,
    closed: mpsc::Receiver<Infallible>,
}

/// What becomes of a new connection.
#[derive(Debug)]
pub(super) enum Admission {
    Forward(Ticket),
    Refuse,
}

/// A connection's place among the faults. It is held until the connection's sockets are closed.
#[derive(Debug)]
pub(super) struct Ticket {
    setting: watch::Receiver<Setting>,
    /// The number of the mode it was accepted under.
    mode: u64,
    generation: u64,
    _open: mpsc::Sender<Infallible>,
}

/// The connection is to be reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Revoked;

impl Default for Faults {
    fn default() -> Self {
        let setting = Setting { mode: Mode::default(), number: 0, generation: Generation::begin(0) };
        Self { setting: watch::Sender::new(setting) }
    }
}

impl Faults {
    pub(super) fn mode(&self) -> Mode {
        self.setting.borrow().mode
    }

    pub(super) fn admit(&self) -> Admission {
        let setting = self.setting.borrow();
        match setting.mode {
            Mode::Refuse => Admission::Refuse,
            Mode::Pass | Mode::Stall | Mode::CutAfterBytes(_) => Admission::Forward(Ticket {
                setting: self.setting.subscribe(),
                mode: setting.number,
                generation: setting.generation.number,
                _open: setting.generation.open.clone(),
            }),
        }
    }

    pub(super) async fn set(&self, mode: Mode) {
        let mut revoked = None;
        self.setting.send_modify(|setting| {
            setting.mode = mode;
            setting.number += 1;
            revoked = (mode == Mode::Refuse).then(|| setting.generation.revoke());
        });
        if let Some(generation) = revoked {
            generation.end().await;
        }
    }

    pub(super) async fn drop_connections(&self) {
        let mut revoked = None;
        self.setting.send_modify(|setting| revoked = Some(setting.generation.revoke()));
        if let Some(generation) = revoked {
            generation.end().await;
        }
    }
}

impl Generation {
    fn begin(number: u64) -> Self {
        let (open, closed) = mpsc::channel(1);
        Self { number, open, closed }
    }

    /// Begins the next one, and gives the one that is to end.
    fn revoke(&mut self) -> Self {
        let next = Self::begin(self.number + 1);
        mem::replace(self, next)
    }

    /// Waits until all its connections are gone.
    async fn end(mut self) {
        drop(self.open);
        // Nothing is ever sent: this ends when the last copy of the sender does.
        while self.closed.recv().await.is_some() {}
    }
}

impl Ticket {
    /// Returns when the connection must be reset.
    pub(super) async fn revoked(&self) {
        let mut setting = self.setting.clone();
        drop(setting.wait_for(|setting| !self.is_good(setting)).await);
    }

    /// Waits until something may pass, and does `act` while that is certain. `act` gets the number of bytes from the
    /// target after which the connection is cut, if it is to be.
    pub(super) async fn pass<T>(&self, act: impl FnOnce(Option<u64>) -> T) -> Result<T, Revoked> {
        let mut setting = self.setting.clone();
        let flows = |setting: &Setting| setting.mode != Mode::Stall || !self.is_good(setting);
        // The guard is the lock.
        let setting = setting.wait_for(flows).await.map_err(|_| Revoked)?;
        if self.is_good(&setting) { Ok(act(self.limit(&setting))) } else { Err(Revoked) }
    }

    fn is_good(&self, setting: &Setting) -> bool {
        self.generation == setting.generation.number
    }

    fn limit(&self, setting: &Setting) -> Option<u64> {
        match setting.mode {
            Mode::CutAfterBytes(bytes) if self.mode == setting.number => Some(bytes),
            Mode::Pass | Mode::Refuse | Mode::Stall | Mode::CutAfterBytes(_) => None,
        }
    }
}
