//! Webhooks: what a delivery costs at batch sizes, how long an event waits for its post, and what receivers that hang do to
//! the others.

mod bed;

use std::time::Duration;

use super::report::{Figure, Finding, Ratio, Report, Table};
use crate::failure::Outcome;
use crate::paths::Repo;
use crate::progress::Step;
use crate::stack::{Queues, with_consumer};
use bed::{Bed, Burst, Measured};

/// Batch size and the seconds that the queue waits for more. The product's own is [`OWN`]; see
/// `webhook-consumer/wrangler.toml`.
const KINDS: [(u32, u32); 5] = [(1, 0), (6, 1), OWN, (10, 0), (100, 0)];
const OWN: (u32, u32) = (6, 0);
/// Deliveries that are put on the queue at once.
const BURST: u32 = 1_000;
/// Deliveries that come one by one, and the time between two.
const PACED: u32 = 100;
const PACE: Duration = Duration::from_millis(100);
/// Deliveries of the large burst.
const LARGE: u32 = 10_000;
/// Receivers, each an endpoint of its own; every tenth of them hangs where some do.
const RECEIVERS: u32 = 20;
const ONE_IN: u32 = 10;
/// Invocations of the consumer at a time: a local queue runs one, Cloudflare many.
const INVOCATIONS: u32 = 8;
/// How long the consumer waits for a receiver: a fifteenth of production's.
const LIMIT: Duration = Duration::from_secs(1);

/// What one kind of batch came to.
struct Kind {
    batch: u32,
    timeout_seconds: u32,
    /// All receivers answer.
    usual: Measured,
    /// A tenth of them hangs.
    beside: Measured,
}

pub(super) fn run(repo: &Repo) -> Outcome<Report> {
    let kinds = KINDS.map(|of| measured(repo, of)).into_iter().collect::<Outcome<Vec<_>>>()?;
    let (without, with) = (large(repo, false)?, large(repo, true)?);
    Ok(report(&kinds, without, with))
}

fn on_a_bed<T>(
    repo: &Repo,
    (batch, timeout_seconds): (u32, u32),
    work: impl AsyncFnOnce(&mut Bed<'_>) -> Outcome<T>,
) -> Outcome<T> {
    let queues = Queues { count: INVOCATIONS, batch, timeout_seconds };
    let timing = format!(r#"{{"delivery_timeout_ms":{}}}"#, LIMIT.as_millis());
    with_consumer(repo, &super::stack_name("webhooks")?, &queues, &timing, async |stack| {
        let mut bed = Bed::new(&stack, RECEIVERS, INVOCATIONS).await?;
        bed.burst("warm", 100).await?;
        work(&mut bed).await
    })?
    .result()
}

fn measured(repo: &Repo, (batch, timeout_seconds): (u32, u32)) -> Outcome<Kind> {
    on_a_bed(repo, (batch, timeout_seconds), async |bed| {
        let step = Step::start(format!("{BURST} deliveries in batches of {batch} ({timeout_seconds} s)"));
        let usual = bed.measured("usual", BURST, PACED, PACE).await?;
        bed.hang(ONE_IN).await?;
        let beside = bed.measured("beside", BURST, PACED, PACE).await?;
        let [usual_rate, beside_rate] = [&usual, &beside].map(|one| Figure::PerSecond(one.burst.rate()));
        step.done_with(&format!("{usual_rate}, {beside_rate} where 10 % hang"));
        Ok(Kind { batch, timeout_seconds, usual, beside })
    })
}

/// A burst of the product's own batches.
fn large(repo: &Repo, some_hang: bool) -> Outcome<Burst> {
    on_a_bed(repo, OWN, async |bed| {
        if some_hang {
            bed.hang(ONE_IN).await?;
        }
        let hanging = if some_hang { "10 %" } else { "none" };
        let step = Step::start(format!("{LARGE} deliveries, hanging receivers: {hanging}"));
        let burst = bed.burst("large", LARGE).await?;
        step.done_with(&Figure::Time(burst.took).to_string());
        Ok(burst)
    })
}

fn report(kinds: &[Kind], without: Burst, with: Burst) -> Report {
    let find = |of| kinds.iter().find(|kind| (kind.batch, kind.timeout_seconds) == of);
    let times = |what: &str, part: Duration, base: Duration| Finding {
        what: what.to_owned(),
        result: Figure::Ratio(Ratio::of_times(part, base)),
        of: format!("{} : {}", Figure::Time(part), Figure::Time(base)),
    };
    let mut first = vec![times(
        "until the others have all they get, of 10,000: 10 % of receivers hang : none",
        with.took,
        without.took,
    )];
    if let (Some(waiting), Some(own)) = (find((OWN.0, 1)), find(OWN)) {
        let medians = [waiting, own].map(|kind| kind.usual.waits.median());
        let what = "event to post, median: the queue waits 1 s for a fuller batch : it does not";
        first.push(times(what, medians[0], medians[1]));
    }
    if let Some(one) = find((1, 0)) {
        for kind in kinds.iter().filter(|kind| kind.batch > 1 && kind.timeout_seconds == 0) {
            let what = format!("CPU a delivery, batches of {} : of 1", kind.batch);
            first.push(times(&what, kind.usual.burst.each(), one.usual.burst.each()));
        }
    }
    let row = |kind: &Kind, hanging: &str, measured: &Measured| {
        vec![
            Figure::Count(kind.batch.into()),
            Figure::Text(format!("{} s", kind.timeout_seconds)),
            Figure::Text(hanging.to_owned()),
            Figure::PerSecond(measured.burst.rate()),
            Figure::Time(measured.burst.each()),
            Figure::Time(measured.waits.median()),
            Figure::Time(measured.waits.percentile(99)),
        ]
    };
    let rows =
        kinds.iter().flat_map(|kind| [row(kind, "none", &kind.usual), row(kind, "10 %", &kind.beside)]);
    let columns = &["batch", "waits for more", "hang", "deliveries", "CPU each", "event to post, p50", "p99"];
    Report {
        title: "Webhooks",
        first,
        tables: vec![Table { columns, rows: rows.collect() }],
        method: method(),
    }
}

fn method() -> String {
    format!(
        "The real consumer in `workerd` under `wrangler dev`, with its queues, on a real Postgres through the pooler; a \
         session of its own for each kind of batch, one after the other. A local queue hands out one batch at a time, where \
         Cloudflare runs up to 250 invocations beside each other; {INVOCATIONS} queues stand for {INVOCATIONS} of them. \
         Rate and CPU are of {} deliveries that are on the queues at once, to {RECEIVERS} endpoints; CPU is that of the \
         workerd processes by `/proc`, the local queues' own included. Event to post is the time from a delivery row's \
         commit to the arrival at the receiver, of {PACED} deliveries that come one every {} ms. Where 10 % hang, that is \
         every tenth endpoint; rate and times are of the others' deliveries, which come in the same batches. The consumer \
         waits {} s for a receiver instead of 15, and what hung is tried again after 5 s. A local queue that has given out \
         a batch with one that hangs gives out no other meanwhile, so that p99 is the queue's, not the consumer's.",
        Figure::Count(BURST.into()),
        PACE.as_millis(),
        LIMIT.as_secs(),
    )
}
