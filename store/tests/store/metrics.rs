//! What operators watch.

use store::metrics::{Count, standing, tally};

use crate::fixture::Fixture;

#[tokio::test]
async fn open_jobs_are_counted_by_status_and_tallies_add_up() {
    let fixture = Fixture::new().await;
    let first = fixture.job(|_| ()).await.id;
    fixture.job(|_| ()).await;
    store::jobs::run(fixture.db(), first).await.unwrap();
    for _ in 0..2 {
        tally(fixture.db(), "sweeper_findings", &[("idle", 2), ("due", 0), ("unstarted", 1)]).await.unwrap();
    }
    tally(fixture.db(), "sweeper_findings", &[("idle", 0)]).await.unwrap();
    let now = standing(fixture.db()).await.unwrap();
    let count = |of: &str, count| Count { of: of.to_owned(), count };
    assert_eq!(now.jobs, [count("queued", 1), count("running", 1)]);
    let told: Vec<_> = now.tallies.iter().map(|one| (one.label.as_str(), one.total)).collect();
    assert_eq!(told, [("idle", 4), ("unstarted", 2)]);
    assert_eq!((now.unstarted, now.unknown, now.deliveries_due, now.spend.len()), (1, 0, 0, 0));
}
