//! Names of bindings and variables, as `wrangler.toml` has them (`cargo xtask tidy` compares the two), and what they
//! say.

use domain::callback_url::Loopback;
use domain::timing::Timing;
use worker::{Env, Error, Result};

pub(crate) const DB: &str = "DB";
pub(crate) const ALLOW_LOOPBACK_CALLBACKS: &str = "ALLOW_LOOPBACK_CALLBACKS";
pub(crate) const TIMING_OVERRIDES: &str = "TIMING_OVERRIDES";

/// Messages that are worked on at once, and the size of a batch.
///
/// An invocation may have six connections that wait for an answer; a seventh queues inside the platform, where a
/// post's timeout would run before the post does. A message has one at a time: a session that claims, a post, a
/// session that records. With batches of the same size no message waits for another one's receiver, so a slow
/// receiver delays nothing but its own posts, and no invocation lasts longer than one post and two sessions.
pub(crate) const LANES: usize = 6;

/// What a deployment says.
pub(crate) struct Settings {
    pub(crate) timing: Timing,
    pub(crate) loopback: Loopback,
}

impl Settings {
    /// Fails when a variable does not parse; a missing one has its default.
    pub(crate) fn read(env: &Env) -> Result<Self> {
        let variable = |name: &str| env.var(name).map(|value| value.to_string()).ok();
        let timing = Timing::from_overrides(variable(TIMING_OVERRIDES).as_deref())
            .map_err(|error| Error::RustError(format!("{TIMING_OVERRIDES}: {error}")))?;
        let loopback = match variable(ALLOW_LOOPBACK_CALLBACKS).as_deref() {
            Some("true") => Loopback::Allowed,
            _ => Loopback::Refused,
        };
        Ok(Self { timing, loopback })
    }
}

#[cfg(test)]
mod tests {
    use super::LANES;

    #[test]
    fn a_batch_fills_the_lanes_and_no_more() {
        let wrangler = include_str!("../wrangler.toml");
        assert!(wrangler.lines().any(|line| line == format!("max_batch_size = {LANES}")));
    }
}
