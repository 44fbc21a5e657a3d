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

/// No wait is longer: a message can be put off by 24 hours at most, and a receiver that asks for more is not obeyed.
pub(crate) const LONGEST_WAIT_MS: u64 = 24 * 3600 * 1000;

/// How much of an error's text is kept, in characters.
const ERROR_LENGTH: usize = 500;

/// Judges the reply to the `tries`-th try. `jitter` is 0 to 1000.
pub(crate) fn judge(reply: &Reply, tries: u32, jitter: u16, now: DateTime<Utc>) -> Verdict {
    let (status, error, wait) = match reply {
        Reply::TimedOut => (None, "no answer in time".to_owned(), Wait::Scheduled),
        Reply::Unreachable(why) => (None, format!("not reached: {why}"), Wait::Scheduled),
        Reply::Answered(answer) => match answer.status {
            200..=299 => return Verdict::Delivered { status: answer.status },
            status => (Some(status), refusal(answer), wait(answer, now)),
        },
    };
    let scheduled = next_delivery_ms(tries, jitter);
    let next_in_ms = match wait {
        Wait::Scheduled => scheduled,
        Wait::AtLeast(asked_ms) => scheduled.map(|scheduled| scheduled.max(asked_ms)),
        Wait::ForEver => None,
    };
    Verdict::Failed(Failure {
        status,
        error: one_line(&error),
        next_in_ms: next_in_ms.map(|distance| distance.min(LONGEST_WAIT_MS)),
        pause_ms: pause(reply, now),
        fault: Fault::Receiver,
    })
}

/// A failure that no try can mend: the receiver's address is refused.
pub(crate) fn refuse(why: &str) -> Failure {
    let error = one_line(&format!("not sent: the URL {why}"));
    Failure { status: None, error, next_in_ms: None, pause_ms: None, fault: Fault::Receiver }
}

/// A failure on our side, before anything was sent; it waits like any other.
pub(crate) fn postpone(why: &str, tries: u32, jitter: u16) -> Failure {
    let next_in_ms = next_delivery_ms(tries, jitter).map(|distance| distance.min(LONGEST_WAIT_MS));
    Failure {
        status: None,
        error: one_line(&format!("not sent: {why}")),
        next_in_ms,
        pause_ms: None,
        fault: Fault::Ours,
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

/// A receiver's words, fit for a log line and for Postgres, which takes no NUL.
fn one_line(text: &str) -> String {
    text.chars().take(ERROR_LENGTH).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use store::deliveries::Health;

    use super::{Answer, Failure, LONGEST_WAIT_MS, Reply, Verdict, judge, postpone, refuse};

    fn now() -> DateTime<Utc> {
        "2026-12-01T12:00:00Z".parse().unwrap()
    }

    fn answer(status: u16, retry_after: Option<&str>, body: &str) -> Reply {
        Reply::Answered(Answer {
            status,
            retry_after: retry_after.map(str::to_owned),
            body: body.as_bytes().to_vec(),
        })
    }

    fn failure(reply: &Reply, tries: u32) -> Failure {
        match judge(reply, tries, 500, now()) {
            Verdict::Failed(failure) => failure,
            Verdict::Delivered { status } => panic!("{status} counts as delivered"),
        }
    }

    #[test]
    fn i10_a_2xx_delivers_and_nothing_else_does() {
        for status in 100..600 {
            let delivered = judge(&answer(status, None, ""), 1, 500, now()) == Verdict::Delivered { status };
            assert_eq!(delivered, (200..300).contains(&status), "{status}");
        }
    }

    #[test]
    fn a38_failures_wait_as_the_schedule_says_and_end_with_it() {
        for reply in [
            Reply::TimedOut,
            Reply::Unreachable("refused".into()),
            answer(500, None, ""),
            answer(404, None, ""),
        ] {
            assert_eq!(failure(&reply, 1).next_in_ms, Some(5000), "{reply:?}");
            assert_eq!(failure(&reply, 4).next_in_ms, Some(7_200_000), "{reply:?}");
            for spent in [10, 11, u32::MAX] {
                assert_eq!(failure(&reply, spent).next_in_ms, None, "{reply:?}");
            }
        }
    }

    #[test]
    fn a38_gone_ends_the_tries() {
        assert_eq!(failure(&answer(410, Some("5"), ""), 1).next_in_ms, None);
    }

    #[test]
    fn the_receiver_may_ask_for_a_longer_wait_but_not_for_a_shorter_or_an_endless_one() {
        for status in [429, 503] {
            let next = |header: &str, tries| failure(&answer(status, Some(header), ""), tries).next_in_ms;
            assert_eq!(next("60", 1), Some(60_000));
            assert_eq!(next(" 60 ", 1), Some(60_000));
            assert_eq!(next("60", 2), Some(300_000));
            assert_eq!(next("0", 1), Some(5000));
            assert_eq!(next("999999999999999999", 1), Some(LONGEST_WAIT_MS));
            assert_eq!(next("Tue, 01 Dec 2026 12:02:00 GMT", 1), Some(120_000));
            assert_eq!(next("Tue, 01 Dec 2026 11:00:00 GMT", 1), Some(5000));
            assert_eq!(next("soon", 1), Some(5000));
            assert_eq!(next("-1", 1), Some(5000));
            assert_eq!(next("60", 10), None);
        }
        assert_eq!(failure(&answer(500, Some("60"), ""), 1).next_in_ms, Some(5000));
    }

    #[test]
    fn b12_what_a_failure_says_of_the_endpoint() {
        let health = |reply: &Reply| failure(reply, 1).health();
        let busy = |pause_ms| Health::Busy { pause_ms };
        for status in [429, 502, 504] {
            assert_eq!(health(&answer(status, None, "")), busy(10_000));
            assert_eq!(health(&answer(status, Some("60"), "")), busy(60_000));
            assert_eq!(health(&answer(status, Some("1"), "")), busy(10_000));
            assert_eq!(health(&answer(status, Some("99999"), "")), busy(300_000));
        }
        for reply in
            [Reply::TimedOut, answer(500, Some("60"), ""), answer(503, None, ""), answer(302, None, "")]
        {
            assert_eq!(health(&reply), Health::Failing, "{reply:?}");
        }
        assert_eq!(health(&answer(410, None, "")), Health::Gone);
        assert_eq!(postpone("no secret", 1, 500).health(), Health::Unharmed);
        assert_eq!(refuse("is private").health(), Health::Failing);
    }

    #[test]
    fn a38_three_500s_and_a_200_come_when_the_schedule_says() {
        // Middle, earliest and latest: 0, 5 s, 5 min, 30 min after the one before, ± 20 %.
        for (jitter, distances) in [
            (500, [5000, 300_000, 1_800_000]),
            (0, [4000, 240_000, 1_440_000]),
            (1000, [6000, 360_000, 2_160_000]),
        ] {
            let mut clock = now();
            for (tries, distance) in (1..).zip(distances) {
                let Verdict::Failed(failure) = judge(&answer(500, None, ""), tries, jitter, clock) else {
                    panic!()
                };
                assert_eq!(failure.next_in_ms, Some(distance), "try {tries} at {clock}");
                clock += chrono::TimeDelta::milliseconds(i64::try_from(distance).unwrap());
            }
            let verdict = judge(&answer(200, None, ""), 4, jitter, clock);
            assert_eq!(verdict, Verdict::Delivered { status: 200 });
        }
    }

    #[test]
    fn no_wait_is_longer_than_a_message_can_be_put_off() {
        for jitter in [0, 500, 1000, u16::MAX] {
            for tries in 0..12 {
                let Verdict::Failed(failure) = judge(&Reply::TimedOut, tries, jitter, now()) else {
                    panic!()
                };
                assert!(failure.next_in_ms.is_none_or(|distance| distance <= LONGEST_WAIT_MS));
                assert_eq!(postpone("x", tries, jitter).next_in_ms, failure.next_in_ms);
            }
        }
    }

    #[test]
    fn f24_a_redirect_is_a_failure() {
        for status in [301, 302, 303, 307, 308] {
            let failure = failure(&answer(status, None, "see there"), 1);
            assert_eq!(failure.error, format!("HTTP {status}: redirects are not followed"));
            assert_eq!((failure.status, failure.next_in_ms), (Some(status), Some(5000)));
        }
    }

    #[test]
    fn an_address_that_is_refused_is_refused_for_good() {
        let failure = refuse("must begin with https://");
        assert_eq!(failure.error, "not sent: the URL must begin with https://");
        assert_eq!(failure.next_in_ms, None);
    }

    #[test]
    fn errors_are_short_and_storable() {
        let error = |body: &[u8]| {
            failure(&Reply::Answered(Answer { status: 500, body: body.to_vec(), ..Answer::default() }), 1)
                .error
        };
        assert_eq!(error(b""), "HTTP 500");
        assert_eq!(error(b" oh\r\nno\0 "), "HTTP 500: oh  no ");
        assert_eq!(error(b"\xff\xfe"), "HTTP 500: \u{fffd}\u{fffd}");
        assert_eq!(error("書".repeat(9000).as_bytes()).chars().count(), 500);
        // A body that was cut within a character.
        assert!(error("ü".as_bytes().get(..1).unwrap()).ends_with('\u{fffd}'));
    }
}
