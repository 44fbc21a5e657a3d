//! One delivery: claim, sign, post, record.

use std::time::Duration;

use domain::DeliveryId;
use domain::callback_url::CallbackUrl;
use domain::trace::Trace;
use platform::{now, session};
use store::deliveries::{self, Claim, Claimed, Health, Post, Settled};
use worker::{Delay, Env};

use crate::config::Settings;
use crate::jitter::jitter;
use crate::lanes::Lanes;
use crate::outcome::{Outcome, Standing, Try};
use crate::post::{Headers, post};
use crate::signature::sign;
use crate::verdict::{Failure, Turn, Verdict, excerpt, judge, postpone, refuse};

/// What a delivery is done with.
pub(crate) struct Consumer<'e> {
    pub(crate) env: &'e Env,
    pub(crate) settings: &'e Settings,
    /// Of this batch.
    pub(crate) lanes: &'e Lanes,
}

/// Does what may be done for `delivery` now, and says what came of it.
///
/// Safe to repeat and to run beside itself: the claim lets one consumer through until its lease runs out, which is
/// later than its post ends. The case that stays open: the receiver took the event and we could not record it, or
/// died before; then it is posted again under the same `webhook-id` (A39).
pub(crate) async fn consume(consumer: &Consumer<'_>, delivery: &DeliveryId) -> Outcome {
    let (claimed, lane) = match consumer.lanes.claim(async |busy| consumer.claim(delivery, busy).await).await
    {
        Ok((Claim::Claimed(claimed), lane)) => (claimed, lane),
        Ok((claim, _)) => return standing(&claim),
        Err(error) => return Outcome::Hindered { error: error.to_string(), status: None },
    };

    let started = now();
    let (verdict, response) = consumer.attempt(delivery, &claimed).await;
    let duration_ms = u64::try_from((now() - started).num_milliseconds()).unwrap_or(0);
    drop(lane);

    let status = match &verdict {
        Verdict::Delivered { status } => Some(*status),
        Verdict::Failed(failure) => failure.status,
    };
    let trace = claimed.trace.as_ref().map(Trace::id);
    let one = Try { tries: claimed.tries, status, duration_ms, after_lost: claimed.after_lost, trace };
    let ended = Ended { verdict: &verdict, response: response.as_deref(), duration_ms };
    match (consumer.record(delivery, &claimed, &ended).await, verdict) {
        // Delivered by another consumer meanwhile is delivered too.
        (Ok(_), Verdict::Delivered { .. }) => Outcome::Delivered(one),
        (Ok(Settled::Recorded), Verdict::Failed(failure)) => Outcome::Failed(one, failure),
        (Ok(Settled::Superseded), Verdict::Failed(_)) => Outcome::Superseded(one),
        (Err(error), _) => Outcome::Hindered { error: error.to_string(), status },
    }
}

/// A try that is over.
struct Ended<'v> {
    verdict: &'v Verdict,
    /// What the receiver answered.
    response: Option<&'v str>,
    duration_ms: u64,
}

/// Where to post. The guard has passed this URL when it was registered; rules may have changed since, rows may be edited.
fn address(claimed: &Claimed, settings: &Settings) -> Result<CallbackUrl, Failure> {
    CallbackUrl::parse(&claimed.url, settings.loopback)
        .and_then(|url| url.elsewhere(&settings.own).map(|()| url))
        .map_err(|why| refuse(&why.to_string()))
}

/// A claim that was not given.
fn standing(claim: &Claim) -> Outcome {
    match claim {
        Claim::AlreadyDelivered => Outcome::Settled(Standing::Delivered),
        Claim::Dead => Outcome::Settled(Standing::Dead),
        Claim::Missing => Outcome::Settled(Standing::Missing),
        Claim::Later(moment) => {
            Outcome::Later { in_ms: u64::try_from((*moment - now()).num_milliseconds()).unwrap_or(0) }
        }
        // Another consumer has it; whoever asks here looks again.
        Claim::Claimed(_) => Outcome::Later { in_ms: 0 },
    }
}

impl Consumer<'_> {
    async fn claim(&self, delivery: &DeliveryId, busy: &[String]) -> Result<Claim, store::Error> {
        let lease_ms = i64::try_from(self.settings.timing.delivery_lease_ms).unwrap_or(i64::MAX);
        session(self.env, async |db| deliveries::claim(db, delivery, lease_ms, busy).await).await
    }

    /// Posts once; returns what it comes to and what the receiver answered. The timestamp and the signatures are this try's own; id and payload are those of every try (A37).
    async fn attempt(&self, delivery: &DeliveryId, claimed: &Claimed) -> (Verdict, Option<String>) {
        let url = match address(claimed, self.settings) {
            Ok(url) => url,
            Err(refused) => return (Verdict::Failed(refused), None),
        };
        let timestamp = now().timestamp();
        let signature = match sign(&claimed.secrets, delivery, timestamp, &claimed.payload) {
            Ok(signature) => signature,
            Err(why) => return (Verdict::Failed(postpone(why.as_str(), self.turn(claimed))), None),
        };
        let headers = Headers {
            id: delivery,
            timestamp,
            signature: &signature,
            trace: claimed.trace.as_ref(),
            more: &claimed.headers,
        };
        let limit = Duration::from_millis(self.settings.timing.delivery_timeout_ms);
        let reply = post(&url, &headers, &claimed.payload, limit).await;
        (judge(&reply, self.turn(claimed), now()), excerpt(&reply))
    }

    fn turn(&self, claimed: &Claimed) -> Turn {
        let second_ms = self.settings.timing.delivery_second_ms;
        Turn { tries: claimed.tries, second_ms, jitter: jitter() }
    }

    /// Records a verdict, with a second try when the first fails: what is lost here is posted again. Both writes are
    /// safe twice: a delivered row stays delivered, and a failure is recorded only under the claim that met it.
    async fn record(
        &self,
        delivery: &DeliveryId,
        claimed: &Claimed,
        ended: &Ended<'_>,
    ) -> Result<Settled, store::Error> {
        let Ended { verdict, response, .. } = *ended;
        let duration_ms = i64::try_from(ended.duration_ms).unwrap_or(i64::MAX);
        let claim = claimed.claim;
        let (post, next_in_ms) = match verdict {
            Verdict::Delivered { status } => {
                (Post { claim, status: Some(*status), sent: true, error: None, response, duration_ms }, None)
            }
            Verdict::Failed(Failure { status, error, next_in_ms, sent, .. }) => (
                Post { claim, status: *status, sent: *sent, error: Some(error), response, duration_ms },
                next_in_ms.map(|distance| i64::try_from(distance).unwrap_or(i64::MAX)),
            ),
        };
        let health = match verdict {
            Verdict::Delivered { .. } => Health::Unharmed,
            Verdict::Failed(failure) => failure.health(),
        };
        let write = async || {
            session(self.env, async |db| match verdict {
                Verdict::Delivered { .. } => deliveries::delivered(db, delivery, &post).await,
                Verdict::Failed(_) => deliveries::failed(db, delivery, &post, next_in_ms, health).await,
            })
            .await
        };
        if let Ok(settled) = write().await {
            return Ok(settled);
        }
        Delay::from(Duration::from_millis(self.settings.timing.record_retry_ms)).await;
        write().await
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use domain::callback_url::Loopback;
    use domain::timing::Timing;
    use store::deliveries::Claimed;

    use super::{Settings, address};

    fn claimed(url: &str) -> Claimed {
        Claimed {
            claim: 1,
            url: url.to_owned(),
            target: String::new(),
            payload: String::new(),
            tries: 1,
            after_lost: false,
            secrets: Vec::new(),
            headers: BTreeMap::new(),
            trace: None,
        }
    }

    fn lines(text: &str) -> impl Iterator<Item = &str> {
        text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
    }

    #[test]
    fn f24_the_guard_stands_at_the_post_too() {
        let own = "https://afc-api.studio.com".to_owned();
        let settings = Settings { timing: Timing::default(), loopback: Loopback::Refused, own };
        let hostile = include_str!("../../domain/src/callback_url/hostile.txt");
        assert!(lines(hostile).count() >= 120);
        for url in lines(hostile).chain(["https://afc-api.studio.com/v1/generations"]) {
            let refused = address(&claimed(url), &settings).unwrap_err();
            assert_eq!((refused.sent, refused.next_in_ms), (false, None), "{url}");
        }
        let good = include_str!("../../domain/src/callback_url/good.txt");
        assert!(lines(good).count() >= 40);
        for url in lines(good) {
            assert!(address(&claimed(url), &settings).is_ok(), "{url}");
        }
    }
}
