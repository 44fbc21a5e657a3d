//! The outbox of style runs: how fast drainers empty a backlog, and what a drain that finds nothing costs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use domain::ClientId;
use domain::timing::{OUTBOX_BATCH, OUTBOX_LEASE_SECONDS};
use store::Db;
use store::outbox::{Claimed, claim, deliver, woken};
use testkit::backlog::{self, Reads};
use testkit::database::{self, Database};
use tokio::task::JoinSet;

use super::report::{Figure, Finding, Ratio, Report, Table};
use super::samples::Samples;
use super::{usage, with_client};
use crate::failure::{Failure, OrFail, Outcome};
use crate::paths::Repo;
use crate::progress::Step;
use crate::stack::with_database;

/// Style runs of a backlog; each has a wake-up and a webhook.
const RUNS: i64 = 5_000;
const EVENTS: i64 = 2 * RUNS;
/// Drainers of a drain, taking turns.
const TURNS: [usize; 4] = [1, 4, 1, 4];
/// Settled events behind an idle drain.
const SETTLED: i64 = 1_000_000;
/// Idle drains of each outbox, taking turns.
const IDLE: usize = 500;

const ADVICE: &str = "read the log of postgres (target/dev-bench-outbox/logs)";

/// One drain of a backlog by some drainers.
struct Drain {
    drainers: usize,
    settled: usize,
    took: Duration,
    /// CPU of the drainers' sessions in the database.
    cpu: Duration,
}

/// One event in one drainer's hands: when its claim was asked for and when it was given.
struct Handed {
    id: i64,
    asked: Instant,
    given: Instant,
}

/// What an outbox with nothing to do costs.
struct Idle {
    settled: i64,
    reads: Reads,
    times: Samples,
}

pub(super) fn run(repo: &Repo) -> Outcome<Report> {
    with_database(repo, &super::stack_name("outbox")?, async |url| {
        let drains = drains(&url).await?;
        let idle = idle(&url).await?;
        Ok(report(&drains, &idle))
    })?
    .result()
}

async fn drains(url: &str) -> Outcome<Vec<Drain>> {
    let (database, _, client) = with_client(url).await?;
    let mut drains = Vec::new();
    for drainers in TURNS {
        let step = Step::start(format!("draining {EVENTS} events with {drainers} drainers"));
        let drain = drain(&database, client, drainers).await?;
        step.done_with(&Figure::PerSecond(drain.rate()).to_string());
        drains.push(drain);
    }
    Ok(drains)
}

/// Fills the outbox, lets one drainer die with a claim in its hands, and drains with the others.
async fn drain(database: &Database, client: ClientId, drainers: usize) -> Outcome<Drain> {
    let connection = database.client().await.or_fail("cannot connect", ADVICE)?;
    backlog::clear(&connection).await.or_fail("cannot clear the outbox", ADVICE)?;
    backlog::pending(&connection, client, RUNS).await.or_fail("cannot fill the outbox", ADVICE)?;
    let mut handed = Vec::new();
    let dead = take(&connection, &mut handed).await?;
    let mut sessions = Vec::new();
    let mut pids = Vec::new();
    for _ in 0..drainers {
        let session = database.client().await.or_fail("cannot connect", ADVICE)?;
        pids.push(backlog::backend(&session).await.or_fail("cannot ask for the backend", ADVICE)?);
        sessions.push(session);
    }
    let (begun, cpu) = (Instant::now(), usage::cpu(&pids));
    let mut work = JoinSet::new();
    for session in sessions {
        // The session comes back open: its backend's CPU time is read when all is done.
        work.spawn(async move { drain_with(&session).await.map(|handed| (handed, session)) });
    }
    let done = work.join_all().await.into_iter().collect::<Outcome<Vec<_>>>()?;
    let (took, cpu) = (begun.elapsed(), usage::cpu(&pids).saturating_sub(cpu));
    handed.extend(done.into_iter().flat_map(|(handed, _session)| handed));
    let settled = handed.len().saturating_sub(dead.len());
    let record = backlog::record(&connection).await.or_fail("cannot read the record", ADVICE)?;
    check(&handed, dead.len(), &record)?;
    Ok(Drain { drainers, settled, took, cpu })
}

/// As the Worker's drainer does it, as far as the database sees: claim, then settle one by one, until nothing is due.
async fn drain_with(connection: &database::Client) -> Outcome<Vec<Handed>> {
    let mut handed = Vec::new();
    loop {
        let claimed = take(connection, &mut handed).await?;
        if claimed.is_empty() {
            return Ok(handed);
        }
        for event in claimed {
            let db = Db::new(connection);
            match event.event_type {
                None => woken(db, &event).await,
                Some(event_type) => deliver(db, &event, event_type, "{}").await,
            }
            .or_fail("cannot settle an event", ADVICE)?;
        }
    }
}

async fn take(connection: &database::Client, handed: &mut Vec<Handed>) -> Outcome<Vec<Claimed>> {
    let asked = Instant::now();
    let claimed = claim(Db::new(connection), OUTBOX_BATCH).await.or_fail("cannot claim", ADVICE)?;
    let given = Instant::now();
    handed.extend(claimed.iter().map(|event| Handed { id: event.id, asked, given }));
    Ok(claimed)
}

/// No event is given out twice within a lease, and the rows' own record says the same as the drainers.
fn check(handed: &[Handed], dead: usize, record: &backlog::Record) -> Outcome {
    let lease = Duration::from_secs(u64::try_from(OUTBOX_LEASE_SECONDS).unwrap_or_default());
    let mut claims: BTreeMap<i64, Vec<&Handed>> = BTreeMap::new();
    for one in handed {
        claims.entry(one.id).or_default().push(one);
    }
    for times in claims.values_mut() {
        times.sort_by_key(|one| one.given);
        let early = times.windows(2).any(|pair| match pair {
            [first, second] => second.given < first.asked + lease,
            _ => false,
        });
        if early {
            return Err(Failure::new("an event was given out twice within its lease", "mend store::outbox"));
        }
    }
    let counted = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let again = counted(handed.len()) - EVENTS;
    let left = counted(dead) - again;
    let expected = (EVENTS - left, left, counted(handed.len()), left);
    if (record.settled, record.pending, record.claims, record.leased) != expected || record.deliveries == 0 {
        let what = format!("the rows say {record:?}, the drainers {expected:?}");
        return Err(Failure::new(what, "mend store::outbox"));
    }
    Ok(())
}

/// Two outboxes side by side: one without a single event, one with a million settled ones.
async fn idle(url: &str) -> Outcome<[Idle; 2]> {
    let (unused, ..) = with_client(url).await?;
    let (used, _, client) = with_client(url).await?;
    let empty = unused.client().await.or_fail("cannot connect", ADVICE)?;
    let full = used.client().await.or_fail("cannot connect", ADVICE)?;
    let step = Step::start(format!("settling {SETTLED} events"));
    backlog::pending(&full, client, 1_000).await.or_fail("cannot fill the outbox", ADVICE)?;
    backlog::settled(&full, SETTLED - 2_000).await.or_fail("cannot fill the outbox", ADVICE)?;
    step.done();
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..IDLE {
        for (connection, times) in [&empty, &full].into_iter().zip(&mut times) {
            let begun = Instant::now();
            let claimed = claim(Db::new(connection), OUTBOX_BATCH).await.or_fail("cannot claim", ADVICE)?;
            times.push(begun.elapsed());
            if !claimed.is_empty() {
                return Err(Failure::new("a settled event was given out", "mend store::outbox"));
            }
        }
    }
    let [of_empty, of_full] = times.map(Samples::of);
    let reads = async |connection| {
        backlog::claim_reads(connection, OUTBOX_BATCH).await.or_fail("cannot explain a claim", ADVICE)
    };
    Ok([
        Idle { settled: 0, reads: reads(&empty).await?, times: of_empty },
        Idle { settled: SETTLED, reads: reads(&full).await?, times: of_full },
    ])
}

impl Drain {
    /// Events a second.
    fn rate(&self) -> u64 {
        let settled = u128::try_from(self.settled).unwrap_or_default();
        u64::try_from(settled * 1_000_000 / self.took.as_micros().max(1)).unwrap_or(u64::MAX)
    }
}

/// All drains by so many drainers as one.
fn total(drains: &[Drain], drainers: usize) -> Drain {
    let of = drains.iter().filter(|drain| drain.drainers == drainers);
    of.fold(Drain { drainers, settled: 0, took: Duration::ZERO, cpu: Duration::ZERO }, |sum, drain| Drain {
        drainers,
        settled: sum.settled + drain.settled,
        took: sum.took + drain.took,
        cpu: sum.cpu + drain.cpu,
    })
}

fn count(count: impl TryInto<u64>) -> Figure {
    Figure::Count(count.try_into().unwrap_or(u64::MAX))
}

fn report(drains: &[Drain], [empty, full]: &[Idle; 2]) -> Report {
    let (one, four) = (total(drains, 1), total(drains, 4));
    let per_event = |drain: &Drain| drain.cpu / u32::try_from(drain.settled.max(1)).unwrap_or(u32::MAX);
    let first = vec![
        Finding {
            what: format!(
                "pages that an idle drain reads, behind {} settled events : behind none",
                count(SETTLED)
            ),
            result: Figure::Ratio(Ratio::of(full.reads.pages.into(), empty.reads.pages.into())),
            of: format!(
                "{} : {} pages, {} : {} rows",
                full.reads.pages, empty.reads.pages, full.reads.rows, empty.reads.rows
            ),
        },
        Finding {
            what: "time of an idle drain, the same two, medians".to_owned(),
            result: Figure::Ratio(Ratio::of_times(full.times.median(), empty.times.median())),
            of: format!("{IDLE} each, taking turns"),
        },
        Finding {
            what: "events given out twice within a lease".to_owned(),
            result: Figure::Count(0),
            of: format!(
                "{} drains of {} events; checked, and the rows' own count of claims agrees",
                drains.len(),
                count(EVENTS)
            ),
        },
        Finding {
            what: "four drainers : one, events a second".to_owned(),
            result: Figure::Ratio(Ratio::of(four.rate().into(), one.rate().into())),
            of: format!("{} : {}", Figure::PerSecond(four.rate()), Figure::PerSecond(one.rate())),
        },
        Finding {
            what: "four drainers : one, the database's CPU an event".to_owned(),
            result: Figure::Ratio(Ratio::of_times(per_event(&four), per_event(&one))),
            of: format!("{} : {}", Figure::Time(per_event(&four)), Figure::Time(per_event(&one))),
        },
    ];
    let drained = drains.iter().map(|drain| {
        vec![
            count(drain.drainers),
            count(drain.settled),
            Figure::PerSecond(drain.rate()),
            Figure::Time(drain.took),
            Figure::Time(drain.cpu),
        ]
    });
    let idle = [empty, full].into_iter().map(|idle| {
        let times = &idle.times;
        vec![
            count(idle.settled),
            count(idle.reads.pages),
            count(idle.reads.rows),
            Figure::Time(times.median()),
            Figure::Time(times.percentile(99)),
        ]
    });
    Report {
        title: "Draining the outbox of style runs",
        first,
        tables: vec![
            Table {
                columns: &["drainers", "events settled", "rate", "took", "CPU in the database"],
                rows: drained.collect(),
            },
            Table {
                columns: &["settled events", "pages an idle drain reads", "rows", "median", "p99"],
                rows: idle.collect(),
            },
        ],
        method: method(),
    }
}

fn method() -> String {
    format!(
        "{} events are due, half of them wake-ups and half webhooks, each in a lane of its own. The drainers are the \
         store's own functions on a real Postgres with durable writes, a session each: claim {OUTBOX_BATCH}, settle each \
         (a webhook with its delivery row), again. What the Worker does between (sending the wake-up, queueing the \
         delivery) is left out. Before each drain another drainer claims {OUTBOX_BATCH} events and dies; they must stay \
         untouched under its lease. The settled events of the idle drains were pending first, so the partial indexes have \
         held all of them, and were vacuumed. Pages and rows are the server's own count, `explain (analyze, buffers)` of \
         the claim itself.",
        count(EVENTS)
    )
}
