//! First terminal state wins.

use chrono::Utc;
use domain::job::Status;
use futures::future::join_all;
use store::jobs::{Begun, Ending, Finish};
use store::{Db, jobs};

use crate::fixture::{Fixture, at, failure, success};

#[tokio::test]
async fn a25_the_second_writer_sees_what_stands() {
    let fixture = Fixture::new().await;
    let job = fixture.job(|_| ()).await;
    let Finish::Won(won) = jobs::finish(fixture.db(), job.id, &success(), at(), "{}").await.unwrap() else {
        unreachable!()
    };
    assert_eq!((won.status, won.finished_at), (Status::Succeeded, Some(at())));
    for ending in [success(), failure(), Ending::Cancelled] {
        let second = jobs::finish(fixture.db(), job.id, &ending, Utc::now(), "{}").await.unwrap();
        assert_eq!(second, Finish::Stands(won.clone()));
    }
    assert!(matches!(jobs::run(fixture.db(), job.id).await.unwrap(), Begun::Ended(_)));
}

#[tokio::test]
async fn i6_i7_of_three_racing_writers_one_wins_with_one_event_and_one_delivery() {
    let fixture = Fixture::new().await;
    let clients = join_all((0..3).map(|_| fixture.database.client())).await;
    for _ in 0..20 {
        let job = fixture.job(|_| ()).await;
        let endings = [success(), failure(), Ending::Cancelled];
        let racing = endings.iter().zip(&clients).map(|(ending, client)| async {
            jobs::finish(Db::new(client.as_ref().unwrap()), job.id, ending, at(), "{}").await.unwrap()
        });
        let outcomes = join_all(racing).await;
        let won: Vec<_> = outcomes.iter().filter(|outcome| matches!(outcome, Finish::Won(_))).collect();
        assert_eq!(won.len(), 1, "{outcomes:?}");
        let standing = jobs::get(fixture.db(), job.id).await.unwrap().unwrap();
        for outcome in &outcomes {
            assert!(
                matches!(outcome, Finish::Won(job) | Finish::Stands(job) if **job == standing),
                "{outcome:?}"
            );
        }
        let written = "select (select string_agg(type, ',') from events where job_id = $1),
            (select string_agg(id, ',') from deliveries where job_id = $1)";
        let row = fixture.client.query_one(written, &[&job.id.uuid()]).await.unwrap();
        let event = format!("generation.{}", standing.status);
        assert_eq!(row.get::<_, String>(0), event);
        assert_eq!(row.get::<_, String>(1), format!("{}_{}", job.id, event.replace('.', "_")));
    }
}

#[tokio::test]
async fn without_a_receiver_there_is_no_delivery() {
    let fixture = Fixture::new().await;
    let job = fixture.job(|body| drop(body.as_object_mut().unwrap().remove("callback_url"))).await;
    jobs::finish(fixture.db(), job.id, &failure(), at(), "{}").await.unwrap();
    let deliveries: i64 =
        fixture.client.query_one("select count(*) from deliveries", &[]).await.unwrap().get(0);
    assert_eq!(deliveries, 0);
}

#[tokio::test]
async fn b9_running_settles_the_wish_to_start_and_waiting_says_why() {
    let fixture = Fixture::new().await;
    let job = fixture.job(|_| ()).await;
    let Begun::Open(running) = jobs::run(fixture.db(), job.id).await.unwrap() else { unreachable!() };
    assert_eq!(running.status, Status::Running);
    let wishes: i64 = fixture.client.query_one("select count(*) from outbox", &[]).await.unwrap().get(0);
    assert_eq!(wishes, 0);
    let Begun::Open(waiting) = jobs::wait(fixture.db(), job.id, "for a word").await.unwrap() else {
        unreachable!()
    };
    assert_eq!((waiting.status, waiting.waiting.as_deref()), (Status::Waiting, Some("for a word")));
    jobs::wait(fixture.db(), job.id, "for a word").await.unwrap();
    jobs::run(fixture.db(), job.id).await.unwrap();
    jobs::run(fixture.db(), job.id).await.unwrap();
    let events = "select string_agg(type, ',' order by id) from events";
    let events: String = fixture.client.query_one(events, &[]).await.unwrap().get(0);
    assert_eq!(events, "generation.running,generation.waiting,generation.running");
}

#[tokio::test]
async fn a_job_that_is_not_there_is_missing() {
    let fixture = Fixture::new().await;
    let nobody = "0198c0de-0000-7000-8000-000000000001".parse().unwrap();
    assert_eq!(jobs::finish(fixture.db(), nobody, &failure(), at(), "{}").await.unwrap(), Finish::Missing);
    assert_eq!(jobs::run(fixture.db(), nobody).await.unwrap(), Begun::Missing);
    assert_eq!(jobs::get(fixture.db(), nobody).await.unwrap(), None);
}
