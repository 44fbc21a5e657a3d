//! Creates, cancels and ends of the same jobs beside each other, on the whole stack.

use std::collections::BTreeSet;
use std::time::Duration;

use e2e::{Answer, Api, Stack, eventually, marker};
use futures::future::{join, join_all};
use serde_json::{Value, json};

/// Wishes that race, each with as many callers and cancels beside each other.
const WISHES: u64 = 12;
const CALLERS: usize = 4;
/// The simulator's answer comes within this; cancels are spread over it, so that some come before and some after.
const SPREAD_MS: u64 = 2400;

/// Everybody who asks for it, and whoever knows its id and wants it cancelled after `pause`.
async fn race(stack: &Stack, key: &str, body: &Value, pause: Duration) -> (Vec<Answer>, Vec<Answer>) {
    let api = stack.api();
    let creates = join_all((0..CALLERS).map(|_| api.create(key, body)));
    let cancels = async {
        let first = api.create(key, body).await;
        assert!([201, 202].contains(&first.status), "{}", first.body);
        let id = first.text("/id").to_owned();
        tokio::time::sleep(pause).await;
        let mut answers = join_all((0..2).map(|_| api.cancel(&id))).await;
        answers.push(first);
        answers
    };
    join(creates, cancels).await
}

#[tokio::test]
async fn i1_i6_i7_i11_f3_creates_cancels_and_ends_race_and_the_first_end_stands() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("race"));
    stack.simulator().script(&mark, &json!({"run_ms": 700, "units": "8"})).await;
    let wishes: Vec<(String, Value, Duration)> = (0..WISHES)
        .map(|wish| {
            let key = format!("{mark}-{wish}.");
            let mut body = Api::video(&key);
            body["callback_url"] = json!(stack.receiver().hook(&mark));
            (key, body, Duration::from_millis(wish * SPREAD_MS / WISHES))
        })
        .collect();
    let raced = join_all(wishes.iter().map(|(key, body, pause)| race(&stack, key, body, *pause))).await;

    let mut ends = BTreeSet::new();
    for ((key, body, _), (creates, mut cancels)) in wishes.iter().zip(raced) {
        let first = cancels.pop().unwrap();
        let answers: Vec<&Answer> = creates.iter().chain([&first]).collect();
        // I1: one job, made once, and everybody was told of that one.
        let ids: BTreeSet<&str> = answers.iter().map(|answer| answer.text("/id")).collect();
        let fresh = answers.iter().filter(|answer| answer.status == 201).count();
        let replayed = answers.iter().filter(|answer| answer.status == 202).count();
        assert_eq!((ids.len(), fresh, replayed), (1, 1, CALLERS), "{key}: {answers:?}");
        let id = first.text("/id").to_owned();

        // I6: what a cancel was told is what stands for ever.
        let job = api.ended(&id).await;
        for told in &cancels {
            assert_eq!((told.status, told.text("/status")), (200, job["status"].as_str().unwrap()), "{key}");
            assert_eq!(told.body["finished_at"], job["finished_at"], "{key}");
        }
        ends.insert(job["status"].as_str().unwrap().to_owned());

        // I11: all of it once more, and nothing is another.
        let settled = eventually("the attempts to be settled", async || {
            let attempts = api.attempts(&id).await;
            let open =
                attempts.iter().any(|one| ["open", "accepted"].contains(&one["state"].as_str().unwrap()));
            (!open).then_some(attempts)
        })
        .await;
        let standing = api.get(&id).await;
        assert_eq!(api.create(key, body).await.body, standing);
        assert_eq!(api.cancel(&id).await.body, standing);
        assert_eq!(api.attempts(&id).await, settled);
        // F3: one run, however often its start was asked for.
        let accepted = stack.simulator().accepted(key).await;
        assert!(accepted <= 1 && settled.len() <= 1 && accepted <= settled.len(), "{key}: {settled:?}");
    }
    // The spread is wide enough that both come first somewhere.
    assert!(ends.contains("cancelled"), "{ends:?}");

    // I6, I7: one event a job, and it is of the end that stands.
    let count = wishes.len();
    let deliveries = stack.receiver().until(&mark, count).await;
    let mut told = BTreeSet::new();
    for delivery in &deliveries {
        let event = delivery.json();
        let id = event["data"]["id"].as_str().unwrap().to_owned();
        let job = api.get(&id).await;
        assert_eq!(event["type"], format!("generation.{}", job["status"].as_str().unwrap()));
        told.insert((id, delivery.header("webhook-id").to_owned()));
    }
    assert_eq!(told.len(), count, "{told:?}");
}
