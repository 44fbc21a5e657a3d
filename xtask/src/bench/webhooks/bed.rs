//! A running consumer with receivers, and deliveries for it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chrono::DateTime;
use serde_json::{Value, json};
use testkit::backlog;
use testkit::database::{self, Client};
use tokio::time::sleep;

use super::super::samples::Samples;
use super::super::usage;
use crate::demo::api::text;
use crate::failure::{Failure, OrFail, Outcome};
use crate::http::Call;
use crate::stack::StackFile;

const ADVICE: &str = "read target/dev-bench-webhooks/logs/";
const PATIENCE: Duration = Duration::from_mins(10);
const PAUSE: Duration = Duration::from_millis(100);

pub(super) struct Bed<'s> {
    stack: &'s StackFile,
    database: Client,
    receivers: u32,
    /// Each hands out one batch at a time.
    queues: u32,
    /// Every so many-th receiver never answers.
    hangs: Option<u32>,
}

/// Deliveries that were due at once, until all were made that can be.
#[derive(Clone, Copy)]
pub(super) struct Burst {
    due: u32,
    made: u32,
    pub(super) took: Duration,
    /// Of workerd.
    cpu: Duration,
}

/// What was found of one kind of batch.
pub(super) struct Measured {
    pub(super) burst: Burst,
    /// From an event to its post, of receivers that answer.
    pub(super) waits: Samples,
}

impl Burst {
    /// Deliveries a second.
    pub(super) fn rate(&self) -> u64 {
        u64::try_from(u128::from(self.made) * 1_000_000 / self.took.as_micros().max(1)).unwrap_or(u64::MAX)
    }

    /// CPU time a delivery.
    pub(super) fn each(&self) -> Duration {
        self.cpu / self.due.max(1)
    }
}

impl<'s> Bed<'s> {
    /// Registers so many receivers.
    pub(super) async fn new(stack: &'s StackFile, receivers: u32, queues: u32) -> Outcome<Self> {
        let database = database::open(&stack.database_url).await.or_fail("cannot connect", ADVICE)?;
        let (receiver, secret) = (&stack.receiver, &stack.webhook_secret);
        let made = backlog::endpoints(&database, receiver, secret, receivers.into()).await;
        made.or_fail("cannot register receivers", ADVICE)?;
        Ok(Self { stack, database, receivers, queues, hangs: None })
    }

    /// From now on one receiver in `one_in` never answers.
    pub(super) async fn hang(&mut self, one_in: u32) -> Outcome {
        self.hangs = Some(one_in);
        for receiver in (0..self.receivers).filter(|&receiver| !self.answers(receiver)) {
            let script = json!({"name": backlog::hook(receiver), "behaviour": {"hang": true}});
            Call::post(format!("{}/_receiver/script", self.stack.receiver), &script).send().await?;
        }
        Ok(())
    }

    /// Whether the receiver of this delivery answers: they take turns.
    fn answers(&self, delivery: u32) -> bool {
        self.hangs.is_none_or(|one_in| !(delivery % self.receivers).is_multiple_of(one_in))
    }

    fn answered(&self, deliveries: u32) -> u32 {
        (0..deliveries).map(|delivery| u32::from(self.answers(delivery))).sum()
    }

    /// A burst, and deliveries one after the other.
    pub(super) async fn measured(
        &self,
        name: &str,
        burst: u32,
        paced: u32,
        pace: Duration,
    ) -> Outcome<Measured> {
        let burst = self.burst(&format!("{name}-burst-"), burst).await?;
        Ok(Measured { burst, waits: self.paced(&format!("{name}-paced-"), paced, pace).await? })
    }

    /// Delivers `count` at once, until all have been whose receiver answers.
    pub(super) async fn burst(&self, name: &str, count: u32) -> Outcome<Burst> {
        let ids = self.due(name, 0..count).await?;
        let (begun, cpu) = (Instant::now(), self.workerd()?);
        let share = ids.len().div_ceil(usize::try_from(self.queues).unwrap_or(1)).max(1);
        for (queue, ids) in (0..).zip(ids.chunks(share)) {
            self.send(queue, ids).await?;
        }
        let made = self.answered(count);
        self.until_delivered(name, made).await?;
        let took = begun.elapsed();
        Ok(Burst { due: count, made, took, cpu: self.workerd()?.saturating_sub(cpu) })
    }

    /// Delivers one after the other; how long each waited for its post.
    async fn paced(&self, name: &str, count: u32, pace: Duration) -> Outcome<Samples> {
        let mut begun = BTreeMap::new();
        let mut ticks = tokio::time::interval(pace);
        for number in 0..count {
            ticks.tick().await;
            let ids = self.due(name, number..number + 1).await?;
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            self.send(number % self.queues, &ids).await?;
            if self.answers(number) {
                begun.extend(ids.into_iter().map(|id| (id, now)));
            }
        }
        self.until_delivered(name, self.answered(count)).await?;
        let url = format!("{}/_receiver/deliveries", self.stack.receiver);
        let arrived = Call::get(url).within(Duration::from_mins(1)).send().await?.json()?;
        let arrived = arrived.get("deliveries").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let waits = arrived.iter().filter_map(|delivery| {
            // The first post of each.
            let begun = begun.remove(text(delivery, "/webhook_id"))?;
            let at = DateTime::parse_from_rfc3339(text(delivery, "/at")).ok()?.timestamp_millis();
            Some(Duration::from_millis(u64::try_from(at).ok()?).saturating_sub(begun))
        });
        Ok(Samples::of(waits.collect()))
    }

    async fn due(&self, name: &str, numbers: Range<u32>) -> Outcome<Vec<String>> {
        let numbers = numbers.start.into()..numbers.end.into();
        backlog::deliveries(&self.database, name, numbers).await.or_fail("cannot write deliveries", ADVICE)
    }

    async fn send(&self, queue: u32, ids: &[String]) -> Outcome {
        let call = Call::post(&self.stack.api, &json!({"queue": queue, "deliveries": ids}));
        let answer = call.within(Duration::from_mins(2)).send().await?;
        if answer.status == 204 {
            return Ok(());
        }
        let what = format!("the producer answered {}: {}", answer.status, answer.excerpt());
        Err(Failure::new(what, ADVICE))
    }

    async fn until_delivered(&self, name: &str, count: u32) -> Outcome {
        let begun = Instant::now();
        loop {
            let delivered = backlog::delivered(&self.database, name).await.or_fail("cannot count", ADVICE)?;
            if delivered >= i64::from(count) {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                return Err(Failure::new(format!("only {delivered} of {count} were delivered"), ADVICE));
            }
            sleep(PAUSE).await;
        }
    }

    fn workerd(&self) -> Outcome<Duration> {
        let wrangler = self.stack.pids.get("wrangler").or_fail("wrangler has no pid", ADVICE)?;
        usage::cpu_below(*wrangler, "workerd")
    }
}
