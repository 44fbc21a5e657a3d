//! Endpoints: registered once, told of what they want, paused and disabled by what they answer.

use chrono::Utc;
use domain::callback_url::Loopback;
use domain::endpoint::{CHANGE_EVENTS, Settings};
use domain::error::{Code, Failure};
use domain::event::EventType;
use domain::{DeliveryId, EndpointId, KeyPair, Secret};
use serde_json::{Value, json};
use store::clients::KeyHash;
use store::deliveries::{Claim, Claimed, Health, Post, claim, delivered, failed, inspect, untried};
use store::endpoints::{
    Endpoint, NewEndpoint, Registered, create, delete, end_keys, find, list, rotate, rotate_key, test, update,
};
use store::jobs::{self, Ending, Found};
use uuid::Uuid;

use crate::fixture::{Fixture, add_client};

const FIRST: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const SECOND: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn settings(body: Value) -> Settings {
    Settings::parse(body, Loopback::Refused).unwrap()
}

async fn register(fixture: &Fixture, key: KeyHash, body: Value) -> Registered {
    let id = EndpointId::new(Uuid::new_v4());
    let new = NewEndpoint { id, key, settings: &settings(body), secret: &Secret::new(FIRST) };
    create(fixture.db(), &new).await.unwrap()
}

async fn endpoint(fixture: &Fixture, body: Value) -> EndpointId {
    let registered = register(fixture, fixture.key, body).await;
    let Registered::Created(endpoint) = registered else { unreachable!("{registered:?}") };
    endpoint.id
}

async fn read(fixture: &Fixture, id: EndpointId) -> Endpoint {
    let found = find(fixture.db(), fixture.key, id).await.unwrap();
    let Found::Found(endpoint) = found else { unreachable!("{found:?}") };
    endpoint
}

async fn change(fixture: &Fixture, id: EndpointId, body: Value) -> Endpoint {
    let found = update(fixture.db(), fixture.key, id, &settings(body)).await.unwrap();
    let Found::Found(endpoint) = found else { unreachable!("{found:?}") };
    endpoint
}

/// A job that failed, and the id of its event.
async fn event(fixture: &Fixture) -> DeliveryId {
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

async fn fail(fixture: &Fixture, delivery: &DeliveryId, status: u16, health: Health) {
    let claim = claimed(fixture, delivery).await.claim;
    let post =
        Post { claim, status: Some(status), sent: true, error: Some("no"), response: None, duration_ms: 1 };
    failed(fixture.db(), delivery, &post, Some(0), health).await.unwrap();
}

async fn deliveries(fixture: &Fixture, event: &str) -> Vec<String> {
    let sql = "select id from deliveries where event_type = $1 order by id";
    let rows = fixture.client.query(sql, &[&event]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn i11_a_registration_sent_twice_is_one_endpoint() {
    let fixture = Fixture::new().await;
    let body = json!({"url": "https://a.studio.com/"});
    let id = endpoint(&fixture, body.clone()).await;
    let again = register(&fixture, fixture.key, body.clone()).await;
    assert!(matches!(&again, Registered::Stands(stands) if stands.id == id), "{again:?}");
    let other = KeyHash::new([2; 32]);
    add_client(fixture.db(), other).await;
    assert!(matches!(register(&fixture, other, body.clone()).await, Registered::Created(_)));
    assert_eq!(find(fixture.db(), other, id).await.unwrap(), Found::NotFound);
    assert_eq!(register(&fixture, KeyHash::new([3; 32]), body.clone()).await, Registered::Unauthenticated);
    for number in 0..19 {
        endpoint(&fixture, json!({"url": format!("https://a.studio.com/{number}")})).await;
    }
    let more = register(&fixture, fixture.key, json!({"url": "https://b.studio.com/"})).await;
    assert_eq!(more, Registered::Full);
    delete(fixture.db(), fixture.key, id).await.unwrap();
    assert_eq!(delete(fixture.db(), fixture.key, id).await.unwrap(), Found::Found(id));
    assert!(matches!(register(&fixture, fixture.key, body).await, Registered::Created(_)));
    let Found::Found(all) = list(fixture.db(), fixture.key).await.unwrap() else { unreachable!() };
    assert_eq!(all.len(), 20);
}

#[tokio::test]
async fn a37_an_event_is_one_delivery_for_each_endpoint_that_wants_it() {
    let fixture = Fixture::new().await;
    let other = KeyHash::new([2; 32]);
    add_client(fixture.db(), other).await;
    register(&fixture, other, json!({"url": "https://other.com/"})).await;
    let all = json!({"url": "https://a.studio.com/", "headers": {"x-shard": "7"}});
    let all = endpoint(&fixture, all).await;
    let wants = json!({"url": "https://b.studio.com/", "event_types": ["generation.failed"]});
    let wants = endpoint(&fixture, wants).await;
    endpoint(&fixture, json!({"url": "https://c.studio.com/", "event_types": ["generation.succeeded"]}))
        .await;
    endpoint(&fixture, json!({"url": "https://d.studio.com/", "enabled": false})).await;
    let event = event(&fixture).await;
    let mut ids = vec![event.clone(), event.at_endpoint(all), event.at_endpoint(wants)];
    ids.sort_by_key(|id| id.as_str().to_owned());
    let job = event.as_str().split_once('_').unwrap().0.parse().unwrap();
    assert_eq!(untried(fixture.db(), job).await.unwrap(), ids);
    let own = claimed(&fixture, &event.at_endpoint(all)).await;
    assert_eq!((own.url.as_str(), own.payload.as_str()), ("https://a.studio.com/", "{\"exact\": true}"));
    assert_eq!((own.headers["x-shard"].as_str(), own.secrets[0].expose()), ("7", FIRST));
    assert_eq!(claimed(&fixture, &event).await.secrets[0].expose(), "whsec_c2VjcmV0");
}

#[tokio::test]
async fn b12_a_rotated_secret_signs_beside_the_new_one_until_its_time_is_over() {
    let fixture = Fixture::new().await;
    let id = endpoint(&fixture, json!({"url": "https://a.studio.com/"})).await;
    let secrets = async || {
        let delivery = event(&fixture).await.at_endpoint(id);
        let secrets = claimed(&fixture, &delivery).await.secrets;
        secrets.iter().map(|secret| secret.expose().to_owned()).collect::<Vec<_>>()
    };
    for _ in 0..2 {
        let second = Secret::new(SECOND);
        rotate(fixture.db(), fixture.key, id, &second, 3600).await.unwrap();
    }
    assert_eq!(secrets().await, [SECOND, FIRST]);
    assert_eq!(read(&fixture, id).await.live_secrets, 2);
    let sql =
        "update endpoint_secrets set expires_at = now() - interval '1 second' where expires_at is not null";
    assert_eq!(fixture.client.execute(sql, &[]).await.unwrap(), 1);
    assert_eq!(secrets().await, [SECOND]);
    rotate(fixture.db(), fixture.key, id, &Secret::new(FIRST), 0).await.unwrap();
    assert_eq!(secrets().await, [FIRST]);
}

#[tokio::test]
async fn b12_key_pairs_sign_beside_the_secrets_and_their_client_sees_the_public_halves() {
    let fixture = Fixture::new().await;
    let id = endpoint(&fixture, json!({"url": "https://a.studio.com/"})).await;
    let signing = async || {
        let delivery = event(&fixture).await.at_endpoint(id);
        let secrets = claimed(&fixture, &delivery).await.secrets;
        secrets.iter().map(|secret| secret.expose().to_owned()).collect::<Vec<_>>()
    };
    let pair = |seed| KeyPair::from_seed(&[seed; 32]);
    let secret = |seed| pair(seed).secret().expose().to_owned();
    let public = async || {
        let keys = read(&fixture, id).await.public_keys;
        keys.into_iter().map(|key| (key.public_key, key.expires_at.is_some())).collect::<Vec<_>>()
    };
    assert_eq!(public().await, []);
    rotate_key(fixture.db(), fixture.key, id, &pair(1), 3600).await.unwrap();
    rotate_key(fixture.db(), fixture.key, id, &pair(2), 3600).await.unwrap();
    assert_eq!(public().await, [(pair(2).public(), false), (pair(1).public(), true)]);
    // A rotated key pair leaves the secret alone, and a rotated secret the key pairs.
    assert_eq!(signing().await, [secret(2), secret(1), FIRST.to_owned()]);
    rotate(fixture.db(), fixture.key, id, &Secret::new(SECOND), 0).await.unwrap();
    assert_eq!(signing().await, [SECOND.to_owned(), secret(2), secret(1)]);
    assert_eq!(read(&fixture, id).await.live_secrets, 1);
    // A header does not grow for ever: the sixth ends the oldest.
    for seed in 3..=6 {
        rotate_key(fixture.db(), fixture.key, id, &pair(seed), 3600).await.unwrap();
    }
    let live: Vec<String> = public().await.into_iter().map(|(key, _)| key).collect();
    assert_eq!(live, [6, 5, 4, 3, 2].map(|seed| pair(seed).public()));

    let other = KeyHash::new([2; 32]);
    add_client(fixture.db(), other).await;
    assert_eq!(end_keys(fixture.db(), other, id).await.unwrap(), Found::NotFound);
    for _ in 0..2 {
        assert_eq!(end_keys(fixture.db(), fixture.key, id).await.unwrap(), Found::Found(id));
    }
    assert_eq!((signing().await, public().await), (vec![SECOND.to_owned()], vec![]));
    let changes: Vec<String> = read(&fixture, id).await.changes.into_iter().map(|one| one.change).collect();
    assert_eq!(changes.iter().filter(|change| *change == "keys_ended").count(), 1, "{changes:?}");
}

#[tokio::test]
async fn b12_five_days_of_nothing_but_failures_disable_and_enabling_counts_from_zero() {
    let fixture = Fixture::new().await;
    let id = endpoint(&fixture, json!({"url": "https://a.studio.com/"})).await;
    let watcher =
        json!({"url": "https://watch.studio.com/", "event_types": ["endpoint.disabled", "endpoint.enabled"]});
    let watcher = endpoint(&fixture, watcher).await;
    let delivery = event(&fixture).await.at_endpoint(id);
    let age = async |interval: &str| {
        let sql = format!(
            "update endpoints set failing_since = now() - interval '{interval}' where failing_since is not null"
        );
        fixture.client.execute(&sql, &[]).await.unwrap()
    };
    fail(&fixture, &delivery, 500, Health::Failing).await;
    assert_eq!(age("119 hours").await, 1);
    fail(&fixture, &delivery, 500, Health::Failing).await;
    assert_eq!(read(&fixture, id).await.disabled_reason, None);
    // A failure of ours, however late, is none of the endpoint's.
    assert_eq!(age("121 hours").await, 1);
    fail(&fixture, &delivery, 500, Health::Unharmed).await;
    assert_eq!(read(&fixture, id).await.disabled_reason, None);
    fail(&fixture, &delivery, 500, Health::Failing).await;
    let disabled = read(&fixture, id).await;
    assert_eq!(
        (disabled.disabled_reason.as_deref(), disabled.changes[0].change.as_str()),
        (Some("failing"), "disabled")
    );
    let told = deliveries(&fixture, "endpoint.disabled").await;
    assert_eq!(told.len(), 1);
    assert!(
        told[0].starts_with(&format!("endpoint_disabled_{id}_")) && told[0].ends_with(&watcher.to_string())
    );
    let news = inspect(fixture.db(), &DeliveryId::from_stored(told[0].clone())).await.unwrap().unwrap();
    let news: Value = serde_json::from_str(&news.payload).unwrap();
    assert_eq!((&news["type"], &news["data"]["reason"]), (&json!("endpoint.disabled"), &json!("failing")));

    let enabled = change(&fixture, id, json!({"enabled": true})).await;
    assert_eq!((enabled.disabled_reason, enabled.failing_since), (None, None));
    for _ in 0..2 {
        assert_eq!(deliveries(&fixture, "endpoint.enabled").await.len(), 1);
        change(&fixture, id, json!({"enabled": true})).await;
    }
    fail(&fixture, &delivery, 500, Health::Failing).await;
    assert_eq!(read(&fixture, id).await.disabled_reason, None);
    // One success, and the count begins anew.
    let claim = claimed(&fixture, &delivery).await.claim;
    let post = Post { claim, status: Some(200), sent: true, error: None, response: None, duration_ms: 1 };
    delivered(fixture.db(), &delivery, &post).await.unwrap();
    assert_eq!(read(&fixture, id).await.failing_since, None);
}

#[tokio::test]
async fn b12_a_gone_endpoint_is_disabled_and_what_is_due_for_it_is_dead() {
    let fixture = Fixture::new().await;
    let id = endpoint(&fixture, json!({"url": "https://a.studio.com/"})).await;
    let (first, second) = (event(&fixture).await.at_endpoint(id), event(&fixture).await.at_endpoint(id));
    fail(&fixture, &first, 410, Health::Gone).await;
    assert_eq!(read(&fixture, id).await.disabled_reason.as_deref(), Some("gone"));
    assert_eq!(claim(fixture.db(), &second, 1, &[]).await.unwrap(), Claim::Dead);
    let dead = inspect(fixture.db(), &second).await.unwrap().unwrap();
    assert_eq!((dead.status.as_str(), dead.tries.len()), ("dead", 0));
    // A test is sent all the same; it is how one finds out that it is back.
    let trial = DeliveryId::from_stored("test_1".to_owned());
    let found = test(fixture.db(), fixture.key, id, &trial, "{}").await.unwrap();
    assert_eq!(found, Found::Found(trial.clone()));
    assert_eq!(claimed(&fixture, &trial).await.url, "https://a.studio.com/");
    let after = event(&fixture).await.at_endpoint(id);
    assert_eq!(inspect(fixture.db(), &after).await.unwrap(), None);
}

#[tokio::test]
async fn b12_an_endpoint_that_wants_room_gets_it_and_a_rate_is_kept() {
    let fixture = Fixture::new().await;
    let id = endpoint(&fixture, json!({"url": "https://a.studio.com/"})).await;
    let (first, second) = (event(&fixture).await.at_endpoint(id), event(&fixture).await.at_endpoint(id));
    fail(&fixture, &first, 429, Health::Busy { pause_ms: 60_000 }).await;
    let later = claim(fixture.db(), &second, 1, &[]).await.unwrap();
    assert!(matches!(later, Claim::Later(at) if at > Utc::now()), "{later:?}");
    assert_eq!(read(&fixture, id).await.changes[0].change, "slowed");
    fixture.client.execute("update endpoints set paused_until = now()", &[]).await.unwrap();
    change(&fixture, id, json!({"rate_limit": 1})).await;
    claimed(&fixture, &first).await;
    let later = claim(fixture.db(), &second, 1, &[]).await.unwrap();
    assert!(matches!(later, Claim::Later(_)), "{later:?}");
    fixture.client.execute("update endpoints set next_post_at = now()", &[]).await.unwrap();
    assert_eq!(claimed(&fixture, &second).await.tries, 1);
}

/// What `watcher` was told of `endpoint`, in order: the event, and its reason.
async fn told(fixture: &Fixture, watcher: EndpointId, endpoint: EndpointId) -> Vec<(String, Value)> {
    let sql = "select event_type, payload from deliveries
        where endpoint_id = $1 and payload::json #>> '{data,id}' = $2 order by created_at, event_type desc";
    let rows = fixture.client.query(sql, &[&watcher.uuid(), &endpoint.to_string()]).await.unwrap();
    rows.iter()
        .map(|row| {
            let payload: Value = serde_json::from_str(row.get("payload")).unwrap();
            let member = |pointer| payload.pointer(pointer).cloned().unwrap_or_default();
            let event: String = row.get("event_type");
            assert_eq!(member("/type"), json!(event));
            (event, member("/data/reason"))
        })
        .collect()
}

#[tokio::test]
async fn b12_every_change_of_an_endpoint_is_told_to_its_clients_others_once() {
    let fixture = Fixture::new().await;
    let watcher = endpoint(&fixture, json!({"url": "https://watch.studio.com/"})).await;
    let deaf = json!({"url": "https://deaf.studio.com/", "event_types": ["generation.failed"]});
    let deaf = endpoint(&fixture, deaf).await;
    let other = KeyHash::new([2; 32]);
    add_client(fixture.db(), other).await;
    let stranger = register(&fixture, other, json!({"url": "https://other.com/"})).await;
    let Registered::Created(stranger) = stranger else { unreachable!("{stranger:?}") };
    let id = endpoint(&fixture, json!({"url": "https://a.studio.com/"})).await;

    let (db, key) = (fixture.db(), fixture.key);
    // Each call twice: the second changes nothing and tells nothing.
    for _ in 0..2 {
        register(&fixture, key, json!({"url": "https://a.studio.com/"})).await;
    }
    change(&fixture, id, json!({"description": "a", "enabled": true})).await;
    for _ in 0..2 {
        rotate(db, key, id, &Secret::new(SECOND), 0).await.unwrap();
    }
    rotate_key(db, key, id, &KeyPair::from_seed(&[1; 32]), 0).await.unwrap();
    for _ in 0..2 {
        end_keys(db, key, id).await.unwrap();
    }
    let (first, second) = (event(&fixture).await.at_endpoint(id), event(&fixture).await.at_endpoint(id));
    for delivery in [&first, &second] {
        fail(&fixture, delivery, 429, Health::Busy { pause_ms: 0 }).await;
    }
    for on in [false, false, true, true] {
        change(&fixture, id, json!({"enabled": on})).await;
    }
    change(&fixture, id, json!({})).await;
    fail(&fixture, &first, 410, Health::Gone).await;
    for _ in 0..2 {
        delete(db, key, id).await.unwrap();
    }

    let of = |event: &str, reason: Value| (format!("endpoint.{event}"), reason);
    let all = [
        of("created", Value::Null),
        of("updated", Value::Null),
        of("secret_rotated", Value::Null),
        of("key_rotated", Value::Null),
        of("keys_ended", Value::Null),
        of("slowed", json!("429")),
        of("disabled", json!("client")),
        of("enabled", Value::Null),
        of("disabled", json!("gone")),
        of("deleted", Value::Null),
    ];
    assert_eq!(told(&fixture, watcher, id).await, all);
    for event in CHANGE_EVENTS {
        assert!(all.iter().any(|(one, _)| one == event), "{event}");
    }
    for nobody in [id, deaf, stranger.id] {
        assert_eq!(told(&fixture, nobody, id).await, []);
    }
}
