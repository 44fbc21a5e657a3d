//! Style runs: rounds of candidates, each judged by a person; nothing stranded, nothing decided twice.
//!
//! A second of a review is shortened to fifty milliseconds on this stack, nothing else of it.

use std::collections::BTreeSet;

use e2e::{Answer, Api, Delivery, Run, Stack, eventually, marker};
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::clients::Tenant;

/// A run that waits for its first decision.
pub async fn in_review(stack: &Stack, api: &Api, mark: &str, change: impl FnOnce(&mut Value)) -> Run {
    let mut body = Api::two_pictures(mark, &stack.receiver().hook(mark));
    change(&mut body);
    let id = api.created_run(mark, &body).await;
    api.run_until(&id, "awaiting_review", 1).await
}

fn id(run: &Run) -> &str {
    run["id"].as_str().unwrap()
}

fn version(run: &Run) -> Option<u64> {
    run["version"].as_u64()
}

fn approve(reviewer: &str, candidates: &[u32]) -> Value {
    json!({"action": "approve", "reviewer": reviewer, "candidates": candidates})
}

fn revise(reviewer: &str) -> Value {
    json!({"action": "revise", "reviewer": reviewer, "notes": "warmer, and less rain",
        "marks": [{"candidate": 1, "mark": 4, "note": "the light"}]})
}

fn said(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.text("/code"))
}

/// The types of the run's events, and whether each came under one id, as its receiver saw them.
async fn told(stack: &Stack, mark: &str, count: usize) -> Vec<String> {
    let deliveries = stack.receiver().until(mark, count).await;
    let ids: BTreeSet<&str> = deliveries.iter().map(|delivery| delivery.header("webhook-id")).collect();
    let mut types: Vec<String> = ids
        .iter()
        .map(|id| {
            let delivery = deliveries.iter().find(|delivery| delivery.header("webhook-id") == *id).unwrap();
            delivery.json()["type"].as_str().unwrap().replace("style_run.", "")
        })
        .collect();
    types.sort_unstable();
    types
}

#[tokio::test]
async fn a40_a41_two_rounds_lead_to_an_approval() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("two-rounds"));
    let first = in_review(&stack, &api, &mark, |body| body["budget"] = json!("1.00")).await;
    let candidates = first["rounds"][0]["candidates"].as_array().unwrap().clone();
    assert_eq!(candidates.len(), 2, "{first}");
    for candidate in &candidates {
        assert_eq!(candidate["status"], "succeeded", "{candidate}");
        assert!(candidate["outputs"][0]["url"].is_string(), "{candidate}");
        let generation = api.get(candidate["generation"].as_str().unwrap()).await;
        assert_eq!(generation["metadata"]["style_run"], first["id"], "{generation}");
    }
    assert!(first["review"]["url"].as_str().unwrap().contains("/review/"), "{first}");

    let answer = api.decide(id(&first), "first", version(&first), &revise("director")).await;
    assert_eq!((answer.status, answer.text("/state")), (200, "revising"), "{}", answer.body);
    let second = api.run_until(id(&first), "awaiting_review", 2).await;
    let prompt = second["rounds"][1]["candidates"][0]["input"]["prompt"].as_str().unwrap().to_owned();
    assert_eq!(prompt, format!("{mark}\n\nwarmer, and less rain"));
    assert_eq!(second["rounds"][0]["decision"]["marks"][0]["mark"], 4);

    // There is no third round.
    let answer = api.decide(id(&first), "more", version(&second), &revise("director")).await;
    assert_eq!(said(&answer), (409, "DECISION_CONFLICT"), "{}", answer.body);
    let answer = api.decide(id(&first), "second", version(&second), &approve("director", &[1])).await;
    assert_eq!((answer.status, answer.text("/state")), (200, "approved"), "{}", answer.body);
    let approved = &answer.body["rounds"][1]["candidates"];
    assert_eq!((&approved[0]["approved"], &approved[1]["approved"]), (&json!(false), &json!(true)));
    assert_eq!(answer.body["review"]["url"], Value::Null, "nothing is left to decide");

    let wanted = ["approved", "decided", "decided", "review_requested", "review_requested"];
    assert_eq!(told(&stack, &mark, wanted.len()).await, wanted);
    let deliveries = stack.receiver().deliveries(&mark).await;
    let asked = deliveries.iter().map(Delivery::json);
    let asked: Vec<Value> = asked.filter(|event| event["type"] == "style_run.review_requested").collect();
    assert!(asked.iter().all(|event| event["data"]["review_url"].is_string()), "{asked:?}");
    assert_eq!(stack.simulator().accepted(&mark).await, 4);
}

#[tokio::test]
async fn i11_a_double_click_is_one_decision_and_its_replay_stays_good() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("double-click"));
    let run = in_review(&stack, &api, &mark, |_| ()).await;
    let body = revise("director");
    let answers = join_all((0..5).map(|_| api.decide(id(&run), "click", version(&run), &body))).await;
    assert!(answers.iter().all(|answer| answer.status == 200), "{answers:?}");
    let replayed = answers.iter().filter(|answer| answer.header("idempotent-replayed") == Some("true"));
    assert_eq!(replayed.count(), 4);
    // Later, when the run has long gone on, the same request is still answered, and changes nothing.
    let second = api.run_until(id(&run), "awaiting_review", 2).await;
    let again = api.decide(id(&run), "click", version(&run), &body).await;
    assert_eq!((again.status, again.header("idempotent-replayed")), (200, Some("true")), "{}", again.body);
    assert_eq!(again.body["version"], second["version"]);
    let other = api.decide(id(&run), "click", None, &approve("director", &[0])).await;
    assert_eq!(said(&other), (409, "IDEMPOTENCY_CONFLICT"));
    assert_eq!(api.cancel_run(id(&run)).await.text("/state"), "cancelled");
    assert_eq!(
        told(&stack, &mark, 4).await,
        ["cancelled", "decided", "review_requested", "review_requested"]
    );
    assert_eq!(stack.simulator().accepted(&mark).await, 4);
}

#[tokio::test]
async fn a41_of_two_reviewers_one_wins_and_the_other_is_told_what_stands() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("two-reviewers"));
    let run = in_review(&stack, &api, &mark, |_| ()).await;
    let (director, producer) =
        (approve("director", &[0]), json!({"action": "reject", "reviewer": "producer"}));
    let (one, two) = futures::join!(
        api.decide(id(&run), "director", None, &director),
        api.decide(id(&run), "producer", None, &producer)
    );
    let (winner, loser) = if one.status == 200 { (one, two) } else { (two, one) };
    assert_eq!(winner.status, 200, "{}", winner.body);
    assert_eq!(said(&loser), (409, "DECISION_CONFLICT"), "{}", loser.body);
    let decision = &winner.body["rounds"][0]["decision"];
    let (by, action) = (decision["reviewer"].as_str().unwrap(), decision["action"].as_str().unwrap());
    let detail = loser.text("/detail");
    assert!(detail.contains(by) && detail.contains(action), "{detail}");
    assert_eq!(loser.header("etag"), winner.header("etag"));
    let wanted = if action == "approve" {
        ["approved", "decided", "review_requested"]
    } else {
        ["decided", "rejected", "review_requested"]
    };
    assert_eq!(told(&stack, &mark, 3).await, wanted);
}

#[tokio::test]
async fn a41_a_decision_on_another_version_is_refused() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("stale"));
    let run = in_review(&stack, &api, &mark, |_| ()).await;
    let stale = version(&run).map(|version| version - 1);
    let answer = api.decide(id(&run), "stale", stale, &approve("director", &[0])).await;
    assert_eq!(said(&answer), (412, "VERSION_MISMATCH"), "{}", answer.body);
    let etag = format!("\"{}\"", version(&run).unwrap());
    assert_eq!(answer.header("etag"), Some(etag.as_str()));
    let path = format!("/v1/style-runs/{}/decisions", id(&run));
    for (header, value) in [("if-match", "7"), ("if-match", "W/\"1\""), ("idempotency-key", "")] {
        let request = api.request(Method::POST, &path).header(header, value);
        let request = if header == "if-match" { request.header("idempotency-key", "bad") } else { request };
        assert_eq!(api.send(request.json(&approve("director", &[0]))).await.status, 400, "{header}: {value}");
    }
    let never_made = api.decide(id(&run), "seven", None, &approve("director", &[7])).await;
    assert_eq!(said(&never_made), (409, "DECISION_CONFLICT"));
    let nameless = api.decide(id(&run), "nameless", None, &json!({"action": "reject"})).await;
    assert_eq!(
        (said(&nameless), nameless.text("/errors/0/pointer")),
        ((400, "INVALID_REQUEST"), "/reviewer")
    );
    let rejected = api
        .decide(id(&run), "good", version(&run), &json!({"action": "reject", "reviewer": "director"}))
        .await;
    assert_eq!((rejected.status, rejected.text("/state")), (200, "rejected"), "{}", rejected.body);
    assert_eq!(told(&stack, &mark, 3).await, ["decided", "rejected", "review_requested"]);
}

#[tokio::test]
async fn a6_a_repeated_request_is_the_same_run() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("run-replay"));
    let body = Api::two_pictures(&mark, &stack.receiver().hook(&mark));
    let answers = join_all((0..10).map(|_| api.create_run(&mark, &body))).await;
    let ids: BTreeSet<&str> = answers.iter().map(|answer| answer.text("/id")).collect();
    let created = answers.iter().filter(|answer| answer.status == 201).count();
    let replayed = answers.iter().filter(|answer| answer.status == 202).count();
    assert_eq!((ids.len(), created, replayed), (1, 1, 9));
    let mut other = body.clone();
    other["brief"] = json!("another");
    assert_eq!(said(&api.create_run(&mark, &other).await), (409, "IDEMPOTENCY_CONFLICT"));
    let id = ids.first().unwrap();
    api.run_until(id, "awaiting_review", 1).await;
    assert_eq!(stack.simulator().accepted(&mark).await, 2);
    assert_eq!(api.create_run(&mark, &body).await.text("/state"), "awaiting_review");
}

#[tokio::test]
async fn a40_a_deadline_expires_a_run_or_approves_its_best() {
    let stack = Stack::running();
    let api = stack.api();
    let run = async |policy: &str| {
        let mark = marker(policy);
        // One candidate fails; the other is the best.
        stack.simulator().script_times(&mark, Some(1), &json!({"outcome": "refuse"})).await;
        let mut body = Api::two_pictures(&mark, &stack.receiver().hook(&mark));
        body["template"]["chain"][0]["attempts"] = json!(1);
        body["review"] = json!({"deadline_seconds": 60, "on_deadline": policy});
        (api.created_run(&mark, &body).await, mark)
    };
    let ((first, told_expired), (second, told_approved)) = futures::join!(run("expire"), run("approve_best"));
    let expired = api.run_until(&first, "expired", 1).await;
    assert_eq!(expired["rounds"][0]["decision"], Value::Null, "{expired}");
    let approved = api.run_until(&second, "approved", 1).await;
    let decision = &approved["rounds"][0]["decision"];
    assert_eq!((&decision["reviewer"], &decision["action"]), (&Value::Null, &json!("approve")), "{approved}");
    let candidates = approved["rounds"][0]["candidates"].as_array().unwrap();
    for candidate in candidates {
        assert_eq!(candidate["approved"], candidate["status"] == "succeeded", "{approved}");
    }
    let late = api.decide(&first, "late", None, &approve("director", &[1])).await;
    assert_eq!(said(&late), (409, "DECISION_CONFLICT"), "{}", late.body);
    assert_eq!(told(&stack, &told_expired, 2).await, ["expired", "review_requested"]);
    assert_eq!(told(&stack, &told_approved, 3).await, ["approved", "decided", "review_requested"]);
}

#[tokio::test]
async fn a40_a_review_reminds_and_is_prolonged_until_somebody_decides() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("reminded"));
    let run = in_review(&stack, &api, &mark, |body| {
        body["review"] = json!({"deadline_seconds": 90, "on_deadline": "remind", "reminder_seconds": 60});
    })
    .await;
    let reminded = eventually("three reminders", async || {
        let run = api.get_run(id(&run)).await;
        (run["review"]["reminders"].as_u64() >= Some(3)).then_some(run)
    })
    .await;
    // Reminders leave the version alone: who has the page open is not refused.
    assert_eq!((&reminded["state"], version(&reminded)), (&json!("awaiting_review"), version(&run)));
    let answer = api.decide(id(&run), "at-last", version(&run), &approve("director", &[0])).await;
    assert_eq!((answer.status, answer.text("/state")), (200, "approved"), "{}", answer.body);
    let deliveries = stack.receiver().until(&mark, 6).await;
    let events = deliveries.iter().map(Delivery::json);
    let reminders: BTreeSet<u64> = events
        .filter(|event| event["type"] == "style_run.review_requested")
        .filter_map(|event| event["data"]["reminder"].as_u64())
        .collect();
    assert!(reminders.is_superset(&(0..=3).collect()), "{reminders:?}");
}

#[tokio::test]
async fn i12_a_run_whose_workflow_is_gone_is_taken_up_again() {
    let stack = Stack::running();
    let api = stack.api();
    // One is woken by a decision, the other by nobody: its deadline passes while it has no Workflow.
    let (woken, swept) = (marker("woken"), marker("swept"));
    let (one, two) = futures::join!(
        in_review(&stack, &api, &woken, |_| ()),
        in_review(&stack, &api, &swept, |body| {
            body["review"] = json!({"deadline_seconds": 200, "on_deadline": "expire"});
        })
    );
    stack.order_style_run(id(&one), "terminate").await;
    stack.order_style_run(id(&two), "terminate").await;
    let answer = api.decide(id(&one), "on", version(&one), &revise("director")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    api.run_until(id(&one), "awaiting_review", 2).await;
    api.run_until(id(&two), "expired", 1).await;
    assert_eq!((stack.simulator().accepted(&woken).await, stack.simulator().accepted(&swept).await), (4, 2));
}

#[tokio::test]
async fn i12_an_event_to_a_workflow_that_is_paused_or_starts_over_is_a_hint_and_the_row_is_the_truth() {
    let stack = Stack::running();
    let api = stack.api();
    let (paused, restarted) = (marker("paused"), marker("restarted"));
    let (one, two) =
        futures::join!(in_review(&stack, &api, &paused, |_| ()), in_review(&stack, &api, &restarted, |_| ()));
    stack.order_style_run(id(&one), "pause").await;
    // The event may find it anywhere between its first look and its wait.
    stack.order_style_run(id(&two), "restart").await;
    for run in [&one, &two] {
        let answer = api.decide(id(run), "on", version(run), &revise("director")).await;
        assert_eq!((answer.status, answer.text("/state")), (200, "revising"), "{}", answer.body);
    }
    api.run_until(id(&two), "awaiting_review", 2).await;
    // The event has been sent, and one who stands still does nothing.
    assert_eq!(told(&stack, &paused, 2).await, ["decided", "review_requested"]);
    assert_eq!(api.get_run(id(&one)).await["state"], "revising");
    assert_eq!(stack.simulator().accepted(&paused).await, 2);
    stack.order_style_run(id(&one), "resume").await;
    api.run_until(id(&one), "awaiting_review", 2).await;
    for mark in [&paused, &restarted] {
        assert_eq!(stack.simulator().accepted(mark).await, 4, "{mark}");
        assert_eq!(told(&stack, mark, 3).await, ["decided", "review_requested", "review_requested"]);
    }
}

#[tokio::test]
async fn b13_a_run_keeps_to_its_budget() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("budget"));
    // A picture costs 0.04: enough for one round of two, and for half of another.
    let run = in_review(&stack, &api, &mark, |body| body["budget"] = json!("0.10")).await;
    assert_eq!(run["budget"], "0.100000");
    let answer = api.decide(id(&run), "on", version(&run), &revise("director")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let failed = api.run_until(id(&run), "failed", 1).await;
    assert!(
        ["MAX_COST_REACHED", "NO_CANDIDATES"].contains(&failed["error"]["code"].as_str().unwrap()),
        "{failed}"
    );
    assert_eq!(stack.simulator().accepted(&mark).await, 2);
    assert_eq!(told(&stack, &mark, 3).await, ["decided", "failed", "review_requested"]);
}

#[tokio::test]
async fn a40_a_round_without_any_candidate_fails_the_run() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("no-candidates"));
    stack.simulator().script(&mark, &json!({"outcome": "refuse"})).await;
    let mut body = Api::two_pictures(&mark, &stack.receiver().hook(&mark));
    body["template"]["chain"][0]["attempts"] = json!(1);
    let id = api.created_run(&mark, &body).await;
    let failed = api.run_until(&id, "failed", 1).await;
    assert_eq!(failed["error"]["code"], "NO_CANDIDATES", "{failed}");
    assert_eq!(told(&stack, &mark, 1).await, ["failed"]);
}

#[tokio::test]
async fn i7_a_cancelled_run_cancels_what_is_under_way() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("run-cancel"));
    stack.simulator().script(&mark, &json!({"never_finish": true})).await;
    let id = api.created_run(&mark, &Api::two_pictures(&mark, &stack.receiver().hook(&mark))).await;
    eventually("both candidates to be accepted", async || {
        (stack.simulator().accepted(&mark).await == 2).then_some(())
    })
    .await;
    let cancelled = api.cancel_run(&id).await;
    assert_eq!((cancelled.status, cancelled.text("/state")), (200, "cancelled"), "{}", cancelled.body);
    assert_eq!(api.cancel_run(&id).await.text("/state"), "cancelled");
    for candidate in cancelled.body["rounds"][0]["candidates"].as_array().unwrap() {
        let generation = api.ended(candidate["generation"].as_str().unwrap()).await;
        assert_eq!(generation["status"], "cancelled", "{generation}");
    }
    assert_eq!(told(&stack, &mark, 1).await, ["cancelled"]);
}

#[tokio::test]
async fn another_client_learns_nothing_of_a_run() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("strangers"));
    let admin = api.with_key(&stack.admin_token);
    let stranger = Tenant::new(&stack, "stranger").await.api;
    let run = in_review(&stack, &api, &mark, |_| ()).await;
    let path = format!("/v1/style-runs/{}", id(&run));
    let seen = stranger.send(stranger.request(Method::GET, &path)).await;
    assert_eq!(said(&seen), (404, "NOT_FOUND"));
    let decided = stranger.decide(id(&run), "k", version(&run), &approve("stranger", &[0])).await;
    assert_eq!((said(&decided), decided.text("/detail")), ((404, "NOT_FOUND"), seen.text("/detail")));
    assert_eq!(said(&stranger.cancel_run(id(&run)).await), (404, "NOT_FOUND"));
    let listed = stranger.send(stranger.request(Method::GET, "/v1/style-runs")).await;
    assert_eq!((listed.status, &listed.body["data"]), (200, &json!([])));
    let own = api.send(api.request(Method::GET, "/v1/style-runs")).await;
    assert!(own.body["data"].as_array().unwrap().iter().any(|one| one["id"] == run["id"]));
    for nothing in ["not-an-id", "0198c0de-0000-7000-8000-000000000001"] {
        let answer = api.send(api.request(Method::GET, &format!("/v1/style-runs/{nothing}"))).await;
        assert_eq!(said(&answer), (404, "NOT_FOUND"), "{nothing}");
    }
    let parked = api.send(api.request(Method::GET, "/v1/admin/outbox/parked")).await;
    assert_eq!(said(&parked), (403, "SCOPE_MISSING"), "that is the operator's");
    assert_eq!(version(&api.get_run(id(&run)).await), version(&run));
    assert_eq!(admin.send(admin.request(Method::GET, "/v1/admin/outbox/parked")).await.status, 200);
    let revived = admin.request(Method::POST, "/v1/admin/outbox/nothing/retry");
    assert_eq!(said(&admin.send(revived).await), (404, "NOT_FOUND"));
}

#[tokio::test]
async fn a_review_link_opens_its_own_run_and_nothing_else() {
    let stack = Stack::running();
    let (api, mark, other) = (stack.api(), marker("link"), marker("other-link"));
    let (run, foreign) =
        futures::join!(in_review(&stack, &api, &mark, |_| ()), in_review(&stack, &api, &other, |_| ()));
    let token = run["review"]["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let http = reqwest::Client::new();
    let get = async |id: &str, token: &str| {
        let request = http.get(format!("{}/v1/style-runs/{id}", stack.api));
        api.send(request.header("authorization", format!("Review {token}"))).await
    };
    assert_eq!(get(id(&run), &token).await.body["id"], run["id"]);
    assert_eq!(said(&get(id(&foreign), &token).await), (404, "NOT_FOUND"));
    for forged in [token.replace('.', "_"), format!("{token}0"), String::new()] {
        assert_eq!(said(&get(id(&run), &forged).await).0, 401, "{forged}");
    }
    let decide = http.post(format!("{}/v1/style-runs/{}/decisions", stack.api, id(&run)));
    let decide = decide.header("authorization", format!("Review {token}")).header("idempotency-key", "link");
    let answer = api.send(decide.json(&approve("director", &[0]))).await;
    assert_eq!((answer.status, answer.text("/state")), (200, "approved"), "{}", answer.body);
    let cancel = http.post(format!("{}/v1/style-runs/{}/cancel", stack.api, id(&run)));
    let cancel = api.send(cancel.header("authorization", format!("Review {token}"))).await;
    assert_eq!(cancel.status, 401, "a link judges, it does not cancel");
}

#[tokio::test]
async fn a_run_that_is_wrong_is_told_everything_that_is_wrong() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("bad-run"));
    let mut body = Api::two_pictures(&mark, "ftp://nowhere");
    body["variation"] = json!([]);
    body["template"]["chain"][0]["provider"] = json!("nobody");
    body["max_rounds"] = json!(0);
    let answer = api.create_run(&mark, &body).await;
    assert_eq!(said(&answer), (400, "INVALID_REQUEST"), "{}", answer.body);
    let found: Vec<&str> =
        answer.body["errors"].as_array().unwrap().iter().filter_map(|one| one["pointer"].as_str()).collect();
    for wanted in ["/callback_url", "/variation", "/template/chain/0/provider", "/max_rounds"] {
        assert!(found.contains(&wanted), "{wanted} in {found:?}");
    }
    let empty = api.send(api.request(Method::GET, "/v1/style-runs?after=1")).await;
    assert_eq!(said(&empty), (400, "INVALID_REQUEST"));
}
