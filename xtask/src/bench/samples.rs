//! Many measurements of one thing.

use std::time::Duration;

/// Times, sorted.
pub(super) struct Samples(Vec<Duration>);

impl Samples {
    pub(super) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// The time that `percent` of them do not exceed (nearest rank); zero without any.
    pub(super) fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0.get(rank - 1).copied().unwrap_or_default()
    }

    pub(super) fn median(&self) -> Duration {
        self.percentile(50)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Samples;

    #[test]
    fn percentiles_are_measured_values() {
        let samples = Samples::of((1..=200).rev().map(Duration::from_millis).collect());
        let at = |percent| samples.percentile(percent).as_millis();
        assert_eq!((at(50), at(99), at(100)), (100, 198, 200));
        assert_eq!(samples.median(), samples.percentile(50));
        assert_eq!(Samples::of(Vec::new()).median(), Duration::ZERO);
    }
}
