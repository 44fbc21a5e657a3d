//! Every wait, limit of time and backoff of AFC, each with its reason.
//!
//! Constants are facts of the design. [`Timing`] holds what a deployment may tune and a test must shorten.

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

/// A job may live from one minute (less is shorter than a cold start and a poll) …
pub const DEADLINE_MIN_SECONDS: u32 = 60;
/// … to a day, which covers the longest provider queue seen.
pub const DEADLINE_MAX_SECONDS: u32 = 24 * 3600;
/// Fifty minutes of execution (A18) and ten for retries around it.
pub const DEADLINE_DEFAULT_SECONDS: u32 = 60 * 60;

/// Fal and Replicate end a run after 60 and 30 minutes of themselves; typical videos take 1 to 6.
pub const ATTEMPT_WINDOW_DEFAULT_SECONDS: u32 = 30 * 60;

/// A provider may ask to wait; more than this is not waited for, the policy goes on instead.
pub const RETRY_AFTER_MAX_SECONDS: u32 = 300;

/// So many attempts in a row must find a provider unavailable before its breaker opens: one or two are a blip that the
/// attempts' own backoff outlasts.
pub const BREAKER_UNAVAILABLE_LIMIT: u32 = 5;

/// How long one poll of an execution is held open. Below the 30 s after which common proxies give up.
pub const EXECUTION_POLL_SECONDS: u32 = 25;

/// Job tokens outlive the longest job by an hour, for costs that are settled late.
pub const JOB_TOKEN_SECONDS: i64 = 25 * 3600;

/// Asked of a caller in `Retry-After` when the database or the Workflow engine is away.
pub const UNAVAILABLE_RETRY_AFTER_SECONDS: u32 = 2;

/// Distances between the tries of a webhook delivery: the schedule that Svix made customary, a little over three days
/// in all. The first try is at once.
pub const DELIVERY_SCHEDULE_SECONDS: [u64; 10] =
    [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/// How long after the `tries`-th failed try of a delivery the next is due, in milliseconds, spread by ± 20 % through
/// `jitter` (0 to 1000); `None` when there is none left. `second_ms` is [`Timing::delivery_second_ms`].
pub fn next_delivery_ms(tries: u32, second_ms: u64, jitter: u16) -> Option<u64> {
    let seconds = DELIVERY_SCHEDULE_SECONDS.get(usize::try_from(tries).ok()?)?;
    Some(seconds.saturating_mul(second_ms).saturating_mul(4000 + u64::from(jitter.min(1000)) * 2) / 5000)
}

/// A receiver that answers 429, 502 or 504 gets nothing for this long …
pub const ENDPOINT_PAUSE_SECONDS: u64 = 10;
/// … or for as long as its `Retry-After` asks, up to five minutes: the schedule's own waits are longer from there on.
pub const ENDPOINT_PAUSE_MAX_SECONDS: u64 = 300;

/// An endpoint that has done nothing but fail for this long is disabled: above the schedule's three days, so
/// that at least one delivery has used up all its tries.
pub const ENDPOINT_FAILING_DAYS: i32 = 5;

/// How long a rotated-out secret still signs, unless the client says otherwise: a day, for receivers that are deployed
/// by hand …
pub const SECRET_OVERLAP_DEFAULT_SECONDS: i64 = 24 * 3600;
/// … and a week at most: a secret that leaked must end.
pub const SECRET_OVERLAP_MAX_SECONDS: i64 = 7 * 24 * 3600;

/// A style run's review may last from one minute …
pub const REVIEW_MIN_SECONDS: u32 = 60;
/// … to a year, the longest that a Workflow sleeps. A week unless the caller says otherwise.
pub const REVIEW_MAX_SECONDS: u32 = 365 * 24 * 3600;
/// The same in hours.
pub const REVIEW_MAX_HOURS: u64 = 365 * 24;
pub const REVIEW_DEFAULT_SECONDS: u32 = 7 * 24 * 3600;

/// A review link outlives its review's deadline by a week, so that who comes late reads what stands.
pub const REVIEW_LINK_GRACE_SECONDS: i64 = 7 * 24 * 3600;

/// A drainer that claimed an event has so long to deliver it (A42): a lease if it dies.
pub const OUTBOX_LEASE_SECONDS: i64 = 60;
/// Events of one claim: what can be delivered well within the lease.
pub const OUTBOX_BATCH: i64 = 20;
/// Tries of an event before it is parked for a person to see: some four hours with the backoff below.
pub const OUTBOX_TRIES: u32 = 12;
/// Between two tries of an event: doubles from the first to the second.
pub const OUTBOX_BACKOFF_MS: (u64, u64) = (5_000, 60 * 60_000);

/// Asked of a client that has as many open generations as it may have, in `Retry-After`: an image takes about so long,
/// and a client that asks no sooner costs nothing.
pub const OPEN_RETRY_AFTER_SECONDS: u32 = 10;

/// After a look at an ended attempt whose fate or price is open, the next is due: in five minutes, for a request that was
/// about to end; in forty, before the first provider forgets its requests (an hour); in a day, when no process that could
/// still send anything lives any more. The first is due at once.
const LOOK_SCHEDULE_SECONDS: [u64; 3] = [300, 2400, 86_400];

/// Those distances in milliseconds. `second_ms` is [`Timing::look_second_ms`].
pub fn look_delays_ms(second_ms: u64) -> [u64; 3] {
    LOOK_SCHEDULE_SECONDS.map(|seconds| seconds.saturating_mul(second_ms))
}

/// How long a key that was rotated out is good beside its successor, unless the operator says otherwise: a day, for
/// applications that are deployed by hand …
pub const KEY_OVERLAP_DEFAULT_SECONDS: i64 = 24 * 3600;
/// … and a month at most: what waits longer was forgotten.
pub const KEY_OVERLAP_MAX_SECONDS: i64 = 30 * 24 * 3600;
/// A key that expires is good for a minute at least (a test, a one-off) …
pub const KEY_LIFETIME_MIN_SECONDS: i64 = 60;
/// … and for five years at most: longer is for ever, which is the default.
pub const KEY_LIFETIME_MAX_SECONDS: i64 = 5 * 366 * 24 * 3600;

/// A key's last use is written down this often at most: who asks whether a key is still in use thinks in days, and a
/// write a request would cost more than the request.
pub const KEY_USE_NOTED_SECONDS: i64 = 3600;

/// An upload that takes longer is given up: 100 MB in an hour is the slowest line that is worth it.
pub const UPLOAD_HOURS: i32 = 1;
/// How long an uploaded input may be named in new requests: a week, for work that goes over a weekend.
pub const INPUT_DAYS: i32 = 7;
/// An expired input's file stays for the longest job that could have named it in time, and an hour for its end.
pub const INPUT_GRACE_HOURS: i32 = 25;
/// A link to a stored input that a provider gets is good for an hour beyond the job's deadline: a provider may fetch
/// late, and nothing is submitted after the deadline.
pub const INPUT_LINK_GRACE: TimeDelta = TimeDelta::hours(1);

/// The URL of an output works without a key for a day: for a page that somebody leaves open, not for an archive.
pub const LINK_SECONDS: i64 = 24 * 3600;
/// The one in an event for a week: its text is fixed when it happens, and tries go on for a little over three days.
pub const EVENT_LINK_SECONDS: i64 = 7 * 24 * 3600;

/// `?wait=` on one generation is held open for a minute at most: Cloudflare gives up on a silent answer after 100 s, common
/// proxies after 60.
pub const WAIT_MAX_SECONDS: u32 = 60;
/// Between two looks of somebody who waits for a job: the first answers a short job at once …
pub const WATCH_FIRST_MS: u64 = 250;
/// … and doubles up to this, which is little beside a generation's minutes: 35 reads of one row in a minute's wait.
pub const WATCH_LIMIT_MS: u64 = 2_000;
/// A stream of events that has nothing to tell says so this often, before proxies take it for dead.
pub const STREAM_ALIVE_MS: u64 = 15_000;
/// A stream ends after five minutes, and its client comes back with the last id: no invocation makes more than some 160
/// reads, of the 1 000 that it may.
pub const STREAM_MAX_MS: u64 = 300_000;
/// How long a client is asked to wait before it comes back to a stream that broke.
pub const STREAM_RETRY_MS: u32 = 1_000;

/// The distance of the next look, after one of `before` (none yet: 0).
pub const fn next_look_ms(before: u64) -> u64 {
    let next = if before == 0 { WATCH_FIRST_MS } else { before * 2 };
    if next > WATCH_LIMIT_MS { WATCH_LIMIT_MS } else { next }
}

/// What a deployment may tune; all durations are milliseconds. Missing members keep their defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timing {
    /// First delay between two tries of the execute step; doubles (A18). Sized against how long a unit runs, not
    /// how long a network blip lasts: a replaced container needs minutes.
    pub execute_retry_ms: u64,
    /// Tries of the execute step after the first (A18).
    pub execute_retries: u32,
    /// One execute step: a bounded piece of the wait, so that an isolate lost under it costs minutes, not an hour.
    pub execute_step_ms: u64,
    /// The execute step stops polling this early, so that its answer arrives before the engine's timeout.
    pub execute_margin_ms: u64,
    /// First delay and count of retries for the short database steps.
    pub record_retry_ms: u64,
    pub record_retries: u32,
    /// A container that has not opened its port by then counts as not started.
    pub container_start_ms: u64,
    /// Between two looks at a port that is not open yet.
    pub container_probe_ms: u64,
    /// Between two looks of the watchdog at a container: one that is left idle costs a minute.
    pub container_watch_ms: u64,
    /// A statement and its connection, all told.
    pub database_ms: u64,
    /// First backoff between two attempts; doubles up to the limit, jittered (A31).
    pub attempt_backoff_ms: u64,
    pub attempt_backoff_limit_ms: u64,
    /// Between two polls of a provider, at least.
    pub provider_poll_ms: u64,
    /// Reading the answer to a submit. When it passes, the attempt is unknown (B3).
    pub submit_timeout_ms: u64,
    /// The same of a submit that is answered with its result: `OpenAI`'s take up to two minutes, and what is cut off is
    /// paid and lost.
    pub answer_timeout_ms: u64,
    /// A whole poll, look-up or cancel at a provider; longer than the slowest status page seen.
    pub free_call_ms: u64,
    /// A result's server that says nothing for so long is asked again.
    pub result_silence_ms: u64,
    /// One call of the journal; the control plane's own limit on a statement is 10 s.
    pub journal_call_ms: u64,
    /// Between two tries of a phase that costs nothing (poll, fetch, store, journal); doubles up to 30 s.
    pub free_retry_ms: u64,
    /// Tries of fetch and of store before the attempt is given up.
    pub free_retries: u32,
    /// Fetching one input from a caller's URL, all told: 100 MB at 2 MB a second, and more is nobody's honest server.
    pub input_fetch_ms: u64,
    /// Between two askings of a job that a provider's gate holds up, at most: an operator's word is heard this soon.
    pub gate_poll_ms: u64,
    /// After a provider said that there is no money or that the key is bad, until one attempt probes: a person has to
    /// act, which takes a quarter of an hour at least.
    pub breaker_money_ms: u64,
    /// After a provider was unavailable several times, until one attempt probes: their restarts take about a minute.
    pub breaker_unavailable_ms: u64,
    /// How long the provider's callback is waited for before the policy `retry` accepts the risk of an unknown attempt
    /// (B3). Providers call back when the work is done, typically after 1 to 6 minutes.
    pub callback_patience_ms: u64,
    /// How long the journal may be away before an execution that has not paid gives up (B1).
    pub journal_patience_ms: u64,
    /// A held job looks this often whether its attempt was resolved, should the event that says so be lost. Each look is
    /// three steps of the Workflow's 1 024, so a hold may last for months.
    pub hold_poll_ms: u64,
    /// The consumer's lease on a delivery; above the post's timeout, so two posts never overlap.
    pub delivery_lease_ms: u64,
    /// One post to a receiver.
    pub delivery_timeout_ms: u64,
    /// A style run whose candidates are under way looks this often, should the events that say so be lost.
    pub style_poll_ms: u64,
    /// The length of a review's second; only a test shortens it.
    pub review_second_ms: u64,
    /// A second of the schedule of later looks; only a test shortens it.
    pub look_second_ms: u64,
    /// A second of the delivery schedule: real ones, except where a test wants to see the whole of it.
    pub delivery_second_ms: u64,
    /// A due delivery that a sweep has queued is queued again after this, should the queue have lost it: above what a
    /// message waits in a queue that is busy.
    pub requeue_ms: u64,
    /// The sweeper takes a job up when nobody has touched it for this long: above an execute step.
    pub sweep_idle_ms: u64,
    /// The length of a day that outputs and payloads are kept; only a test shortens it.
    pub retention_day_ms: u64,
    /// How long after a generation's end its erasure waits: an execution that lost its job learns so at its next write,
    /// and a file of it may be on its way until then.
    pub erasure_settle_ms: u64,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            execute_retry_ms: 90_000,
            execute_retries: 5,
            execute_step_ms: 5 * 60_000,
            execute_margin_ms: 40_000,
            record_retry_ms: 1_000,
            record_retries: 10,
            container_start_ms: 60_000,
            container_probe_ms: 100,
            container_watch_ms: 60_000,
            database_ms: 10_000,
            attempt_backoff_ms: 2_000,
            attempt_backoff_limit_ms: 60_000,
            provider_poll_ms: 2_000,
            submit_timeout_ms: 60_000,
            answer_timeout_ms: 5 * 60_000,
            free_call_ms: 30_000,
            result_silence_ms: 30_000,
            journal_call_ms: 15_000,
            free_retry_ms: 500,
            free_retries: 8,
            input_fetch_ms: 60_000,
            gate_poll_ms: 5_000,
            breaker_money_ms: 15 * 60_000,
            breaker_unavailable_ms: 60_000,
            callback_patience_ms: 10 * 60_000,
            journal_patience_ms: 60_000,
            hold_poll_ms: 6 * 3_600_000,
            delivery_lease_ms: 45_000,
            delivery_timeout_ms: 15_000,
            style_poll_ms: 10 * 60_000,
            review_second_ms: 1_000,
            look_second_ms: 1_000,
            delivery_second_ms: 1_000,
            requeue_ms: 5 * 60_000,
            sweep_idle_ms: 20 * 60_000,
            retention_day_ms: 24 * 3_600_000,
            erasure_settle_ms: 3_600_000,
        }
    }
}

impl Timing {
    /// Reads the `TIMING_OVERRIDES` variable: a JSON object of the members to change, or nothing.
    pub fn from_overrides(text: Option<&str>) -> Result<Self, serde_json::Error> {
        text.filter(|text| !text.trim().is_empty()).map_or_else(|| Ok(Self::default()), serde_json::from_str)
    }
}

/// Doubles `first` for each earlier failure, up to `limit`, then takes off up to half of it by `jitter`
/// (0 to 1000): callers that failed together do not come back together.
pub fn backoff_ms(first: u64, limit: u64, failures: u32, jitter: u16) -> u64 {
    let full = first.saturating_mul(1_u64.checked_shl(failures.min(32)).unwrap_or(u64::MAX)).min(limit);
    full - full.saturating_mul(jitter.min(1000).into()) / 2000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a18_the_execute_step_has_its_founding_defaults() {
        let timing = Timing::from_overrides(None).unwrap();
        assert_eq!((timing.execute_retry_ms, timing.execute_retries), (90_000, 5));
        assert!(timing.delivery_lease_ms > timing.delivery_timeout_ms);
        assert!(timing.sweep_idle_ms > timing.execute_step_ms);
        assert!(timing.execute_margin_ms > u64::from(EXECUTION_POLL_SECONDS) * 1000);
    }

    #[test]
    fn the_last_look_at_an_attempt_comes_after_the_longest_job() {
        let last: u64 = look_delays_ms(1_000).into_iter().sum();
        assert!(last > u64::from(DEADLINE_MAX_SECONDS) * 1_000);
    }

    #[test]
    fn overrides_change_what_they_name_and_refuse_what_they_misspell() {
        let timing = Timing::from_overrides(Some(r#"{"execute_retry_ms": 5}"#)).unwrap();
        assert_eq!((timing.execute_retry_ms, timing.execute_retries), (5, 5));
        assert!(Timing::from_overrides(Some(r#"{"execute_retry": 5}"#)).is_err());
    }

    #[test]
    fn a38_the_delivery_schedule_has_ten_tries_and_20_percent_jitter() {
        let next = |tries, jitter| next_delivery_ms(tries, Timing::default().delivery_second_ms, jitter);
        assert_eq!(next(1, 500), Some(5000));
        assert_eq!((next(1, 0), next(1, 1000)), (Some(4000), Some(6000)));
        assert_eq!(next(9, 500), Some(86_400_000));
        assert_eq!(next(10, 500), None);
        assert_eq!(next_delivery_ms(3, 2, 500), Some(3600));
        for (tries, seconds) in (1..).zip(DELIVERY_SCHEDULE_SECONDS.into_iter().skip(1)) {
            let spread: Vec<u64> = (0..=1000).filter_map(|jitter| next(tries, jitter)).collect();
            assert!(spread.is_sorted(), "try {tries}");
            assert_eq!((spread.first(), spread.last()), (Some(&(seconds * 800)), Some(&(seconds * 1200))));
        }
    }

    #[test]
    fn backoff_doubles_to_its_limit_and_jitters_down_to_half() {
        assert_eq!([0, 1, 2, 9].map(|n| backoff_ms(2000, 60_000, n, 0)), [2000, 4000, 8000, 60_000]);
        assert_eq!(backoff_ms(2000, 60_000, 0, 1000), 1000);
        assert_eq!(backoff_ms(2000, 60_000, u32::MAX, 500), 45_000);
    }
}
