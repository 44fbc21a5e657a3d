//! Gates of the providers: limits hold however many race, breakers open, probe and close (B7).

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::JobId;
use domain::attempt::{AttemptError, ErrorClass};
use domain::client::Bound;
use domain::gate::Cause;
use domain::journal::{Entry, EntryAnswer, Open, Refusal};
use domain::provider::Provider;
use domain::timing::BREAKER_UNAVAILABLE_LIMIT;
use store::Db;
use store::gates::{self, Change, Gate, Hand};
use store::jobs::get;
use store::journal::Opening;

use crate::fixture::{Fixture, leased, open, record, wanted};

const NOTHING: Change =
    Change { max_concurrent: Bound::Keep, submits_per_minute: Bound::Keep, breaker: Hand::Keep };

/// A job under its lease, and an attempt of it that is not opened yet.
struct Asking {
    job: JobId,
    lease: i64,
    open: Open,
}

impl Asking {
    async fn new(fixture: &Fixture) -> Self {
        let job = fixture.job(|_| ()).await.id;
        let lease = leased(fixture.db(), job).await;
        let open = wanted();
        Self { job, lease, open }
    }

    async fn ask(&self, db: Db<'_>) -> Opening {
        open(db, self.job, self.lease, &self.open).await.unwrap()
    }

    async fn write(&self, db: Db<'_>, entry: &Entry) {
        let written = record(db, self.job, self.lease, self.open.attempt, entry).await.unwrap();
        assert_eq!(written, EntryAnswer::Written);
    }

    /// Opens an attempt of a new job and ends it so.
    async fn ended(fixture: &Fixture, class: ErrorClass) -> Self {
        let asking = Self::new(fixture).await;
        assert_eq!(asking.ask(fixture.db()).await, Opening::Opened { ordinal: 1 });
        asking.write(fixture.db(), &failed(class)).await;
        asking
    }
}

fn failed(class: ErrorClass) -> Entry {
    let error = AttemptError { class, code: None, message: "no".into(), retry_after_seconds: None };
    Entry::Failed { error }
}

fn accepted() -> Entry {
    Entry::Accepted { provider_request_id: "r1".into(), captured: BTreeMap::new() }
}

async fn gate(fixture: &Fixture) -> Gate {
    let gates = gates::list(fixture.db()).await.unwrap();
    gates.into_iter().find(|gate| gate.provider == Provider::Fal).unwrap()
}

async fn change(fixture: &Fixture, change: Change) -> Gate {
    gates::change(fixture.db(), Provider::Fal, &change).await.unwrap()
}

/// As if the breaker's time were up.
async fn cool_down(fixture: &Fixture) {
    let sql = "update provider_gates set breaker_until = now() where breaker_until is not null";
    assert_eq!(fixture.client.execute(sql, &[]).await.unwrap(), 1);
}

fn cause_of(opening: Opening) -> Cause {
    let Opening::Refused(Refusal::BreakerOpen { cause, .. }) = opening else { unreachable!("{opening:?}") };
    cause
}

fn busy(opening: Opening) -> Option<u64> {
    let Opening::Refused(Refusal::ProviderBusy { retry_after_ms }) = opening else {
        unreachable!("{opening:?}")
    };
    retry_after_ms
}

#[tokio::test]
async fn b7_racing_opens_never_exceed_the_limit() {
    const LIMIT: usize = 3;
    const RACERS: usize = 16;
    let fixture = Arc::new(Fixture::new().await);
    change(&fixture, Change { max_concurrent: Bound::Set(3), ..NOTHING }).await;
    let start = Arc::new(tokio::sync::Barrier::new(RACERS));
    let mut racers = Vec::new();
    for _ in 0..RACERS {
        let asking = Asking::new(&fixture).await;
        let client = fixture.database.client().await.unwrap();
        let start = Arc::clone(&start);
        racers.push(tokio::spawn(async move {
            start.wait().await;
            let opening = asking.ask(Db::new(&client)).await;
            (asking, opening)
        }));
    }
    let (mut passed, mut refused) = (Vec::new(), Vec::new());
    for racer in racers {
        let (asking, opening) = racer.await.unwrap();
        match opening {
            Opening::Opened { .. } => passed.push(asking),
            shut @ Opening::Refused(_) => {
                assert_eq!(busy(shut), None);
                refused.push(asking);
            }
        }
    }
    assert_eq!((passed.len(), refused.len()), (LIMIT, RACERS - LIMIT));
    let rows: i64 = fixture.client.query_one("select count(*) from attempts", &[]).await.unwrap().get(0);
    assert_eq!((usize::try_from(rows).unwrap(), gate(&fixture).await.in_flight), (LIMIT, 3));
    // One ends, one more passes, and only one.
    passed[0].write(fixture.db(), &failed(ErrorClass::Refusal)).await;
    assert_eq!(refused[0].ask(fixture.db()).await, Opening::Opened { ordinal: 1 });
    assert_eq!(busy(refused[1].ask(fixture.db()).await), None);
}

#[tokio::test]
async fn b7_a_busy_provider_costs_a_job_nothing_and_shows_it_waiting() {
    let fixture = Fixture::new().await;
    change(&fixture, Change { max_concurrent: Bound::Set(1), ..NOTHING }).await;
    let (first, second) = (Asking::new(&fixture).await, Asking::new(&fixture).await);
    assert_eq!(first.ask(fixture.db()).await, Opening::Opened { ordinal: 1 });
    // The same attempt again is not another one.
    assert_eq!(first.ask(fixture.db()).await, Opening::Opened { ordinal: 1 });
    assert_eq!(gate(&fixture).await.in_flight, 1);
    busy(second.ask(fixture.db()).await);
    let job = get(fixture.db(), second.job).await.unwrap().unwrap();
    assert_eq!((job.status.as_str(), job.waiting.as_deref()), ("waiting", Some("fal is busy")));
    first.write(fixture.db(), &accepted()).await;
    busy(second.ask(fixture.db()).await);
    first.write(fixture.db(), &Entry::Succeeded).await;
    // No paid call was used up by asking.
    assert_eq!(second.ask(fixture.db()).await, Opening::Opened { ordinal: 1 });
    let job = get(fixture.db(), second.job).await.unwrap().unwrap();
    assert_eq!((job.status.as_str(), job.waiting), ("running", None));
}

#[tokio::test]
async fn b7_submits_of_a_minute_are_counted_whatever_became_of_them() {
    let fixture = Fixture::new().await;
    change(&fixture, Change { submits_per_minute: Bound::Set(2), ..NOTHING }).await;
    for _ in 0..2 {
        Asking::ended(&fixture, ErrorClass::Refusal).await;
    }
    let third = Asking::new(&fixture).await;
    let left = busy(third.ask(fixture.db()).await).unwrap();
    assert!(left > 0 && left <= 60_000, "{left}");
    let sql = "update provider_gates set minute_at = now() - interval '1 minute'";
    fixture.client.execute(sql, &[]).await.unwrap();
    assert_eq!(third.ask(fixture.db()).await, Opening::Opened { ordinal: 1 });
}

#[tokio::test]
async fn b7_money_and_keys_open_the_breaker_at_once_and_a_hand_closes_it() {
    for (class, cause) in [
        (ErrorClass::InsufficientFunds, Cause::InsufficientFunds),
        (ErrorClass::Authentication, Cause::Authentication),
    ] {
        let fixture = Fixture::new().await;
        Asking::ended(&fixture, class).await;
        let waiting = Asking::new(&fixture).await;
        assert_eq!(cause_of(waiting.ask(fixture.db()).await), cause);
        let job = get(fixture.db(), waiting.job).await.unwrap().unwrap();
        assert_eq!(job.waiting, Some(format!("the breaker of fal is open: {cause}")));
        assert_eq!(change(&fixture, Change { breaker: Hand::Close, ..NOTHING }).await.breaker, None);
        assert_eq!(waiting.ask(fixture.db()).await, Opening::Opened { ordinal: 1 });
    }
}

#[tokio::test]
async fn b7_after_the_cool_down_one_attempt_probes() {
    let fixture = Fixture::new().await;
    Asking::ended(&fixture, ErrorClass::InsufficientFunds).await;
    let (probe, other) = (Asking::new(&fixture).await, Asking::new(&fixture).await);
    cool_down(&fixture).await;
    assert_eq!(probe.ask(fixture.db()).await, Opening::Opened { ordinal: 1 });
    assert_eq!(cause_of(other.ask(fixture.db()).await), Cause::InsufficientFunds);
    // It fails the same way: closed to all but the next probe, which gets through.
    probe.write(fixture.db(), &failed(ErrorClass::InsufficientFunds)).await;
    assert_eq!(cause_of(other.ask(fixture.db()).await), Cause::InsufficientFunds);
    cool_down(&fixture).await;
    assert_eq!(other.ask(fixture.db()).await, Opening::Opened { ordinal: 1 });
    other.write(fixture.db(), &accepted()).await;
    assert_eq!(gate(&fixture).await.breaker, None);
    assert_eq!(Asking::new(&fixture).await.ask(fixture.db()).await, Opening::Opened { ordinal: 1 });
}

#[tokio::test]
async fn b7_only_the_probe_closes_the_breaker() {
    let fixture = Fixture::new().await;
    let earlier = Asking::new(&fixture).await;
    assert_eq!(earlier.ask(fixture.db()).await, Opening::Opened { ordinal: 1 });
    Asking::ended(&fixture, ErrorClass::Authentication).await;
    earlier.write(fixture.db(), &accepted()).await;
    assert_eq!(gate(&fixture).await.breaker.unwrap().cause, Cause::Authentication);
}

#[tokio::test]
async fn b7_unavailable_opens_only_in_a_row_and_counts_no_repeat() {
    let fixture = Fixture::new().await;
    for _ in 1..BREAKER_UNAVAILABLE_LIMIT {
        let asking = Asking::ended(&fixture, ErrorClass::Unavailable).await;
        let repeat = failed(ErrorClass::Unavailable);
        let again =
            record(fixture.db(), asking.job, asking.lease, asking.open.attempt, &repeat).await.unwrap();
        assert_eq!(again, EntryAnswer::Unchanged);
        // A price that comes later is no second failure.
        asking.write(fixture.db(), &Entry::Settled { usage: None, cost: None }).await;
    }
    let standing = gate(&fixture).await;
    assert_eq!((standing.consecutive_unavailable, standing.breaker), (4, None));
    let good = Asking::new(&fixture).await;
    good.ask(fixture.db()).await;
    good.write(fixture.db(), &accepted()).await;
    assert_eq!(gate(&fixture).await.consecutive_unavailable, 0);
    for _ in 0..BREAKER_UNAVAILABLE_LIMIT {
        Asking::ended(&fixture, ErrorClass::Unavailable).await;
    }
    let waiting = Asking::new(&fixture).await;
    assert_eq!(cause_of(waiting.ask(fixture.db()).await), Cause::Unavailable);
}

#[tokio::test]
async fn b7_what_an_operator_opened_only_an_operator_closes() {
    let fixture = Fixture::new().await;
    let earlier = Asking::new(&fixture).await;
    earlier.ask(fixture.db()).await;
    let opened = change(&fixture, Change { breaker: Hand::Open, ..NOTHING }).await.breaker.unwrap();
    assert_eq!((opened.cause, opened.until), (Cause::Operator, None));
    earlier.write(fixture.db(), &failed(ErrorClass::InsufficientFunds)).await;
    let waiting = Asking::new(&fixture).await;
    let shut = waiting.ask(fixture.db()).await;
    let held = Refusal::BreakerOpen { cause: Cause::Operator, retry_after_ms: None };
    assert_eq!(shut, Opening::Refused(held));
    change(&fixture, Change { breaker: Hand::Close, ..NOTHING }).await;
    assert_eq!(waiting.ask(fixture.db()).await, Opening::Opened { ordinal: 1 });
}

#[tokio::test]
async fn b7_an_attempt_of_unknown_outcome_holds_no_place_until_it_is_known() {
    let fixture = Fixture::new().await;
    let asking = Asking::new(&fixture).await;
    asking.ask(fixture.db()).await;
    let Entry::Failed { error } = failed(ErrorClass::Unknown) else { unreachable!() };
    asking.write(fixture.db(), &Entry::Unknown { error }).await;
    assert_eq!(gate(&fixture).await.in_flight, 0);
    store::unknown::report(fixture.db(), asking.open.attempt, "r1", &BTreeMap::new()).await.unwrap();
    assert_eq!(gate(&fixture).await.in_flight, 1);
    asking.write(fixture.db(), &Entry::Succeeded).await;
    assert_eq!(gate(&fixture).await.in_flight, 0);
}
