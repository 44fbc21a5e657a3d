//! Webhooks: what a delivery costs at batch sizes, how long an event waits for its post, and what receivers that hang do to
//! the others.

mod bed;

use std::time::Duration;

use super::report::{Figure, Finding, Ratio, Report, Table};
use super::samples::Samples;
use crate::failure::Outcome;
use crate::paths::Repo;
use crate::progress::Step;
use crate::stack::{Queues, with_consumer};
use bed::Bed;

/// Batch size and the seconds that the queue waits for more. The product's own is the third; see
/// `webhook-consumer/wrangler.toml`.
const KINDS: [(u32, u32); 5] = [(1, 1), (6, 1), (6, 0), (10, 1), (100, 1)];
/// Deliveries that are put on the queue at once.
const BURST: usize = 1_000;
/// Deliveries that come one by one, and the time between two.
const PACED: usize = 100;
const PACE: Duration = Duration::from_millis(100);
/// Deliveries beside receivers that hang.
const BESIDE: usize = 10_000;
/// Receivers, each an endpoint of its own; every tenth of them hangs where some do.
const RECEIVERS: usize = 20;
const ONE_IN: usize = 10;
/// Invocations of the consumer at a time where receivers hang: a local queue runs one, Cloudflare many.
const INVOCATIONS: usize = 8;
/// How long the consumer waits for a receiver there: a fifteenth of production's.
const LIMIT: Duration = Duration::from_secs(1);

/// What one batch size came to.
struct Kind {
    batch: u32,
    timeout_seconds: u32,
    took: Duration,
    /// Of workerd, for the burst.
    cpu: Duration,
    waits: Samples,
}

pub(super) fn run(repo: &Repo) -> Outcome<Report> {
    let kinds = KINDS.map(|(batch, timeout_seconds)| kind(repo, batch, timeout_seconds));
    let kinds = kinds.into_iter().collect::<Outcome<Vec<_>>>()?;
    let (without, with) = (beside(repo, false)?, beside(repo, true)?);
    Ok(report(&kinds, without, with))
}

fn kind(repo: &Repo, batch: u32, timeout_seconds: u32) -> Outcome<Kind> {
    let queues = Queues { count: 1, batch, timeout_seconds };
    with_consumer(repo, &super::stack_name("webhooks")?, &queues, "{}", async |stack| {
        let bed = Bed::new(&stack, RECEIVERS).await?;
        bed.burst("warm", 100, 1).await?;
        let step = Step::start(format!("{BURST} deliveries in batches of {batch} ({timeout_seconds} s)"));
        let (took, cpu) = bed.burst("burst", BURST, 1).await?;
        let waits = bed.paced("paced", PACED, PACE).await?;
        step.done_with(&Figure::PerSecond(rate(BURST, took)).to_string());
        Ok(Kind { batch, timeout_seconds, took, cpu, waits })
    })?
    .result()
}

/// How long it takes until all is delivered that can be.
fn beside(repo: &Repo, some_hang: bool) -> Outcome<Duration> {
    let queues = Queues { count: INVOCATIONS, batch: 6, timeout_seconds: 0 };
    let timing = format!(r#"{{"delivery_timeout_ms":{}}}"#, LIMIT.as_millis());
    with_consumer(repo, &super::stack_name("webhooks")?, &queues, &timing, async |stack| {
        let bed = Bed::new(&stack, RECEIVERS).await?;
        bed.burst("warm", 100, INVOCATIONS).await?;
        let hanging = some_hang.then_some(ONE_IN);
        let step = Step::start(format!(
            "{BESIDE} deliveries, hanging receivers: {}",
            if some_hang { "10 %" } else { "none" }
        ));
        let took = bed.rest(BESIDE, INVOCATIONS, hanging).await?;
        step.done_with(&Figure::Time(took).to_string());
        Ok(took)
    })?
    .result()
}

fn rate(count: usize, took: Duration) -> u64 {
    let count = u128::try_from(count).unwrap_or_default();
    u64::try_from(count * 1_000_000 / took.as_micros().max(1)).unwrap_or(u64::MAX)
}

fn each(kind: &Kind) -> Duration {
    kind.cpu / u32::try_from(BURST).unwrap_or(u32::MAX)
}

fn report(kinds: &[Kind], without: Duration, with: Duration) -> Report {
    let find =
        |batch, seconds| kinds.iter().find(|kind| (kind.batch, kind.timeout_seconds) == (batch, seconds));
    let mut first = vec![Finding {
        what: "when the others have all they get: 10 % of receivers hang : none".to_owned(),
        result: Figure::Ratio(Ratio::of_times(with, without)),
        of: format!("{} : {}", Figure::Time(with), Figure::Time(without)),
    }];
    if let (Some(waiting), Some(at_once)) = (find(6, 1), find(6, 0)) {
        first.push(Finding {
            what: "event to post, median: the queue waits 1 s for a fuller batch : it does not".to_owned(),
            result: Figure::Ratio(Ratio::of_times(waiting.waits.median(), at_once.waits.median())),
            of: format!(
                "{} : {}",
                Figure::Time(waiting.waits.median()),
                Figure::Time(at_once.waits.median())
            ),
        });
    }
    for batch in [10, 100] {
        if let (Some(one), Some(many)) = (find(1, 1), find(batch, 1)) {
            first.push(Finding {
                what: format!("CPU a delivery, batches of {batch} : of 1"),
                result: Figure::Ratio(Ratio::of_times(each(many), each(one))),
                of: format!("{} : {}", Figure::Time(each(many)), Figure::Time(each(one))),
            });
        }
    }
    let rows = kinds.iter().map(|kind| {
        vec![
            Figure::Count(kind.batch.into()),
            Figure::Text(format!("{} s", kind.timeout_seconds)),
            Figure::PerSecond(rate(BURST, kind.took)),
            Figure::Time(each(kind)),
            Figure::Time(kind.waits.median()),
            Figure::Time(kind.waits.percentile(99)),
        ]
    });
    let columns = &["batch", "waits for more", "deliveries", "CPU each", "event to post, p50", "p99"];
    Report {
        title: "Webhooks",
        first,
        tables: vec![Table { columns, rows: rows.collect() }],
        method: method(),
    }
}

fn method() -> String {
    format!(
        "The real consumer in `workerd` under `wrangler dev`, with its queue, on a real Postgres through the pooler; a \
         session of its own for each batch size, one after the other. Rate and CPU are of {BURST} deliveries that are \
         on the queue at once, to {RECEIVERS} endpoints; CPU is that of the workerd processes by `/proc`, the local \
         queue's own included. Event to post is the time from a delivery row's commit to the arrival at the receiver, of \
         {PACED} deliveries that come one every {} ms. A local queue hands out one batch at a time, where Cloudflare \
         runs up to 250 invocations beside each other. So rates are of one invocation; and where receivers hang, \
         {INVOCATIONS} queues stand for {INVOCATIONS} invocations, and the consumer waits {} s for a receiver \
         instead of 15. There {} deliveries go out, a tenth of them to endpoints that hang.",
        PACE.as_millis(),
        LIMIT.as_secs(),
        Figure::Count(u64::try_from(BESIDE).unwrap_or(u64::MAX))
    )
}
