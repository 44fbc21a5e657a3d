//! What a person sees of work that takes longer than a second: a spinner on a terminal, plain lines elsewhere.
//!
//! All of it goes to stderr; stdout belongs to results.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// A piece of work under way. Dropped without [`Step::done`] it is shown as failed.
pub(crate) struct Step {
    label: String,
    started: Instant,
    bar: Option<ProgressBar>,
    finished: bool,
}

impl Step {
    /// Shows that the work called `label` starts.
    pub(crate) fn start(label: impl Into<String>) -> Self {
        let label = label.into();
        let bar = std::io::stderr().is_terminal().then(|| spinner(&label));
        if bar.is_none() {
            eprintln!("· {label}");
        }
        Self { label, started: Instant::now(), bar, finished: false }
    }

    /// Replaces the text behind the spinner; a plain output shows nothing.
    pub(crate) fn detail(&self, detail: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{} ({detail})", self.label));
        }
    }

    /// Shows that the work is done and how long it took.
    pub(crate) fn done(self) {
        self.done_with("");
    }

    /// As [`Step::done`], with a result behind it.
    pub(crate) fn done_with(mut self, result: &str) {
        self.finished = true;
        let gap = if result.is_empty() { "" } else { ": " };
        self.end(&format!("✓ {}{gap}{result} ({})", self.label, seconds(self.started.elapsed())));
    }

    fn end(&self, line: &str) {
        match &self.bar {
            Some(bar) => {
                bar.finish_and_clear();
                eprintln!("{line}");
            }
            None => eprintln!("{line}"),
        }
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        if !self.finished {
            self.end(&format!("✗ {} ({})", self.label, seconds(self.started.elapsed())));
        }
    }
}

/// A duration as `12.3 s`.
pub(crate) fn seconds(duration: Duration) -> String {
    format!("{}.{} s", duration.as_secs(), duration.subsec_millis() / 100)
}

fn spinner(label: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(label.to_owned());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::seconds;

    #[test]
    fn durations_are_shown_in_tenths() {
        assert_eq!(seconds(Duration::from_millis(12_345)), "12.3 s");
        assert_eq!(seconds(Duration::from_millis(40)), "0.0 s");
    }
}
