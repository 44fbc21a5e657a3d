//! What an operator and a provider's own answers let through to a provider (B7).
//!
//! The stack is shared, so these use providers of which no other scenario needs more than patience.

use e2e::{Api, Stack, eventually, marker};
use reqwest::Method;
use serde_json::{Value, json};

fn one(mark: &str, provider: &str, model: &str) -> Value {
    let mut body = Api::video(mark);
    body["input"]["duration_seconds"] = json!(5);
    body["chain"] = json!([{"provider": provider, "model": model}]);
    body
}

async fn patch(admin: &Api, provider: &str, change: Value) -> Value {
    let path = format!("/v1/admin/providers/{provider}");
    let answer = admin.send(admin.request(Method::PATCH, &path).json(&change)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

#[tokio::test]
async fn b7_jobs_wait_for_an_open_breaker_and_go_on_when_it_is_closed() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("breaker"));
    let admin = api.with_key(&stack.admin_token);
    let opened = patch(&admin, "luma_dream_machine", json!({"breaker": "open"})).await;
    assert_eq!(
        (&opened["breaker"]["cause"], &opened["breaker"]["until"]),
        (&json!("operator"), &Value::Null)
    );
    let id = api.created(&mark, &one(&mark, "luma_dream_machine", "ray-2")).await;
    let job = api.until(&id, &["waiting"]).await;
    assert_eq!(job["waiting"], "the breaker of luma_dream_machine is open: operator", "{job}");
    assert_eq!((stack.simulator().calls(&mark).await.len(), api.attempts(&id).await.len()), (0, 0));
    let closed = patch(&admin, "luma_dream_machine", json!({"breaker": "closed"})).await;
    assert_eq!(closed["breaker"], Value::Null);
    let job = api.ended(&id).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    assert_eq!(stack.simulator().accepted(&mark).await, 1);
}

#[tokio::test]
async fn b7_a_concurrency_limit_holds_and_the_next_job_follows() {
    let stack = Stack::running();
    let (api, first, second) = (stack.api(), marker("limit-first"), marker("limit-second"));
    let admin = api.with_key(&stack.admin_token);
    stack.simulator().script(&first, &json!({"never_finish": true})).await;
    let running = api.created(&first, &one(&first, "runway", "gen4.5")).await;
    eventually("the first to be accepted", async || {
        (stack.simulator().accepted(&first).await == 1).then_some(())
    })
    .await;
    patch(&admin, "runway", json!({"max_concurrent": 1})).await;
    let waiting = api.created(&second, &one(&second, "runway", "gen4.5")).await;
    let job = api.until(&waiting, &["waiting"]).await;
    assert_eq!(job["waiting"], "runway is busy", "{job}");
    assert_eq!(stack.simulator().calls(&second).await.len(), 0);
    let listed = admin.send(admin.request(Method::GET, "/v1/admin/providers")).await;
    let gates = listed.body["data"].as_array().unwrap();
    let gate = gates.iter().find(|gate| gate["provider"] == "runway").unwrap();
    assert_eq!(gate["max_concurrent"], 1, "{gate}");
    assert!(gate["in_flight"].as_i64().unwrap() >= 1, "{gate}");
    api.cancel(&running).await;
    let job = api.ended(&waiting).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    assert_eq!(patch(&admin, "runway", json!({"max_concurrent": null})).await["max_concurrent"], Value::Null);
}

#[tokio::test]
async fn the_operators_gates_refuse_rubbish_and_strangers() {
    let stack = Stack::running();
    let api = stack.api();
    let admin = api.with_key(&stack.admin_token);
    let fal = "/v1/admin/providers/fal";
    assert_eq!(api.send(api.request(Method::GET, "/v1/admin/providers")).await.status, 403);
    assert_eq!(api.send(api.request(Method::PATCH, fal).json(&json!({}))).await.status, 403);
    let nobody = admin.request(Method::PATCH, "/v1/admin/providers/nobody").json(&json!({}));
    assert_eq!(admin.send(nobody).await.status, 404);
    for rubbish in [
        json!({"max_concurrent": 0}),
        json!({"submits_per_minute": -1}),
        json!({"max_concurrent": "many"}),
        json!({"max_concurrency": 1}),
        json!({"breaker": "ajar"}),
        json!([]),
    ] {
        let answer = admin.send(admin.request(Method::PATCH, fal).json(&rubbish)).await;
        assert_eq!((answer.status, answer.text("/code")), (400, "INVALID_REQUEST"), "{rubbish}");
    }
}
