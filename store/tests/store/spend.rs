//! Spend as finance asks for it: four numbers, told apart by anything, each client's its own.

use std::collections::BTreeMap;

use chrono::{NaiveDate, Utc};
use domain::Usd;
use domain::attempt::{AttemptError, Cost, CostSource, ErrorClass};
use domain::client::{Bound, Settings};
use domain::journal::{Entry, Open};
use serde_json::json;
use store::clients::{KeyHash, change, standing};
use store::jobs::Found;
use store::journal::Opening;
use store::spend::{Group, Part, Question, Spend, allowance, of_clients, own};

use crate::fixture::{Fixture, add_client, leased, open, record, wanted};

fn usd(text: &str) -> Usd {
    text.parse().unwrap()
}

fn priced(amount: &str) -> Entry {
    let cost = Cost { amount: usd(amount), source: CostSource::Quoted, rates: None };
    Entry::Settled { usage: None, cost: Some(cost) }
}

/// An attempt of a job of its own, with what became of it.
async fn spent(fixture: &Fixture, project: Option<&str>, model: &str, entries: &[Entry]) {
    let job = fixture.job(|body| body["project"] = json!(project)).await.id;
    let lease = leased(fixture.db(), job).await;
    let wanted = Open { model: model.into(), reserved: Some(usd("3.20")), ..wanted() };
    let opened = open(fixture.db(), job, lease, &wanted).await.unwrap();
    assert_eq!(opened, Opening::Opened { ordinal: 1 });
    for entry in entries {
        record(fixture.db(), job, lease, wanted.attempt, entry).await.unwrap();
    }
}

fn by(groups: &[Group]) -> Question {
    let today = Utc::now().date_naive();
    // Both days, should midnight pass meanwhile.
    let from = today.pred_opt().unwrap();
    let to = today.succ_opt().unwrap();
    Question { from, to, groups: groups.to_vec(), provider: None, model: None, project: None }
}

async fn mine(fixture: &Fixture, question: &Question) -> Spend {
    let found = own(fixture.db(), fixture.key, question).await.unwrap();
    let Found::Found(spend) = found else { unreachable!("{found:?}") };
    spend
}

fn part(count: u64, amount: &str) -> Part {
    Part { count, amount: amount.to_owned() }
}

async fn some_spend(fixture: &Fixture) {
    let accepted = Entry::Accepted { provider_request_id: "r".into(), captured: BTreeMap::new() };
    let unknown = AttemptError {
        class: ErrorClass::Unknown,
        code: None,
        message: "?".into(),
        retry_after_seconds: None,
    };
    spent(fixture, Some("film"), "a", &[priced("1.25"), Entry::Succeeded]).await;
    spent(fixture, Some("film"), "a", &[priced("0.000001"), Entry::Succeeded]).await;
    spent(fixture, Some("film"), "b", &[accepted, Entry::Succeeded]).await;
    spent(fixture, None, "a", &[Entry::Unknown { error: unknown }]).await;
    spent(fixture, None, "b", &[]).await;
}

#[tokio::test]
async fn b13_the_four_numbers_each_with_its_count() {
    let fixture = Fixture::new().await;
    some_spend(&fixture).await;
    let total = mine(&fixture, &by(&[])).await.total;
    assert_eq!(total.priced, part(2, "1.250001"));
    assert_eq!(total.unpriced, part(1, "3.200000"));
    assert_eq!(total.unknown, part(1, "3.200000"));
    assert_eq!(total.reserved, part(3, "9.600000"));
    let spend = mine(&fixture, &by(&[Group::Model, Group::Project])).await;
    let told: Vec<_> = spend
        .lines
        .iter()
        .map(|line| {
            let key = (line.model.as_deref().unwrap(), line.project.as_deref().unwrap());
            (key, line.numbers.priced.count, line.numbers.reserved.count)
        })
        .collect();
    assert_eq!(told, [(("a", ""), 0, 1), (("a", "film"), 2, 0), (("b", ""), 0, 1), (("b", "film"), 0, 1)]);
    assert!(
        spend.lines.iter().all(|line| line.day.is_none() && line.client.is_none() && line.provider.is_none())
    );
    assert_eq!((spend.total, spend.more), (total, false));
    let none = Question { project: Some(String::new()), ..by(&[Group::Provider]) };
    assert_eq!(mine(&fixture, &none).await.total.reserved, part(2, "6.400000"));
}

#[tokio::test]
async fn a_client_sees_its_own_spend_and_operators_everybody_s() {
    let fixture = Fixture::new().await;
    some_spend(&fixture).await;
    let other = KeyHash::new([7; 32]);
    let stranger = add_client(fixture.db(), other).await;
    let Found::Found(theirs) = own(fixture.db(), other, &by(&[Group::Day])).await.unwrap() else {
        unreachable!()
    };
    assert_eq!((theirs.total.priced, theirs.lines.len()), (part(0, "0.000000"), 0));
    let me = standing(fixture.db(), fixture.key).await.unwrap().unwrap().client;
    let all = of_clients(fixture.db(), None, &by(&[Group::Client])).await.unwrap();
    assert_eq!(all.lines.iter().map(|line| line.client).collect::<Vec<_>>(), [Some(me)]);
    assert_eq!(all.total, mine(&fixture, &by(&[])).await.total);
    let nobody = of_clients(fixture.db(), Some(stranger), &by(&[Group::Client])).await.unwrap();
    assert_eq!(nobody.lines, []);
    let nobody = own(fixture.db(), KeyHash::new([8; 32]), &by(&[])).await.unwrap();
    assert_eq!(nobody, Found::Unauthenticated);
}

#[tokio::test]
async fn spend_is_told_by_the_days_that_were_asked_for() {
    let fixture = Fixture::new().await;
    some_spend(&fixture).await;
    fixture.client.execute("update spend set day = '2026-02-28'", &[]).await.unwrap();
    let day = |text: &str| text.parse::<NaiveDate>().unwrap();
    let question = |from, to| Question { from: day(from), to: day(to), ..by(&[Group::Day]) };
    let lines = mine(&fixture, &question("2026-02-28", "2026-02-28")).await.lines;
    assert_eq!(lines.iter().map(|line| line.day.unwrap()).collect::<Vec<_>>(), [day("2026-02-28")]);
    for (from, to) in [("2026-03-01", "2026-03-31"), ("2026-02-01", "2026-02-27")] {
        assert_eq!(mine(&fixture, &question(from, to)).await.lines, []);
    }
}

#[tokio::test]
async fn asking_for_spend_reads_no_attempts_and_scans_nothing() {
    let fixture = Fixture::new().await;
    some_spend(&fixture).await;
    // Other clients' years, so that the planner has a choice.
    let crowd =
        "with c as (insert into clients (id, name) select gen_random_uuid(), 'c' from generate_series(1, 100)
            returning id)
        insert into spend select c.id, date '2025-01-01' + d, 'fal', 'a', '', 1, 1, 0, 0, 0, 0, 0, 0
        from c, generate_series(0, 700) d";
    fixture.client.execute(crowd, &[]).await.unwrap();
    fixture.client.batch_execute("analyze spend; analyze clients").await.unwrap();
    let reads = "select json_build_object('attempts', coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0))
                filter (where relname = 'attempts'), 0),
            'spend', coalesce(sum(seq_tup_read) filter (where relname = 'spend'), 0))::text
        from pg_stat_xact_user_tables where schemaname = current_schema()";
    let statement = async |sql: &str| fixture.client.query_one(sql, &[]).await.unwrap().get::<_, String>(0);
    // What the statements above have read is not counted below: it leaves the session's count first.
    statement("select pg_stat_force_next_flush()::text").await;
    fixture.client.batch_execute("begin").await.unwrap();
    mine(&fixture, &by(&[Group::Day])).await;
    of_clients(fixture.db(), None, &by(&[Group::Day])).await.unwrap();
    allowance(fixture.db(), fixture.key, None, None).await.unwrap();
    let read = statement(reads).await;
    fixture.client.batch_execute("commit").await.unwrap();
    assert_eq!(read, r#"{"attempts" : 0, "spend" : 0}"#);
}

#[tokio::test]
async fn an_allowance_is_what_the_budgets_leave() {
    let fixture = Fixture::new().await;
    some_spend(&fixture).await;
    let ask = async |first: Option<&str>, all: Option<&str>| {
        let found = allowance(fixture.db(), fixture.key, first.map(usd), all.map(usd)).await.unwrap();
        let Found::Found(allowance) = found else { unreachable!("{found:?}") };
        allowance
    };
    let free = ask(None, None).await;
    assert_eq!((free.day, free.month, free.first_fits, free.all_fit), (None, None, true, true));
    let client = standing(fixture.db(), fixture.key).await.unwrap().unwrap().client;
    // 10.850001 are priced or reserved.
    let settings = Settings { budget_month: Bound::Set(usd("12.00")), ..Settings::default() };
    change(fixture.db(), client, &settings).await.unwrap();
    let bounded = ask(Some("1.149999"), Some("1.15")).await;
    let month = bounded.month.unwrap();
    assert_eq!((month.committed.as_str(), month.left.as_str()), ("10.850001", "1.149999"));
    assert_eq!((bounded.day, bounded.first_fits, bounded.all_fit), (None, true, false));
    let unpriced = ask(None, None).await;
    assert_eq!((unpriced.first_fits, unpriced.all_fit), (false, false));
}
