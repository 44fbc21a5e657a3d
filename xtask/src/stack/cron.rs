//! The Workers' cron triggers, which `wrangler dev` does not fire: called at once when the stack is up (that is also what
//! nudges Workflow instances that were under way before a restart), then every ten seconds.

use std::time::Duration;

use super::crew::Crew;
use crate::failure::Outcome;
use crate::http::Call;

/// More often than in production (a minute), so that nobody waits for a sweep locally.
const PERIOD: Duration = Duration::from_secs(10);

/// Runs the api-worker's scheduled handler once.
pub(super) async fn fire(api: &str) -> Outcome<u16> {
    let call =
        Call::get(format!("{api}/cdn-cgi/local/scheduled?cron=*+*+*+*+*")).within(Duration::from_mins(1));
    call.send().await.map(|answer| answer.status)
}

/// Fires for ever. A failed call is the Worker's to report, in its log; while wrangler restarts there is nobody to call.
pub(super) async fn keep_firing(api: &str, crew: &Crew<'_>) -> Outcome {
    let mut ticks = tokio::time::interval(PERIOD);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let _ = fire(api).await;
        crew.survey()?;
    }
}
