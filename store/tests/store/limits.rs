//! A client's limits: they hold however many ask at once, and keep no answer back.

use std::sync::Arc;

use domain::budget::Period;
use domain::client::{Bound, Settings};
use store::clients::{change, standing};
use store::jobs::{Creation, Denial};
use store::{Db, Job};
use tokio::sync::Barrier;
use uuid::Uuid;

use crate::fixture::{Fixture, body, create};

async fn limit(fixture: &Fixture, settings: Settings) {
    let client = standing(fixture.db(), fixture.key).await.unwrap().unwrap().client;
    change(fixture.db(), client, &settings).await.unwrap().unwrap();
}

async fn fresh(fixture: &Fixture) -> Creation {
    create(fixture.db(), fixture.key, &Uuid::new_v4().to_string(), body()).await
}

fn made(creation: Creation) -> Box<Job> {
    let Creation::Created(job) = creation else { unreachable!("{creation:?}") };
    job
}

/// Creates at once, each over a connection of its own.
async fn race(fixture: Fixture, keys: Vec<String>) -> (Arc<Fixture>, Vec<Creation>) {
    let (fixture, start) = (Arc::new(fixture), Arc::new(Barrier::new(keys.len())));
    let mut racers = Vec::new();
    for key in keys {
        let client = fixture.database.client().await.unwrap();
        let (fixture, start) = (Arc::clone(&fixture), Arc::clone(&start));
        racers.push(tokio::spawn(async move {
            start.wait().await;
            create(Db::new(&client), fixture.key, &key, body()).await
        }));
    }
    let mut outcomes = Vec::new();
    for racer in racers {
        outcomes.push(racer.await.unwrap());
    }
    (fixture, outcomes)
}

#[tokio::test]
async fn racing_creates_never_exceed_the_generations_that_may_be_open() {
    let fixture = Fixture::new().await;
    limit(&fixture, Settings { max_open: Bound::Set(3), ..Settings::default() }).await;
    let keys = (0..24).map(|n| format!("k{n}")).collect();
    let (fixture, outcomes) = race(fixture, keys).await;
    let made: Vec<_> = outcomes.iter().filter(|outcome| matches!(outcome, Creation::Created(_))).collect();
    let denied = outcomes.iter().filter(|outcome| **outcome == Creation::Denied(Denial::TooManyOpen)).count();
    assert_eq!((made.len(), denied), (3, 21));
    // One ends, one more is admitted, and only one.
    let Creation::Created(job) = made[0] else { unreachable!() };
    let ending = store::jobs::Ending::Cancelled;
    store::jobs::finish(fixture.db(), job.id, &ending, chrono::Utc::now(), "{}").await.unwrap();
    assert!(matches!(fresh(&fixture).await, Creation::Created(_)));
    assert_eq!(fresh(&fixture).await, Creation::Denied(Denial::TooManyOpen));
}

#[tokio::test]
async fn a6_the_losers_of_a_race_for_a_key_that_took_the_last_place_get_its_answer() {
    for round in 0..5 {
        let fixture = Fixture::new().await;
        let settings =
            Settings { max_open: Bound::Set(1), creates_per_minute: Bound::Set(1), ..Settings::default() };
        limit(&fixture, settings).await;
        let (_, outcomes) = race(fixture, vec!["the-same".to_owned(); 16]).await;
        let made = outcomes.iter().filter(|outcome| matches!(outcome, Creation::Created(_))).count();
        let replayed = outcomes.iter().filter(|outcome| matches!(outcome, Creation::Replayed(_))).count();
        assert_eq!((made, replayed), (1, 15), "round {round}: {outcomes:?}");
    }
}

#[tokio::test]
async fn a6_no_limit_keeps_a_replay_s_answer_back() {
    let fixture = Fixture::new().await;
    let job = made(create(fixture.db(), fixture.key, "k", body()).await);
    for settings in [
        Settings { max_open: Bound::Set(0), ..Settings::default() },
        Settings {
            budget_day: Bound::Set("0".parse().unwrap()),
            max_open: Bound::Lift,
            ..Settings::default()
        },
        Settings { creates_per_minute: Bound::Set(1), budget_day: Bound::Lift, ..Settings::default() },
    ] {
        limit(&fixture, settings.clone()).await;
        if settings.creates_per_minute == Bound::Set(1) {
            made(fresh(&fixture).await);
        }
        assert!(matches!(fresh(&fixture).await, Creation::Denied(_)), "{settings:?}");
        let replay = create(fixture.db(), fixture.key, "k", body()).await;
        assert_eq!(replay, Creation::Replayed(job.clone()), "{settings:?}");
        let mut other = body();
        other["input"]["prompt"] = "a dog".into();
        let conflict = create(fixture.db(), fixture.key, "k", other).await;
        assert_eq!(conflict, Creation::Conflict { standing: job.id }, "{settings:?}");
    }
    let rows: i64 = fixture.client.query_one("select count(*) from jobs", &[]).await.unwrap().get(0);
    assert_eq!(rows, 2);
}

#[tokio::test]
async fn creates_of_a_minute_come_back_one_by_one() {
    let fixture = Fixture::new().await;
    limit(&fixture, Settings { creates_per_minute: Bound::Set(4), ..Settings::default() }).await;
    for _ in 0..4 {
        made(fresh(&fixture).await);
    }
    let denied = fresh(&fixture).await;
    let Creation::Denied(Denial::RateLimited { retry_after_ms }) = denied else { unreachable!("{denied:?}") };
    assert!((1..=15_000).contains(&retry_after_ms), "{retry_after_ms}");
    // As if a quarter of the minute had passed.
    let sql = "update client_rates set next_at = next_at - interval '15 seconds'";
    assert_eq!(fixture.client.execute(sql, &[]).await.unwrap(), 1);
    made(fresh(&fixture).await);
    assert!(matches!(fresh(&fixture).await, Creation::Denied(Denial::RateLimited { .. })));
}

#[tokio::test]
async fn b13_what_cannot_fit_into_the_budget_is_not_recorded() {
    let fixture = Fixture::new().await;
    // The first call may cost 3.20 at worst.
    let month =
        |amount: &str| Settings { budget_month: Bound::Set(amount.parse().unwrap()), ..Settings::default() };
    limit(&fixture, month("3.199999")).await;
    let denied = Creation::Denied(Denial::BudgetExceeded { period: Period::Month });
    assert_eq!(fresh(&fixture).await, denied);
    let mut unrated = body();
    unrated["chain"][0]["model"] = "nobody/knows".into();
    let unpriceable = create(fixture.db(), fixture.key, "u", unrated).await;
    assert_eq!(unpriceable, Creation::Denied(Denial::Unpriceable));
    let rows: i64 = fixture.client.query_one("select count(*) from jobs", &[]).await.unwrap().get(0);
    assert_eq!(rows, 0);
    limit(&fixture, month("3.20")).await;
    made(fresh(&fixture).await);
}
