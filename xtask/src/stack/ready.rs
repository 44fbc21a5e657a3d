//! Waits for what takes a while, by asking it.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::crew::Started;
use crate::failure::{Failure, Outcome};
use crate::http::Call;

const PAUSE: Duration = Duration::from_millis(100);

/// The line with which a process of ours says that it is ready.
pub(super) async fn announced(name: &str, started: Started, limit: Duration) -> Outcome<Value> {
    match tokio::time::timeout(limit, started.ready).await {
        Ok(Ok(line)) => Ok(line),
        // It has ended without a word: the watch over it has the reason, and ends the start.
        Ok(Err(_)) => std::future::pending().await,
        Err(_) => Err(late(name, limit)),
    }
}

/// A text field of such a line.
pub(super) fn text(line: &Value, key: &str) -> Outcome<String> {
    line.get(key).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| {
        Failure::new(
            format!("a process announced itself without `{key}`: {line}"),
            "build it anew and report this if it stays",
        )
    })
}

/// Asks `url` until it answers 200.
pub(super) async fn answers(name: &str, url: &str, limit: Duration) -> Outcome {
    let since = Instant::now();
    let mut last = String::from("nothing");
    while since.elapsed() < limit {
        match Call::get(url).within(Duration::from_secs(10)).send().await {
            Ok(answer) if answer.status == 200 => return Ok(()),
            Ok(answer) => last = format!("{} {}", answer.status, answer.excerpt()),
            Err(failure) => failure.what().clone_into(&mut last),
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(Failure::new(
        format!("{}; {url} last said: {last}", late(name, limit).what()),
        "read its log below the stack's folder",
    ))
}

fn late(name: &str, limit: Duration) -> Failure {
    Failure::new(
        format!("{name} was not ready within {} s", limit.as_secs()),
        "read its log below the stack's folder",
    )
}
