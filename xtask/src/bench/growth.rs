//! What a million jobs in the record do to the calls of the API, as far as the database sees them.

use std::time::Instant;

use chrono::{DateTime, Days, Utc};
use domain::JobId;
use domain::callback_url::Loopback;
use domain::generation::GenerationRequest;
use domain::idempotency::IdempotencyKey;
use domain::listing::{Filter, Position};
use serde_json::json;
use store::Db;
use store::jobs::{self, Caller, Creation, Ending, Finish, Found, Job, Listed, NewJob};
use store::spend::{self, Group, Question};
use testkit::database::{Client, Database};
use testkit::growth::{self, Counted};
use uuid::Uuid;

use super::report::{Figure, Finding, Ratio, Report, Table};
use super::samples::Samples;
use super::{KEY, with_client};
use crate::failure::{Failure, OrFail, Outcome};
use crate::paths::Repo;
use crate::progress::Step;
use crate::stack::with_database;

/// Jobs of the two records. The small one has what a page and the pages before it need, and no more.
const FEW: i64 = 200;
const MANY: i64 = 1_000_000;
/// Days of spend of the two records; a month is asked for.
const FEW_DAYS: i32 = 30;
const MANY_DAYS: i32 = 730;
/// Calls of each kind to each record, taking turns.
const TURNS: u32 = 400;
/// Jobs of one page, the API's usual number.
const PAGE: u32 = 20;

const ADVICE: &str = "read the log of postgres (target/dev-bench-growth/logs)";

/// What callers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Create,
    Get,
    FirstPage,
    DeepPage,
    DeepPageOfAProject,
    Cancel,
    SpendByDay,
}

/// A record and a session on it.
struct Record {
    connection: Client,
    /// A job of the client that has half of its jobs behind it.
    middle: Position,
    /// Jobs that are open.
    made: Vec<JobId>,
    /// Dropped with its schema, after the session on it.
    _database: Database,
}

/// One kind of call on one record.
struct Measured {
    times: Samples,
    counted: Counted,
}

/// One kind of call on both.
struct Compared {
    call: Call,
    few: Measured,
    many: Measured,
}

pub(super) fn run(repo: &Repo) -> Outcome<Report> {
    with_database(repo, &super::stack_name("growth")?, async |url| {
        let request = request()?;
        let mut few = record(&url, &request, FEW, FEW_DAYS).await?;
        let mut many = record(&url, &request, MANY, MANY_DAYS).await?;
        let mut compared = Vec::new();
        for call in Call::ALL {
            let step = Step::start(format!("{}, {TURNS} on each record", call.name()));
            let one = compare(call, [&mut few, &mut many], &request).await?;
            step.done_with(&Figure::Ratio(one.slower()).to_string());
            compared.push(one);
        }
        check(&compared)?;
        Ok(report(&compared))
    })?
    .result()
}

fn request() -> Outcome<GenerationRequest> {
    let body = json!({
        "kind": "video",
        "input": {"prompt": "a lighthouse in fog, slow dolly in", "duration_seconds": 8, "aspect_ratio": "16:9"},
        "chain": [{"provider": "fal", "model": "fal-ai/veo3.1"}],
        "project": "film-7"
    });
    GenerationRequest::parse(body, Loopback::Refused).map_err(|wrong| {
        Failure::new(format!("the bench's own request is refused: {wrong:?}"), "mend bench/growth.rs")
    })
}

async fn record(url: &str, request: &GenerationRequest, jobs: i64, days: i32) -> Outcome<Record> {
    let step = Step::start(format!("filling a record with {jobs} jobs"));
    let (database, connection, id) = with_client(url).await?;
    growth::fill(&connection, id, request, jobs, days).await.or_fail("cannot fill the record", ADVICE)?;
    let middle = JobId::new(growth::past(jobs / 4 * 2));
    let found = jobs::find(Db::new(&connection), KEY, middle).await.or_fail("cannot find a job", ADVICE)?;
    let Found::Found(Job { created_at, id, .. }) = found else {
        return Err(Failure::new("the record lacks its middle", "mend testkit::growth"));
    };
    step.done();
    Ok(Record { connection, middle: Position { created_at, id }, made: Vec::new(), _database: database })
}

async fn compare(call: Call, records: [&mut Record; 2], request: &GenerationRequest) -> Outcome<Compared> {
    let [few, many] = records;
    let (mut times_few, mut times_many) = (Vec::new(), Vec::new());
    let (before_few, before_many) = (few.counted().await?, many.counted().await?);
    for turn in 0..TURNS {
        for (record, times) in [(&mut *few, &mut times_few), (&mut *many, &mut times_many)] {
            let begun = Instant::now();
            let right = record.make(call, turn, request).await?;
            times.push(begun.elapsed());
            if !right {
                let what = format!("{} did not answer as it should", call.name());
                return Err(Failure::new(what, "mend the store, or bench/growth.rs"));
            }
        }
    }
    let measured =
        |times, after: Counted, before| Measured { times: Samples::of(times), counted: after.since(before) };
    Ok(Compared {
        call,
        few: measured(times_few, few.counted().await?, before_few),
        many: measured(times_many, many.counted().await?, before_many),
    })
}

impl Record {
    async fn counted(&self) -> Outcome<Counted> {
        growth::counted(&self.connection).await.or_fail("cannot read the statistics", ADVICE)
    }

    /// Makes the call and says whether its answer is what it should be.
    async fn make(&mut self, call: Call, turn: u32, request: &GenerationRequest) -> Outcome<bool> {
        let db = Db::new(&self.connection);
        let made = match call {
            Call::Create => {
                let (id, name) = (JobId::new(Uuid::now_v7()), format!("new-{turn}"));
                let key = IdempotencyKey::parse(name.as_bytes()).or_fail("no key", "report this")?;
                let new = NewJob {
                    id,
                    caller: Caller::Key(KEY),
                    idempotency_key: &key,
                    request,
                    trace: None,
                    first_call: None,
                };
                self.made.push(id);
                jobs::create(db, &new).await.map(|made| matches!(made, Creation::Created(_)))
            }
            Call::Get => {
                jobs::find(db, KEY, self.middle.id).await.map(|found| matches!(found, Found::Found(_)))
            }
            Call::FirstPage => page(db, &Filter::default(), None).await,
            Call::DeepPage => page(db, &Filter::default(), Some(self.middle)).await,
            Call::DeepPageOfAProject => {
                let filter = Filter { project: request.project.clone(), ..Filter::default() };
                page(db, &filter, Some(self.middle)).await
            }
            Call::Cancel => match self.made.pop() {
                Some(id) => cancel(db, id).await,
                None => Ok(false),
            },
            Call::SpendByDay => {
                let found = spend::own(db, KEY, &month(Utc::now())).await;
                found.map(|found| matches!(found, Found::Found(spend) if spend.lines.len() == 30))
            }
        };
        made.or_fail(call.name(), "mend the store, or bench/growth.rs")
    }
}

/// Whether the page is full, as those of both records must be.
async fn page(db: Db<'_>, filter: &Filter, after: Option<Position>) -> Result<bool, store::Error> {
    let listed = jobs::list(db, KEY, filter, PAGE, after).await?;
    let wanted = usize::try_from(PAGE).unwrap_or(usize::MAX);
    Ok(matches!(listed, Listed::Page(page) if page.jobs.len() == wanted))
}

/// As the API cancels: a look, then the end.
async fn cancel(db: Db<'_>, id: JobId) -> Result<bool, store::Error> {
    let found = jobs::find_to_change(db, KEY, id).await?;
    let ended = jobs::finish(db, id, &Ending::Cancelled, Utc::now(), "{}").await?;
    Ok(matches!((found, ended), (Found::Found(_), Finish::Won(_))))
}

/// The last 30 days, a line a day.
fn month(now: DateTime<Utc>) -> Question {
    let to = now.date_naive();
    let from = to.checked_sub_days(Days::new(29)).unwrap_or(to);
    Question { from, to, groups: vec![Group::Day], provider: None, model: None, project: None }
}

impl Call {
    const ALL: [Self; 7] = [
        Self::Create,
        Self::Get,
        Self::FirstPage,
        Self::DeepPage,
        Self::DeepPageOfAProject,
        Self::Cancel,
        Self::SpendByDay,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Get => "get",
            Self::FirstPage => "list, first page",
            Self::DeepPage => "list, a page from the middle",
            Self::DeepPageOfAProject => "list, a page from the middle of a project",
            Self::Cancel => "cancel",
            Self::SpendByDay => "spend by day",
        }
    }
}

impl Compared {
    fn slower(&self) -> Ratio {
        Ratio::of_times(self.many.times.median(), self.few.times.median())
    }
}

impl Measured {
    fn pages(&self) -> u64 {
        u64::try_from(self.counted.pages).unwrap_or_default() / u64::from(TURNS)
    }
}

/// No call reads a whole table that grows. (In the small record the planner may: a table is a page there.)
fn check(compared: &[Compared]) -> Outcome {
    for Compared { call, many, .. } in compared {
        let scans = many.counted.whole_scans;
        if scans > 0 {
            let what = format!("{}: {scans} scans of a whole table in {TURNS} calls", call.name());
            return Err(Failure::new(what, "give its query an index that it can use"));
        }
    }
    Ok(())
}

fn report(compared: &[Compared]) -> Report {
    let first = compared.iter().map(|one| Finding {
        what: format!("{}: medians, {MANY} jobs : {FEW}", one.call.name()),
        result: Figure::Ratio(one.slower()),
        of: format!("{} : {} pages a call; no scan of a whole table", one.many.pages(), one.few.pages()),
    });
    let rows = compared.iter().flat_map(|one| {
        [(&one.few, FEW), (&one.many, MANY)].map(|(measured, jobs)| {
            vec![
                Figure::Text(one.call.name().to_owned()),
                Figure::Count(u64::try_from(jobs).unwrap_or_default()),
                Figure::Time(measured.times.median()),
                Figure::Time(measured.times.percentile(99)),
                Figure::Count(measured.pages()),
            ]
        })
    });
    Report {
        title: "A record of a million jobs",
        first: first.collect(),
        tables: vec![Table {
            columns: &["call", "jobs in the record", "median", "p99", "pages a call"],
            rows: rows.collect(),
        }],
        method: method(),
    }
}

fn method() -> String {
    format!(
        "Two schemas of one real Postgres with durable writes, {FEW} jobs in one and {MANY} in the other, half of them the \
         asking client's and half those of a hundred others; each with its labels and one paid attempt, and {FEW_DAYS} and \
         {MANY_DAYS} days of spend in ten projects. {TURNS} calls of each kind on each, taking turns: the store's own \
         functions over one session, without a pooler. A page has {PAGE} jobs and lies behind half of the client's; a cancel \
         is its two statements; spend is of the last 30 days, which both records have. Pages (of tables and indexes, from \
         memory or disk) and scans of whole tables are the server's own counts over all these calls; a scan of a whole table \
         that grows with the jobs fails the bench."
    )
}
