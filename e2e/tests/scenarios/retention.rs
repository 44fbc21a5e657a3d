//! Outputs expire, data is erased; the record and its cost stay, and no retry pays again. A day lasts seconds here.

use e2e::{Answer, Api, Stack, eventually, marker};
use reqwest::Method;
use serde_json::{Value, json};

use crate::clients::Tenant;

async fn output(api: &Api, id: &str) -> Answer {
    api.send(api.request(Method::GET, &format!("/v1/generations/{id}/output"))).await
}

async fn gone(stack: &Stack, api: &Api, id: &str) {
    eventually("the output to have expired", async || {
        let answer = output(api, id).await;
        if answer.status == 200 {
            return None;
        }
        assert_eq!((answer.status, answer.text("/code")), (410, "EXPIRED"), "{}", answer.body);
        Some(())
    })
    .await;
    eventually("the object to be deleted", async || (!stack.stored(id).await).then_some(())).await;
}

#[tokio::test]
async fn i11_an_output_expires_and_its_key_still_answers() {
    let stack = Stack::running();
    let (tenant, mark) = (Tenant::new(&stack, "expiring").await, marker("expiring"));
    let api = &tenant.api;
    let body = Api::video(&mark);
    let id = api.created(&mark, &body).await;
    let before = api.ended(&id).await;
    assert_eq!(before["expired"], json!({"outputs": null, "payload": null}));
    assert_eq!(output(api, &id).await.status, 200);
    let changed = tenant.change(&json!({"output_days": 1})).await;
    assert_eq!((changed.status, &changed.body["output_days"]), (200, &json!(1)), "{}", changed.body);
    gone(&stack, api, &id).await;
    let replay = api.create(&mark, &body).await;
    assert_eq!((replay.status, replay.text("/id")), (202, id.as_str()));
    for member in ["status", "input", "outputs", "cost"] {
        assert_eq!(replay.body[member], before[member], "{member}");
    }
    assert!(replay.body["expired"]["outputs"].is_string(), "{}", replay.body);
    // Nothing can be made from what is gone, and nothing is paid for trying.
    let mut from_it = Api::video(&mark);
    from_it["input"]["media"] = json!([{"role": "first_frame", "generation": id}]);
    let refused = api.create(&format!("{mark}-from"), &from_it).await;
    assert_eq!((refused.status, refused.text("/code")), (400, "INVALID_REQUEST"), "{}", refused.body);
    assert_eq!(refused.body["errors"][0]["pointer"], "/input/media/0/output");
    assert_eq!(stack.simulator().accepted(&mark).await, 1);
}

#[tokio::test]
async fn a_client_s_data_is_erased_and_what_it_cost_stays() {
    let stack = Stack::running();
    let (tenant, mark) = (Tenant::new(&stack, "erased").await, marker("erased"));
    let (api, admin) = (&tenant.api, stack.api().with_key(&stack.admin_token));
    let mut body = Api::video(&mark);
    body["metadata"] = json!({"film": mark});
    body["project"] = json!("seven");
    body["callback_url"] = json!(stack.receiver().hook(&mark));
    let id = api.created(&mark, &body).await;
    let before = api.ended(&id).await;
    stack.receiver().until(&mark, 1).await;
    let picture =
        api.request(Method::POST, "/v1/inputs").body(&b"\x89PNG\r\n\x1a\na picture to be erased"[..]);
    let picture = api.send(picture).await;
    assert_eq!(picture.status, 201, "{}", picture.body);

    let path = format!("/v1/admin/clients/{}/erasure", tenant.id);
    let none = admin.send(admin.request(Method::GET, &path)).await;
    assert_eq!((none.status, none.text("/code")), (404, "NOT_FOUND"));
    let asked = admin.send(admin.request(Method::POST, &path)).await;
    assert_eq!(asked.status, 202, "{}", asked.body);
    assert!(asked.body["kept"].to_string().contains("cost"), "{}", asked.body);
    let again = admin.send(admin.request(Method::POST, &path)).await;
    assert_eq!((again.status, again.text("/id")), (202, asked.text("/id")));
    let done = eventually("the erasure to be complete", async || {
        let shown = admin.send(admin.request(Method::GET, &path)).await;
        shown.body["completed_at"].is_string().then_some(shown.body)
    })
    .await;
    assert_eq!(done["remaining"], json!({"generations": 0, "style_runs": 0, "inputs": 0, "deliveries": 0}));

    gone(&stack, api, &id).await;
    let job: Value = api.get(&id).await;
    assert_eq!(
        (&job["input"], &job["metadata"], &job["callback_url"]),
        (&json!({}), &json!({}), &Value::Null)
    );
    assert_eq!(
        (&job["cost"], &job["project"], &job["status"]),
        (&before["cost"], &json!("seven"), &json!("succeeded"))
    );
    let whole = format!("{job} {:?}", api.attempts(&id).await);
    assert!(!whole.contains(&mark), "{whole}");
    let picture = format!("/v1/inputs/{}", picture.text("/id"));
    assert_eq!(api.send(api.request(Method::GET, &picture)).await.status, 404);
    let replay = api.create(&mark, &body).await;
    assert_eq!((replay.status, &replay.body), (202, &job));
    assert_eq!(stack.simulator().accepted(&mark).await, 1);
    let delivery = format!("/v1/admin/deliveries/{id}_generation_succeeded");
    let order = admin.request(Method::POST, &format!("{delivery}/redeliver")).json(&json!({"force": true}));
    let order = admin.send(order).await;
    assert_eq!((order.status, order.text("/code")), (410, "EXPIRED"), "{}", order.body);
    // What is made from now on is kept.
    let fresh = format!("{mark}-fresh");
    let later = api.created(&fresh, &Api::video(&fresh)).await;
    assert!(api.ended(&later).await["input"]["prompt"] == json!(fresh));
}
