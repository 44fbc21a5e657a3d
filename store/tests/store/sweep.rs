//! What the sweeper finds.

use chrono::Utc;
use domain::DeliveryId;
use domain::event::EventType;
use store::jobs;
use store::jobs::Ending;
use store::sweep::{Findings, enqueued, find, touch};

use crate::fixture::Fixture;

const MINUTE: i64 = 60_000;

async fn age(fixture: &Fixture) {
    let sql = "update jobs set updated_at = updated_at - interval '10 minutes';
        update outbox set next_attempt_at = next_attempt_at - interval '10 minutes';
        update deliveries set next_attempt_at = next_attempt_at - interval '10 minutes'";
    fixture.client.batch_execute(sql).await.unwrap();
}

#[tokio::test]
async fn b9_nothing_is_an_orphan() {
    let fixture = Fixture::new().await;
    let nothing = Findings { unstarted: vec![], idle: vec![], due: vec![] };
    let unstarted = fixture.job(|_| ()).await.id;
    assert_eq!(find(fixture.db(), MINUTE, 10).await.unwrap(), nothing);
    age(&fixture).await;
    let found = find(fixture.db(), MINUTE, 10).await.unwrap();
    assert_eq!((found.unstarted, found.idle), (vec![unstarted], vec![unstarted]));

    jobs::run(fixture.db(), unstarted).await.unwrap();
    assert_eq!(find(fixture.db(), MINUTE, 10).await.unwrap(), nothing);
    age(&fixture).await;
    assert_eq!(find(fixture.db(), MINUTE, 10).await.unwrap().idle, [unstarted]);
    touch(fixture.db(), unstarted).await.unwrap();
    assert_eq!(find(fixture.db(), MINUTE, 10).await.unwrap(), nothing);

    jobs::finish(fixture.db(), unstarted, &Ending::Cancelled, Utc::now(), "{}").await.unwrap();
    age(&fixture).await;
    let due = DeliveryId::of(unstarted, EventType::GenerationCancelled);
    let found = find(fixture.db(), MINUTE, 10).await.unwrap();
    assert_eq!(found, Findings { due: vec![due.clone()], ..nothing.clone() });
    enqueued(fixture.db(), &due).await.unwrap();
    assert_eq!(find(fixture.db(), MINUTE, 10).await.unwrap(), nothing);
}

#[tokio::test]
async fn a_pass_is_bounded() {
    let fixture = Fixture::new().await;
    for _ in 0..5 {
        fixture.job(|_| ()).await;
    }
    age(&fixture).await;
    let found = find(fixture.db(), MINUTE, 3).await.unwrap();
    assert_eq!((found.unstarted.len(), found.idle.len()), (3, 3));
}
