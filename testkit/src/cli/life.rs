//! When a process is ready, and when it must end.

use std::error::Error;
use std::io;
use std::io::Write;

use serde::Serialize;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

/// The signals and the standard input that end this process.
#[derive(Debug)]
pub(crate) struct Life {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    input: Option<oneshot::Receiver<()>>,
}

impl Life {
    /// Watches for the end from now on. Call it before anything is started: a signal that comes too early for it
    /// ends the process at once.
    pub(crate) fn begin(exit_with_stdin: bool) -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            input: exit_with_stdin.then(watch_input),
        })
    }

    /// Waits for the end.
    pub(crate) async fn end(&mut self) {
        let input = async {
            match &mut self.input {
                Some(end) => drop(end.await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.hangup.recv() => {}
            () = input => {}
        }
    }

    /// Does `starting`, unless the end comes first: then `None`.
    pub(crate) async fn unless_over<T>(&mut self, starting: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            started = starting => Some(started),
            () = self.end() => None,
        }
    }
}

/// Watches standard input on a thread of its own: a runtime would wait for such a read at the end of the process.
fn watch_input() -> oneshot::Receiver<()> {
    let (ended, end) = oneshot::channel();
    std::thread::spawn(move || {
        drop(io::copy(&mut io::stdin().lock(), &mut io::sink()));
        ended.send(()).unwrap_or_default();
    });
    end
}

/// Prints the one line on standard output. A reader that is gone does not matter.
pub(crate) fn announce(ready: &impl Serialize) {
    let line = serde_json::to_string(ready).unwrap_or_default();
    let mut out = io::stdout().lock();
    drop(writeln!(out, "{line}").and_then(|()| out.flush()));
}

/// An error with its causes, in one line.
pub(crate) fn explain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
