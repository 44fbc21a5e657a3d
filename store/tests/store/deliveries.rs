//! Deliveries: one consumer at a time, every outcome named.

use chrono::Utc;
use domain::error::{Code, Failure};
use domain::event::EventType;
use domain::{DeliveryId, EndpointId};
use store::deliveries::{
    Claim, Claimed, DeadMessage, Delivery, Duplicates, Ending as Ended, Health, Parked, Post, Redelivered,
    Selection, Settled, Which, claim, delivered, failed, inspect, list, meant, park, redeliver,
    redeliver_all,
};
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
    let claim = claim(fixture.db(), delivery, 60_000, &[]).await.unwrap();
    let Claim::Claimed(claimed) = claim else { unreachable!("{claim:?}") };
    *claimed
}

fn post(claim: i64, status: Option<u16>, error: Option<&str>) -> Post<'_> {
    Post { claim, status, sent: true, error, response: None, duration_ms: 12 }
}

#[tokio::test]
async fn a37_a_delivery_is_claimed_by_one_and_skipped_once_delivered() {
    let fixture = Fixture::new().await;
    let delivery = due(&fixture).await;
    let first = claimed(&fixture, &delivery).await;
    assert_eq!((first.payload.as_str(), first.tries), ("{\"exact\": true}", 1));
    assert_eq!(first.url, "https://hooks.studio.com/afc");
    assert_eq!(first.secrets[0].expose(), "whsec_c2VjcmV0");
    assert!(matches!(claim(fixture.db(), &delivery, 60_000, &[]).await.unwrap(), Claim::Later(_)));
    let done = post(first.claim, Some(204), None);
    assert_eq!(delivered(fixture.db(), &delivery, &done).await.unwrap(), Settled::Recorded);
    assert_eq!(claim(fixture.db(), &delivery, 60_000, &[]).await.unwrap(), Claim::AlreadyDelivered);
    assert_eq!(delivered(fixture.db(), &delivery, &done).await.unwrap(), Settled::Superseded);
    assert_eq!(inspect(fixture.db(), &delivery).await.unwrap().unwrap().tries.len(), 1);
}

#[tokio::test]
async fn a38_a_failed_try_is_due_later_and_a_dead_one_never() {
    let fixture = Fixture::new().await;
    let delivery = due(&fixture).await;
    let first = claimed(&fixture, &delivery).await;
    let refused = post(first.claim, Some(500), Some("500"));
    assert_eq!(
        failed(fixture.db(), &delivery, &refused, Some(0), Health::Failing).await.unwrap(),
        Settled::Recorded
    );
    let second = claimed(&fixture, &delivery).await;
    assert_eq!(second.tries, 2);
    // The first claim is over; its late word changes nothing.
    assert_eq!(
        failed(fixture.db(), &delivery, &refused, Some(0), Health::Failing).await.unwrap(),
        Settled::Superseded
    );
    let reset = post(second.claim, None, Some("reset"));
    failed(fixture.db(), &delivery, &reset, Some(60_000), Health::Failing).await.unwrap();
    assert!(
        matches!(claim(fixture.db(), &delivery, 60_000, &[]).await.unwrap(), Claim::Later(at) if at > Utc::now())
    );
    fixture.client.execute("update deliveries set next_attempt_at = now()", &[]).await.unwrap();
    let third = claimed(&fixture, &delivery).await;
    let gone = post(third.claim, Some(410), Some("gone"));
    failed(fixture.db(), &delivery, &gone, None, Health::Gone).await.unwrap();
    assert_eq!(claim(fixture.db(), &delivery, 60_000, &[]).await.unwrap(), Claim::Dead);
    let tries = inspect(fixture.db(), &delivery).await.unwrap().unwrap().tries;
    let tries: Vec<_> = tries.iter().map(|one| (one.status, one.error.as_deref())).collect();
    assert_eq!(tries, [(Some(500), Some("500")), (None, Some("reset")), (Some(410), Some("gone"))]);
}

#[tokio::test]
async fn i10_a_lost_consumer_costs_its_lease_only() {
    let fixture = Fixture::new().await;
    let delivery = due(&fixture).await;
    let Claim::Claimed(lost) = claim(fixture.db(), &delivery, 0, &[]).await.unwrap() else { unreachable!() };
    assert_eq!(claimed(&fixture, &delivery).await.tries, 2);
    // The lost one comes back with a 2xx after all: the receiver has the event.
    let done = post(lost.claim, Some(200), None);
    assert_eq!(delivered(fixture.db(), &delivery, &done).await.unwrap(), Settled::Recorded);
}

#[tokio::test]
async fn a39_a_try_whose_end_nobody_recorded_is_seen_and_counted() {
    let fixture = Fixture::new().await;
    let delivery = due(&fixture).await;
    let Claim::Claimed(lost) = claim(fixture.db(), &delivery, 0, &[]).await.unwrap() else { unreachable!() };
    assert_eq!((lost.claim, lost.after_lost), (1, false));
    let second = claimed(&fixture, &delivery).await;
    assert_eq!((second.claim, second.after_lost), (2, true));
    let known = seen(&fixture, &delivery).await;
    assert_eq!(endings(&known), [Ended::Lost, Ended::UnderWay]);
    assert_eq!(known.duplicates(), Duplicates { certain: 0, possible: 0 });
    failed(fixture.db(), &delivery, &post(second.claim, None, Some("no answer")), Some(0), Health::Failing)
        .await
        .unwrap();
    let third = claimed(&fixture, &delivery).await;
    assert!(!third.after_lost);
    let unsent = Post { sent: false, ..post(third.claim, None, Some("not sent")) };
    failed(fixture.db(), &delivery, &unsent, Some(0), Health::Unharmed).await.unwrap();
    let fourth = claimed(&fixture, &delivery).await;
    delivered(fixture.db(), &delivery, &post(fourth.claim, Some(200), None)).await.unwrap();
    let known = seen(&fixture, &delivery).await;
    assert_eq!(endings(&known), [Ended::Lost, Ended::Unanswered, Ended::NotSent, Ended::Delivered]);
    assert_eq!(known.duplicates(), Duplicates { certain: 0, possible: 2 });
    // The first one was not lost after all: it comes late, with a 2xx.
    delivered(fixture.db(), &delivery, &post(lost.claim, Some(200), None)).await.unwrap();
    let known = seen(&fixture, &delivery).await;
    assert_eq!(endings(&known)[0], Ended::Delivered);
    assert_eq!(known.duplicates(), Duplicates { certain: 1, possible: 1 });
}

async fn seen(fixture: &Fixture, delivery: &DeliveryId) -> Delivery {
    inspect(fixture.db(), delivery).await.unwrap().unwrap()
}

fn endings(delivery: &Delivery) -> Vec<Ended> {
    delivery.tries.iter().map(|one| one.ending).collect()
}

#[tokio::test]
async fn a38_a_dead_letter_is_kept_and_can_be_sent_again() {
    let fixture = Fixture::new().await;
    let everything = Selection {
        since: chrono::DateTime::UNIX_EPOCH,
        until: Utc::now() + chrono::TimeDelta::hours(1),
        endpoint: None,
        event_type: None,
        which: Which::Undelivered,
        limit: 10,
    };
    let mut dead = Vec::new();
    for _ in 0..3 {
        let delivery = due(&fixture).await;
        let claim = claimed(&fixture, &delivery).await.claim;
        failed(fixture.db(), &delivery, &post(claim, Some(410), Some("gone")), None, Health::Gone)
            .await
            .unwrap();
        dead.push(delivery);
    }
    let listed = list(fixture.db(), &everything).await.unwrap();
    assert_eq!(listed.len(), 3);
    assert!(listed.iter().all(|one| one.payload == "{\"exact\": true}" && one.status == "dead"));
    let ids = meant(fixture.db(), &everything).await.unwrap();
    assert_eq!(ids.len(), 3);
    let nobodys = Selection { event_type: Some("generation.succeeded".into()), ..everything.clone() };
    assert!(meant(fixture.db(), &nobodys).await.unwrap().is_empty());
    let theirs = Selection { event_type: Some("generation.failed".into()), ..everything.clone() };
    assert_eq!(meant(fixture.db(), &theirs).await.unwrap(), ids);
    let elsewhere = Selection { endpoint: Some(EndpointId::new(uuid::Uuid::nil())), ..everything.clone() };
    assert!(redeliver_all(fixture.db(), &elsewhere).await.unwrap().is_empty());

    assert_eq!(redeliver(fixture.db(), &dead[0], Which::Undelivered).await.unwrap(), Redelivered::Due);
    assert_eq!(redeliver(fixture.db(), &dead[0], Which::Undelivered).await.unwrap(), Redelivered::Due);
    let again = claimed(&fixture, &dead[0]).await;
    assert_eq!(again.tries, 1);
    delivered(fixture.db(), &dead[0], &post(again.claim, Some(200), None)).await.unwrap();
    assert_eq!(
        redeliver(fixture.db(), &dead[0], Which::Undelivered).await.unwrap(),
        Redelivered::AlreadyDelivered
    );
    assert_eq!(inspect(fixture.db(), &dead[0]).await.unwrap().unwrap().tries.len(), 2);

    let one = Selection { limit: 1, ..everything.clone() };
    assert_eq!(redeliver_all(fixture.db(), &one).await.unwrap().len(), 1);
    assert_eq!(redeliver_all(fixture.db(), &everything).await.unwrap().len(), 1);
    assert!(redeliver_all(fixture.db(), &everything).await.unwrap().is_empty());
    // Only with the word for it is what was delivered sent again.
    assert_eq!(
        redeliver(fixture.db(), &dead[0], Which::Undelivered).await.unwrap(),
        Redelivered::AlreadyDelivered
    );
    let delivered_too = Selection { which: Which::Delivered, ..everything.clone() };
    assert_eq!(list(fixture.db(), &delivered_too).await.unwrap().len(), 1);
    assert_eq!(redeliver_all(fixture.db(), &delivered_too).await.unwrap(), [dead[0].clone()]);
    let again = claimed(&fixture, &dead[0]).await;
    delivered(fixture.db(), &dead[0], &post(again.claim, Some(200), None)).await.unwrap();
    assert_eq!(redeliver(fixture.db(), &dead[0], Which::Delivered).await.unwrap(), Redelivered::Due);
    let again = claimed(&fixture, &dead[0]).await;
    assert_eq!((again.tries, again.after_lost), (1, false));
    delivered(fixture.db(), &dead[0], &post(again.claim, Some(200), None)).await.unwrap();
    let known = seen(&fixture, &dead[0]).await;
    assert_eq!(known.duplicates(), Duplicates { certain: 2, possible: 0 });
    // Each word of the operator is written down; the range with what it meant.
    let words: Vec<(bool, bool)> =
        known.redeliveries.iter().map(|one| (one.forced, one.selection.is_some())).collect();
    assert_eq!(words, [(false, false), (false, false), (true, true), (true, false)]);
    let nobody = DeliveryId::from_stored("nobody".into());
    assert_eq!(redeliver(fixture.db(), &nobody, Which::Undelivered).await.unwrap(), Redelivered::Missing);
    assert_eq!(inspect(fixture.db(), &nobody).await.unwrap(), None);
}

#[tokio::test]
async fn a_delivery_that_is_not_there_is_missing() {
    let fixture = Fixture::new().await;
    let nobody = DeliveryId::from_stored("nobody".into());
    assert_eq!(claim(fixture.db(), &nobody, 1, &[]).await.unwrap(), Claim::Missing);
}

#[tokio::test]
async fn b12_one_receiver_does_not_take_all_lanes() {
    let fixture = Fixture::new().await;
    let delivery = due(&fixture).await;
    let busy = ["https://hooks.studio.com".to_owned()];
    let later = claim(fixture.db(), &delivery, 60_000, &busy).await.unwrap();
    assert!(matches!(later, Claim::Later(at) if at <= Utc::now()), "{later:?}");
    let first = claimed(&fixture, &delivery).await;
    // It was no try.
    assert_eq!((first.tries, first.target.as_str()), (1, "https://hooks.studio.com"));
}

#[tokio::test]
async fn a38_a_message_that_the_queue_gave_up_on_is_kept_and_its_row_decides() {
    let fixture = Fixture::new().await;
    let delivery = due(&fixture).await;
    store::sweep::enqueued(fixture.db(), &delivery).await.unwrap();
    let body = format!("{{\"delivery\":\"{delivery}\"}}");
    let message = DeadMessage { id: "m1", delivery: Some(&delivery), body: &body };
    for _ in 0..2 {
        assert_eq!(park(fixture.db(), &message).await.unwrap(), Parked::Due);
    }
    let sql = "update deliveries set next_attempt_at = now() - interval '1 minute'";
    fixture.client.execute(sql, &[]).await.unwrap();
    let found = store::sweep::find(fixture.db(), 60_000, 300_000, 10).await.unwrap();
    assert_eq!(found.due, std::slice::from_ref(&delivery));
    let rubbish = DeadMessage { id: "m2", delivery: None, body: "?" };
    assert_eq!(park(fixture.db(), &rubbish).await.unwrap(), Parked::Over);
    let claim = claimed(&fixture, &delivery).await.claim;
    delivered(fixture.db(), &delivery, &post(claim, Some(200), None)).await.unwrap();
    let late = DeadMessage { id: "m3", delivery: Some(&delivery), body: &body };
    assert_eq!(park(fixture.db(), &late).await.unwrap(), Parked::Over);
    let kept = fixture.client.query("select body from dead_messages order by id", &[]).await.unwrap();
    let kept: Vec<String> = kept.iter().map(|row| row.get(0)).collect();
    assert_eq!(kept, [body.as_str(), "?", body.as_str()]);
}
