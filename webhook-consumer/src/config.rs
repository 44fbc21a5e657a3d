//! What a deployment says. Names of bindings and variables are `platform::settings`'s; `cargo xtask tidy` compares them
//! with `wrangler.toml`.

use domain::callback_url::Loopback;
use domain::timing::Timing;
use platform::settings;
use worker::{Env, Result};

/// Messages that are worked on at once, and the size of a batch.
///
/// An invocation may have six connections that wait for an answer; a seventh queues inside the platform, where a
/// post's timeout would run before the post does. A message has one at a time: a session that claims, a post, a
/// session that records. With batches of the same size no message waits for another one's receiver, so a slow
/// receiver delays nothing but its own posts, and no invocation lasts longer than one post and two sessions.
pub(crate) const LANES: usize = 6;

/// Of the lanes, what one receiver may have at once: half, so that the others go on beside one that hangs.
pub(crate) const LANES_OF_ONE: usize = 3;

/// Where the platform drops messages that ran out of its retries; consumed by this Worker too.
pub(crate) const DEAD_QUEUE: &str = "afc-webhooks-dead";

/// What a deployment says.
pub(crate) struct Settings {
    pub(crate) timing: Timing,
    pub(crate) loopback: Loopback,
    /// Where AFC itself is reached, which is no receiver.
    pub(crate) own: String,
}

impl Settings {
    /// Fails when a variable does not parse; a missing one has its default.
    pub(crate) fn read(env: &Env) -> Result<Self> {
        let own = settings::optional(env, settings::PUBLIC_URL).unwrap_or_default();
        Ok(Self { timing: settings::timing(env)?, loopback: settings::loopback(env), own })
    }
}

#[cfg(test)]
mod tests {
    use super::{DEAD_QUEUE, LANES, LANES_OF_ONE};

    #[test]
    fn a_batch_fills_the_lanes_and_no_more() {
        let wrangler = include_str!("../wrangler.toml");
        assert!(wrangler.lines().any(|line| line == format!("max_batch_size = {LANES}")));
        const { assert!(LANES_OF_ONE < LANES) };
    }

    #[test]
    fn a38_the_dead_letter_queue_has_a_consumer() {
        let wrangler = include_str!("../wrangler.toml");
        for line in [format!("dead_letter_queue = {DEAD_QUEUE:?}"), format!("queue = {DEAD_QUEUE:?}")] {
            assert!(wrangler.lines().any(|one| one == line), "{line}");
        }
    }
}
