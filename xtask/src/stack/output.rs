//! What the processes of a stack print: all of it into `logs/`, and readable lines to the terminal.

use std::fs::File;
use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::sync::oneshot;

use crate::command::without_colours;

/// Whether a person sees the logs while the stack is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logs {
    Streamed,
    /// In their files only.
    Kept,
}

/// The terminal's side, closed until the stack is ready.
#[derive(Clone)]
pub(super) struct Terminal {
    logs: Logs,
    open: Arc<AtomicBool>,
}

impl Terminal {
    pub(super) fn new(logs: Logs) -> Self {
        Self { logs, open: Arc::default() }
    }

    /// From now on lines are shown, if they are to be shown at all.
    pub(super) fn open(&self) {
        self.open.store(self.logs == Logs::Streamed, Ordering::Relaxed);
    }

    /// Shows a line of `name`.
    pub(super) fn show(&self, name: &str, line: &str) {
        if !self.open.load(Ordering::Relaxed) {
            return;
        }
        if let Some(text) = readable(line) {
            let mut out = std::io::stdout().lock();
            let (begin, end) = if out.is_terminal() { ("\u{1b}[36m", "\u{1b}[0m") } else { ("", "") };
            // A closed terminal must not stop the stack; its logs are in files.
            let _ = writeln!(out, "{begin}{name:>10} │{end} {text}");
        }
    }
}

/// Copies a process's output line by line to its log and the terminal. The first line that is a JSON object with a key
/// `ready` goes to `ready` too. Ends with the output.
pub(super) async fn pump(
    name: &'static str,
    output: impl AsyncRead + Unpin,
    mut log: File,
    terminal: Terminal,
    mut ready: Option<oneshot::Sender<Value>>,
) {
    let mut lines = BufReader::new(output);
    let mut line = Vec::new();
    while matches!(lines.read_until(b'\n', &mut line).await, Ok(1..)) {
        // A full disk is not worth a stopped stack.
        let _ = log.write_all(&line);
        let text = String::from_utf8_lossy(&line);
        if ready.is_some() {
            let announced: Option<Value> = serde_json::from_str(&text).ok();
            if let Some(announcement) = announced.filter(|value| value.get("ready").is_some()) {
                // Nobody waits any more when the start was given up.
                let _ = ready.take().map(|ready| ready.send(announcement));
            }
        }
        terminal.show(name, text.trim_end());
        line.clear();
    }
}

/// A log line for a person: colours and empty lines dropped, JSON as `level message key=value`.
fn readable(line: &str) -> Option<String> {
    let plain = without_colours(line);
    // What a Worker logs comes with the name of its script, if it has one.
    let text = plain.trim().trim_start_matches("[undefined] ");
    if text.is_empty() {
        return None;
    }
    let (before, json) = text.find('{').and_then(|at| text.split_at_checked(at)).unwrap_or((text, ""));
    match serde_json::from_str::<Map<String, Value>>(json) {
        Ok(fields) => Some(sentence(before.trim(), &fields)),
        Err(_) => Some(text.to_owned()),
    }
}

fn sentence(before: &str, fields: &Map<String, Value>) -> String {
    let is_text = |key: &str| matches!(key, "level" | "message" | "msg");
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut words: Vec<String> = [before.to_owned()].into_iter().filter(|word| !word.is_empty()).collect();
    words.extend(["level", "message", "msg"].iter().filter_map(|key| fields.get(*key)).map(text));
    let rest =
        fields.iter().filter(|(key, _)| !is_text(key) && !matches!(key.as_str(), "timestamp" | "time"));
    words.extend(rest.map(|(key, value)| format!("{key}={}", text(value))));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Logs, Terminal, pump, readable};
    use crate::scratch::Scratch;

    #[test]
    fn lines_are_made_readable() {
        let cases = [
            ("\u{1b}[33mwarn\u{1b}[0m  slow ", Some("warn  slow")),
            ("   ", None),
            (
                r#"{"timestamp":"t","level":"info","message":"job finished","job.id":"x","n":3}"#,
                Some("info job finished job.id=x n=3"),
            ),
            (r#"[undefined] {"level":"error","message":"no"}"#, Some("error no")),
            ("GET /{id} 200", Some("GET /{id} 200")),
        ];
        for (line, wanted) in cases {
            assert_eq!(readable(line).as_deref(), wanted, "{line}");
        }
    }

    #[tokio::test]
    async fn the_announcement_is_found_among_other_lines_and_all_is_logged() {
        let folder = Scratch::new();
        let path = folder.path().join("x.log");
        let log = std::fs::File::create(&path).unwrap();
        let (send, announced) = tokio::sync::oneshot::channel();
        let output: &[u8] = b"starting\n{\"not\":\"it\"}\n{\"ready\":\"x\",\"url\":\"u\"}\nlast without end";
        pump("x", output, log, Terminal::new(Logs::Kept), Some(send)).await;
        assert_eq!(announced.await.unwrap()["url"], "u");
        assert_eq!(std::fs::read(path).unwrap(), output);
    }
}
