use chrono::{DateTime, Utc};
use store::deliveries::Health;

use super::{
    Answer, EXCERPT_BYTES, Failure, LONGEST_ASKED_MS, Reply, Turn, Verdict, excerpt, judge, postpone, refuse,
};

fn now() -> DateTime<Utc> {
    "2026-12-01T12:00:00Z".parse().unwrap()
}

/// In the middle of the spread, in real seconds.
fn turn(tries: u32) -> Turn {
    Turn { tries, second_ms: 1000, jitter: 500 }
}

fn answer(status: u16, retry_after: Option<&str>, body: &str) -> Reply {
    Reply::Answered(Answer {
        status,
        retry_after: retry_after.map(str::to_owned),
        body: body.as_bytes().to_vec(),
    })
}

fn failure(reply: &Reply, tries: u32) -> Failure {
    match judge(reply, turn(tries), now()) {
        Verdict::Failed(failure) => failure,
        Verdict::Delivered { status } => panic!("{status} counts as delivered"),
    }
}

#[test]
fn i10_a_2xx_delivers_and_nothing_else_does() {
    for status in 100..600 {
        let delivered = judge(&answer(status, None, ""), turn(1), now()) == Verdict::Delivered { status };
        assert_eq!(delivered, (200..300).contains(&status), "{status}");
    }
}

#[test]
fn a38_failures_wait_as_the_schedule_says_and_end_with_it() {
    for reply in
        [Reply::TimedOut, Reply::Unreachable("refused".into()), answer(500, None, ""), answer(404, None, "")]
    {
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
        assert_eq!(next("999999999999999999", 1), Some(LONGEST_ASKED_MS));
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
    for reply in [Reply::TimedOut, answer(500, Some("60"), ""), answer(503, None, ""), answer(302, None, "")]
    {
        assert_eq!(health(&reply), Health::Failing, "{reply:?}");
    }
    assert_eq!(health(&answer(410, None, "")), Health::Gone);
    assert_eq!(postpone("no secret", turn(1)).health(), Health::Unharmed);
    assert_eq!(refuse("is private").health(), Health::Failing);
}

#[test]
fn a38_no_wait_is_longer_than_the_schedule_says() {
    for jitter in [0, 500, 1000, u16::MAX] {
        for tries in 0..12 {
            let turn = Turn { jitter, ..turn(tries) };
            let Verdict::Failed(failure) = judge(&Reply::TimedOut, turn, now()) else { panic!() };
            assert!(failure.next_in_ms.is_none_or(|distance| distance <= 86_400_000 * 6 / 5));
            assert_eq!(postpone("x", turn).next_in_ms, failure.next_in_ms);
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
        failure(&Reply::Answered(Answer { status: 500, body: body.to_vec(), ..Answer::default() }), 1).error
    };
    assert_eq!(error(b""), "HTTP 500");
    assert_eq!(error(b" oh\r\nno\0 "), "HTTP 500: oh  no ");
    assert_eq!(error(b"\xff\xfe"), "HTTP 500: \u{fffd}\u{fffd}");
    assert_eq!(error("書".repeat(9000).as_bytes()).chars().count(), 500);
    // A body that was cut within a character.
    assert!(error("ü".as_bytes().get(..1).unwrap()).ends_with('\u{fffd}'));
}

#[test]
fn a38_of_an_answer_16_kb_are_kept_and_postgres_takes_them() {
    let kept =
        |body: &[u8]| excerpt(&Reply::Answered(Answer { body: body.to_vec(), ..Answer::default() })).unwrap();
    assert_eq!(kept(b""), "");
    assert_eq!(kept(b"oh\nno\0"), "oh\nno\u{fffd}");
    for body in [vec![b'x'; 20_000], vec![0xff; 20_000], "書".repeat(9000).into_bytes()] {
        let length = kept(&body).len();
        assert!((EXCERPT_BYTES - 3..=EXCERPT_BYTES).contains(&length), "{length}");
    }
    assert_eq!(excerpt(&Reply::TimedOut), None);
}
