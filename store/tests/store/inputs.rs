//! Uploads: if this exact call happens twice, what does the second one see?

use domain::idempotency::IdempotencyKey;
use domain::inputs::Unusable;
use domain::{ClientId, InputId, JobId};
use futures::future::join_all;
use serde_json::{Value, json};
use store::clients::KeyHash;
use store::inputs::{
    Begun, Input, Kept, NewInput, Outlived, Taken, begin, find, forget, give_up, keep, outlived, remove,
};
use store::jobs::{Creation, Found};
use store::{Db, Error};
use uuid::Uuid;

use crate::fixture::{Fixture, add_client, body, create};

const STRANGER: KeyHash = KeyHash::new([9; 32]);

fn fresh_id() -> InputId {
    InputId::new(Uuid::new_v4())
}

fn file(content: u8) -> Taken<'static> {
    Taken { content_type: "image/png", bytes: 8, sha256: [content; 32] }
}

async fn begun(db: Db<'_>, key: KeyHash, id: InputId, name: Option<&str>) -> Begun {
    let name = name.map(|name| IdempotencyKey::parse(name.as_bytes()).unwrap());
    begin(db, &NewInput { id, key, idempotency_key: name.as_ref() }).await.unwrap()
}

/// A whole upload.
async fn upload(db: Db<'_>, key: KeyHash, name: Option<&str>, content: u8) -> Result<Kept, Error> {
    let id = fresh_id();
    match begun(db, key, id, name).await {
        Begun::Fresh(_) => keep(db, id, file(content)).await,
        Begun::Standing(input) => Ok(Kept::Standing(input)),
        Begun::Unauthenticated => unreachable!(),
    }
}

async fn stored(fixture: &Fixture, name: Option<&str>, content: u8) -> Input {
    let kept = upload(fixture.db(), fixture.key, name, content).await.unwrap();
    let Kept::Stored(input) = kept else { unreachable!("{kept:?}") };
    input
}

async fn expire(fixture: &Fixture) {
    fixture.client.batch_execute("update inputs set expires_at = now() - interval '1 second'").await.unwrap();
}

#[tokio::test]
async fn an_upload_is_found_by_its_client_until_it_expires() {
    let fixture = Fixture::new().await;
    let (id, other) = (fresh_id(), KeyHash::new([2; 32]));
    add_client(fixture.db(), other).await;
    assert_eq!(begun(fixture.db(), STRANGER, id, None).await, Begun::Unauthenticated);
    assert!(matches!(begun(fixture.db(), fixture.key, id, None).await, Begun::Fresh(_)));
    assert_eq!(find(fixture.db(), fixture.key, id).await.unwrap(), Found::NotFound, "it has no file yet");
    let Kept::Stored(input) = keep(fixture.db(), id, file(1)).await.unwrap() else { unreachable!() };
    assert_eq!((input.id, input.bytes, input.sha256.as_str()), (id, 8, "01".repeat(32).as_str()));
    assert_eq!(find(fixture.db(), fixture.key, id).await.unwrap(), Found::Found(input));
    assert_eq!(find(fixture.db(), other, id).await.unwrap(), Found::NotFound);
    assert_eq!(find(fixture.db(), STRANGER, id).await.unwrap(), Found::Unauthenticated);
    expire(&fixture).await;
    assert_eq!(find(fixture.db(), fixture.key, id).await.unwrap(), Found::NotFound);
}

#[tokio::test]
async fn i11_the_same_upload_is_the_same_input() {
    let fixture = Fixture::new().await;
    let named = stored(&fixture, Some("k"), 1).await;
    assert_eq!(begun(fixture.db(), fixture.key, fresh_id(), Some("k")).await, Begun::Standing(named.clone()));
    // A key is a name of its own; a content without one is another.
    let nameless = stored(&fixture, None, 1).await;
    assert_ne!(nameless.id, named.id);
    let again = upload(fixture.db(), fixture.key, None, 1).await.unwrap();
    let Kept::Standing(renewed) = again else { unreachable!("{again:?}") };
    assert_eq!(renewed.id, nameless.id);
    assert!(renewed.expires_at >= nameless.expires_at);
    // What was said of a file is said once: a late repeat of the row's own end finds it.
    assert_eq!(keep(fixture.db(), named.id, file(1)).await.unwrap(), Kept::Stored(named.clone()));
    // Both are the client's own.
    let other = KeyHash::new([2; 32]);
    add_client(fixture.db(), other).await;
    for name in [Some("k"), None] {
        assert!(matches!(upload(fixture.db(), other, name, 1).await.unwrap(), Kept::Stored(_)));
    }
    // A key whose input has expired is free again; an expired content comes back.
    expire(&fixture).await;
    let next = stored(&fixture, Some("k"), 2).await;
    assert_ne!(next.id, named.id);
    let Kept::Standing(back) = upload(fixture.db(), fixture.key, None, 1).await.unwrap() else {
        unreachable!()
    };
    assert_eq!(back.id, nameless.id);
    assert_eq!(find(fixture.db(), fixture.key, back.id).await.unwrap(), Found::Found(back));
}

#[tokio::test]
async fn racing_uploads_of_one_name_make_one_input() {
    let fixture = Fixture::new().await;
    let clients = join_all((0..8).map(|_| fixture.database.client())).await;
    for (round, name) in [(1, Some("k1")), (2, None), (3, Some("k3")), (4, None)] {
        let racing = clients.iter().map(async |client| {
            upload(Db::new(client.as_ref().unwrap()), fixture.key, name, round).await.unwrap()
        });
        let outcomes = join_all(racing).await;
        let stored: Vec<_> = outcomes.iter().filter(|kept| matches!(kept, Kept::Stored(_))).collect();
        assert_eq!(stored.len(), 1, "{outcomes:?}");
        let ids: std::collections::HashSet<_> = outcomes
            .iter()
            .map(|kept| match kept {
                Kept::Stored(input) | Kept::Standing(input) => input.id,
                Kept::GivenUp => unreachable!(),
            })
            .collect();
        assert_eq!(ids.len(), 1);
    }
}

#[tokio::test]
async fn b9_a_file_without_a_use_is_found_and_forgotten() {
    let fixture = Fixture::new().await;
    let kept = stored(&fixture, None, 1).await;
    let (cut_off, slow, removed) = (fresh_id(), fresh_id(), stored(&fixture, None, 2).await);
    for id in [cut_off, slow] {
        begun(fixture.db(), fixture.key, id, None).await;
    }
    assert_eq!(outlived(fixture.db(), 10).await.unwrap(), Vec::new());
    give_up(fixture.db(), cut_off).await.unwrap();
    give_up(fixture.db(), kept.id).await.unwrap();
    assert_eq!(remove(fixture.db(), STRANGER, removed.id).await.unwrap(), Found::Unauthenticated);
    assert_eq!(remove(fixture.db(), fixture.key, removed.id).await.unwrap(), Found::Found(removed.clone()));
    assert_eq!(remove(fixture.db(), fixture.key, removed.id).await.unwrap(), Found::NotFound);
    assert_eq!(find(fixture.db(), fixture.key, removed.id).await.unwrap(), Found::NotFound);
    let sql = "update inputs set remove_at = now() - interval '1 minute' where id = $1";
    fixture.client.execute(sql, &[&slow.uuid()]).await.unwrap();

    let client = kept.client_id;
    let mut expected = [cut_off, slow, removed.id].map(|id| Outlived { id, client });
    expected.sort_by_key(|one| one.id);
    for _ in 0..2 {
        let mut found = outlived(fixture.db(), 10).await.unwrap();
        found.sort_by_key(|one| one.id);
        assert_eq!(found, expected);
    }
    assert_eq!(outlived(fixture.db(), 2).await.unwrap().len(), 2, "a pass is bounded");
    assert_eq!(keep(fixture.db(), slow, file(3)).await.unwrap(), Kept::GivenUp);
    // What is in use is not forgotten, whoever asks.
    forget(fixture.db(), &[cut_off, slow, removed.id, kept.id]).await.unwrap();
    assert_eq!(outlived(fixture.db(), 10).await.unwrap(), Vec::new());
    assert_eq!(find(fixture.db(), fixture.key, kept.id).await.unwrap(), Found::Found(kept));
    assert_eq!(keep(fixture.db(), slow, file(3)).await.unwrap(), Kept::GivenUp);
}

fn from(media: Value) -> Value {
    let mut body = body();
    let input = body.pointer_mut("/input").and_then(Value::as_object_mut).unwrap();
    input.insert("media".to_owned(), media);
    body
}

fn wrong(creation: Creation) -> Vec<(usize, Unusable)> {
    let Creation::Unusable(wrong) = creation else { unreachable!("{creation:?}") };
    wrong
}

async fn end(fixture: &Fixture, job: JobId, assignment: &str) {
    let sql = format!("update jobs set finished_at = now(), {assignment} where id = '{job}'");
    fixture.client.batch_execute(&sql).await.unwrap();
}

#[tokio::test]
async fn a_job_begins_only_from_what_its_client_has() {
    let fixture = Fixture::new().await;
    let other = KeyHash::new([2; 32]);
    let _: ClientId = add_client(fixture.db(), other).await;
    let input = stored(&fixture, None, 1).await;
    let [done, running, failed] =
        [fixture.job(|_| ()).await.id, fixture.job(|_| ()).await.id, fixture.job(|_| ()).await.id];
    end(&fixture, done, "status = 'succeeded', outputs = '[{}, {}]'").await;
    end(&fixture, failed, "status = 'failed', error = '{}'").await;
    let media = json!([
        {"role": "source", "input": input.id},
        {"role": "source", "url": "https://cdn.studio.com/1.png"},
        {"role": "source", "generation": done, "output": 1},
        {"role": "source", "generation": done, "output": 2},
        {"role": "source", "generation": running},
        {"role": "source", "generation": failed},
        {"role": "source", "generation": JobId::new(Uuid::new_v4())},
        {"role": "source", "input": fresh_id()},
    ]);
    let told = wrong(create(fixture.db(), fixture.key, "k", from(media.clone())).await);
    let expected = [
        (3, Unusable::UnknownOutput),
        (4, Unusable::UnfinishedGeneration),
        (5, Unusable::FailedGeneration),
        (6, Unusable::UnknownGeneration),
        (7, Unusable::UnknownInput),
    ];
    assert_eq!(told, expected);
    // Somebody else's is nobody's.
    let own = Value::Array(media.as_array().unwrap()[..3].to_vec());
    let told = wrong(create(fixture.db(), other, "k", from(own.clone())).await);
    assert_eq!(told, [(0, Unusable::UnknownInput), (2, Unusable::UnknownGeneration)]);
    let outbox = "select count(*) from outbox where job_id not in (select id from jobs)";
    assert_eq!(fixture.client.query_one(outbox, &[]).await.unwrap().get::<_, i64>(0), 0);

    let Creation::Created(job) = create(fixture.db(), fixture.key, "k", from(own.clone())).await else {
        unreachable!()
    };
    // The recorded one stands, whatever became of its inputs since (A6).
    expire(&fixture).await;
    let replay = create(fixture.db(), fixture.key, "k", from(own.clone())).await;
    assert_eq!(replay, Creation::Replayed(job.clone()));
    let conflict = create(fixture.db(), fixture.key, "k", from(media)).await;
    assert_eq!(conflict, Creation::Conflict { standing: job.id });
    let told = wrong(create(fixture.db(), fixture.key, "k2", from(own)).await);
    assert_eq!(told, [(0, Unusable::ExpiredInput)]);
}
