//! Creation: if this exact call happens twice, what does the second one see?

use std::collections::HashSet;

use domain::job::Status;
use futures::future::join_all;
use serde_json::json;
use store::clients::KeyHash;
use store::jobs::{Creation, Found};
use store::{Db, jobs};

use crate::fixture::{Fixture, add_client, body, create};

#[tokio::test]
async fn a6_a8_the_second_call_finds_the_first_ones_row() {
    let fixture = Fixture::new().await;
    let first = create(fixture.db(), fixture.key, "k", body()).await;
    let Creation::Created(job) = first else { unreachable!("{first:?}") };
    assert_eq!(job.status, Status::Queued);
    assert_eq!(create(fixture.db(), fixture.key, "k", body()).await, Creation::Replayed(job.clone()));
    let mut other = body();
    other["input"]["prompt"] = json!("a dog");
    assert_eq!(create(fixture.db(), fixture.key, "k", other).await, Creation::Conflict { standing: job.id });
    let wishes: i64 = fixture.client.query_one("select count(*) from outbox", &[]).await.unwrap().get(0);
    assert_eq!(wishes, 1);
}

#[tokio::test]
async fn b11_a_key_is_its_clients_own() {
    let fixture = Fixture::new().await;
    let other = KeyHash::new([2; 32]);
    add_client(fixture.db(), other).await;
    let Creation::Created(mine) = create(fixture.db(), fixture.key, "k", body()).await else {
        unreachable!()
    };
    let Creation::Created(theirs) = create(fixture.db(), other, "k", body()).await else { unreachable!() };
    assert_ne!(mine.id, theirs.id);
    assert_eq!(jobs::find(fixture.db(), other, mine.id).await.unwrap(), Found::NotFound);
    assert_eq!(jobs::find(fixture.db(), fixture.key, mine.id).await.unwrap(), Found::Found(*mine));
}

#[tokio::test]
async fn an_unknown_or_revoked_key_records_nothing() {
    let fixture = Fixture::new().await;
    let stranger = KeyHash::new([9; 32]);
    assert_eq!(create(fixture.db(), stranger, "k", body()).await, Creation::Unauthenticated);
    fixture.client.execute("update client_keys set revoked_at = now()", &[]).await.unwrap();
    assert_eq!(create(fixture.db(), fixture.key, "k", body()).await, Creation::Unauthenticated);
    let jobs: i64 = fixture.client.query_one("select count(*) from jobs", &[]).await.unwrap().get(0);
    assert_eq!(jobs, 0);
}

#[tokio::test]
async fn a7_i1_racing_creates_make_one_row_and_all_see_it() {
    let fixture = Fixture::new().await;
    let clients = join_all((0..16).map(|_| fixture.database.client())).await;
    for round in 0..20 {
        let key = format!("round-{round}");
        let racing =
            clients.iter().map(|client| create(Db::new(client.as_ref().unwrap()), fixture.key, &key, body()));
        let outcomes = join_all(racing).await;
        let created = outcomes.iter().filter(|outcome| matches!(outcome, Creation::Created(_))).count();
        let ids: HashSet<_> = outcomes
            .iter()
            .map(|outcome| match outcome {
                Creation::Created(job) | Creation::Replayed(job) => job.id,
                Creation::Conflict { .. }
                | Creation::Denied(_)
                | Creation::Unusable(_)
                | Creation::Unauthenticated => {
                    unreachable!("{outcome:?}")
                }
            })
            .collect();
        assert_eq!((created, ids.len()), (1, 1));
    }
}
