//! The journal: written ahead, bounded, fenced.

use std::collections::BTreeMap;

use domain::attempt::{AttemptError, Cost, CostSource, ErrorClass, State, Usage};
use domain::job::Status;
use domain::journal::{Entry, EntryAnswer, Open, Refusal};
use domain::{JobId, Usd};
use serde_json::json;
use store::jobs::Ending;
use store::journal::{Lease, Opening, take_lease};
use store::{attempts, jobs};

use crate::fixture::{Fixture, leased, open, record, wanted};

fn attempt(reserved: Option<&str>) -> Open {
    Open { reserved: reserved.map(usd), ..wanted() }
}

fn usd(text: &str) -> Usd {
    text.parse().unwrap()
}

fn accepted() -> Entry {
    let captured = BTreeMap::from([("status_url".to_owned(), "https://queue.fal.run/x".to_owned())]);
    Entry::Accepted { provider_request_id: "r1".into(), captured }
}

fn failed(class: ErrorClass) -> Entry {
    let error =
        AttemptError { class, code: Some("x".into()), message: "no".into(), retry_after_seconds: Some(3) };
    Entry::Failed { error }
}

fn priced(amount: &str) -> Entry {
    let usage = Usage { units: "8".parse().unwrap(), unit: "second".into() };
    let cost = Cost { amount: usd(amount), source: CostSource::Derived, rates: Some("2026-12-01".into()) };
    Entry::Settled { usage: Some(usage), cost: Some(cost) }
}

async fn committed(fixture: &Fixture, job: JobId) -> String {
    let row =
        fixture.client.query_one("select committed::text from jobs where id = $1", &[&job.uuid()]).await;
    row.unwrap().get(0)
}

#[tokio::test]
async fn b1_an_attempt_lives_from_open_to_its_price() {
    let fixture = Fixture::new().await;
    let job = fixture.job(|_| ()).await.id;
    let lease = leased(fixture.db(), job).await;
    let wanted = attempt(Some("3.20"));
    let id = wanted.attempt;
    assert_eq!(open(fixture.db(), job, lease, &wanted).await.unwrap(), Opening::Opened { ordinal: 1 });
    for entry in [accepted(), priced("2.50"), Entry::Succeeded] {
        assert_eq!(record(fixture.db(), job, lease, id, &entry).await.unwrap(), EntryAnswer::Written);
    }
    let journal = attempts::of_job(fixture.db(), job).await.unwrap();
    let [one] = journal.as_slice() else { unreachable!("{journal:?}") };
    assert_eq!((one.state, one.ordinal, one.reserved), (State::Succeeded, 1, Some(usd("3.20"))));
    assert_eq!(one.provider_request_id.as_deref(), Some("r1"));
    assert_eq!(one.captured["status_url"], "https://queue.fal.run/x");
    assert_eq!(one.cost.as_ref().unwrap().amount, usd("2.50"));
    assert_eq!(committed(&fixture, job).await, "2.500000");
}

#[tokio::test]
async fn b1_opening_the_same_attempt_again_counts_once() {
    let fixture = Fixture::new().await;
    let job = fixture.job(|_| ()).await.id;
    let lease = leased(fixture.db(), job).await;
    let wanted = attempt(Some("1"));
    for _ in 0..3 {
        assert_eq!(open(fixture.db(), job, lease, &wanted).await.unwrap(), Opening::Opened { ordinal: 1 });
    }
    assert_eq!(committed(&fixture, job).await, "1.000000");
    assert_eq!(open(fixture.db(), job, lease, &attempt(None)).await.unwrap(), Opening::Opened { ordinal: 2 });
}

#[tokio::test]
async fn b5_the_database_bounds_the_paid_calls() {
    let fixture = Fixture::new().await;
    let refused = |refusal| Opening::Refused(refusal);
    let job = fixture.job(|_| ()).await.id;
    let lease = leased(fixture.db(), job).await;
    for ordinal in 1..=2 {
        assert_eq!(
            open(fixture.db(), job, lease, &attempt(None)).await.unwrap(),
            Opening::Opened { ordinal }
        );
    }
    let third = open(fixture.db(), job, lease, &attempt(None)).await.unwrap();
    assert_eq!(third, refused(Refusal::PaidCallsExhausted));

    let job = fixture.job(|body| body["max_cost"] = json!("5.00")).await.id;
    let lease = leased(fixture.db(), job).await;
    assert_eq!(open(fixture.db(), job, lease, &attempt(None)).await.unwrap(), refused(Refusal::Unpriceable));
    let first = attempt(Some("3.20"));
    assert_eq!(open(fixture.db(), job, lease, &first).await.unwrap(), Opening::Opened { ordinal: 1 });
    let second = attempt(Some("3.20"));
    assert_eq!(open(fixture.db(), job, lease, &second).await.unwrap(), refused(Refusal::MaxCostReached));
    // What the first really cost makes room.
    record(fixture.db(), job, lease, first.attempt, &priced("1.80")).await.unwrap();
    assert_eq!(open(fixture.db(), job, lease, &second).await.unwrap(), Opening::Opened { ordinal: 2 });
}

#[tokio::test]
async fn b8_a_stale_lease_is_refused_and_counted() {
    let fixture = Fixture::new().await;
    let job = fixture.job(|_| ()).await.id;
    let old = leased(fixture.db(), job).await;
    let wanted = attempt(None);
    open(fixture.db(), job, old, &wanted).await.unwrap();
    let new = leased(fixture.db(), job).await;
    assert_eq!(new, old + 1);
    let late = record(fixture.db(), job, old, wanted.attempt, &accepted()).await.unwrap();
    assert_eq!(late, EntryAnswer::StaleLease);
    let late = open(fixture.db(), job, old, &attempt(None)).await.unwrap();
    assert_eq!(late, Opening::Refused(Refusal::StaleLease));
    let again = open(fixture.db(), job, old, &wanted).await.unwrap();
    assert_eq!(again, Opening::Refused(Refusal::StaleLease));
    assert_eq!(jobs::get(fixture.db(), job).await.unwrap().unwrap().fenced_writes, 3);
    let recorded = record(fixture.db(), job, new, wanted.attempt, &accepted()).await.unwrap();
    assert_eq!(recorded, EntryAnswer::Written);
}

#[tokio::test]
async fn a44_a_replay_changes_telemetry_and_leaves_the_outcome() {
    let fixture = Fixture::new().await;
    let job = fixture.job(|_| ()).await.id;
    let lease = leased(fixture.db(), job).await;
    let wanted = attempt(Some("3.20"));
    let id = wanted.attempt;
    open(fixture.db(), job, lease, &wanted).await.unwrap();
    record(fixture.db(), job, lease, id, &failed(ErrorClass::Timeout)).await.unwrap();
    assert_eq!(committed(&fixture, job).await, "3.200000");
    for entry in [Entry::Succeeded, accepted(), failed(ErrorClass::Refusal)] {
        assert_eq!(record(fixture.db(), job, lease, id, &entry).await.unwrap(), EntryAnswer::Unchanged);
    }
    for amount in ["1.00", "1.20", "1.20"] {
        assert_eq!(
            record(fixture.db(), job, lease, id, &priced(amount)).await.unwrap(),
            EntryAnswer::Written
        );
    }
    let journal = attempts::of_job(fixture.db(), job).await.unwrap();
    assert_eq!(journal[0].state, State::Failed);
    assert_eq!(journal[0].error.as_ref().unwrap().class, ErrorClass::Timeout);
    assert_eq!(committed(&fixture, job).await, "1.200000");
    // A later report without a price does not take the price away.
    record(fixture.db(), job, lease, id, &Entry::Settled { usage: None, cost: None }).await.unwrap();
    assert_eq!(committed(&fixture, job).await, "1.200000");
}

#[tokio::test]
async fn b4_an_ended_job_still_takes_what_its_attempts_cost_and_opens_no_more() {
    let fixture = Fixture::new().await;
    let job = fixture.job(|_| ()).await.id;
    let lease = leased(fixture.db(), job).await;
    let wanted = attempt(None);
    open(fixture.db(), job, lease, &wanted).await.unwrap();
    jobs::finish(fixture.db(), job, &Ending::Cancelled, chrono::Utc::now(), "{}").await.unwrap();
    for entry in [accepted(), failed(ErrorClass::Cancelled), priced("0.40")] {
        assert_eq!(
            record(fixture.db(), job, lease, wanted.attempt, &entry).await.unwrap(),
            EntryAnswer::Written
        );
    }
    let refused = open(fixture.db(), job, lease, &attempt(None)).await.unwrap();
    assert_eq!(refused, Opening::Refused(Refusal::JobEnded { status: Status::Cancelled }));
    assert_eq!(take_lease(fixture.db(), job).await.unwrap(), Lease::Ended(Status::Cancelled));
    assert_eq!(jobs::get(fixture.db(), job).await.unwrap().unwrap().spend.priced, usd("0.40"));
}

#[tokio::test]
async fn a43_a_failure_that_the_provider_does_not_bill_is_free_once_it_was_accepted_too() {
    let fixture = Fixture::new().await;
    let job = fixture.job(|_| ()).await.id;
    let lease = leased(fixture.db(), job).await;
    let wanted = attempt(Some("3.20"));
    open(fixture.db(), job, lease, &wanted).await.unwrap();
    let free = Cost { amount: Usd::ZERO, source: CostSource::Local, rates: None };
    for entry in [accepted(), Entry::Settled { usage: None, cost: Some(free) }, failed(ErrorClass::Retryable)]
    {
        let answer = record(fixture.db(), job, lease, wanted.attempt, &entry).await.unwrap();
        assert_eq!(answer, EntryAnswer::Written, "{entry:?}");
    }
    assert_eq!(committed(&fixture, job).await, "0.000000");
}

#[tokio::test]
async fn b13_the_four_numbers_are_kept_apart() {
    let fixture = Fixture::new().await;
    let job = fixture.job(|body| body["max_paid_calls"] = json!(4)).await.id;
    let lease = leased(fixture.db(), job).await;
    let unknown = AttemptError {
        class: ErrorClass::Unknown,
        code: None,
        message: "?".into(),
        retry_after_seconds: None,
    };
    let endings = [
        vec![priced("0.40"), Entry::Succeeded],
        vec![accepted(), failed(ErrorClass::Retryable)],
        vec![Entry::Unknown { error: unknown }],
        vec![],
    ];
    for entries in endings {
        let wanted = attempt(Some("3.20"));
        open(fixture.db(), job, lease, &wanted).await.unwrap();
        for entry in entries {
            assert_eq!(
                record(fixture.db(), job, lease, wanted.attempt, &entry).await.unwrap(),
                EntryAnswer::Written
            );
        }
    }
    let spend = jobs::get(fixture.db(), job).await.unwrap().unwrap().spend;
    assert_eq!(
        (spend.priced, spend.unpriced, spend.unknown, spend.reserved),
        (usd("0.40"), 1, 1, usd("9.60"))
    );
    assert_eq!(committed(&fixture, job).await, "10.000000");
}

#[tokio::test]
async fn another_jobs_attempt_cannot_be_written() {
    let fixture = Fixture::new().await;
    let (mine, theirs) = (fixture.job(|_| ()).await.id, fixture.job(|_| ()).await.id);
    let (my_lease, their_lease) = (leased(fixture.db(), mine).await, leased(fixture.db(), theirs).await);
    let wanted = attempt(None);
    open(fixture.db(), theirs, their_lease, &wanted).await.unwrap();
    let answer = record(fixture.db(), mine, my_lease, wanted.attempt, &accepted()).await.unwrap();
    assert_eq!(answer, EntryAnswer::NoSuchAttempt);
}
