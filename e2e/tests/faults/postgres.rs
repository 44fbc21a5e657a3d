//! The database is killed under load and comes back; and what a create costs on the wire.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use e2e::{Api, Stack, eventually, marker};
use futures::future::join_all;
use serde_json::{Value, json};

use super::ALONE;

/// Callers beside each other, and wishes of each.
const CALLERS: usize = 6;
const WISHES: usize = 10;
/// Good answers before the kill, and refusals before the database comes back.
const BEFORE: usize = 15;
const MEANWHILE: usize = 30;

#[derive(Default)]
struct Tally {
    answered: AtomicUsize,
    refused: AtomicUsize,
}

impl Tally {
    async fn until(count: &AtomicUsize, wanted: usize) {
        eventually(&format!("{wanted} answers"), async || {
            (count.load(Ordering::Acquire) >= wanted).then_some(())
        })
        .await;
    }
}

/// Asks until it is answered, as a careful caller does: the same key, the same body. Returns the job's id.
async fn insist(api: &Api, key: &str, body: &Value, tally: &Tally) -> String {
    eventually(&format!("an answer to {key}"), async || {
        let answer = api.create(key, body).await;
        if [201, 202].contains(&answer.status) {
            tally.answered.fetch_add(1, Ordering::AcqRel);
            return Some(answer.text("/id").to_owned());
        }
        // Nothing but this, as long as the database is away.
        assert_eq!(answer.status, 503, "{key}: {}", answer.body);
        assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{}", answer.body);
        assert!(
            ["DATABASE_UNAVAILABLE", "START_UNCONFIRMED"].contains(&answer.text("/code")),
            "{}",
            answer.body
        );
        let seconds = answer.header("retry-after").and_then(|seconds| seconds.parse::<u64>().ok());
        assert!(seconds.is_some_and(|seconds| seconds > 0), "{:?}", answer.headers);
        tally.refused.fetch_add(1, Ordering::AcqRel);
        None
    })
    .await
}

async fn wishes(stack: &Stack, mark: &str, caller: usize, tally: &Tally) -> Vec<(String, String)> {
    let api = stack.api();
    let mut made = Vec::new();
    for wish in 0..WISHES {
        let key = format!("{mark}-{caller}-{wish}.");
        let id = insist(&api, &key, &wish_of(stack, mark, &key), tally).await;
        made.push((key, id));
    }
    made
}

fn wish_of(stack: &Stack, mark: &str, key: &str) -> Value {
    let mut body = Api::video(key);
    body["callback_url"] = json!(stack.receiver().hook(mark));
    body
}

/// Ended, or held for a word because nobody can tell whether its call was accepted.
async fn settled(api: &Api, id: &str) -> (String, Vec<Value>) {
    eventually(&format!("{id} to have ended or to be held"), async || {
        let (job, attempts) = (api.get(id).await, api.attempts(id).await);
        let status = job.pointer("/status").and_then(Value::as_str).unwrap_or_default().to_owned();
        let held = status == "waiting"
            && attempts.iter().any(|attempt| attempt.get("state").is_some_and(|state| state == "unknown"));
        let ended = ["succeeded", "failed", "cancelled"].contains(&status.as_str());
        (ended || held).then_some((status, attempts))
    })
    .await
}

#[tokio::test]
async fn i1_i3_postgres_is_killed_under_load_and_nothing_is_lost_or_doubled() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark, tally) = (stack.api(), marker("postgres-killed"), Tally::default());
    let callers = join_all((0..CALLERS).map(|caller| wishes(&stack, &mark, caller, &tally)));
    let killing = async {
        Tally::until(&tally.answered, BEFORE).await;
        stack.postgres().kill().await;
        Tally::until(&tally.refused, MEANWHILE).await;
        stack.postgres().start().await;
    };
    let (made, ()) = tokio::join!(callers, killing);
    let made: BTreeMap<String, String> = made.into_iter().flatten().collect();
    let ids: BTreeSet<&String> = made.values().collect();
    assert_eq!((made.len(), ids.len()), (CALLERS * WISHES, CALLERS * WISHES));

    // What was answered is there, and its key makes no other.
    let mut statuses = BTreeMap::<String, usize>::new();
    for (key, id) in &made {
        let replay = api.create(key, &wish_of(&stack, &mark, key)).await;
        assert_eq!((replay.status, replay.text("/id")), (202, id.as_str()), "{key}: {}", replay.body);
        let (status, attempts) = settled(&api, id).await;
        // I3: every call that the provider accepted has its row in the journal, and no row stands for two.
        let calls = stack.simulator().calls(key).await;
        let accepted = calls.iter().filter(|call| call.accepted).count();
        let journaled = attempts.iter().filter(|attempt| attempt["accepted_at"].is_string()).count();
        let unknown = attempts.iter().filter(|attempt| attempt["state"] == "unknown").count();
        assert!(
            accepted >= journaled && accepted <= journaled + unknown,
            "{key}: {accepted} accepted, the journal has {attempts:?}"
        );
        // I4: this provider tells of its calls by our attempt's id, so none was paid twice.
        assert!(accepted <= 1, "{key}: {calls:?}");
        *statuses.entry(status).or_default() += 1;
    }
    println!("{statuses:?}, {} refusals", tally.refused.load(Ordering::Acquire));
    let ended: usize =
        statuses.iter().filter(|(status, _)| *status != "waiting").map(|(_, count)| count).sum();
    // I10: each end is told, under one name.
    let told = eventually("every end to be told", async || {
        let deliveries = stack.receiver().deliveries(&mark).await;
        let names: BTreeSet<String> =
            deliveries.iter().map(|delivery| delivery.header("webhook-id").to_owned()).collect();
        (names.len() >= ended).then_some(names)
    })
    .await;
    assert_eq!(told.len(), ended, "{told:?}");
    for (key, id) in &made {
        if settled(&api, id).await.0 == "waiting" {
            api.cancel(id).await;
        }
        assert!(stack.simulator().accepted(key).await <= 1);
    }
}

#[tokio::test]
async fn a_create_is_one_round_trip_to_the_database() {
    let _alone = ALONE.lock().await;
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("flights"));
    let before = stack.postgres().sessions("/* jobs.create */").await.len();
    let mut ids = Vec::new();
    for wish in 0..5 {
        ids.push(api.created(&format!("{mark}-{wish}"), &Api::video(&mark)).await);
    }
    assert_eq!(api.create(&format!("{mark}-0"), &Api::video(&mark)).await.status, 202);
    assert_eq!(api.create(&format!("{mark}-0"), &Api::video("another")).await.status, 409);
    // Through the binding of Hyperdrive, as the Worker has it.
    let sessions = eventually("the pooler to have seen them", async || {
        let sessions = stack.postgres().sessions("/* jobs.create */").await.split_off(before);
        (sessions.len() >= 7).then_some(sessions)
    })
    .await;
    assert_eq!(sessions.len(), 7, "{sessions:?}");
    assert!(sessions.iter().all(|session| session.flights == 1), "{sessions:?}");
    for id in ids {
        api.ended(&id).await;
    }
}
