//! What the sweeper finds.

use chrono::Utc;
use domain::attempt::{AttemptError, ErrorClass};
use domain::event::EventType;
use domain::job::Status;
use domain::journal::{Entry, Open};
use domain::provider::Provider;
use domain::{AttemptId, DeliveryId};
use serde_json::json;
use store::jobs;
use store::jobs::Ending;
use store::journal::{Lease, take_lease};
use store::sweep::{Findings, enqueued, find, touch};
use uuid::Uuid;

use crate::fixture::{Fixture, open, record};

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
    let nothing = Findings { unstarted: vec![], idle: vec![], unsettled: vec![], due: vec![] };
    let unstarted = fixture.job(|_| ()).await.id;
    assert_eq!(find(fixture.db(), MINUTE, MINUTE, 10).await.unwrap(), nothing);
    age(&fixture).await;
    let found = find(fixture.db(), MINUTE, MINUTE, 10).await.unwrap();
    assert_eq!((found.unstarted, found.idle), (vec![unstarted], vec![unstarted]));

    jobs::run(fixture.db(), unstarted).await.unwrap();
    assert_eq!(find(fixture.db(), MINUTE, MINUTE, 10).await.unwrap(), nothing);
    age(&fixture).await;
    assert_eq!(find(fixture.db(), MINUTE, MINUTE, 10).await.unwrap().idle, [unstarted]);
    touch(fixture.db(), unstarted).await.unwrap();
    assert_eq!(find(fixture.db(), MINUTE, MINUTE, 10).await.unwrap(), nothing);

    jobs::finish(fixture.db(), unstarted, &Ending::Cancelled, Utc::now(), "{}").await.unwrap();
    age(&fixture).await;
    let due = DeliveryId::of(unstarted, EventType::GenerationCancelled);
    let found = find(fixture.db(), MINUTE, MINUTE, 10).await.unwrap();
    assert_eq!(found, Findings { due: vec![due.clone()], ..nothing.clone() });
    enqueued(fixture.db(), &due).await.unwrap();
    assert_eq!(find(fixture.db(), MINUTE, MINUTE, 10).await.unwrap(), nothing);
}

#[tokio::test]
async fn a_pass_is_bounded() {
    let fixture = Fixture::new().await;
    for _ in 0..5 {
        fixture.job(|_| ()).await;
    }
    age(&fixture).await;
    let found = find(fixture.db(), MINUTE, MINUTE, 3).await.unwrap();
    assert_eq!((found.unstarted.len(), found.idle.len()), (3, 3));
}

#[tokio::test]
async fn b4_an_ended_job_with_an_open_attempt_is_wound_down() {
    let fixture = Fixture::new().await;
    let job = fixture.job(|_| ()).await.id;
    let Lease::Granted { lease, .. } = take_lease(fixture.db(), job).await.unwrap() else { unreachable!() };
    let wanted = Open {
        attempt: AttemptId::new(Uuid::new_v4()),
        chain_index: 0,
        provider: Provider::Fal,
        model: "fal-ai/veo3.1".into(),
        request: json!({}),
        reserved: None,
    };
    open(fixture.db(), job, lease, &wanted).await.unwrap();
    jobs::finish(fixture.db(), job, &Ending::Cancelled, Utc::now(), "{}").await.unwrap();
    assert!(find(fixture.db(), MINUTE, MINUTE, 10).await.unwrap().unsettled.is_empty());
    age(&fixture).await;
    assert_eq!(find(fixture.db(), MINUTE, MINUTE, 10).await.unwrap().unsettled, [job]);
    let winding_down = take_lease(fixture.db(), job).await.unwrap();
    let Lease::Granted { lease, ended, .. } = winding_down else { unreachable!("{winding_down:?}") };
    assert_eq!(ended, Some(Status::Cancelled));
    let error = AttemptError {
        class: ErrorClass::Cancelled,
        code: None,
        message: "the job was cancelled".into(),
        retry_after_seconds: None,
    };
    record(fixture.db(), job, lease, wanted.attempt, &Entry::Failed { error }).await.unwrap();
    age(&fixture).await;
    assert!(find(fixture.db(), MINUTE, MINUTE, 10).await.unwrap().unsettled.is_empty());
    assert_eq!(take_lease(fixture.db(), job).await.unwrap(), Lease::Ended(Status::Cancelled));
}
