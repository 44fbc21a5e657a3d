//! The whole life of a delivery, by a clock that the test holds: the row says when it is due, the queue brings the message
//! back when it was told to.

use chrono::{DateTime, TimeDelta, Utc};
use domain::timing::DELIVERY_SCHEDULE_SECONDS;

use super::{Answer, LONGEST_ASKED_MS, Reply, Turn, Verdict, judge};
use crate::outcome::{Outcome, Settlement, Try};

/// A try, and when it was made.
type Post = (DateTime<Utc>, Verdict);

/// Delivers to a receiver that answers the n-th try with `replies(n)` until the delivery is over. Every message comes
/// back when the queue was told to bring it, and not a moment later.
fn deliver(replies: impl Fn(u32) -> Reply, jitters: impl Fn(u32) -> u16) -> Vec<Post> {
    let mut clock: DateTime<Utc> = "2026-12-01T12:00:00Z".parse().unwrap();
    let (mut due, mut posts, mut message) = (clock, Vec::new(), 1);
    loop {
        let outcome = if due > clock {
            Outcome::Later { in_ms: ms(due - clock) }
        } else {
            let tries = u32::try_from(posts.len()).unwrap() + 1;
            let turn = Turn { tries, second_ms: 1000, jitter: jitters(tries) };
            let verdict = judge(&replies(tries), turn, clock);
            posts.push((clock, verdict.clone()));
            let one = Try { tries, status: None, duration_ms: 0, after_lost: false, trace: None };
            match verdict {
                Verdict::Delivered { .. } => Outcome::Delivered(one),
                Verdict::Failed(failure) => {
                    due =
                        clock + TimeDelta::milliseconds(failure.next_in_ms.unwrap_or(0).try_into().unwrap());
                    Outcome::Failed(one, failure)
                }
            }
        };
        match outcome.settlement(message, jitters(message)) {
            Settlement::Acknowledge => return posts,
            Settlement::Retry { seconds } => clock += TimeDelta::seconds(seconds.into()),
        }
        message += 1;
    }
}

fn ms(distance: TimeDelta) -> u64 {
    distance.num_milliseconds().try_into().unwrap()
}

fn distances(posts: &[Post]) -> Vec<u64> {
    posts.windows(2).map(|two| ms(two[1].0 - two[0].0)).collect()
}

fn status(status: u16, retry_after: Option<&str>) -> Reply {
    Reply::Answered(Answer { status, retry_after: retry_after.map(str::to_owned), body: Vec::new() })
}

/// What the schedule allows between two tries; a message comes in whole seconds.
fn bounds(tries: usize) -> (u64, u64) {
    let seconds = DELIVERY_SCHEDULE_SECONDS[tries];
    (seconds * 800, seconds * 1200 + 1000)
}

#[test]
fn a38_three_500s_and_a_200_come_when_the_schedule_says() {
    let posts = deliver(|tries| status(if tries <= 3 { 500 } else { 200 }, None), |_| 500);
    assert_eq!(distances(&posts), [5000, 300_000, 1_800_000]);
    assert_eq!(posts.last().unwrap().1, Verdict::Delivered { status: 200 });
}

#[test]
fn a38_the_whole_schedule_keeps_its_bounds_whatever_the_jitter() {
    for jitter in 0..=1000 {
        // The same for all, and another for each.
        for step in [0, 377] {
            let posts =
                deliver(|_| Reply::TimedOut, |turn| (jitter + step * u16::try_from(turn).unwrap()) % 1001);
            assert_eq!(posts.len(), 10, "jitter {jitter}");
            for (tries, distance) in (1..).zip(distances(&posts)) {
                let (least, most) = bounds(tries);
                assert!(
                    (least..=most).contains(&distance),
                    "jitter {jitter}, after try {tries}: {distance} ms"
                );
            }
            let whole = posts[9].0 - posts[0].0;
            assert!(
                (TimeDelta::hours(60)..=TimeDelta::hours(91)).contains(&whole),
                "jitter {jitter}: {whole}"
            );
        }
    }
}

#[test]
fn a38_a_retry_after_moves_tries_later_never_earlier_and_ends_with_the_schedule() {
    for asked in [0, 1, 59, 301, 7200, 86_400, 1_000_000] {
        for code in [429, 503] {
            for jitter in [0, 499, 1000] {
                let text = asked.to_string();
                let posts = deliver(|_| status(code, Some(&text)), |_| jitter);
                assert_eq!(posts.len(), 10, "{code} with {asked}");
                for (tries, distance) in (1..).zip(distances(&posts)) {
                    let (least, most) = bounds(tries);
                    let asked = (asked * 1000).min(LONGEST_ASKED_MS);
                    let wanted = least.max(asked)..=most.max(asked);
                    assert!(
                        wanted.contains(&distance),
                        "{code} with {asked}, after try {tries}: {distance} ms"
                    );
                }
            }
        }
    }
}

#[test]
fn a38_what_every_habit_of_a_receiver_comes_to() {
    let then_well = |reply: Reply| move |tries| if tries == 1 { reply.clone() } else { status(204, None) };
    let habits: [(&str, Reply, usize); 8] = [
        ("hangs", Reply::TimedOut, 2),
        ("resets", Reply::Unreachable("reset".into()), 2),
        ("redirects", status(302, None), 2),
        ("is gone", status(410, None), 1),
        ("is busy", status(429, Some("60")), 2),
        ("is broken", status(500, None), 2),
        ("does not know us", status(404, None), 2),
        ("takes it", status(200, None), 1),
    ];
    for (habit, reply, tries) in habits {
        let posts = deliver(then_well(reply), |_| 500);
        assert_eq!(posts.len(), tries, "a receiver that {habit}");
    }
}
