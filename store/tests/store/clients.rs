//! Clients and keys: what a key is good for, and for how long.

use domain::ClientId;
use domain::client::{KeyRequest, KeyRotation, Settings};
use domain::endpoint::Switch;
use domain::scope::Scope;
use store::clients::{self, Ended, Issued, Key, KeyHash, NewKey, Rotated};
use store::jobs::{self, Creation, Found};
use uuid::Uuid;

use crate::fixture::{Fixture, add_client, body, create};

async fn the_client(fixture: &Fixture) -> ClientId {
    clients::standing(fixture.db(), fixture.key).await.unwrap().unwrap().client
}

async fn issue(fixture: &Fixture, hash: u8, scopes: &[Scope], lifetime_seconds: Option<i64>) -> Key {
    let client = the_client(fixture).await;
    let new = NewKey { id: Uuid::new_v4(), hash: KeyHash::new([hash; 32]), prefix: "afc_test" };
    let request = KeyRequest { label: "worker".into(), scopes: scopes.to_vec(), lifetime_seconds };
    let issued = clients::issue(fixture.db(), client, &new, &request).await.unwrap();
    let Issued::Issued(key) = issued else { unreachable!("{issued:?}") };
    key
}

async fn creates(fixture: &Fixture, hash: u8) -> bool {
    let key = Uuid::new_v4().to_string();
    match create(fixture.db(), KeyHash::new([hash; 32]), &key, body()).await {
        Creation::Created(_) => true,
        Creation::Unauthenticated => false,
        other @ (Creation::Replayed(_)
        | Creation::Conflict { .. }
        | Creation::Denied(_)
        | Creation::Unusable(_)) => {
            unreachable!("{other:?}")
        }
    }
}

#[tokio::test]
async fn a_key_is_good_for_its_scopes_and_nothing_else() {
    let fixture = Fixture::new().await;
    let job = fixture.job(|_| ()).await.id;
    for (hash, scopes) in [(2, vec![Scope::Generate]), (3, vec![Scope::Read]), (4, vec![Scope::Admin])] {
        issue(&fixture, hash, &scopes, None).await;
        let key = KeyHash::new([hash; 32]);
        let (generates, reads) = (scopes.contains(&Scope::Generate), scopes.contains(&Scope::Read));
        assert_eq!(creates(&fixture, hash).await, generates, "{scopes:?}");
        let found = |found: Found<_>| matches!(found, Found::Found(_));
        assert_eq!(found(jobs::find(fixture.db(), key, job).await.unwrap()), reads, "{scopes:?}");
        assert_eq!(
            found(jobs::find_to_change(fixture.db(), key, job).await.unwrap()),
            generates,
            "{scopes:?}"
        );
        let listed = store::attempts::list(fixture.db(), key, job).await.unwrap();
        assert_eq!(matches!(listed, Found::Found(_)), reads, "{scopes:?}");
        assert_eq!(clients::standing(fixture.db(), key).await.unwrap().unwrap().scopes, scopes);
    }
}

#[tokio::test]
async fn a_rotated_key_is_good_beside_its_successor_until_it_expires() {
    let fixture = Fixture::new().await;
    let client = the_client(&fixture).await;
    let old = issue(&fixture, 2, &Scope::DEFAULT, Some(3600)).await;
    let new = NewKey { id: Uuid::new_v4(), hash: KeyHash::new([3; 32]), prefix: "afc_new" };
    let overlap = KeyRotation { overlap_seconds: 60 };
    let rotated = clients::rotate(fixture.db(), client, old.id, &new, overlap).await.unwrap();
    let Rotated::Rotated { old: ending, new: successor } = rotated else { unreachable!("{rotated:?}") };
    assert!(ending.expires_at < old.expires_at);
    assert_eq!((successor.scopes.clone(), successor.label.as_str()), (old.scopes.clone(), "worker"));
    assert!(successor.expires_at >= old.expires_at, "the lifetime is handed on whole");
    assert!(creates(&fixture, 2).await && creates(&fixture, 3).await);
    // Rotating again, and with a longer overlap, never lengthens the old key's life.
    let third = NewKey { id: Uuid::new_v4(), hash: KeyHash::new([4; 32]), prefix: "afc_3" };
    let long = KeyRotation { overlap_seconds: 3000 };
    let again = clients::rotate(fixture.db(), client, old.id, &third, long).await.unwrap();
    let Rotated::Rotated { old: same, .. } = again else { unreachable!("{again:?}") };
    assert_eq!(same.expires_at, ending.expires_at);
    let sql = "update client_keys set expires_at = now() where id = $1";
    fixture.client.execute(sql, &[&old.id]).await.unwrap();
    assert!(!creates(&fixture, 2).await && creates(&fixture, 3).await);
    let standing = clients::standing(fixture.db(), KeyHash::new([2; 32])).await.unwrap().unwrap();
    assert_eq!(standing.ended, Some(Ended::Expired));
    let fourth = NewKey { id: Uuid::new_v4(), hash: KeyHash::new([5; 32]), prefix: "afc_4" };
    assert_eq!(clients::rotate(fixture.db(), client, old.id, &fourth, overlap).await.unwrap(), Rotated::Over);
}

#[tokio::test]
async fn a_revoked_key_opens_nothing_and_stays_revoked() {
    let fixture = Fixture::new().await;
    let client = the_client(&fixture).await;
    let key = issue(&fixture, 2, &Scope::DEFAULT, None).await;
    let first = clients::revoke(fixture.db(), client, key.id).await.unwrap().unwrap();
    assert!(!creates(&fixture, 2).await && creates(&fixture, 1).await);
    assert_eq!(clients::revoke(fixture.db(), client, key.id).await.unwrap().unwrap(), first);
    let standing = clients::standing(fixture.db(), KeyHash::new([2; 32])).await.unwrap().unwrap();
    assert_eq!(standing.ended, Some(Ended::Revoked));
}

#[tokio::test]
async fn a_disabled_client_has_no_good_key_until_it_is_enabled() {
    let fixture = Fixture::new().await;
    let client = the_client(&fixture).await;
    let switch = |switch| Settings { switch: Some(switch), ..Settings::default() };
    let changed = clients::change(fixture.db(), client, &switch(Switch::Off)).await.unwrap().unwrap();
    assert!(changed.before.disabled_at.is_none() && changed.after.disabled_at.is_some());
    assert!(!creates(&fixture, 1).await);
    let standing = clients::standing(fixture.db(), fixture.key).await.unwrap().unwrap();
    assert_eq!(standing.ended, Some(Ended::ClientDisabled));
    let again = clients::change(fixture.db(), client, &switch(Switch::Off)).await.unwrap().unwrap();
    assert_eq!(again.after, changed.after);
    let settings = Settings { name: Some("atelier".into()), switch: Some(Switch::On), ..Settings::default() };
    let back = clients::change(fixture.db(), client, &settings).await.unwrap().unwrap();
    assert_eq!((back.after.name.as_str(), back.after.disabled_at), ("atelier", None));
    assert!(creates(&fixture, 1).await);
}

#[tokio::test]
async fn another_client_s_key_is_neither_rotated_nor_revoked_nor_listed() {
    let fixture = Fixture::new().await;
    let other = add_client(fixture.db(), KeyHash::new([9; 32])).await;
    let key = issue(&fixture, 2, &Scope::DEFAULT, None).await;
    let new = NewKey { id: Uuid::new_v4(), hash: KeyHash::new([3; 32]), prefix: "afc_new" };
    let rotation = KeyRotation { overlap_seconds: 0 };
    assert_eq!(clients::rotate(fixture.db(), other, key.id, &new, rotation).await.unwrap(), Rotated::Missing);
    assert_eq!(clients::revoke(fixture.db(), other, key.id).await.unwrap(), None);
    assert_eq!(clients::list_keys(fixture.db(), other).await.unwrap().unwrap().len(), 1);
    assert!(creates(&fixture, 2).await);
    let listed = clients::list(fixture.db(), None, 10).await.unwrap();
    let mine = the_client(&fixture).await;
    assert_eq!(listed.iter().map(|client| client.live_keys).sum::<u32>(), 3);
    let after = clients::list(fixture.db(), Some(mine.min(other)), 10).await.unwrap();
    assert_eq!(after.iter().map(|client| client.id).collect::<Vec<_>>(), [mine.max(other)]);
}

#[tokio::test]
async fn a_key_s_use_is_noted_once_an_hour() {
    let fixture = Fixture::new().await;
    let client = the_client(&fixture).await;
    let last = async || clients::list_keys(fixture.db(), client).await.unwrap().unwrap()[0].last_used_at;
    assert_eq!(last().await, None);
    clients::note_use(fixture.db(), fixture.key).await.unwrap();
    let first = last().await;
    assert!(first.is_some());
    clients::note_use(fixture.db(), fixture.key).await.unwrap();
    assert_eq!(last().await, first);
    let sql = "update client_keys set last_used_at = now() - interval '61 minutes'";
    fixture.client.execute(sql, &[]).await.unwrap();
    clients::note_use(fixture.db(), fixture.key).await.unwrap();
    assert!(last().await > first);
}
