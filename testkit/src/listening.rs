//! Where a program of ours says that it listens: the line of its log, JSON a line, that has `server.address`.

use serde_json::Value;
use std::io;
use tokio::io::{AsyncBufRead, Lines};

/// Reads `lines` up to that one and returns the URL by which the program is reached from here.
///
/// # Errors
/// Fails when the log ends before, and when it cannot be read.
pub async fn url<R: AsyncBufRead + Unpin>(lines: &mut Lines<R>) -> io::Result<String> {
    while let Some(line) = lines.next_line().await? {
        let line: Value = serde_json::from_str(&line).unwrap_or_default();
        if let Some(address) = line.get("server.address").and_then(Value::as_str) {
            return Ok(format!("http://{}", address.replace("0.0.0.0", "127.0.0.1")));
        }
    }
    Err(io::Error::other("the program ended before it listened"))
}
