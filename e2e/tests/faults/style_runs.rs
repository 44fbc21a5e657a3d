//! Reviewers decide while the Workers or the database are killed: what was decided stands once, is told once under its name,
//! and its run goes on.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use e2e::{Api, Run, Stack, eventually, marker};
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::ALONE;

/// Runs that are decided at once: half of them around the kill, half of them while what was killed is away.
const RUNS: usize = 6;

#[derive(Clone, Copy, Debug)]
enum Victim {
    Workers,
    Postgres,
}

impl Victim {
    async fn kill(self, stack: &Stack) {
        match self {
            Self::Workers => stack.kill_workers().await,
            Self::Postgres => stack.postgres().kill().await,
        }
    }

    async fn revive(self, stack: &Stack) {
        if let Self::Postgres = self {
            stack.postgres().start().await;
        }
        stack.back().await;
    }
}

#[derive(Default)]
struct Tally {
    decided: AtomicUsize,
    refused: AtomicUsize,
}

/// Sends one decision until it is answered, as a reviewer does who sees an error: the same name, the same words.
async fn insist(api: &Api, run: &Run, body: &Value, tally: &Tally) {
    let path = format!("/v1/style-runs/{}/decisions", run["id"].as_str().unwrap());
    let key = format!("round-{}", run["round"]);
    eventually(&format!("an answer to {path}"), async || {
        let request = api.request(Method::POST, &path).header("idempotency-key", &key);
        let request = request.header("if-match", format!("\"{}\"", run["version"])).json(body);
        // Killed Workers refuse the connection, or end it.
        let status = request.send().await.ok().map(|answer| answer.status().as_u16());
        assert!(matches!(status, None | Some(200 | 500..=599)), "{path}: {status:?}");
        let good = status == Some(200);
        let count = if good { &tally.decided } else { &tally.refused };
        count.fetch_add(1, Ordering::AcqRel);
        good.then_some(())
    })
    .await;
}

/// All runs are decided, and `victim` is killed among the decisions.
async fn decide(stack: &Stack, runs: &[Run], body: &Value, victim: Victim) {
    let (api, tally) = (stack.api(), Tally::default());
    let (before, meanwhile) = runs.split_at(RUNS / 2);
    let reviewers = async |runs: &[Run]| {
        join_all(runs.iter().map(|run| insist(&api, run, body, &tally))).await;
    };
    let strike = async {
        // The first answer is out: its events are committed, and being handed over.
        eventually("an answer", async || (tally.decided.load(Ordering::Acquire) > 0).then_some(())).await;
        victim.kill(stack).await;
        let refused =
            eventually("a refusal", async || (tally.refused.load(Ordering::Acquire) > 0).then_some(()));
        tokio::join!(reviewers(meanwhile), async {
            refused.await;
            victim.revive(stack).await;
        });
    };
    tokio::join!(reviewers(before), strike);
    println!("{victim:?} killed: {} refusals", tally.refused.load(Ordering::Acquire));
}

async fn in_round(api: &Api, runs: &[Run], round: u64) -> Vec<Run> {
    let waits = runs.iter().map(|run| api.run_until(run["id"].as_str().unwrap(), "awaiting_review", round));
    join_all(waits).await
}

/// What the run's receiver was told, each event once however often it was delivered.
async fn told(stack: &Stack, mark: &str) -> Vec<String> {
    let events = eventually(&format!("five events of {mark}"), async || {
        let all = stack.receiver().deliveries(mark).await;
        let of = |one: &e2e::Delivery| {
            (one.header("webhook-id").to_owned(), one.json()["type"].as_str().unwrap().to_owned())
        };
        let events: BTreeSet<(String, String)> = all.iter().map(of).collect();
        (events.len() >= 5).then_some(events)
    })
    .await;
    let mut types: Vec<String> = events.into_iter().map(|(_, event_type)| event_type).collect();
    types.sort_unstable();
    types
}

async fn two_rounds(victim: Victim) {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker(&format!("decided-{victim:?}")));
    let marks: Vec<String> = (0..RUNS).map(|at| format!("{mark}-{at}.")).collect();
    let created = marks.iter().map(|mark| async {
        let body = Api::two_pictures(mark, &stack.receiver().hook(mark));
        json!({"id": api.created_run(mark, &body).await})
    });
    let runs = in_round(&api, &join_all(created).await, 1).await;
    decide(&stack, &runs, &json!({"action": "revise", "reviewer": "director", "notes": "warmer"}), victim)
        .await;
    let runs = in_round(&api, &runs, 2).await;
    decide(&stack, &runs, &json!({"action": "approve", "reviewer": "director", "candidates": [1]}), victim)
        .await;
    for (run, mark) in runs.iter().zip(&marks) {
        let run = api.get_run(run["id"].as_str().unwrap()).await;
        // Created, and six transitions: two plans, two reviews, two decisions. None was made twice.
        assert_eq!((&run["state"], &run["version"]), (&json!("approved"), &json!(7)), "{run}");
        let wanted = ["approved", "decided", "decided", "review_requested", "review_requested"];
        assert_eq!(told(&stack, mark).await, wanted.map(|name| format!("style_run.{name}")));
        assert_eq!(stack.simulator().accepted(mark).await, 4, "no candidate was paid twice: {run}");
    }
    let parked = api.with_key(&stack.admin_token);
    let parked = parked.send(parked.request(Method::GET, "/v1/admin/outbox/parked")).await;
    let ours = |one: &Value| runs.iter().any(|run| run["id"] == one["style_run"]);
    assert!(!parked.body["data"].as_array().unwrap().iter().any(ours), "{}", parked.body);
}

#[tokio::test]
async fn i10_i12_the_workers_die_among_decisions_and_every_run_goes_on() {
    let _alone = ALONE.lock().await;
    two_rounds(Victim::Workers).await;
}

#[tokio::test]
async fn i10_i12_postgres_dies_among_decisions_and_every_run_goes_on() {
    let _alone = ALONE.lock().await;
    two_rounds(Victim::Postgres).await;
}
