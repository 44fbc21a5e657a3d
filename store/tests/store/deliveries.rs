//! Deliveries: one consumer at a time, every outcome named.

use chrono::Utc;
use domain::DeliveryId;
use domain::error::{Code, Failure};
use domain::event::EventType;
use store::deliveries::{Claim, Claimed, Failed, Settled, claim, delivered, failed};
use store::jobs;
use store::jobs::Ending;

use crate::fixture::Fixture;

async fn due(fixture: &Fixture) -> DeliveryId {
    let job = fixture.job(|_| ()).await;
    let ending = Ending::Failed(Failure::new(Code::ProviderRefused, "no"));
    jobs::finish(fixture.db(), job.id, &ending, Utc::now(), "{\"exact\": true}").await.unwrap();
    DeliveryId::of(job.id, EventType::GenerationFailed)
}

async fn claimed(fixture: &Fixture, delivery: &DeliveryId) -> Claimed {
    let claim = claim(fixture.db(), delivery, 60_000).await.unwrap();
    let Claim::Claimed(claimed) = claim else { unreachable!("{claim:?}") };
    *claimed
}

#[tokio::test]
async fn a37_a_delivery_is_claimed_by_one_and_skipped_once_delivered() {
    let fixture = Fixture::new().await;
    let delivery = due(&fixture).await;
    let first = claimed(&fixture, &delivery).await;
    assert_eq!((first.payload.as_str(), first.tries), ("{\"exact\": true}", 1));
    assert_eq!(first.url, "https://hooks.studio.com/afc");
    assert_eq!(first.secrets[0].expose(), "whsec_c2VjcmV0");
    assert!(matches!(claim(fixture.db(), &delivery, 60_000).await.unwrap(), Claim::Later(_)));
    assert_eq!(delivered(fixture.db(), &delivery, 204).await.unwrap(), Settled::Recorded);
    assert_eq!(claim(fixture.db(), &delivery, 60_000).await.unwrap(), Claim::AlreadyDelivered);
    assert_eq!(delivered(fixture.db(), &delivery, 204).await.unwrap(), Settled::Superseded);
}

#[tokio::test]
async fn a38_a_failed_try_is_due_later_and_a_dead_one_never() {
    let fixture = Fixture::new().await;
    let delivery = due(&fixture).await;
    let first = claimed(&fixture, &delivery).await;
    let again = Failed { claim: first.claim, status: Some(500), error: "500", next_in_ms: Some(0) };
    assert_eq!(failed(fixture.db(), &delivery, &again).await.unwrap(), Settled::Recorded);
    let second = claimed(&fixture, &delivery).await;
    assert_eq!(second.tries, 2);
    // The first claim is over; its late word changes nothing.
    assert_eq!(failed(fixture.db(), &delivery, &again).await.unwrap(), Settled::Superseded);
    let later = Failed { claim: second.claim, status: None, error: "reset", next_in_ms: Some(60_000) };
    failed(fixture.db(), &delivery, &later).await.unwrap();
    assert!(
        matches!(claim(fixture.db(), &delivery, 60_000).await.unwrap(), Claim::Later(at) if at > Utc::now())
    );
    fixture.client.execute("update deliveries set next_attempt_at = now()", &[]).await.unwrap();
    let third = claimed(&fixture, &delivery).await;
    let over = Failed { claim: third.claim, status: Some(410), error: "gone", next_in_ms: None };
    failed(fixture.db(), &delivery, &over).await.unwrap();
    assert_eq!(claim(fixture.db(), &delivery, 60_000).await.unwrap(), Claim::Dead);
}

#[tokio::test]
async fn i10_a_lost_consumer_costs_its_lease_only() {
    let fixture = Fixture::new().await;
    let delivery = due(&fixture).await;
    assert!(matches!(claim(fixture.db(), &delivery, 0).await.unwrap(), Claim::Claimed(_)));
    assert_eq!(claimed(&fixture, &delivery).await.tries, 2);
    // The lost one comes back with a 2xx after all: the receiver has the event.
    assert_eq!(delivered(fixture.db(), &delivery, 200).await.unwrap(), Settled::Recorded);
}

#[tokio::test]
async fn a_delivery_that_is_not_there_is_missing() {
    let fixture = Fixture::new().await;
    let nobody = DeliveryId::from_stored("nobody".into());
    assert_eq!(claim(fixture.db(), &nobody, 1).await.unwrap(), Claim::Missing);
}
