//! Budgets hold however many attempts are opened at once; spend is what the attempts say.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::attempt::{AttemptError, Cost, CostSource, ErrorClass};
use domain::budget::Period;
use domain::client::{Bound, Settings};
use domain::journal::{Entry, EntryAnswer, Open, Refusal};
use domain::{JobId, Usd};
use serde_json::{Value, json};
use store::Db;
use store::clients::{change, standing};
use store::jobs::get;
use store::journal::Opening;
use tokio::sync::Barrier;

use crate::fixture::{Fixture, leased, open, record, wanted};

struct Asking {
    job: JobId,
    lease: i64,
    open: Open,
}

impl Asking {
    async fn new(fixture: &Fixture, reserved: Option<&str>) -> Self {
        // A create asks the budget too; this one could be had for 0.04.
        let cheap =
            json!([{"provider": "fal", "model": "fal-ai/flux-pro/v1.1", "options": {"num_images": 1}}]);
        let job = fixture.job(|body| body["chain"] = cheap).await.id;
        let lease = leased(fixture.db(), job).await;
        let open = Open { reserved: reserved.map(usd), ..wanted() };
        Self { job, lease, open }
    }

    async fn ask(&self, db: Db<'_>) -> Opening {
        open(db, self.job, self.lease, &self.open).await.unwrap()
    }

    async fn refusal(&self, fixture: &Fixture) -> Refusal {
        let opening = self.ask(fixture.db()).await;
        let Opening::Refused(refusal) = opening else { unreachable!("{opening:?}") };
        refusal
    }

    async fn opened(&self, fixture: &Fixture) {
        let opening = self.ask(fixture.db()).await;
        assert!(matches!(opening, Opening::Opened { .. }), "{opening:?}");
    }

    async fn write(&self, db: Db<'_>, entry: &Entry) {
        let written = record(db, self.job, self.lease, self.open.attempt, entry).await.unwrap();
        assert_eq!(written, EntryAnswer::Written);
    }

    /// As if the job had to end by then.
    async fn deadline(&self, fixture: &Fixture, days: i32) {
        let sql = "update jobs set deadline_at = now() + $2 * interval '1 day' where id = $1";
        fixture.client.execute(sql, &[&self.job.uuid(), &f64::from(days)]).await.unwrap();
    }
}

fn usd(text: &str) -> Usd {
    text.parse().unwrap()
}

fn priced(amount: &str) -> Entry {
    let cost = Cost { amount: usd(amount), source: CostSource::Quoted, rates: None };
    Entry::Settled { usage: None, cost: Some(cost) }
}

fn fault(class: ErrorClass) -> AttemptError {
    AttemptError { class, code: None, message: "no".into(), retry_after_seconds: None }
}

fn accepted(request_id: &str) -> Entry {
    Entry::Accepted { provider_request_id: request_id.into(), captured: BTreeMap::new() }
}

async fn budgets(fixture: &Fixture, day: Bound<Usd>, month: Bound<Usd>) {
    let client = standing(fixture.db(), fixture.key).await.unwrap().unwrap().client;
    let settings = Settings { budget_day: day, budget_month: month, ..Settings::default() };
    change(fixture.db(), client, &settings).await.unwrap().unwrap();
}

async fn day(fixture: &Fixture, amount: &str) {
    budgets(fixture, Bound::Set(usd(amount)), Bound::Keep).await;
}

/// The four numbers as the spend has them, and as the attempts say.
async fn both(fixture: &Fixture) -> (Value, Value) {
    let kept = "select json_build_object('priced', sum(priced)::numeric(18, 6)::text, 'priced_count', sum(priced_count),
            'unpriced', sum(unpriced_reserved)::numeric(18, 6)::text, 'unpriced_count', sum(unpriced_count),
            'unknown', sum(unknown_reserved)::numeric(18, 6)::text, 'unknown_count', sum(unknown_count),
            'open', sum(open_reserved)::numeric(18, 6)::text, 'open_count', sum(open_count)) from spend";
    let said =
        "with a as (select *, case when cost is not null then 'priced' when state = 'unknown' then 'unknown'
                when state in ('open', 'accepted') then 'open' else 'unpriced' end as class from attempts)
        select json_build_object(
            'priced', coalesce(sum(cost), 0)::numeric(18, 6)::text, 'priced_count', count(cost),
            'unpriced', coalesce(sum(reserved) filter (where class = 'unpriced'), 0)::numeric(18, 6)::text,
            'unpriced_count', count(*) filter (where class = 'unpriced'),
            'unknown', coalesce(sum(reserved) filter (where class = 'unknown'), 0)::numeric(18, 6)::text,
            'unknown_count', count(*) filter (where class = 'unknown'),
            'open', coalesce(sum(reserved) filter (where class = 'open'), 0)::numeric(18, 6)::text,
            'open_count', count(*) filter (where class = 'open')) from a";
    let one = async |sql: &str| fixture.client.query_one(sql, &[]).await.unwrap().get::<_, Value>(0);
    (one(kept).await, one(said).await)
}

#[tokio::test]
async fn b13_a_hundred_opens_at_once_never_exceed_the_budget() {
    const RACERS: usize = 100;
    let fixture = Fixture::new().await;
    // Ten fit; neither the day nor the month allows an eleventh.
    budgets(&fixture, Bound::Set(usd("5.10")), Bound::Set(usd("5.40"))).await;
    let (fixture, start) = (Arc::new(fixture), Arc::new(Barrier::new(RACERS)));
    let mut racers = Vec::new();
    for _ in 0..RACERS {
        let asking = Asking::new(&fixture, Some("0.50")).await;
        let (client, start) = (fixture.database.client().await.unwrap(), Arc::clone(&start));
        racers.push(tokio::spawn(async move {
            start.wait().await;
            let opening = asking.ask(Db::new(&client)).await;
            (asking, opening)
        }));
    }
    let (mut passed, mut refused) = (Vec::new(), Vec::new());
    for racer in racers {
        match racer.await.unwrap() {
            (asking, Opening::Opened { .. }) => passed.push(asking),
            (asking, Opening::Refused(refusal)) => {
                assert_eq!(refusal, Refusal::BudgetBusy { retry_after_ms: None });
                refused.push(asking);
            }
        }
    }
    assert_eq!((passed.len(), refused.len()), (10, 90));
    let (kept, said) = both(&fixture).await;
    assert_eq!((&kept["open"], &kept), (&json!("5.000000"), &said));
    let tallies = store::metrics::standing(fixture.db()).await.unwrap().tallies;
    let told: Vec<_> = tallies.iter().map(|one| (one.name.as_str(), one.label.as_str(), one.total)).collect();
    assert_eq!(told, [("budget_refusals", "busy", 90)]);
    // What the gate counts is what was opened: a refused open takes no place there.
    assert_eq!(store::gates::list(fixture.db()).await.unwrap()[0].in_flight, 10);
    let job = get(fixture.db(), refused[0].job).await.unwrap().unwrap();
    let waits = "the budget of the month is used up or reserved";
    assert_eq!((job.status.as_str(), job.waiting.as_deref()), ("waiting", Some(waits)));
    // One turns out cheaper: there is room for one more, and only one.
    passed[0].write(fixture.db(), &priced("0.05")).await;
    refused[0].opened(&fixture).await;
    assert_eq!(refused[1].refusal(&fixture).await, Refusal::BudgetBusy { retry_after_ms: None });
    let job = get(fixture.db(), refused[0].job).await.unwrap().unwrap();
    assert_eq!((job.status.as_str(), job.waiting), ("running", None));
}

#[tokio::test]
async fn b13_opening_twice_reserves_once() {
    let fixture = Fixture::new().await;
    day(&fixture, "1.00").await;
    let asking = Asking::new(&fixture, Some("0.60")).await;
    for _ in 0..3 {
        assert_eq!(asking.ask(fixture.db()).await, Opening::Opened { ordinal: 1 });
    }
    let (kept, said) = both(&fixture).await;
    assert_eq!((&kept["open"], &kept), (&json!("0.600000"), &said));
}

#[tokio::test]
async fn b13_what_neither_waiting_nor_the_next_day_helps_is_exceeded() {
    let fixture = Fixture::new().await;
    day(&fixture, "1.00").await;
    let dear = Asking::new(&fixture, Some("1.000001")).await;
    dear.deadline(&fixture, 400).await;
    assert_eq!(dear.refusal(&fixture).await, Refusal::BudgetExceeded { period: Period::Day });
    let unrated = Asking::new(&fixture, None).await;
    assert_eq!(unrated.refusal(&fixture).await, Refusal::Unpriceable);
    let payer = Asking::new(&fixture, Some("0.80")).await;
    payer.opened(&fixture).await;
    // A reservation may come free …
    let next = Asking::new(&fixture, Some("0.30")).await;
    next.deadline(&fixture, 0).await;
    assert_eq!(next.refusal(&fixture).await, Refusal::BudgetBusy { retry_after_ms: None });
    // … a price does not, and then only the next day helps.
    payer.write(fixture.db(), &priced("0.80")).await;
    assert_eq!(next.refusal(&fixture).await, Refusal::BudgetExceeded { period: Period::Day });
    next.deadline(&fixture, 2).await;
    let Refusal::BudgetBusy { retry_after_ms: Some(left) } = next.refusal(&fixture).await else {
        unreachable!()
    };
    assert!(left <= 24 * 3_600_000, "{left}");
    let job = get(fixture.db(), next.job).await.unwrap().unwrap();
    assert_eq!(job.waiting.as_deref(), Some("the budget of the day is used up or reserved"));
    // No paid call was used up by asking.
    day(&fixture, "1.10").await;
    assert_eq!(next.ask(fixture.db()).await, Opening::Opened { ordinal: 1 });
}

#[tokio::test]
async fn b13_yesterday_counts_for_the_month_only() {
    let fixture = Fixture::new().await;
    let early = Asking::new(&fixture, Some("0.90")).await;
    early.opened(&fixture).await;
    early.write(fixture.db(), &priced("0.90")).await;
    let moved = "update spend set day = date_trunc('month', now() at time zone 'UTC')::date";
    fixture.client.execute(moved, &[]).await.unwrap();
    budgets(&fixture, Bound::Keep, Bound::Set(usd("1.00"))).await;
    let next = Asking::new(&fixture, Some("0.20")).await;
    next.deadline(&fixture, 0).await;
    assert_eq!(next.refusal(&fixture).await, Refusal::BudgetExceeded { period: Period::Month });
    let last_month =
        "update spend set day = (date_trunc('month', now() at time zone 'UTC') - interval '1 day')::date";
    fixture.client.execute(last_month, &[]).await.unwrap();
    next.opened(&fixture).await;
}

#[tokio::test]
async fn b13_spend_is_what_the_attempts_say_whatever_happens_to_them() {
    let fixture = Fixture::new().await;
    let unknown = || Entry::Unknown { error: fault(ErrorClass::Unknown) };
    let failed = || Entry::Failed { error: fault(ErrorClass::Retryable) };
    let abandoned = || Entry::Abandoned { error: fault(ErrorClass::Unknown) };
    let stories: Vec<(Option<&str>, Vec<Entry>)> = vec![
        (Some("3.20"), vec![]),
        (Some("3.20"), vec![accepted("a"), priced("1.20"), Entry::Succeeded, priced("1.30")]),
        (Some("3.20"), vec![accepted("b"), failed()]),
        (None, vec![accepted("c"), failed(), priced("0.10")]),
        (None, vec![accepted("d"), Entry::Succeeded]),
        (Some("0.50"), vec![unknown()]),
        (None, vec![unknown()]),
        (Some("0.50"), vec![unknown(), accepted("e")]),
        (Some("0.70"), vec![unknown(), abandoned()]),
        (Some("0.70"), vec![failed(), priced("0")]),
    ];
    for (reserved, entries) in stories {
        let asking = Asking::new(&fixture, reserved).await;
        asking.opened(&fixture).await;
        for entry in entries {
            asking.write(fixture.db(), &entry).await;
            let (kept, said) = both(&fixture).await;
            assert_eq!(kept, said, "after {entry:?}");
        }
    }
    let (kept, said) = both(&fixture).await;
    assert_eq!(kept, said);
    let counts =
        ["priced_count", "unpriced_count", "unknown_count", "open_count"].map(|name| kept[name].clone());
    assert_eq!(counts, [json!(3), json!(3), json!(2), json!(2)]);
}

#[tokio::test]
async fn b13_opens_and_settlements_of_one_client_do_not_wait_for_each_other_for_ever() {
    const WORKERS: usize = 12;
    let fixture = Fixture::new().await;
    day(&fixture, "900.00").await;
    let (fixture, start) = (Arc::new(fixture), Arc::new(Barrier::new(WORKERS)));
    let mut workers = Vec::new();
    for worker in 0..WORKERS {
        let mut asking = Vec::new();
        for _ in 0..6 {
            asking.push(Asking::new(&fixture, Some("1.00")).await);
        }
        let (client, start) = (fixture.database.client().await.unwrap(), Arc::clone(&start));
        workers.push(tokio::spawn(async move {
            let db = Db::new(&client);
            start.wait().await;
            for (round, one) in asking.iter().enumerate() {
                assert!(matches!(one.ask(db).await, Opening::Opened { .. }));
                one.write(db, &accepted(&format!("{worker}-{round}"))).await;
                one.write(db, &priced("0.25")).await;
                one.write(db, &Entry::Succeeded).await;
            }
        }));
    }
    for worker in workers {
        worker.await.unwrap();
    }
    let (kept, said) = both(&fixture).await;
    assert_eq!((&kept["priced"], &kept), (&json!("18.000000"), &said));
    assert_eq!(store::gates::list(fixture.db()).await.unwrap()[0].in_flight, 0);
}
