//! When a call is made again, and after which wait: decided from values alone.

use std::time::Duration;

/// How long a call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// All tries and waits of one call together.
    pub total: Duration,
    /// One try. Uploads have ten times as long, and so has their total.
    pub per_try: Duration,
    /// The first wait's ceiling; it doubles with each try, up to `longest_wait`.
    pub first_wait: Duration,
    /// The ceiling of a wait that no `Retry-After` asks for.
    pub longest_wait: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            total: Duration::from_mins(2),
            per_try: Duration::from_secs(30),
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(20),
        }
    }
}

/// What a call may do twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It has the same effect twice as once.
    Freely,
    /// It makes something new each time.
    UnlessActed,
}

/// How a try failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// Nothing was sent.
    Unconnected,
    /// Sent, and no whole answer came.
    Unanswered,
    /// An answer that is no success.
    Answered { status: u16, retry_after: Option<Duration> },
}

impl Policy {
    /// The same with more time, for what moves many bytes.
    pub(crate) fn patient(self) -> Self {
        Self { total: self.total * 10, per_try: self.per_try * 10, ..self }
    }

    /// How long to wait before the next try, after `tries` of them in `spent`; none if there is to be no other.
    /// `draw` gives a number from 0 to its argument.
    pub(crate) fn next(
        &self,
        how: How,
        repeat: Repeat,
        tries: u32,
        spent: Duration,
        draw: impl FnOnce(u64) -> u64,
    ) -> Option<Duration> {
        let again = match how {
            How::Unconnected | How::Answered { status: 429, .. } => true,
            How::Unanswered | How::Answered { status: 502..=504, .. } => repeat == Repeat::Freely,
            How::Answered { .. } => false,
        };
        let asked = if let How::Answered { retry_after, .. } = how { retry_after } else { None };
        let (least, spread) = if let Some(asked) = asked {
            (asked, self.first_wait)
        } else {
            let doubled = self.first_wait.saturating_mul(1 << tries.saturating_sub(1).min(20));
            let ceiling = doubled.min(self.longest_wait);
            (ceiling / 2, ceiling / 2)
        };
        let spread = u64::try_from(spread.as_millis()).unwrap_or(u64::MAX);
        let wait = least.saturating_add(Duration::from_millis(draw(spread)));
        (again && spent.saturating_add(wait) < self.total).then_some(wait)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{How, Policy, Repeat};

    const START: Duration = Duration::ZERO;

    fn answered(status: u16) -> How {
        How::Answered { status, retry_after: None }
    }

    fn again(how: How, repeat: Repeat) -> bool {
        Policy::default().next(how, repeat, 1, START, |_| 0).is_some()
    }

    #[test]
    fn only_what_may_pass_is_tried_again() {
        for status in [429, 502, 503, 504] {
            assert!(again(answered(status), Repeat::Freely), "{status}");
        }
        for status in [400, 401, 402, 403, 404, 408, 409, 412, 413, 422, 500, 501, 302] {
            assert!(!again(answered(status), Repeat::Freely), "{status}");
        }
        assert!(again(How::Unanswered, Repeat::Freely) && again(How::Unconnected, Repeat::Freely));
    }

    #[test]
    fn what_makes_something_new_each_time_is_repeated_only_if_nothing_was_made() {
        assert!(again(How::Unconnected, Repeat::UnlessActed) && again(answered(429), Repeat::UnlessActed));
        assert!(!again(How::Unanswered, Repeat::UnlessActed));
        assert!([502, 503, 504].iter().all(|status| !again(answered(*status), Repeat::UnlessActed)));
    }

    #[test]
    fn waits_double_up_to_the_longest_and_spread_over_their_upper_half() {
        let wait = |tries, draw: fn(u64) -> u64| {
            let policy = Policy { total: Duration::MAX, ..Policy::default() };
            policy.next(How::Unanswered, Repeat::Freely, tries, START, draw).unwrap().as_millis()
        };
        let least: Vec<_> = [1, 2, 3, 6, 7, u32::MAX].map(|tries| wait(tries, |_| 0)).into();
        assert_eq!(least, [250, 500, 1000, 8000, 10_000, 10_000]);
        let most: Vec<_> = [1, 2, u32::MAX].map(|tries| wait(tries, |most| most)).into();
        assert_eq!(most, [500, 1000, 20_000]);
    }

    #[test]
    fn retry_after_is_waited_for_and_never_cut_short() {
        let policy = Policy::default();
        let asked = |seconds| How::Answered { status: 503, retry_after: Some(Duration::from_secs(seconds)) };
        let wait = |seconds, spent| policy.next(asked(seconds), Repeat::Freely, 1, spent, |_| 100);
        assert_eq!(wait(40, START), Some(Duration::from_millis(40_100)));
        assert_eq!(wait(0, START), Some(Duration::from_millis(100)));
        assert_eq!(wait(120, START), None, "longer than the whole call may take");
        assert_eq!(wait(40, Duration::from_secs(80)), None, "longer than what is left");
    }
}
