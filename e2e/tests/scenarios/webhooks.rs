//! Deliveries: signed as Standard Webhooks has it, at least once, one id.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use e2e::{Api, Delivery, Stack, eventually, marker};
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
