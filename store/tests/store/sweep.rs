//! What the sweeper finds.

use chrono::Utc;
use domain::DeliveryId;
use domain::attempt::{AttemptError, ErrorClass};
use domain::event::EventType;
use domain::job::Status;
use domain::journal::Entry;
use store::jobs;
use store::jobs::Ending;
use store::journal::{Lease, take_lease};
use store::sweep::{Findings, enqueued, find, touch};

use crate::fixture::{Fixture, leased, open, record, wanted};

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
    let nothing =
        Findings { unstarted: vec![], idle: vec![], overdue: vec![], unsettled: vec![], due: vec![] };
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
async fn i12_past_its_deadline_a_job_that_nothing_moves_is_overdue_unless_a_person_holds_it() {
    let fixture = Fixture::new().await;
    let job = fixture.job(|_| ()).await.id;
    jobs::run(fixture.db(), job).await.unwrap();
    let overdue = async || find(fixture.db(), MINUTE, MINUTE, 10).await.unwrap().overdue;
    age(&fixture).await;
    assert!(overdue().await.is_empty());
    // One idle time past it is its Workflow's: it is woken and may yet end the job itself.
    let past = async |seconds: i32| {
        let sql = format!("update jobs set deadline_at = now() - interval '{seconds} seconds'");
        fixture.client.batch_execute(&sql).await.unwrap();
    };
    past(90).await;
    assert!(overdue().await.is_empty());
    past(130).await;
    assert_eq!(overdue().await, [job]);
    // Whatever moves it shows that it has an owner.
    touch(fixture.db(), job).await.unwrap();
    assert!(overdue().await.is_empty());
    age(&fixture).await;
    let lease = leased(fixture.db(), job).await;
    let wanted = wanted();
    open(fixture.db(), job, lease, &wanted).await.unwrap();
    age(&fixture).await;
    assert_eq!(overdue().await, [job]);
    fixture
        .client
        .batch_execute("update attempts set state = 'unknown', error_class = 'unknown'")
        .await
        .unwrap();
    // Nobody has shown yet that it is held: whoever was to may be lost.
    let found = find(fixture.db(), MINUTE, MINUTE, 10).await.unwrap();
    assert_eq!((found.idle, found.overdue), (vec![job], vec![job]));
    jobs::wait(fixture.db(), job, "nobody can tell").await.unwrap();
    age(&fixture).await;
    let found = find(fixture.db(), MINUTE, MINUTE, 10).await.unwrap();
    assert_eq!((found.idle, found.overdue), (vec![], vec![]));
}

#[tokio::test]
async fn b9_two_sweeps_beside_each_other_find_the_same_and_do_no_harm() {
    let fixture = Fixture::new().await;
    let job = fixture.job(|_| ()).await.id;
    jobs::run(fixture.db(), job).await.unwrap();
    age(&fixture).await;
    let other = fixture.database.client().await.unwrap();
    let (first, second) = tokio::join!(
        find(fixture.db(), MINUTE, MINUTE, 10),
        find(store::Db::new(&other), MINUTE, MINUTE, 10)
    );
    assert_eq!(first.unwrap(), second.unwrap());
    let ending =
        || Ending::Failed(domain::error::Failure::new(domain::error::Code::DeadlineExceeded, "late"));
    let (first, second) = (ending(), ending());
    let (first, second) = tokio::join!(
        jobs::finish(fixture.db(), job, &first, Utc::now(), "{}"),
        jobs::finish(store::Db::new(&other), job, &second, Utc::now(), "{}")
    );
    let won = [first.unwrap(), second.unwrap()];
    assert_eq!(won.iter().filter(|one| matches!(one, jobs::Finish::Won(_))).count(), 1, "{won:?}");
    age(&fixture).await;
    assert!(find(fixture.db(), MINUTE, MINUTE, 10).await.unwrap().overdue.is_empty());
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
    let lease = leased(fixture.db(), job).await;
    let wanted = wanted();
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
