//! The signals that a stack's owner answers.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::{OrFail, Outcome};

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Stop,
    RestartWrangler,
}

/// Installed handlers; from then on these signals end the process no more.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
    user: Signal,
}

impl Signals {
    pub(super) fn install() -> Outcome<Self> {
        let install = |kind| {
            signal(kind).or_fail("cannot install a signal handler", "check the limits of this machine")
        };
        Ok(Self {
            interrupt: install(SignalKind::interrupt())?,
            terminate: install(SignalKind::terminate())?,
            hang_up: install(SignalKind::hangup())?,
            user: install(SignalKind::user_defined1())?,
        })
    }

    /// The next request; may be dropped and called again without losing one.
    pub(super) async fn next(&mut self) -> Request {
        tokio::select! {
            _ = self.interrupt.recv() => Request::Stop,
            _ = self.terminate.recv() => Request::Stop,
            _ = self.hang_up.recv() => Request::Stop,
            _ = self.user.recv() => Request::RestartWrangler,
        }
    }

    /// The next request to stop.
    pub(super) async fn stop(&mut self) {
        while self.next().await != Request::Stop {}
    }
}
