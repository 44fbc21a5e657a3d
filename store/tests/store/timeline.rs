//! What happened to a job, from its rows.

use chrono::Utc;
use domain::job::Status;
use domain::timeline::Mark;
use store::jobs::{Ending, Found};
use store::{jobs, timeline};

use crate::fixture::Fixture;

#[tokio::test]
async fn a_jobs_history_is_its_clients_and_nobody_elses() {
    let fixture = Fixture::new().await;
    let job = fixture.job(|_| ()).await;
    jobs::run(fixture.db(), job.id).await.unwrap();
    jobs::wait(fixture.db(), job.id, "the provider is busy").await.unwrap();
    jobs::finish(fixture.db(), job.id, &Ending::Cancelled, Utc::now(), "{}").await.unwrap();
    let Found::Found(told) = timeline::read(fixture.db(), fixture.key, job.id).await.unwrap() else {
        unreachable!()
    };
    let entries = told.history.since(&Mark::default());
    let kinds: Vec<&str> = entries.iter().map(|entry| entry.kind.as_str()).collect();
    let expected = ["generation.queued", "generation.running", "generation.waiting", "generation.cancelled"];
    assert_eq!((told.status, kinds), (Status::Cancelled, expected.to_vec()));
    assert_eq!(
        entries.get(2).map(|entry| entry.data.clone()),
        Some(serde_json::json!({"reason": "the provider is busy"}))
    );
    let status = jobs::status(fixture.db(), fixture.key, job.id).await.unwrap();
    assert_eq!(status, Found::Found(Status::Cancelled));

    let other = store::clients::KeyHash::new([9; 32]);
    crate::fixture::add_client(fixture.db(), other).await;
    assert_eq!(timeline::read(fixture.db(), other, job.id).await.unwrap(), Found::NotFound);
    assert_eq!(jobs::status(fixture.db(), other, job.id).await.unwrap(), Found::NotFound);
}
