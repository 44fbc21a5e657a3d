//! Creates, steps, cancels and ends of the same jobs, in whatever order Postgres lets them happen.

use std::collections::{BTreeMap, BTreeSet};

use domain::JobId;
use domain::job::Status;
use futures::future::join_all;
use store::jobs::{Begun, Creation, Ending, Finish};
use store::{Db, jobs};
use tokio_postgres::Client;
use uuid::Uuid;

use crate::fixture::{Fixture, at, body, create, failure, success};

/// Rounds of one run, each with a seed of its own.
const ROUNDS: u64 = 40;
/// Writers of a round, each with a connection of its own.
const WRITERS: usize = 12;
/// Wishes of a round.
const KEYS: u64 = 3;
/// Makes a run whose seed was printed again: the same calls, though Postgres may order them otherwise.
const SEED: &str = "RACES_SEED";

/// `SplitMix64`: good enough to draw by, and the same everywhere.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// What a writer does with a job after it has asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Run,
    Wait,
    Succeed,
    Fail,
    Cancel,
    Repeat,
}

const ACTS: [Act; 6] = [Act::Run, Act::Wait, Act::Succeed, Act::Fail, Act::Cancel, Act::Repeat];

/// What a writer has seen of a key's job.
#[derive(Debug, Default)]
struct Seen {
    ids: BTreeSet<String>,
    fresh: usize,
    /// Ends that writers were told of, their own or those that stood.
    ends: BTreeSet<&'static str>,
    won: usize,
}

fn ending(act: Act) -> Option<Ending> {
    match act {
        Act::Succeed => Some(success()),
        Act::Fail => Some(failure()),
        Act::Cancel => Some(Ending::Cancelled),
        Act::Run | Act::Wait | Act::Repeat => None,
    }
}

async fn perform(db: Db<'_>, job: JobId, act: Act, seen: &mut Seen) {
    let mut note = |status: Status| {
        if status.is_terminal() {
            seen.ends.insert(status.as_str());
        }
    };
    if let Some(ending) = ending(act) {
        match jobs::finish(db, job, &ending, at(), "{}").await.unwrap() {
            Finish::Won(job) => {
                note(job.status);
                seen.won += 1;
            }
            Finish::Stands(job) => note(job.status),
            Finish::Missing => unreachable!("{job} is missing"),
        }
        return;
    }
    let begun = match act {
        Act::Run => jobs::run(db, job).await.unwrap(),
        Act::Wait => jobs::wait(db, job, "for a word").await.unwrap(),
        Act::Succeed | Act::Fail | Act::Cancel | Act::Repeat => return,
    };
    match begun {
        Begun::Open(job) => assert!(!job.status.is_terminal()),
        Begun::Ended(job) => note(job.status),
        Begun::Missing => unreachable!("{job} is missing"),
    }
}

/// Asks for some keys and does something with what comes of each.
async fn write(client: &Client, fixture: &Fixture, round: u64, mut draw: Draw) -> BTreeMap<String, Seen> {
    let db = Db::new(client);
    let mut all = BTreeMap::<String, Seen>::new();
    for _ in 0..4 {
        let key = format!("{round}-{}", draw.below(KEYS));
        let seen = all.entry(key.clone()).or_default();
        let job = match create(db, fixture.key, &key, body()).await {
            Creation::Created(job) => {
                seen.fresh += 1;
                job
            }
            Creation::Replayed(job) => job,
            other @ (Creation::Conflict { .. }
            | Creation::Denied(_)
            | Creation::Unusable(_)
            | Creation::Unauthenticated) => unreachable!("{other:?}"),
        };
        seen.ids.insert(job.id.to_string());
        if job.status.is_terminal() {
            seen.ends.insert(job.status.as_str());
        }
        for _ in 0..draw.below(3) {
            tokio::task::yield_now().await;
        }
        let act = usize::try_from(draw.below(6)).ok().and_then(|at| ACTS.get(at)).unwrap();
        perform(db, job.id, *act, seen).await;
    }
    all
}

/// One round: all writers beside each other. The same round of the same base draws the same calls.
async fn all_write(clients: &[Client], fixture: &Fixture, base: u64, round: u64) -> Vec<(String, Seen)> {
    let writers = clients.iter().zip(0..).map(|(client, writer)| {
        let draw = Draw(base ^ (round << 32) ^ writer);
        write(client, fixture, round, draw)
    });
    join_all(writers).await.into_iter().flatten().collect()
}

/// Everything that a caller or a receiver can come to see.
async fn state(client: &Client) -> String {
    let sql = "select json_build_array(
        (select json_agg(to_jsonb(j) - 'updated_at' order by id) from jobs j),
        (select json_agg(e order by id) from events e),
        (select json_agg(d order by id) from deliveries d),
        (select json_agg(o order by job_id) from outbox o),
        (select json_agg(l order by l.job_id, l.label) from job_labels l))::text";
    client.query_one(sql, &[]).await.unwrap().get(0)
}

/// Each job's status, terminal events and deliveries, by key.
async fn written(client: &Client, key: &str) -> Vec<(String, String, Vec<String>, Vec<String>)> {
    let sql = "select j.id::text, j.status,
            array(select e.type from events e where e.job_id = j.id
                and e.type in ('generation.succeeded', 'generation.failed', 'generation.cancelled')),
            array(select d.id from deliveries d where d.job_id = j.id)
        from jobs j where j.idempotency_key = $1";
    let rows = client.query(sql, &[&key]).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1), row.get(2), row.get(3))).collect()
}

#[tokio::test]
async fn i1_i6_i7_i11_creates_steps_cancels_and_ends_in_any_order() {
    let fixture = Fixture::new().await;
    let clients = join_all((0..WRITERS).map(|_| async { fixture.database.client().await.unwrap() })).await;
    let drawn = u64::try_from(Uuid::new_v4().as_u128() >> 64).unwrap();
    let base = std::env::var(SEED).ok().and_then(|seed| seed.parse().ok()).unwrap_or(drawn);
    println!("{SEED}={base}");
    let (mut jobs_seen, mut ended) = (0, BTreeMap::<String, usize>::new());
    for round in 0..ROUNDS {
        let mut by_key = BTreeMap::<String, Seen>::new();
        for (key, seen) in all_write(&clients, &fixture, base, round).await {
            let whole = by_key.entry(key).or_default();
            whole.ids.extend(seen.ids);
            whole.ends.extend(seen.ends);
            whole.fresh += seen.fresh;
            whole.won += seen.won;
        }
        for (key, seen) in &by_key {
            let told = format!("{SEED}={base} round {round} key {key}: {seen:?}");
            let rows = written(&fixture.client, key).await;
            // I1: one key is one job, made once, and everybody was told of that one.
            assert_eq!((rows.len(), seen.ids.len(), seen.fresh), (1, 1, 1), "{told}");
            let (id, status, events, deliveries) = &rows[0];
            assert!(seen.ids.contains(id), "{told}");
            jobs_seen += 1;
            if seen.ends.is_empty() {
                assert!(events.is_empty() && deliveries.is_empty() && seen.won == 0, "{told}");
                continue;
            }
            // I6: nobody ever saw another end than the one that stands; it was won, and told, once. I7 follows.
            let event = format!("generation.{status}");
            let ends: Vec<&str> = seen.ends.iter().copied().collect();
            assert_eq!((ends, seen.won), (vec![status.as_str()], 1), "{told}");
            assert_eq!(events, std::slice::from_ref(&event), "{told}");
            assert_eq!(deliveries, &[format!("{id}_{}", event.replace('.', "_"))], "{told}");
            *ended.entry(status.clone()).or_default() += 1;
        }
    }
    // I11: all of it once more, beside each other, changes nothing of what has ended; what is open is ended first.
    let open = "select id from jobs where status in ('queued', 'running', 'waiting')";
    for row in fixture.client.query(open, &[]).await.unwrap() {
        let id = JobId::new(row.get(0));
        jobs::finish(fixture.db(), id, &Ending::Cancelled, at(), "{}").await.unwrap();
    }
    let before = state(&fixture.client).await;
    for round in 0..ROUNDS {
        let all = all_write(&clients, &fixture, base, round).await;
        let fresh: usize = all.iter().map(|(_, seen)| seen.fresh).sum();
        assert_eq!(fresh, 0, "{SEED}={base} round {round}");
    }
    assert_eq!(state(&fixture.client).await, before, "{SEED}={base}");
    // The draw is fair enough that every end was won often.
    assert!(jobs_seen > 100 && ended.len() == 3 && ended.values().all(|count| *count > 5), "{ended:?}");
}
