//! What is over goes, in pieces, and what it cost stays.

use chrono::Utc;
use domain::client::{Bound, Settings};
use domain::journal::{Entry, Open};
use domain::output::StoredOutput;
use domain::retention::Policy;
use domain::{ClientId, JobId, Usd};
use futures::future::join_all;
use serde_json::{Value, json};
use store::deliveries::{Redelivered, Which, redeliver};
use store::jobs::{Creation, Ending, Found};
use store::retention::{
    Asked, Bounds, ask, close, expire_outputs, expire_payloads, expire_runs, find, forget, outputs_removed,
};
use store::{Db, clients, jobs};
use uuid::Uuid;

use crate::fixture::{Fixture, body, create, leased, open, record, wanted};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

fn bounds(output_days: Option<i32>, payload_days: Option<i32>) -> Bounds {
    Bounds { policy: Policy { output_days, payload_days }, day_ms: DAY, settle_ms: HOUR, limit: 100 }
}

async fn client_id(fixture: &Fixture) -> ClientId {
    ClientId::new(fixture.client.query_one("select id from clients", &[]).await.unwrap().get(0))
}

fn asked() -> Value {
    json!({
        "kind": "video", "input": {"prompt": "a cat"}, "metadata": {"film": "seven"}, "project": "p",
        "chain": [{"provider": "fal", "model": "fal-ai/veo3.1", "options": {"negative": "rain"}}],
        "callback_url": "https://hooks.studio.com/afc"
    })
}

/// A generation that succeeded, was paid for, and was told of, `age` ago.
async fn ended(fixture: &Fixture, key: &str, age: &str) -> JobId {
    let Creation::Created(job) = create(fixture.db(), fixture.key, key, asked()).await else {
        unreachable!()
    };
    let lease = leased(fixture.db(), job.id).await;
    let attempt = Open { reserved: Some("3.2".parse::<Usd>().unwrap()), ..wanted() };
    open(fixture.db(), job.id, lease, &attempt).await.unwrap();
    let refused = domain::attempt::AttemptError {
        class: domain::attempt::ErrorClass::Refusal,
        code: None,
        message: "no a cat".into(),
        retry_after_seconds: None,
    };
    record(fixture.db(), job.id, lease, attempt.attempt, &Entry::Failed { error: refused }).await.unwrap();
    let output = StoredOutput {
        index: 0,
        key: domain::output::key(job.id, 0),
        content_type: "video/mp4".into(),
        bytes: 7,
        sha256: "00".into(),
    };
    let success = Ending::Succeeded(vec![output]);
    jobs::finish(fixture.db(), job.id, &success, Utc::now(), r#"{"prompt": "a cat"}"#).await.unwrap();
    let aged = format!(
        "update jobs set finished_at = finished_at - interval '{age}', created_at = created_at - interval '{age}'
            where id = '{0}';
        update deliveries set status = 'delivered', delivered_at = now(),
            created_at = created_at - interval '{age}' where job_id = '{0}'",
        job.id
    );
    fixture.client.batch_execute(&aged).await.unwrap();
    job.id
}

async fn text_of(fixture: &Fixture) -> String {
    let sql = "select json_build_array((select json_agg(to_jsonb(j) - 'idempotency_key') from jobs j),
        (select json_agg(a) from attempts a), (select json_agg(e) from events e),
        (select json_agg(d) from deliveries d), (select json_agg(t) from delivery_tries t),
        (select json_agg(l) from job_labels l))::text";
    fixture.client.query_one(sql, &[]).await.unwrap().get(0)
}

async fn spend(fixture: &Fixture) -> String {
    fixture.client.query_one("select json_agg(s)::text from spend s", &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn outputs_go_by_policy_and_a_client_s_own_word_comes_first() {
    let fixture = Fixture::new().await;
    let (old, young) = (ended(&fixture, "old", "10 days").await, ended(&fixture, "young", "2 days").await);
    let db = fixture.db();
    assert!(expire_outputs(db, &bounds(None, None)).await.unwrap().is_empty());
    assert_eq!(expire_outputs(db, &bounds(Some(7), None)).await.unwrap(), [old]);
    // From then on the view says so, whether or not the objects are gone; the next pass finds those that are not.
    let Found::Found(job) = jobs::find(db, fixture.key, old).await.unwrap() else { unreachable!() };
    assert!(job.expired.outputs.is_some() && job.expired.payload.is_none() && job.outputs.len() == 1);
    assert_eq!(expire_outputs(db, &bounds(None, None)).await.unwrap(), [old]);
    outputs_removed(db, &[old]).await.unwrap();
    outputs_removed(db, &[old, young]).await.unwrap();
    assert!(expire_outputs(db, &bounds(Some(7), None)).await.unwrap().is_empty());

    let client = client_id(&fixture).await;
    let settings =
        Settings { output_days: Bound::Set(1), payload_days: Bound::Set(1), ..Settings::default() };
    let changed = clients::change(db, client, &settings).await.unwrap().unwrap();
    assert_eq!((changed.before.output_days, changed.after.payload_days), (None, Some(1)));
    assert_eq!(expire_outputs(db, &bounds(Some(7), None)).await.unwrap(), [young]);
    assert_eq!(expire_payloads(db, &bounds(None, Some(7))).await.unwrap(), 2);
    clients::change(db, client, &Settings { output_days: Bound::Lift, ..Settings::default() }).await.unwrap();
    assert_eq!(clients::find(db, client).await.unwrap().unwrap().output_days, None);
}

#[tokio::test]
async fn i11_a_payload_goes_without_a_trace_its_cost_stays_and_its_key_still_answers() {
    let fixture = Fixture::new().await;
    let job = ended(&fixture, "k", "10 days").await;
    let db = fixture.db();
    let before = spend(&fixture).await;
    assert!(text_of(&fixture).await.contains("a cat"));
    assert_eq!(expire_payloads(db, &bounds(None, Some(11))).await.unwrap(), 0);
    assert_eq!(expire_payloads(db, &bounds(None, Some(9))).await.unwrap(), 1);
    assert_eq!(expire_payloads(db, &bounds(None, Some(9))).await.unwrap(), 0);
    let left = text_of(&fixture).await;
    for word in ["a cat", "rain", "seven", "hooks.studio.com"] {
        assert!(!left.contains(word), "{word} is in {left}");
    }
    assert_eq!(spend(&fixture).await, before);
    let again = create(db, fixture.key, "k", asked()).await;
    let Creation::Replayed(standing) = again else { unreachable!("{again:?}") };
    assert_eq!((standing.id, standing.project.as_deref()), (job, Some("p")));
    assert!(standing.expired.payload.is_some() && standing.spend.unpriced == 1);
    assert_eq!(create(db, fixture.key, "k", body()).await, Creation::Conflict { standing: job });
    let delivery = domain::DeliveryId::of(job, domain::event::EventType::GenerationSucceeded);
    assert_eq!(redeliver(db, &delivery, Which::Delivered).await.unwrap(), Redelivered::Expired);
}

#[tokio::test]
async fn what_is_still_needed_is_kept() {
    let fixture = Fixture::new().await;
    let job = ended(&fixture, "k", "10 days").await;
    let db = fixture.db();
    let sql = async |sql: String| fixture.client.batch_execute(&sql).await.unwrap();
    sql(format!("update deliveries set status = 'pending', delivered_at = null where job_id = '{job}'"))
        .await;
    assert_eq!(expire_payloads(db, &bounds(None, Some(1))).await.unwrap(), 0);
    sql(format!("update deliveries set status = 'dead' where job_id = '{job}'")).await;
    sql(format!("update attempts set state = 'unknown', finished_at = null where job_id = '{job}'")).await;
    assert_eq!(expire_payloads(db, &bounds(None, Some(1))).await.unwrap(), 0);
    sql(format!("update attempts set state = 'failed', finished_at = now() where job_id = '{job}'")).await;
    assert_eq!(expire_payloads(db, &bounds(None, Some(1))).await.unwrap(), 1);
    // What is under way has no end to count from.
    fixture.job(|_| ()).await;
    assert_eq!(expire_outputs(db, &bounds(Some(1), Some(1))).await.unwrap(), [job]);
}

#[tokio::test]
async fn an_erasure_goes_in_pieces_beside_itself_and_says_what_remains() {
    let fixture = Fixture::new().await;
    let mut made = Vec::new();
    for n in 0..5 {
        made.push(ended(&fixture, &format!("k{n}"), "2 hours").await);
    }
    let open = fixture.job(|_| ()).await.id;
    let (db, client) = (fixture.db(), client_id(&fixture).await);
    assert_eq!(ask(db, ClientId::new(Uuid::new_v4()), Uuid::new_v4()).await.unwrap(), Asked::NoClient);
    assert_eq!(find(db, client).await.unwrap(), None);
    let Asked::Begun(begun) = ask(db, client, Uuid::new_v4()).await.unwrap() else { unreachable!() };
    let Asked::UnderWay(again) = ask(db, client, Uuid::new_v4()).await.unwrap() else { unreachable!() };
    assert_eq!((again.id, again.remaining.generations), (begun.id, 6));
    let before = spend(&fixture).await;

    // Made after the wish: it stays.
    let later = ended(&fixture, "later", "0 hours").await;
    let small = Bounds { limit: 2, ..bounds(None, None) };
    let others = join_all((0..2).map(|_| fixture.database.client())).await;
    for _ in 0..8 {
        let passes = others.iter().map(|other| async {
            let db = Db::new(other.as_ref().unwrap());
            let found = expire_outputs(db, &small).await.unwrap();
            assert!(found.len() <= 2 && !found.contains(&later), "{found:?}");
            outputs_removed(db, &found).await.unwrap();
            expire_payloads(db, &small).await.unwrap();
            expire_runs(db, &small).await.unwrap();
            forget(db, 50).await.unwrap();
            close(db).await.unwrap()
        });
        assert_eq!(join_all(passes).await.iter().sum::<usize>(), 0);
    }
    // The open one is what remains; it goes when it has ended.
    let remaining = find(db, client).await.unwrap().unwrap().remaining;
    assert_eq!((remaining.generations, remaining.inputs, remaining.deliveries), (1, 0, 0));
    jobs::finish(db, open, &Ending::Cancelled, Utc::now(), r#"{"prompt": "a cat"}"#).await.unwrap();
    fixture
        .client
        .batch_execute("update deliveries set status = 'dead' where status = 'pending'")
        .await
        .unwrap();
    let soon = Bounds { settle_ms: 0, ..small };
    let found = expire_outputs(db, &soon).await.unwrap();
    assert_eq!(found, [open]);
    outputs_removed(db, &found).await.unwrap();
    assert_eq!(expire_payloads(db, &soon).await.unwrap(), 1);
    assert_eq!((close(db).await.unwrap(), close(db).await.unwrap()), (1, 0));
    let closed = find(db, client).await.unwrap().unwrap();
    assert!(closed.completed_at.is_some() && closed.remaining.generations == 0, "{closed:?}");

    let kept = jobs::get(db, later).await.unwrap().unwrap();
    assert!(kept.expired.outputs.is_none() && kept.spec.input.prompt == "a cat");
    for job in made {
        let gone = jobs::get(db, job).await.unwrap().unwrap();
        assert!(gone.expired.outputs.is_some() && gone.spec.input.prompt.is_empty(), "{gone:?}");
    }
    let (before, after): (Vec<Value>, Vec<Value>) =
        (serde_json::from_str(&before).unwrap(), serde_json::from_str(&spend(&fixture).await).unwrap());
    assert_eq!(before[0]["unpriced_count"], 5);
    assert_eq!(after[0]["unpriced_count"], 6);
    let Asked::Begun(_) = ask(db, client, Uuid::new_v4()).await.unwrap() else { unreachable!() };
}
