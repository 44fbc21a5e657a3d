//! Later looks at attempts whose fate or price was not known when they ended.

use std::collections::{BTreeMap, BTreeSet};

use chrono::Utc;
use domain::attempt::{Attempt, AttemptError, Cost, CostSource, ErrorClass, NEVER_ARRIVED, State, Usage};
use domain::journal::{Entry, Open};
use domain::provider::Provider;
use domain::{AttemptId, JobId, Usd};
use serde_json::json;
use store::jobs::Ending;
use store::looks::{Due, claim, settle};
use store::unknown::{Reported, report};
use store::{attempts, jobs};

use crate::fixture::{Fixture, leased, open, record, wanted};

const SECOND: u64 = 1000;

fn error(class: ErrorClass, code: &str) -> AttemptError {
    AttemptError { class, code: Some(code.to_owned()), message: "words".into(), retry_after_seconds: None }
}

fn accepted() -> Entry {
    Entry::Accepted { provider_request_id: "r1".into(), captured: BTreeMap::new() }
}

fn late(class: ErrorClass) -> Entry {
    Entry::Abandoned { error: error(class, "deadline_exceeded") }
}

fn failed(class: ErrorClass, code: &str) -> Entry {
    Entry::Failed { error: error(class, code) }
}

fn free() -> Cost {
    Cost { amount: Usd::ZERO, source: CostSource::Local, rates: None }
}

fn costs(cost: Cost) -> Entry {
    Entry::Settled { usage: None, cost: Some(cost) }
}

fn priced() -> Cost {
    Cost { amount: "2.50".parse().unwrap(), source: CostSource::Derived, rates: Some("2026-12-01".into()) }
}

/// An attempt of a job of its own, with what became of it.
async fn ended(fixture: &Fixture, provider: Provider, entries: &[Entry]) -> (JobId, AttemptId) {
    let job = fixture.job(|_| ()).await.id;
    let lease = leased(fixture.db(), job).await;
    let wanted = Open { provider, model: "m".into(), reserved: Some("3.20".parse().unwrap()), ..wanted() };
    open(fixture.db(), job, lease, &wanted).await.unwrap();
    for entry in entries {
        record(fixture.db(), job, lease, wanted.attempt, entry).await.unwrap();
    }
    (job, wanted.attempt)
}

async fn row(fixture: &Fixture, job: JobId) -> Attempt {
    attempts::of_job(fixture.db(), job).await.unwrap().remove(0)
}

async fn due(fixture: &Fixture) -> Vec<Due> {
    claim(fixture.db(), SECOND, 100).await.unwrap()
}

/// As if a time had passed.
async fn pass(fixture: &Fixture, seconds: f64) {
    let sql = "update attempts set next_look_at = next_look_at - $1 * interval '1 second'";
    fixture.client.execute(sql, &[&seconds]).await.unwrap();
}

#[tokio::test]
async fn b9_what_ended_without_a_fate_or_a_price_is_looked_at_later_and_nothing_else_is() {
    let fixture = Fixture::new().await;
    let timeout = || late(ErrorClass::Timeout);
    let never = || failed(ErrorClass::Retryable, NEVER_ARRIVED);
    let usage = Usage { units: "8".parse().unwrap(), unit: "second".into() };
    let counted = Entry::Settled { usage: Some(usage), cost: None };
    let unknown = || Entry::Unknown { error: error(ErrorClass::Unknown, "no_answer") };
    let cases: [(&str, Vec<Entry>, bool); 13] = [
        ("open", vec![], false),
        ("accepted", vec![accepted()], false),
        ("given up while it ran", vec![accepted(), timeout()], true),
        ("cancelled while it ran", vec![accepted(), failed(ErrorClass::Cancelled, "cancelled")], true),
        ("the provider lost it", vec![accepted(), failed(ErrorClass::Retryable, "request_not_found")], true),
        ("a success without a price", vec![accepted(), Entry::Succeeded], true),
        ("unknown", vec![unknown()], true),
        ("a risk that was accepted", vec![unknown(), late(ErrorClass::Unknown)], true),
        ("taken for free because it never arrived", vec![never(), costs(free())], true),
        ("a price that came at once", vec![accepted(), costs(priced()), Entry::Succeeded], false),
        ("units without a rate", vec![accepted(), counted, Entry::Succeeded], false),
        ("the provider's own failure", vec![accepted(), failed(ErrorClass::Refusal, "nsfw")], false),
        ("a rejection", vec![failed(ErrorClass::RateLimited, "http_429"), costs(free())], false),
    ];
    for (what, entries, wanted) in cases {
        let (job, attempt) = ended(&fixture, Provider::Kling, &entries).await;
        let found: Vec<AttemptId> = due(&fixture).await.into_iter().map(|due| due.attempt.id).collect();
        assert_eq!(found.contains(&attempt), wanted, "{what}");
        let looks = row(&fixture, job).await.looks;
        assert_eq!((looks.count, looks.next_at.is_some()), (u32::from(wanted), wanted), "{what}");
    }
}

#[tokio::test]
async fn b9_looks_are_bounded_in_count_and_time() {
    let fixture = Fixture::new().await;
    let (job, attempt) = ended(&fixture, Provider::Fal, &[accepted(), late(ErrorClass::Timeout)]).await;
    for (count, pause) in [(1, Some(300)), (2, Some(2400)), (3, Some(86_400)), (4, None)] {
        let claimed = due(&fixture).await;
        let [one] = claimed.as_slice() else { unreachable!("{claimed:?}") };
        assert_eq!((one.job, one.attempt.id, &one.request), (job, attempt, &json!({"prompt": "a cat"})));
        assert_eq!(due(&fixture).await, [], "claimed is claimed");
        let looks = row(&fixture, job).await.looks;
        assert_eq!(looks.count, count);
        let left = looks.next_at.map(|at| (at - looks.last_at.unwrap()).num_seconds());
        assert_eq!(left, pause, "after look {count}");
        pass(&fixture, 86_401.0).await;
    }
    assert_eq!(due(&fixture).await, []);
}

#[tokio::test]
async fn b9_what_nothing_can_be_asked_about_is_taken_off_the_list() {
    let fixture = Fixture::new().await;
    // Runway cannot be searched, and a synchronous provider keeps nothing.
    for provider in [Provider::Runway, Provider::OpenaiImages] {
        let (job, _) =
            ended(&fixture, provider, &[Entry::Unknown { error: error(ErrorClass::Unknown, "no_answer") }])
                .await;
        assert_eq!(due(&fixture).await, []);
        let looks = row(&fixture, job).await.looks;
        assert_eq!((looks.count, looks.next_at), (0, None), "{provider}");
    }
}

#[tokio::test]
async fn b9_two_sweepers_never_claim_one_look() {
    let fixture = Fixture::new().await;
    for _ in 0..12 {
        ended(&fixture, Provider::Fal, &[accepted(), late(ErrorClass::Timeout)]).await;
    }
    let other = fixture.database.client().await.unwrap();
    let other = store::Db::new(&other);
    let (mine, theirs) = tokio::join!(claim(fixture.db(), SECOND, 7), claim(other, SECOND, 7));
    let ids = |due: Vec<Due>| -> BTreeSet<AttemptId> { due.into_iter().map(|one| one.attempt.id).collect() };
    let (mine, theirs) = (ids(mine.unwrap()), ids(theirs.unwrap()));
    assert!(mine.is_disjoint(&theirs));
    let rest = ids(due(&fixture).await);
    assert_eq!(mine.len() + theirs.len() + rest.len(), 12);
}

#[tokio::test]
async fn f9_i8_a_price_that_comes_late_is_counted_once_on_its_own_day() {
    let fixture = Fixture::new().await;
    let (job, attempt) = ended(&fixture, Provider::Fal, &[accepted(), late(ErrorClass::Timeout)]).await;
    let done = Ending::Failed(domain::error::Failure::new(domain::error::Code::DeadlineExceeded, "late"));
    jobs::finish(fixture.db(), job, &done, Utc::now(), "{}").await.unwrap();
    let yesterday = "update attempts set started_at = started_at - interval '1 day';
        update spend set day = day - 1";
    fixture.client.batch_execute(yesterday).await.unwrap();
    let spend = async || {
        let sql = "select priced::text, priced_count, unpriced_reserved::text, unpriced_count,
                day = (now() at time zone 'UTC')::date - 1 from spend";
        let rows = fixture.client.query(sql, &[]).await.unwrap();
        let [row] = rows.as_slice() else { unreachable!("{rows:?}") };
        let told: (String, i64, String, i64, bool) =
            (row.get(0), row.get(1), row.get(2), row.get(3), row.get(4));
        told
    };
    assert_eq!(spend().await, ("0.000000".into(), 0, "3.200000".into(), 1, true));
    let other = fixture.database.client().await.unwrap();
    let (cost, other) = (priced(), store::Db::new(&other));
    // Twice beside each other, and once more: the provider's word is counted once.
    let (first, second) = tokio::join!(
        settle(fixture.db(), attempt, None, Some(&cost)),
        settle(other, attempt, None, Some(&cost))
    );
    assert_eq!(u8::from(first.unwrap()) + u8::from(second.unwrap()), 1);
    assert!(!settle(fixture.db(), attempt, None, Some(&free())).await.unwrap());
    assert_eq!(spend().await, ("2.500000".into(), 1, "0.000000".into(), 0, true));
    let standing = jobs::get(fixture.db(), job).await.unwrap().unwrap();
    assert_eq!((standing.spend.priced.to_string().as_str(), standing.spend.unpriced), ("2.500000", 0));
    let committed = "select committed::text from jobs where id = $1";
    let committed: String = fixture.client.query_one(committed, &[&job.uuid()]).await.unwrap().get(0);
    assert_eq!(committed, "2.500000");
    let row = row(&fixture, job).await;
    assert_eq!(
        (row.state, row.looks.next_at),
        (State::Abandoned, None),
        "its end stands, and nothing is left to ask"
    );
}

#[tokio::test]
async fn i8_a_call_that_counted_as_never_arrived_is_found_and_priced() {
    let fixture = Fixture::new().await;
    let never = [failed(ErrorClass::Retryable, NEVER_ARRIVED), costs(free())];
    let (job, attempt) = ended(&fixture, Provider::Kling, &never).await;
    jobs::finish(fixture.db(), job, &Ending::Cancelled, Utc::now(), "{}").await.unwrap();
    assert_eq!(due(&fixture).await.len(), 1);
    // Without its name there is no price that could be its own.
    assert!(!settle(fixture.db(), attempt, None, Some(&priced())).await.unwrap());
    assert_eq!(report(fixture.db(), attempt, "r9", &BTreeMap::new()).await.unwrap(), Reported::Known);
    let found = row(&fixture, job).await;
    assert_eq!((found.provider_request_id.as_deref(), found.cost), (Some("r9"), None), "no longer free");
    assert!(found.looks.next_at.is_some(), "its price is still asked for");
    assert!(settle(fixture.db(), attempt, None, Some(&priced())).await.unwrap());
    let settled = row(&fixture, job).await;
    assert_eq!((settled.state, settled.cost, settled.looks.next_at), (State::Failed, Some(priced()), None));
}
