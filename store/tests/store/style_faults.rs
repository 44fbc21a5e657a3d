//! Style runs on real Postgres under crashes at every point of decide → commit → drain → send → wake, and through months of
//! a harness's clock. The deciding is the product's own; only the engine and the network are played.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use domain::callback_url::Loopback;
use domain::generation::GenerationRequest;
use domain::idempotency::IdempotencyKey;
use domain::job::Status;
use domain::output::StoredOutput;
use domain::style_run::{self, DecisionRequest, Next, State};
use domain::timing::Timing;
use domain::{JobId, StyleRunId};
use futures::future::join_all;
use serde_json::{Value, json};
use store::jobs::{self, Caller as Owner, Ending, NewJob};
use store::outbox::{Claimed, Settled, claim, deliver, woken};
use store::style_runs::{self, Caller, Decided, NewDecision, StyleRun};
use store::{Db, Error};
use tokio_postgres::Client;
use uuid::Uuid;

use crate::fixture::Fixture;
use crate::style_runs::new_run;

/// Where a fault may strike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Point {
    Decide,
    Claim,
    Send,
    Settle,
    Deliver,
    Turn,
    Create,
    Finish,
}

const POINTS: [Point; 8] = [
    Point::Decide,
    Point::Claim,
    Point::Send,
    Point::Settle,
    Point::Deliver,
    Point::Turn,
    Point::Create,
    Point::Finish,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Done,
    /// The connection is killed by the server before the commit.
    Killed,
    /// It is committed, and whoever did it dies before hearing so.
    Unheard,
}

/// Which faults are still to come.
struct Faults {
    targeted: Mutex<BTreeMap<(Point, Fate), u32>>,
    /// State of a small generator; 0 is no storm.
    storm: Mutex<u64>,
    struck: Mutex<BTreeMap<(Point, Fate), u32>>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Faults {
    fn new(targeted: &[(Point, Fate)], storm: u64) -> Self {
        let targeted = targeted.iter().map(|&at| (at, 2)).collect();
        Self { targeted: Mutex::new(targeted), storm: Mutex::new(storm), struck: Mutex::default() }
    }

    fn strike(&self, point: Point) -> Fate {
        let fate = self.choose(point);
        if fate != Fate::Done {
            *lock(&self.struck).entry((point, fate)).or_default() += 1;
        }
        fate
    }

    fn choose(&self, point: Point) -> Fate {
        for fate in [Fate::Killed, Fate::Unheard] {
            if let Some(left) = lock(&self.targeted).get_mut(&(point, fate)).filter(|left| **left > 0) {
                *left -= 1;
                return fate;
            }
        }
        let mut state = lock(&self.storm);
        if *state == 0 {
            return Fate::Done;
        }
        for shift in [13_i32, -7, 17] {
            let moved = if shift > 0 { *state << shift } else { *state >> -shift };
            *state ^= moved;
        }
        match *state % 10 {
            0 | 1 => Fate::Killed,
            2 | 3 => Fate::Unheard,
            _ => Fate::Done,
        }
    }
}

/// Runs on a real database, with instances of their Workflows that remember nothing but that they were woken.
struct World {
    fixture: Fixture,
    faults: Faults,
    woken: Mutex<BTreeSet<StyleRunId>>,
    runs: Vec<StyleRunId>,
}

impl World {
    async fn new(runs: usize, faults: Faults, change: impl Fn(&mut Value)) -> Self {
        let fixture = Fixture::new().await;
        let mut ids = Vec::new();
        for _ in 0..runs {
            ids.push(new_run(&fixture, &change).await);
        }
        Self { fixture, faults, woken: Mutex::default(), runs: ids }
    }

    /// Does `work` in a transaction on a connection of its own, as fate will have it. `None`: nobody heard what came of it.
    async fn attempt<T>(
        &self,
        point: Point,
        work: impl AsyncFnOnce(Db<'_>) -> Result<T, Error>,
    ) -> Option<T> {
        let client = self.fixture.database.client().await.unwrap();
        client.batch_execute("begin").await.unwrap();
        let done = work(Db::new(&client)).await.unwrap();
        match self.faults.strike(point) {
            Fate::Done => {
                client.batch_execute("commit").await.unwrap();
                Some(done)
            }
            Fate::Killed => {
                let pid: i32 = client.query_one("select pg_backend_pid()", &[]).await.unwrap().get(0);
                let kill = "select pg_terminate_backend($1, 5000)";
                self.fixture.client.query_one(kill, &[&pid]).await.unwrap();
                assert!(client.batch_execute("commit").await.is_err(), "the connection is dead");
                None
            }
            Fate::Unheard => {
                client.batch_execute("commit").await.unwrap();
                None
            }
        }
    }

    /// A drainer, until nothing is due or it dies.
    async fn drain(&self) {
        while let Some(claimed) = self.attempt(Point::Claim, async |db| claim(db, 3).await).await {
            if claimed.is_empty() {
                return;
            }
            for event in &claimed {
                if self.hand_over(event).await.is_none() {
                    return;
                }
            }
        }
    }

    async fn hand_over(&self, event: &Claimed) -> Option<Settled> {
        if let Some(event_type) = event.event_type {
            return self.attempt(Point::Deliver, async |db| deliver(db, event, event_type, "{}").await).await;
        }
        match self.faults.strike(Point::Send) {
            // The drainer dies before it has sent anything.
            Fate::Killed => return None,
            // The engine takes the event and loses it.
            Fate::Unheard => {}
            Fate::Done => drop(lock(&self.woken).insert(event.run_id)),
        }
        self.attempt(Point::Settle, async |db| woken(db, event).await).await
    }

    /// A Workflow's turns until it waits, is over, or a step of it dies; the engine then takes it up again.
    async fn turns(&self, run: StyleRunId) -> Option<u64> {
        loop {
            let look = style_runs::look(self.fixture.db(), run).await.unwrap().unwrap();
            let (row, now) = (look.run, look.now);
            match style_run::decide(&row.standing(), &row.current(), now, &Timing::default()) {
                Next::Wait { ms } => return Some(ms),
                Next::Over => return None,
                next @ (Next::Plan { .. }
                | Next::Start
                | Next::OpenReview
                | Next::Remind
                | Next::Prolong
                | Next::Expire
                | Next::ApproveBest { .. }
                | Next::Fail(_)
                | Next::WindDown) => drop(self.act(&row, next).await),
            }
        }
    }

    async fn act(&self, run: &StyleRun, next: Next) -> Option<()> {
        let id = run.id;
        let bodies = |round| {
            let notes = run.decision_of(run.round).and_then(|decision| decision.notes.as_deref());
            style_run::plan(id, &run.spec, &run.spec.variations, round, notes, None).unwrap()
        };
        if next == Next::Start {
            for one in run.candidates.iter().filter(|one| one.status.is_none()) {
                let request = GenerationRequest::parse(one.request.clone(), Loopback::Refused).unwrap();
                let key = format!("style-run/{id}/{}/{}", one.round, one.index);
                let key = IdempotencyKey::parse(key.as_bytes()).unwrap();
                let new = NewJob {
                    first_call: None,
                    id: one.job_id,
                    caller: Owner::Run(id),
                    idempotency_key: &key,
                    request: &request,
                    trace: None,
                };
                self.attempt(Point::Create, async |db| jobs::create(db, &new).await).await?;
            }
            return Some(());
        }
        let moved = self
            .attempt(Point::Turn, async |db| match next {
                Next::Plan { round } => {
                    let bodies = bodies(round);
                    let jobs: Vec<JobId> = bodies.iter().map(|_| JobId::new(Uuid::now_v7())).collect();
                    style_runs::plan(db, id, round, &jobs, &bodies).await
                }
                Next::OpenReview => style_runs::open_review(db, id, 1000).await,
                Next::Remind => style_runs::remind(db, id, 1000).await,
                Next::Prolong => style_runs::prolong(db, id, 1000).await,
                Next::Expire => style_runs::end(db, id, None).await,
                Next::Fail(failure) => style_runs::end(db, id, Some(&failure)).await,
                Next::ApproveBest { candidate } => style_runs::approve_best(db, id, candidate).await,
                other @ (Next::Start | Next::Wait { .. } | Next::WindDown | Next::Over) => {
                    unreachable!("{other:?}")
                }
            })
            .await;
        moved.map(drop)
    }

    /// Every generation that is under way comes to its end.
    async fn generate(&self, run: StyleRunId) {
        let row = self.row(run).await;
        for one in row.candidates.iter().filter(|one| one.status == Some(Status::Queued)) {
            let key = format!("generations/{}/output/0", one.job_id);
            let (content_type, sha256) = ("image/png".to_owned(), "00".repeat(32));
            let ending =
                Ending::Succeeded(vec![StoredOutput { index: 0, key, content_type, bytes: 3, sha256 }]);
            let at = chrono::Utc::now();
            self.attempt(Point::Finish, async |db| jobs::finish(db, one.job_id, &ending, at, "{}").await)
                .await;
        }
    }

    /// A reviewer who asks for a second round and approves there, and who clicks until there is an answer.
    async fn review(&self, run: StyleRunId) {
        let row = self.row(run).await;
        if row.state != State::AwaitingReview {
            return;
        }
        let body = if row.round == 1 {
            json!({"action": "revise", "reviewer": "director", "notes": "warmer"})
        } else {
            json!({"action": "approve", "reviewer": "director", "candidates": [1]})
        };
        let request = DecisionRequest::parse(body, &row.spec.template).unwrap();
        let key = IdempotencyKey::parse(format!("round-{}", row.round).as_bytes()).unwrap();
        let said = async || {
            let id = Uuid::new_v4();
            let version = Some(row.version);
            let new = NewDecision {
                id,
                run,
                caller: Caller::Link,
                idempotency_key: &key,
                version,
                request: &request,
            };
            self.attempt(Point::Decide, async |db| style_runs::decide(db, &new).await).await
        };
        for _ in 0..50 {
            match said().await {
                Some(Decided::Won(_) | Decided::Replayed(_)) => return,
                None => {}
                Some(other) => unreachable!("{other:?}"),
            }
        }
    }

    async fn row(&self, run: StyleRunId) -> StyleRun {
        style_runs::get(self.fixture.db(), run).await.unwrap().unwrap()
    }

    /// The harness's clock: so much later, everything that was written lies so much further back.
    async fn advance(&self, ms: u64) {
        let sql = format!(
            "update style_runs set updated_at = updated_at - span, review_opened_at = review_opened_at - span,
                review_deadline_at = review_deadline_at - span, next_reminder_at = next_reminder_at - span
                from (values (interval '{ms} milliseconds')) clock (span);
            update outbox_events set next_attempt_at = next_attempt_at - interval '{ms} milliseconds'
                where status = 'pending'"
        );
        self.fixture.client.batch_execute(&sql).await.unwrap();
    }

    /// Drainers, engine, providers, reviewer, and once in twenty minutes the sweeper, until every run has ended and no event
    /// is left.
    async fn live(&self, drainers: usize) {
        for _ in 0..200 {
            join_all((0..drainers).map(|_| self.drain())).await;
            let woken = std::mem::take(&mut *lock(&self.woken));
            join_all(woken.into_iter().map(|run| self.turns(run))).await;
            for run in &self.runs {
                self.generate(*run).await;
                self.review(*run).await;
            }
            self.advance(61_000).await;
            let idle = style_runs::idle(self.fixture.db(), 20 * 60_000, 10).await.unwrap();
            lock(&self.woken).extend(idle);
            if self.count("select count(*) from outbox_events where status = 'pending'").await == 0
                && self.count("select count(*) from style_runs where finished_at is null").await == 0
            {
                return;
            }
        }
        for run in &self.runs {
            println!("{:?}", self.row(*run).await);
        }
        unreachable!("a run is stranded");
    }

    async fn count(&self, sql: &str) -> i64 {
        scalar(&self.fixture.client, sql).await
    }

    /// Every event is exactly accounted for, no run was advanced twice.
    async fn audit(&self) {
        let wanted = ["review_requested", "decided", "review_requested", "decided", "approved"];
        for run in &self.runs {
            let row = self.row(*run).await;
            // Created, and six transitions: two plans, two reviews, two decisions.
            assert_eq!((row.state, row.version, row.round), (State::Approved, 7, 2));
            assert_eq!((row.candidates.len(), row.decisions.len()), (4, 2));
            let sql =
                "select event_type, event_id from outbox_events where run_id = $1 and kind = 'webhook' and
                status = 'done' order by id";
            let told = self.fixture.client.query(sql, &[&run.uuid()]).await.unwrap();
            let types: Vec<String> = told.iter().map(|row| row.get(0)).collect();
            assert_eq!(types, wanted.map(|name| format!("style_run.{name}")));
            let ids: BTreeSet<String> = told.iter().map(|row| row.get(1)).collect();
            let sql = "select id from deliveries where id like $1 || '%'";
            let sent = self.fixture.client.query(sql, &[&run.to_string()]).await.unwrap();
            assert_eq!(sent.len(), wanted.len(), "one delivery an event");
            assert_eq!(sent.iter().map(|row| row.get::<_, String>(0)).collect::<BTreeSet<_>>(), ids);
        }
        let runs = i64::try_from(self.runs.len()).unwrap();
        assert_eq!(self.count("select count(*) from jobs").await, 4 * runs, "no candidate was made twice");
        assert_eq!(self.count("select count(*) from outbox_events where status <> 'done'").await, 0);
        // One to start, one a candidate, one a decision.
        let wakes = self.count("select count(*) from outbox_events where kind = 'wake'").await;
        assert_eq!(wakes, (1 + 4 + 2) * runs);
    }
}

async fn scalar(client: &Client, sql: &str) -> i64 {
    client.query_one(sql, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn i10_i12_a_crash_at_any_point_costs_no_event_and_strands_no_run() {
    for point in POINTS {
        for (fate, drainers) in [(Fate::Killed, 2), (Fate::Unheard, 10)] {
            let world = World::new(1, Faults::new(&[(point, fate)], 0), |_| ()).await;
            world.live(drainers).await;
            world.audit().await;
            assert_eq!(lock(&world.faults.struck).get(&(point, fate)), Some(&2), "{point:?} {fate:?}");
        }
    }
}

#[tokio::test]
async fn i10_i12_a_storm_of_crashes_costs_no_event_and_strands_no_run() {
    for (seed, drainers) in [(1, 2), (2, 10), (3, 4)] {
        let world = World::new(3, Faults::new(&[], 0x9e37_79b9_7f4a_7c15 ^ seed), |_| ()).await;
        world.live(drainers).await;
        world.audit().await;
        let struck: u32 = lock(&world.faults.struck).values().sum();
        println!("seed {seed}, {drainers} drainers: {struck} crashes");
        assert!(struck > 20, "{struck} crashes");
    }
}

/// Brings a run into its first review and returns how long its Workflow would sleep.
async fn first_review(world: &World) -> u64 {
    let run = *world.runs.first().unwrap();
    for _ in 0..3 {
        world.turns(run).await;
        world.generate(run).await;
    }
    world.turns(run).await.unwrap()
}

const DAY: u64 = 24 * 3600 * 1000;

#[tokio::test]
async fn a40_a_review_waits_thirty_days_with_reminders_and_then_goes_on() {
    let world = World::new(1, Faults::new(&[], 0), |body| {
        body["review"] = json!({"deadline_seconds": 60 * 24 * 3600, "reminder_seconds": 7 * 24 * 3600,
            "on_deadline": "expire"});
    })
    .await;
    let run = *world.runs.first().unwrap();
    let mut sleep = first_review(&world).await;
    let mut passed = 0;
    while passed + sleep < 30 * DAY {
        world.advance(sleep).await;
        passed += sleep;
        sleep = world.turns(run).await.unwrap();
    }
    world.advance(30 * DAY - passed).await;
    let row = world.row(run).await;
    assert_eq!((row.state, row.reminders), (State::AwaitingReview, 4));
    world.live(2).await;
    let row = world.row(run).await;
    assert_eq!((row.state, row.round), (State::Approved, 2));
    let asked = "select count(*) from deliveries where event_type = 'style_run.review_requested'";
    assert_eq!(world.count(asked).await, 1 + 4 + 1);
}

#[tokio::test]
async fn a40_each_deadline_policy_comes_to_its_end() {
    for (policy, state, days) in [
        ("expire", State::Expired, 10..11),
        ("approve_best", State::Approved, 10..11),
        ("remind", State::Expired, 364..376),
    ] {
        let world = World::new(1, Faults::new(&[], 0), |body| {
            body["review"] = json!({"deadline_seconds": 10 * 24 * 3600, "on_deadline": policy});
        })
        .await;
        let run = *world.runs.first().unwrap();
        let mut sleep = Some(first_review(&world).await);
        let mut passed = 0;
        while let Some(ms) = sleep {
            world.advance(ms).await;
            passed += ms;
            sleep = world.turns(run).await;
        }
        let row = world.row(run).await;
        // Between the sleeps the test itself takes moments, which are not passed over again.
        let whole = (passed + DAY / 24) / DAY;
        assert!(row.state == state && days.contains(&whole), "{policy}: {} after {whole} days", row.state);
        world.drain().await;
        let ended = format!("select count(*) from deliveries where event_type = 'style_run.{state}'");
        assert_eq!(world.count(&ended).await, 1, "{policy}");
    }
}
