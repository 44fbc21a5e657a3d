//! What came of a message, what the queue is told of it, and the line it leaves in the log.

use std::fmt;

use domain::timing::backoff_ms;
use domain::trace::TraceId;
use serde_json::{Map, Value, json};
use store::deliveries::Parked;

use crate::verdict::{Failure, Fault};

/// What came of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A 2xx, recorded.
    Delivered(Try),
    /// A failed try, recorded; dead when there is no next.
    Failed(Try, Failure),
    /// Another claim or an earlier success stands; what we learned changed nothing.
    Superseded(Try),
    /// A message that the queue gave up on was kept, and its row decides.
    Buried(Parked),
    /// Nothing to do any more.
    Settled(Standing),
    /// Somebody else posts right now, or it is not due yet.
    Later { in_ms: u64 },
    /// A body that names no delivery.
    Malformed(String),
    /// The database or the configuration kept us from beginning, or from recording the `status` that a receiver
    /// answered.
    Hindered { error: String, status: Option<u16> },
}

/// One post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Try {
    pub(crate) tries: u32,
    pub(crate) status: Option<u16>,
    pub(crate) duration_ms: u64,
    /// The consumer before us was lost between its claim and its word: the receiver may have the event already.
    pub(crate) after_lost: bool,
    /// The story that the event belongs to.
    pub(crate) trace: Option<TraceId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Delivered,
    Dead,
    Missing,
}

/// What the queue is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settlement {
    Acknowledge,
    /// Show the message again after so many seconds, at least one.
    Retry {
        seconds: u32,
    },
}

/// First wait for a database that is away, and the longest: a message's 100 retries last for about an hour, and the
/// sweeper sends new ones for what is still due then.
const HINDERED_FIRST_MS: u64 = 5_000;
const HINDERED_LIMIT_MS: u64 = 60_000;

/// The platform puts a message off by 24 hours at most.
const LONGEST_DELAY_SECONDS: u64 = 24 * 3600;

impl Outcome {
    /// `attempts` is how often the queue has shown the message, this time included; `jitter` is 0 to 1000.
    ///
    /// The row rules: when in doubt a message comes back, looks at the row again and finds what stands.
    pub(crate) fn settlement(&self, attempts: u32, jitter: u16) -> Settlement {
        match self {
            Self::Delivered(_) | Self::Buried(_) | Self::Settled(_) | Self::Malformed(_) => {
                Settlement::Acknowledge
            }
            Self::Failed(_, failure) => failure.next_in_ms.map_or(Settlement::Acknowledge, retry),
            Self::Superseded(_) => retry(0),
            Self::Later { in_ms } => retry(*in_ms),
            Self::Hindered { .. } => {
                let failures = attempts.saturating_sub(1);
                retry(backoff_ms(HINDERED_FIRST_MS, HINDERED_LIMIT_MS, failures, jitter))
            }
        }
    }

    /// What happened, in words that stay the same.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Delivered(_) => "webhook delivered",
            Self::Failed(_, Failure { next_in_ms: Some(_), .. }) => "webhook failed",
            Self::Failed(_, Failure { next_in_ms: None, .. }) => "webhook dead",
            Self::Superseded(_) => "webhook superseded",
            Self::Buried(Parked::Due) => "webhook message dead, delivery due",
            Self::Buried(Parked::Over) => "webhook message dead, delivery over",
            Self::Settled(Standing::Delivered) => "webhook delivered before",
            Self::Settled(Standing::Dead) => "webhook dead before",
            Self::Settled(Standing::Missing) => "webhook unknown",
            Self::Later { .. } => "webhook not due",
            Self::Malformed(_) => "webhook message malformed",
            Self::Hindered { .. } => "webhook hindered",
        }
    }

    /// Whether AFC or its operator must look after it. A receiver that fails is the tenant's matter until the tries
    /// are used up.
    pub(crate) const fn is_error(&self) -> bool {
        match self {
            Self::Delivered(_)
            | Self::Superseded(_)
            | Self::Later { .. }
            | Self::Settled(Standing::Delivered | Standing::Dead) => false,
            Self::Failed(_, failure) => failure.next_in_ms.is_none() || matches!(failure.fault, Fault::Ours),
            Self::Buried(_)
            | Self::Settled(Standing::Missing)
            | Self::Malformed(_)
            | Self::Hindered { .. } => true,
        }
    }

    /// Fields of the log line.
    pub(crate) fn fields(&self) -> Map<String, Value> {
        let (one, error, next_in_ms, status) = match self {
            Self::Delivered(one) | Self::Superseded(one) => (Some(one), None, None, None),
            Self::Failed(one, failure) => (Some(one), Some(&failure.error), failure.next_in_ms, None),
            Self::Buried(_) | Self::Settled(_) => (None, None, None, None),
            Self::Later { in_ms } => (None, None, Some(*in_ms), None),
            Self::Malformed(error) => (None, Some(error), None, None),
            Self::Hindered { error, status } => (None, Some(error), None, *status),
        };
        Map::from_iter([
            ("delivery.tries".to_owned(), json!(one.map(|one| one.tries))),
            ("delivery.after_lost".to_owned(), json!(one.filter(|one| one.after_lost).map(|_| true))),
            ("delivery.next_in_ms".to_owned(), json!(next_in_ms)),
            ("http.status".to_owned(), json!(one.and_then(|one| one.status).or(status))),
            ("http.duration_ms".to_owned(), json!(one.map(|one| one.duration_ms))),
            ("trace.id".to_owned(), json!(one.and_then(|one| one.trace))),
            ("error".to_owned(), json!(error)),
        ])
    }
}

impl fmt::Display for Settlement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Acknowledge => f.write_str("ack"),
            Self::Retry { seconds } => write!(f, "retry in {seconds} s"),
        }
    }
}

/// Where the platform can, not before the distance is over; a message that comes early finds its row not due and waits
/// again.
fn retry(in_ms: u64) -> Settlement {
    let seconds = in_ms.div_ceil(1000).clamp(1, LONGEST_DELAY_SECONDS);
    Settlement::Retry { seconds: u32::try_from(seconds).unwrap_or(u32::MAX) }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{Outcome, Settlement, Standing, Try};
    use crate::verdict::{Failure, Fault, Turn, postpone};

    const TRY: Try = Try { tries: 2, status: Some(500), duration_ms: 12, after_lost: false, trace: None };

    fn failed(next_in_ms: Option<u64>) -> Outcome {
        let error = "HTTP 500".to_owned();
        Outcome::Failed(
            TRY,
            Failure {
                status: Some(500),
                error,
                next_in_ms,
                pause_ms: None,
                fault: Fault::Receiver,
                sent: true,
            },
        )
    }

    fn hindered() -> Outcome {
        Outcome::Hindered { error: "away".to_owned(), status: None }
    }

    #[test]
    fn what_is_settled_is_acknowledged() {
        for outcome in [
            Outcome::Delivered(TRY),
            failed(None),
            Outcome::Settled(Standing::Delivered),
            Outcome::Settled(Standing::Dead),
            Outcome::Settled(Standing::Missing),
            Outcome::Malformed(String::new()),
        ] {
            assert_eq!(outcome.settlement(1, 500), Settlement::Acknowledge, "{outcome:?}");
        }
    }

    #[test]
    fn what_is_open_comes_back_when_it_is_due_and_never_earlier() {
        for (outcome, seconds) in [
            (failed(Some(5000)), 5),
            (failed(Some(5001)), 6),
            (failed(Some(103_680_000)), 86_400),
            (Outcome::Later { in_ms: 0 }, 1),
            (Outcome::Later { in_ms: 44_100 }, 45),
            (Outcome::Later { in_ms: u64::MAX }, 86_400),
            (Outcome::Superseded(TRY), 1),
        ] {
            assert_eq!(outcome.settlement(1, 500), Settlement::Retry { seconds }, "{outcome:?}");
        }
    }

    #[test]
    fn a_database_that_is_away_is_asked_less_and_less_often() {
        let seconds = |attempts| match hindered().settlement(attempts, 0) {
            Settlement::Retry { seconds } => seconds,
            Settlement::Acknowledge => panic!("acknowledged"),
        };
        assert_eq!([0, 1, 2, 3, 4, 5, 100].map(seconds), [5, 5, 10, 20, 40, 60, 60]);
        // All retries of a message last for most of an hour even when jitter takes off half of each.
        let all: u32 = (1..=100)
            .map(|attempts| match hindered().settlement(attempts, 1000) {
                Settlement::Retry { seconds } => seconds,
                Settlement::Acknowledge => 0,
            })
            .sum();
        assert!(all > 2800, "{all}");
    }

    #[test]
    fn a_log_line_says_what_happened() {
        let outcome = failed(Some(5000));
        assert_eq!((outcome.name(), outcome.is_error()), ("webhook failed", false));
        assert_eq!(
            Value::Object(outcome.fields()).to_string(),
            r#"{"delivery.after_lost":null,"delivery.next_in_ms":5000,"delivery.tries":2,"error":"HTTP 500","http.duration_ms":12,"http.status":500,"trace.id":null}"#
        );
        assert_eq!((failed(None).name(), failed(None).is_error()), ("webhook dead", true));
        assert!(hindered().is_error());
        let turn = Turn { tries: 1, second_ms: 1000, jitter: 500 };
        assert!(Outcome::Failed(TRY, postpone("no secret", turn)).is_error());
    }
}
