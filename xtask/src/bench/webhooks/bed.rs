//! A running consumer with receivers, and deliveries for it.

use std::collections::BTreeMap;
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
    receivers: usize,
}

impl<'s> Bed<'s> {
    /// Registers so many receivers.
    pub(super) async fn new(stack: &'s StackFile, receivers: usize) -> Outcome<Self> {
        let database = database::open(&stack.database_url).await.or_fail("cannot connect", ADVICE)?;
        let many = i64::try_from(receivers).unwrap_or(i64::MAX);
        let made = backlog::endpoints(&database, &stack.receiver, &stack.webhook_secret, many).await;
        made.or_fail("cannot register receivers", ADVICE)?;
        Ok(Self { stack, database, receivers })
    }

    /// Delivers `count` at once; how long it took, and workerd's CPU time.
    pub(super) async fn burst(
        &self,
        name: &str,
        count: usize,
        queues: usize,
    ) -> Outcome<(Duration, Duration)> {
        let ids = self.due(name, count).await?;
        let (begun, cpu) = (Instant::now(), self.workerd()?);
        self.send(&ids, queues).await?;
        self.until_delivered(name, count).await?;
        Ok((begun.elapsed(), self.workerd()?.saturating_sub(cpu)))
    }

    /// Delivers one after the other; how long each waited for its post.
    pub(super) async fn paced(&self, name: &str, count: usize, pace: Duration) -> Outcome<Samples> {
        let mut begun = BTreeMap::new();
        let mut ticks = tokio::time::interval(pace);
        for number in 0..count {
            ticks.tick().await;
            let ids = self.due(&format!("{name}-{number}-"), 1).await?;
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            self.send(&ids, 1).await?;
            begun.extend(ids.into_iter().map(|id| (id, now)));
        }
        self.until_delivered(name, count).await?;
        let url = format!("{}/_receiver/deliveries", self.stack.receiver);
        let arrived = Call::get(url).within(Duration::from_mins(1)).send().await?.json()?;
        let arrived = arrived.get("deliveries").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let waits = arrived.iter().filter_map(|delivery| {
            let begun = begun.get(text(delivery, "/webhook_id"))?;
            let at = DateTime::parse_from_rfc3339(text(delivery, "/at")).ok()?.timestamp_millis();
            Some(Duration::from_millis(u64::try_from(at).ok()?).saturating_sub(*begun))
        });
        Ok(Samples::of(waits.collect()))
    }

    /// Delivers `count` at once, one in `hanging` to a receiver that never answers; how long it took until all others had
    /// theirs.
    pub(super) async fn rest(
        &self,
        count: usize,
        queues: usize,
        hanging: Option<usize>,
    ) -> Outcome<Duration> {
        let hang = hanging.map_or(0, |one_in| self.receivers / one_in);
        for receiver in (0..self.receivers).filter(|n| hanging.is_some_and(|one_in| n.is_multiple_of(one_in)))
        {
            let script = json!({"name": backlog::hook(receiver), "behaviour": {"hang": true}});
            Call::post(format!("{}/_receiver/script", self.stack.receiver), &script).send().await?;
        }
        let ids = self.due("rest", count).await?;
        let begun = Instant::now();
        self.send(&ids, queues).await?;
        self.until_delivered("rest", count - count / self.receivers * hang).await?;
        Ok(begun.elapsed())
    }

    async fn due(&self, name: &str, count: usize) -> Outcome<Vec<String>> {
        let many = i64::try_from(count).unwrap_or(i64::MAX);
        backlog::deliveries(&self.database, name, many).await.or_fail("cannot write deliveries", ADVICE)
    }

    /// Puts them on the queues, in turn.
    async fn send(&self, ids: &[String], queues: usize) -> Outcome {
        let share = ids.len().div_ceil(queues).max(1);
        for (queue, deliveries) in ids.chunks(share).enumerate() {
            let call = Call::post(&self.stack.api, &json!({"queue": queue, "deliveries": deliveries}));
            let answer = call.within(Duration::from_mins(2)).send().await?;
            if answer.status != 204 {
                let what = format!("the producer answered {}: {}", answer.status, answer.excerpt());
                return Err(Failure::new(what, ADVICE));
            }
        }
        Ok(())
    }

    async fn until_delivered(&self, name: &str, count: usize) -> Outcome {
        let begun = Instant::now();
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        loop {
            let delivered = backlog::delivered(&self.database, name).await.or_fail("cannot count", ADVICE)?;
            if delivered >= count {
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
