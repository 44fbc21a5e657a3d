//! The executor: memory while a large result passes through it, and what waiting costs.

mod stand;

use std::time::{Duration, Instant};

use domain::execution::Report as Ended;
use serde_json::json;
use tokio::time::sleep;

use super::report::{Figure, Finding, Ratio, Report, Table};
use super::usage::{self, Memory};
use crate::artifact;
use crate::failure::{Failure, Outcome};
use crate::paths::Repo;
use crate::progress::Step;
use crate::stack::with_database;
use stand::Stand;

/// The result that passes through.
const RESULT: u64 = 1 << 30;
/// What it may take in memory, above an idle process.
const BOUND: u64 = 32 << 20;
/// Executions that wait at once.
const WAITING: u32 = 1_000;
/// How long their CPU time is measured.
const WATCHED: Duration = Duration::from_mins(1);
/// From the last submit to that: the start of each is over, only waiting is left.
const SETTLING: Duration = Duration::from_secs(5);
/// For a thousand starts, on a machine with other work.
const PATIENCE: Duration = Duration::from_mins(10);

const MEND: &str = "mend the executor";

/// What a large result took.
struct Streamed {
    idle: Memory,
    after: Memory,
    took: Duration,
    cpu: Duration,
}

/// What waiting takes.
struct Waiting {
    idle: Memory,
    memory: Memory,
    /// Of the executor in [`WATCHED`].
    cpu: Duration,
}

pub(super) fn run(repo: &Repo) -> Outcome<Report> {
    let program = artifact::release_executor(repo)?;
    let name = super::stack_name("executor")?;
    let (streamed, waiting) = with_database(repo, &name, async |url| {
        let step = Step::start("one result of 1 GiB");
        let streamed = streamed(&program, &url).await?;
        step.done_with(&Figure::Bytes(streamed.over_idle()).to_string());
        let step = Step::start(format!("{WAITING} executions that wait"));
        let waiting = waiting(&program, &url).await?;
        step.done_with(&Figure::Bytes(waiting.memory.resident).to_string());
        Ok((streamed, waiting))
    })?
    .result()?;
    if streamed.over_idle() > BOUND {
        let what = format!("a result of 1 GiB took {} above idle", Figure::Bytes(streamed.over_idle()));
        return Err(Failure::new(what, MEND));
    }
    Ok(report(&streamed, &waiting))
}

impl Streamed {
    fn over_idle(&self) -> u64 {
        self.after.peak.saturating_sub(self.idle.resident)
    }
}

async fn streamed(program: &std::path::Path, url: &str) -> Outcome<Streamed> {
    let stand = Stand::start(program, url, &json!({"output_bytes": RESULT})).await?;
    let (idle, cpu, begun) = (usage::memory(stand.pid)?, usage::cpu(&[stand.pid]), Instant::now());
    let job = stand.submit("large").await?;
    let ended = stand.ended(job, PATIENCE).await?;
    let took = begun.elapsed();
    let stored = stand.bucket.bytes();
    if !matches!(ended, Ended::Succeeded { .. }) || stored != RESULT {
        return Err(Failure::new(format!("{stored} bytes were stored: {ended:?}"), MEND));
    }
    let cpu = usage::cpu(&[stand.pid]).saturating_sub(cpu);
    Ok(Streamed { idle, after: usage::memory(stand.pid)?, took, cpu })
}

async fn waiting(program: &std::path::Path, url: &str) -> Outcome<Waiting> {
    let stand = Stand::start(program, url, &json!({"never_finish": true})).await?;
    let idle = usage::memory(stand.pid)?;
    for number in 0..WAITING {
        stand.submit(&format!("waits-{number}")).await?;
    }
    let begun = Instant::now();
    while stand.accepted() < u64::from(WAITING) {
        if begun.elapsed() > PATIENCE {
            let what = format!("only {} of {WAITING} executions came to wait", stand.accepted());
            return Err(Failure::new(what, MEND));
        }
        sleep(Duration::from_secs(1)).await;
    }
    sleep(SETTLING).await;
    let cpu = usage::cpu(&[stand.pid]);
    sleep(WATCHED).await;
    let cpu = usage::cpu(&[stand.pid]).saturating_sub(cpu);
    Ok(Waiting { idle, memory: usage::memory(stand.pid)?, cpu })
}

fn report(streamed: &Streamed, waiting: &Waiting) -> Report {
    let each = waiting.memory.resident.saturating_sub(waiting.idle.resident) / u64::from(WAITING);
    let first = vec![
        Finding {
            what: "peak memory above idle while 1 GiB streams to storage : its bound".to_owned(),
            result: Figure::Ratio(Ratio::of(streamed.over_idle().into(), BOUND.into())),
            of: format!("{} : {}", Figure::Bytes(streamed.over_idle()), Figure::Bytes(BOUND)),
        },
        Finding {
            what: format!("memory with {} executions waiting : idle", Figure::Count(WAITING.into())),
            result: Figure::Ratio(Ratio::of(waiting.memory.resident.into(), waiting.idle.resident.into())),
            of: format!(
                "{} : {}, {} KiB an execution",
                Figure::Bytes(waiting.memory.resident),
                Figure::Bytes(waiting.idle.resident),
                each / 1024
            ),
        },
        Finding {
            what: format!("CPU of {} waiting executions : one core", Figure::Count(WAITING.into())),
            result: Figure::Ratio(Ratio::of_times(waiting.cpu, WATCHED)),
            of: format!("{} in {} s, each polling every 2 s", Figure::Time(waiting.cpu), WATCHED.as_secs()),
        },
    ];
    let large = vec![
        Figure::Bytes(streamed.idle.resident),
        Figure::Bytes(streamed.after.peak),
        Figure::Time(streamed.took),
        Figure::Time(streamed.cpu),
    ];
    Report {
        title: "The executor",
        first,
        tables: vec![Table {
            columns: &["idle", "peak with 1 GiB", "took", "CPU of the executor"],
            rows: vec![large],
        }],
        method: METHOD.to_owned(),
    }
}

const METHOD: &str = "Memory and CPU are those of the release executor as a process of its own, by `/proc` (`VmRSS`, \
    `VmHWM`, user and system time), with real sockets to a simulated fal, to the journal on a real Postgres, and to a bucket \
    that takes the S3 calls and keeps nothing. The result lies on disk between fetch and store; the page cache is not \
    counted. Every byte is hashed once and sent once.";
