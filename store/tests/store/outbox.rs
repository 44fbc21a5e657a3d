//! The outbox: every event is delivered, none is lost or doubled, and an idle drain costs nothing.

use std::collections::BTreeSet;

use domain::StyleRunId;
use domain::event::EventType;
use futures::future::join_all;
use store::Db;
use store::outbox::{Claimed, Revived, Settled, claim, deliver, failed, parked, revive, woken};
use tokio_postgres::Client;

use crate::fixture::Fixture;
use crate::style_runs::{in_review, new_run};

/// Settles `event` as the drainer does.
async fn settle(db: Db<'_>, event: &Claimed) -> Settled {
    match event.event_type {
        Some(event_type) => deliver(db, event, event_type, "{}").await.unwrap(),
        None => woken(db, event).await.unwrap(),
    }
}

/// Drains until nothing is due; the numbers of what was settled.
async fn drain(client: &Client) -> Vec<i64> {
    let mut settled = Vec::new();
    loop {
        let claimed = claim(Db::new(client), 50).await.unwrap();
        if claimed.is_empty() {
            return settled;
        }
        for event in claimed {
            assert!(matches!(settle(Db::new(client), &event).await, Settled::Recorded(_)), "{event:?}");
            settled.push(event.id);
        }
    }
}

async fn fill(client: &Client, run: StyleRunId, status: &str, from: i64, count: i64) {
    let sql = format!(
        "insert into outbox_events (event_id, run_id, kind, status, settled_at)
        select 'fill_' || n, $1, 'wake', '{status}', {} from generate_series($2::bigint, $2 + $3::bigint - 1) n",
        if status == "pending" { "null" } else { "now()" }
    );
    client.execute(&sql, &[&run.uuid(), &from, &count]).await.unwrap();
}

async fn scalar(client: &Client, sql: &str) -> i64 {
    client.query_one(sql, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn f19_an_event_that_took_its_number_first_and_committed_last_is_delivered() {
    let fixture = Fixture::new().await;
    let (one, two) = (new_run(&fixture, |_| ()).await, new_run(&fixture, |_| ()).await);
    drain(&fixture.client).await;
    let mut slow = fixture.database.client().await.unwrap();
    let insert = "insert into outbox_events (event_id, run_id, kind) values ($1, $2, 'wake') returning id";
    let transaction = slow.transaction().await.unwrap();
    let first: i64 = transaction.query_one(insert, &[&"slow", &one.uuid()]).await.unwrap().get(0);
    let second: i64 = fixture.client.query_one(insert, &[&"fast", &two.uuid()]).await.unwrap().get(0);
    assert!(first < second);
    assert_eq!(drain(&fixture.client).await, [second]);
    transaction.commit().await.unwrap();
    assert_eq!(drain(&fixture.client).await, [first]);
}

#[tokio::test]
async fn a42_a_claim_is_a_lease_of_a_minute_and_a_dead_drainer_costs_no_event() {
    let fixture = Fixture::new().await;
    new_run(&fixture, |_| ()).await;
    let dead = claim(fixture.db(), 10).await.unwrap();
    assert_eq!(dead.len(), 1);
    assert_eq!(claim(fixture.db(), 10).await.unwrap(), []);
    let left = "select (extract(epoch from next_attempt_at - now()))::bigint from outbox_events";
    assert!((55..=60).contains(&scalar(&fixture.client, left).await));
    fixture.client.batch_execute("update outbox_events set next_attempt_at = now()").await.unwrap();
    let next = claim(fixture.db(), 10).await.unwrap();
    assert_eq!((next[0].id, next[0].tries, &next[0].event_id), (dead[0].id, 2, &dead[0].event_id));
    // The dead one's failure, should it come back, says nothing any more; its success would.
    assert_eq!(failed(fixture.db(), &dead[0], "late", Some(0)).await.unwrap(), Settled::Superseded);
    assert_eq!(woken(fixture.db(), &next[0]).await.unwrap(), Settled::Recorded(vec![]));
    assert_eq!(woken(fixture.db(), &dead[0]).await.unwrap(), Settled::Superseded);
}

#[tokio::test]
async fn a42_a_runs_events_go_out_in_their_order_and_a_parked_one_holds_nobody_up() {
    let fixture = Fixture::new().await;
    let run = new_run(&fixture, |_| ()).await;
    drain(&fixture.client).await;
    fill(&fixture.client, run, "pending", 1, 3).await;
    let first = claim(fixture.db(), 10).await.unwrap();
    assert_eq!(first.len(), 1, "one of a run at a time");
    failed(fixture.db(), &first[0], "no", Some(3_600_000)).await.unwrap();
    assert_eq!(claim(fixture.db(), 10).await.unwrap(), [], "the next waits for the first");
    fixture.client.batch_execute("update outbox_events set next_attempt_at = now()").await.unwrap();
    let again = claim(fixture.db(), 10).await.unwrap();
    assert_eq!(again[0].id, first[0].id);
    failed(fixture.db(), &again[0], "poison", None).await.unwrap();
    assert_eq!(drain(&fixture.client).await.len(), 2);
    let seen = parked(fixture.db(), 10).await.unwrap();
    assert_eq!((seen.len(), seen[0].last_error.as_deref()), (1, Some("poison")));
    assert_eq!(revive(fixture.db(), &seen[0].event_id).await.unwrap(), Revived::Due);
    assert_eq!(revive(fixture.db(), &seen[0].event_id).await.unwrap(), Revived::NotParked);
    assert_eq!(drain(&fixture.client).await, [first[0].id]);
}

#[tokio::test]
async fn a41_an_event_is_one_delivery_however_often_it_is_settled() {
    let fixture = Fixture::new().await;
    let run = in_review(&fixture, |_| ()).await;
    let claimed = claim(fixture.db(), 50).await.unwrap();
    let event = claimed.iter().find(|event| event.event_type.is_some()).unwrap();
    assert_eq!(event.payload["state"], "awaiting_review");
    let requested = EventType::StyleRunReviewRequested;
    let clients = join_all((0..5).map(|_| async { fixture.database.client().await.unwrap() })).await;
    let settled =
        join_all(clients.iter().map(|client| deliver(Db::new(client), event, requested, "{}"))).await;
    let made: Vec<_> = settled
        .into_iter()
        .filter_map(|one| if let Ok(Settled::Recorded(ids)) = one { Some(ids) } else { None })
        .collect();
    assert_eq!(made.len(), 1);
    assert_eq!(made[0].len(), 1);
    assert_eq!(made[0][0].as_str(), format!("{}_1_style_run_review_requested", run.id));
    let rows = "select count(*) from deliveries where event_type = 'style_run.review_requested'";
    assert_eq!(scalar(&fixture.client, rows).await, 1);
}

#[tokio::test]
async fn a42_ten_drainers_at_once_settle_every_event_once() {
    let fixture = Fixture::new().await;
    for _ in 0..40 {
        new_run(&fixture, |_| ()).await;
    }
    for drainers in [2, 10] {
        fixture.client.batch_execute("update outbox_events set status = 'pending', settled_at = null, tries = 0, next_attempt_at = now()").await.unwrap();
        let clients =
            join_all((0..drainers).map(|_| async { fixture.database.client().await.unwrap() })).await;
        let settled: Vec<i64> = join_all(clients.iter().map(drain)).await.concat();
        assert_eq!((settled.len(), settled.iter().collect::<BTreeSet<_>>().len()), (40, 40));
        assert_eq!(scalar(&fixture.client, "select count(*) from outbox_events where tries <> 1").await, 0);
    }
}

/// What a claim that finds nothing reads, in pages, as the server counts them.
async fn idle_pages(client: &Client) -> u64 {
    client.batch_execute("vacuum analyze outbox_events").await.unwrap();
    testkit::backlog::claim_reads(client, 50).await.unwrap().pages
}

#[tokio::test]
async fn a42_an_idle_drain_reads_as_much_after_many_settled_events_as_after_none() {
    let fixture = Fixture::new().await;
    let run = new_run(&fixture, |_| ()).await;
    drain(&fixture.client).await;
    let before = idle_pages(&fixture.client).await;
    fill(&fixture.client, run, "done", 1, 50_000).await;
    let after = idle_pages(&fixture.client).await;
    assert_eq!(claim(fixture.db(), 50).await.unwrap(), []);
    assert!(after <= before + 5, "{before} pages before, {after} after");
}
