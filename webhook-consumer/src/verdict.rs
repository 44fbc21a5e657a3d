//! What a receiver's reply means, and when the next try is due.

use chrono::{DateTime, Utc};
use domain::timing::{ENDPOINT_PAUSE_MAX_SECONDS, ENDPOINT_PAUSE_SECONDS, next_delivery_ms};
use store::deliveries::Health;

/// What came of a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Answered(Answer),
    /// No answer within the time for one post. The receiver may have the event all the same.
    TimedOut,
    /// The connection failed; the text is the runtime's.
    Unreachable(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// `Retry-After`, as sent.
    pub(crate) retry_after: Option<String>,
    /// The beginning of the body.
    pub(crate) body: Vec<u8>,
}

/// What to record of a try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// A 2xx and nothing else (I10).
    Delivered {
        status: u16,
    },
    Failed(Failure),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The receiver's HTTP status, if it answered.
    pub(crate) status: Option<u16>,
    /// For the tenant and the log: one line, without control characters.
    pub(crate) error: String,
    /// The distance of the next try in milliseconds; `None` when there is none left.
    pub(crate) next_in_ms: Option<u64>,
    /// How long the receiver is to be left alone altogether, if it said so.
    pub(crate) pause_ms: Option<u64>,
    pub(crate) fault: Fault,
    /// Whether anything went to the receiver.
    pub(crate) sent: bool,
}

impl Failure {
    /// What it says of the endpoint.
    pub(crate) fn health(&self) -> Health {
        match (self.fault, self.status, self.pause_ms) {
            (Fault::Ours, _, _) => Health::Unharmed,
            (Fault::Receiver, Some(410), _) => Health::Gone,
            (Fault::Receiver, _, Some(pause_ms)) => {
                Health::Busy { pause_ms: i64::try_from(pause_ms).unwrap_or(i64::MAX) }
            }
            (Fault::Receiver, _, None) => Health::Failing,
        }
    }
}

/// Whose matter a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The receiver's: the tenant sees it on the delivery.
    Receiver,
    /// Ours: nothing was sent, and an operator must look.
    Ours,
}

/// A receiver that asks for more than a day is not obeyed.
pub(crate) const LONGEST_ASKED_MS: u64 = 24 * 3600 * 1000;

/// Which try it is, and what its successor's distance depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// So far, this one included.
    pub(crate) tries: u32,
    /// `domain::timing::Timing::delivery_second_ms`.
    pub(crate) second_ms: u64,
    /// 0 to 1000.
    pub(crate) jitter: u16,
}

impl Turn {
    fn next_in_ms(self) -> Option<u64> {
        next_delivery_ms(self.tries, self.second_ms, self.jitter)
    }
}

/// How much of a receiver's answer is kept, in bytes; `delivery_tries.response` holds no more.
pub(crate) const EXCERPT_BYTES: usize = 16 * 1024;

/// How much of an error's text is kept, in characters.
const ERROR_LENGTH: usize = 500;

/// Judges the reply to a try.
pub(crate) fn judge(reply: &Reply, turn: Turn, now: DateTime<Utc>) -> Verdict {
    let (status, error, wait) = match reply {
        Reply::TimedOut => (None, "no answer in time".to_owned(), Wait::Scheduled),
        Reply::Unreachable(why) => (None, format!("not reached: {why}"), Wait::Scheduled),
        Reply::Answered(answer) => match answer.status {
            200..=299 => return Verdict::Delivered { status: answer.status },
            status => (Some(status), refusal(answer), wait(answer, now)),
        },
    };
    let scheduled = turn.next_in_ms();
    let next_in_ms = match wait {
        Wait::Scheduled => scheduled,
        Wait::AtLeast(asked_ms) => scheduled.map(|scheduled| scheduled.max(asked_ms.min(LONGEST_ASKED_MS))),
        Wait::ForEver => None,
    };
    Verdict::Failed(Failure {
        status,
        error: one_line(&error),
        next_in_ms,
        pause_ms: pause(reply, now),
        fault: Fault::Receiver,
        sent: true,
    })
}

/// A failure that no try can mend: the receiver's address is refused.
pub(crate) fn refuse(why: &str) -> Failure {
    let error = one_line(&format!("not sent: the URL {why}"));
    Failure { status: None, error, next_in_ms: None, pause_ms: None, fault: Fault::Receiver, sent: false }
}

/// A failure on our side, before anything was sent; it waits like any other.
pub(crate) fn postpone(why: &str, turn: Turn) -> Failure {
    Failure {
        status: None,
        error: one_line(&format!("not sent: {why}")),
        next_in_ms: turn.next_in_ms(),
        pause_ms: None,
        fault: Fault::Ours,
        sent: false,
    }
}

enum Wait {
    Scheduled,
    AtLeast(u64),
    ForEver,
}

fn wait(answer: &Answer, now: DateTime<Utc>) -> Wait {
    match answer.status {
        // "Gone": the receiver wants no more of it (Standard Webhooks).
        410 => Wait::ForEver,
        429 | 503 => {
            let asked = answer.retry_after.as_deref().and_then(|text| asked_ms(text, now));
            asked.map_or(Wait::Scheduled, Wait::AtLeast)
        }
        // Any other refusal may be a deployment or a mistake that somebody mends: 4xx too.
        _ => Wait::Scheduled,
    }
}

/// "Too many requests", "bad gateway" and "gateway timeout" ask for room (Standard Webhooks).
fn pause(reply: &Reply, now: DateTime<Utc>) -> Option<u64> {
    let Reply::Answered(answer) = reply else { return None };
    let (least, most) = (ENDPOINT_PAUSE_SECONDS * 1000, ENDPOINT_PAUSE_MAX_SECONDS * 1000);
    let asked = answer.retry_after.as_deref().and_then(|text| asked_ms(text, now));
    matches!(answer.status, 429 | 502 | 504).then(|| asked.unwrap_or(least).clamp(least, most))
}

/// `Retry-After` in milliseconds: seconds, or a date (RFC 9110).
fn asked_ms(text: &str, now: DateTime<Utc>) -> Option<u64> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(seconds.saturating_mul(1000));
    }
    let date = DateTime::parse_from_rfc2822(text).ok()?;
    Some(u64::try_from((date.to_utc() - now).num_milliseconds()).unwrap_or(0))
}

fn refusal(answer: &Answer) -> String {
    let body = String::from_utf8_lossy(&answer.body);
    match (answer.status, body.trim()) {
        (status @ 300..=399, _) => format!("HTTP {status}: redirects are not followed"),
        (status, "") => format!("HTTP {status}"),
        (status, body) => format!("HTTP {status}: {body}"),
    }
}

/// What a receiver answered, for whoever asks why: text that Postgres takes, of [`EXCERPT_BYTES`] at most. `None` when
/// there was no answer.
pub(crate) fn excerpt(reply: &Reply) -> Option<String> {
    let Reply::Answered(answer) = reply else { return None };
    let mut kept = String::new();
    for c in String::from_utf8_lossy(&answer.body).chars() {
        let c = if c == '\0' { char::REPLACEMENT_CHARACTER } else { c };
        if kept.len() + c.len_utf8() > EXCERPT_BYTES {
            break;
        }
        kept.push(c);
    }
    Some(kept)
}

/// A receiver's words, fit for a log line and for Postgres, which takes no NUL.
fn one_line(text: &str) -> String {
    text.chars().take(ERROR_LENGTH).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod schedule;
#[cfg(test)]
mod tests;
