//! Deliveries: signed as Standard Webhooks has it, at least once, one id.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use e2e::{Api, Delivery, Stack, eventually, marker};
use reqwest::Method;
use serde_json::json;
use standardwebhooks::Webhook;

fn verified(delivery: &Delivery, secret: &str) -> bool {
    let Ok(webhook) = Webhook::new(secret) else { return false };
    let names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    let signature = names.map(|name| delivery.header(name).to_owned());
    let now: i64 = signature[1].parse().unwrap();
    let signed = webhook.sign(&signature[0], now, delivery.body.as_bytes()).unwrap();
    signature[2].split(' ').any(|candidate| candidate == signed)
}

#[tokio::test]
async fn a36_b12_the_terminal_event_is_delivered_and_verifies() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("webhook"));
    let mut body = Api::video(&mark);
    body["callback_url"] = json!(stack.receiver().hook(&mark));
    let id = api.created(&mark, &body).await;
    api.ended(&id).await;
    let deliveries = stack.receiver().until(&mark, 1).await;
    let delivery = &deliveries[0];
    assert_eq!(delivery.header("webhook-id"), format!("{id}_generation_succeeded"));
    assert!(verified(delivery, &stack.webhook_secret));
    let other = format!("whsec_{}", STANDARD.encode([7; 32]));
    assert!(!verified(delivery, &other));
    let event = delivery.json();
    assert_eq!((&event["type"], &event["data"]["id"]), (&json!("generation.succeeded"), &json!(id)));
}

#[tokio::test]
async fn a38_a_failing_receiver_gets_the_same_event_again() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("flaky"));
    stack.receiver().script(&mark, &json!({"statuses": [500, 200]})).await;
    let mut body = Api::video(&mark);
    body["callback_url"] = json!(stack.receiver().hook(&mark));
    let id = api.created(&mark, &body).await;
    api.ended(&id).await;
    let deliveries = stack.receiver().until(&mark, 2).await;
    let [first, second] = &deliveries[..2] else { unreachable!() };
    assert_eq!((first.header("webhook-id"), &first.body), (second.header("webhook-id"), &second.body));
    assert!(verified(first, &stack.webhook_secret) && verified(second, &stack.webhook_secret));
}

#[tokio::test]
async fn a36_a_dead_receiver_blocks_nothing() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("dead-receiver"));
    stack.receiver().script(&mark, &json!({"hang": true})).await;
    let mut body = Api::video(&mark);
    body["callback_url"] = json!(stack.receiver().hook(&mark));
    let id = api.created(&mark, &body).await;
    assert_eq!(api.ended(&id).await["status"], "succeeded");
    eventually("the receiver to be called", async || {
        (!stack.receiver().deliveries(&mark).await.is_empty()).then_some(())
    })
    .await;
    assert_eq!(stack.simulator().accepted(&mark).await, 1);
}

#[tokio::test]
async fn a38_a_dead_letter_is_kept_and_sent_again_on_an_operators_word() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("dead-letter"));
    let admin = api.with_key(&stack.admin_token);
    stack.receiver().script(&mark, &json!({"statuses": [410, 200]})).await;
    let mut body = Api::video(&mark);
    body["callback_url"] = json!(stack.receiver().hook(&mark));
    let id = api.created(&mark, &body).await;
    api.ended(&id).await;
    let path = format!("/v1/admin/deliveries/{id}_generation_succeeded");
    let dead = eventually("the delivery to be dead", async || {
        let delivery = admin.send(admin.request(Method::GET, &path)).await.body;
        (delivery["status"] == "dead").then_some(delivery)
    })
    .await;
    assert_eq!((dead["tries"].as_array().unwrap().len(), &dead["tries"][0]["status"]), (1, &json!(410)));
    let first = stack.receiver().deliveries(&mark).await;
    assert_eq!(dead["payload"], first[0].body.as_str());

    let range = json!({"since": "2020-01-01T00:00:00Z", "dry_run": true});
    let range = admin.request(Method::POST, "/v1/admin/deliveries/redeliver").json(&range);
    let range = admin.send(range).await.body;
    assert!(range["data"].as_array().unwrap().contains(&dead["id"]), "{range}");
    let sent = admin.send(admin.request(Method::POST, &format!("{path}/redeliver"))).await;
    assert_eq!((sent.status, &sent.body["redelivered"]), (200, &json!(true)), "{}", sent.body);
    let both = stack.receiver().until(&mark, 2).await;
    assert_eq!((both[0].header("webhook-id"), &both[0].body), (both[1].header("webhook-id"), &both[1].body));
    eventually("the delivery to be delivered", async || {
        let delivery = admin.send(admin.request(Method::GET, &path)).await.body;
        (delivery["status"] == "delivered").then_some(())
    })
    .await;
    let again = admin.send(admin.request(Method::POST, &format!("{path}/redeliver"))).await;
    assert_eq!(again.body["redelivered"], false);
    assert_eq!(api.send(api.request(Method::GET, &path)).await.status, 403);
}

#[tokio::test]
async fn i6_a_job_with_the_largest_metadata_ends_and_tells_so() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("large-metadata"));
    let mut body = Api::video(&mark);
    body["callback_url"] = json!(stack.receiver().hook(&mark));
    for member in 0..32 {
        body["metadata"][format!("{member}")] = json!("\"".repeat(512));
    }
    let id = api.created(&mark, &body).await;
    assert_eq!(api.ended(&id).await["status"], "succeeded");
    let event = stack.receiver().until(&mark, 1).await[0].json();
    assert_eq!((&event["data"]["id"], &event["data"]["left_out"]), (&json!(id), &json!(["metadata"])));
    assert_eq!(event["data"]["outputs"][0]["content_type"], "video/mp4");
}
