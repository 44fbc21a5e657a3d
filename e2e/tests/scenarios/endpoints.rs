//! Endpoints of a client: told of its jobs, judged by what they answer.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use e2e::{Api, Delivery, Stack, eventually, marker};
use reqwest::Method;
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::{Value, json};

/// A client of the scenario's own, so that nobody else's events reach its endpoints.
pub async fn client(stack: &Stack, name: &str) -> Api {
    let admin = stack.api().with_key(&stack.admin_token);
    let made = admin.request(Method::POST, "/v1/admin/clients").json(&json!({"name": name}));
    let made = admin.send(made).await;
    stack.api().with_key(made.text("/key"))
}

async fn send(api: &Api, method: Method, path: &str, body: &Value) -> Value {
    let answer = api.send(api.request(method, path).json(body)).await;
    assert!((200..300).contains(&answer.status), "{path}: {} {}", answer.status, answer.body);
    answer.body
}

async fn register(api: &Api, body: &Value) -> Value {
    send(api, Method::POST, "/v1/webhook-endpoints", body).await
}

fn path(endpoint: &Value) -> String {
    format!("/v1/webhook-endpoints/{}", endpoint["id"].as_str().unwrap())
}

fn id(delivery: &Delivery) -> &str {
    delivery.header("webhook-id")
}

/// The delivery as operators see it, once `wanted` says so.
async fn settled(stack: &Stack, delivery: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let admin = stack.api().with_key(&stack.admin_token);
    let path = format!("/v1/admin/deliveries/{delivery}");
    eventually(&format!("{delivery} to be as wanted"), async || {
        let delivery = admin.send(admin.request(Method::GET, &path)).await.body;
        wanted(&delivery).then_some(delivery)
    })
    .await
}

#[tokio::test]
async fn b12_a_job_is_told_to_its_callback_url_and_to_each_endpoint_that_wants_it() {
    let stack = Stack::running();
    let mark = marker("endpoint");
    let api = client(&stack, &mark).await;
    let hook = |name: &str| stack.receiver().hook(&format!("{mark}-{name}"));
    let wants =
        json!({"url": hook("wants"), "headers": {"X-Shard": "7"}, "event_types": ["generation.succeeded"]});
    let wants = register(&api, &wants).await;
    register(&api, &json!({"url": hook("other"), "event_types": ["generation.failed"]})).await;
    let mut body = Api::video(&mark);
    body["callback_url"] = json!(hook("own"));
    let job = api.created(&mark, &body).await;
    assert_eq!(api.ended(&job).await["status"], "succeeded");
    let own = stack.receiver().until(&format!("{mark}-own"), 1).await;
    let told = stack.receiver().until(&format!("{mark}-wants"), 1).await;
    assert_eq!(id(&own[0]), format!("{job}_generation_succeeded"));
    assert_eq!(id(&told[0]), format!("{job}_generation_succeeded_{}", wants["id"].as_str().unwrap()));
    assert_eq!((&told[0].body, told[0].header("x-shard")), (&own[0].body, "7"));
    assert!(stack.receiver().deliveries(&format!("{mark}-other")).await.is_empty());
}

#[tokio::test]
async fn i11_b12_an_endpoint_is_registered_once_and_only_its_client_sees_it() {
    let stack = Stack::running();
    let mark = marker("registration");
    let api = client(&stack, &mark).await;
    let body = json!({"url": stack.receiver().hook(&mark)});
    let made = register(&api, &body).await;
    let again = register(&api, &body).await;
    assert_eq!((&again["id"], again.get("secret")), (&made["id"], None));
    let stranger = stack.api();
    assert_eq!(stranger.send(stranger.request(Method::GET, &path(&made))).await.status, 404);
    for (body, pointer) in [
        (json!({"url": "https://169.254.169.254/"}), "/url"),
        (json!({"url": body["url"], "headers": {"Webhook-Id": "x"}}), "/headers"),
        (json!({"url": body["url"], "event_types": ["generation.won"]}), "/event_types"),
        (json!({"url": body["url"], "evnt_types": ["*"]}), "/evnt_types"),
    ] {
        let answer = api.send(api.request(Method::POST, "/v1/webhook-endpoints").json(&body)).await;
        assert_eq!((answer.status, answer.text("/errors/0/pointer")), (400, pointer), "{}", answer.body);
    }
    send(&api, Method::DELETE, &path(&made), &json!({})).await;
    assert_eq!(api.send(api.request(Method::GET, &path(&made))).await.status, 404);
}

#[tokio::test]
async fn b12_gone_disables_tells_the_others_and_a_range_of_its_dead_letters_comes_without_a_message() {
    let stack = Stack::running();
    let mark = marker("gone");
    let api = client(&stack, &mark).await;
    let watch = format!("{mark}-watch");
    let body = json!({"url": stack.receiver().hook(&watch), "event_types": ["endpoint.disabled", "endpoint.enabled"]});
    register(&api, &body).await;
    stack.receiver().script(&mark, &json!({"statuses": [410, 200]})).await;
    let events = json!({"url": stack.receiver().hook(&mark), "event_types": ["generation.succeeded"]});
    let gone = register(&api, &events).await;
    let job = api.created(&mark, &Api::video(&mark)).await;
    api.ended(&job).await;
    let news = stack.receiver().until(&watch, 1).await;
    assert_eq!(
        (&news[0].json()["type"], &news[0].json()["data"]["id"]),
        (&json!("endpoint.disabled"), &gone["id"])
    );
    let shown = api.send(api.request(Method::GET, &path(&gone))).await.body;
    assert_eq!((&shown["enabled"], &shown["disabled_reason"]), (&json!(false), &json!("gone")));
    send(&api, Method::PATCH, &path(&gone), &json!({"enabled": true})).await;
    assert_eq!(stack.receiver().until(&watch, 2).await[1].json()["type"], "endpoint.enabled");
    // Nothing is queued by this call: the sweeper finds the row, as it does when the queue loses its messages.
    let admin = stack.api().with_key(&stack.admin_token);
    let range = json!({"since": "2020-01-01T00:00:00Z", "endpoint": gone["id"]});
    let sent = send(&admin, Method::POST, "/v1/admin/deliveries/redeliver", &range).await;
    assert_eq!(sent["data"].as_array().unwrap().len(), 1, "{sent}");
    let both = stack.receiver().until(&mark, 2).await;
    assert_eq!((id(&both[0]), &both[0].body), (id(&both[1]), &both[1].body));
}

/// Whether one of the delivery's `v1a` signatures is by the key pair of this public half.
fn verified(delivery: &Delivery, public: &Value) -> bool {
    let key = STANDARD.decode(public.as_str().unwrap().strip_prefix("whpk_").unwrap()).unwrap();
    let content = format!("{}.{}.{}", id(delivery), delivery.header("webhook-timestamp"), delivery.body);
    let signatures = delivery.header("webhook-signature").split(' ');
    signatures.filter_map(|one| one.strip_prefix("v1a,")).any(|one| {
        let signature = STANDARD.decode(one).unwrap();
        UnparsedPublicKey::new(&ED25519, &key).verify(content.as_bytes(), &signature).is_ok()
    })
}

#[tokio::test]
async fn b12_a_client_verifies_with_a_public_key_and_rotates_it_without_a_gap() {
    let stack = Stack::running();
    let mark = marker("key-pair");
    let api = client(&stack, &mark).await;
    let body = json!({"url": stack.receiver().hook(&mark), "event_types": ["generation.cancelled"]});
    let endpoint = register(&api, &body).await;
    assert_eq!(endpoint["public_keys"], json!([]));
    let path = path(&endpoint);
    let rotate = async |overlap: u32| {
        let body = json!({"overlap_seconds": overlap});
        send(&api, Method::POST, &format!("{path}/key/rotate"), &body).await["public_key"].clone()
    };
    let mut count = 0;
    let mut tested = async || {
        send(&api, Method::POST, &format!("{path}/test"), &json!({})).await;
        count += 1;
        stack.receiver().until(&mark, count).await.swap_remove(count - 1)
    };
    let (old, new) = (rotate(3600).await, rotate(3600).await);
    let shown = api.send(api.request(Method::GET, &path)).await.body;
    assert_eq!(
        (&shown["public_keys"][0]["public_key"], &shown["public_keys"][1]["public_key"]),
        (&new, &old)
    );
    assert!(!shown.to_string().contains("whsk_"), "{shown}");
    let both = tested().await;
    assert!(both.header("webhook-signature").starts_with("v1,"));
    assert!(verified(&both, &new) && verified(&both, &old));
    let last = rotate(0).await;
    let after = tested().await;
    assert!(verified(&after, &last) && !verified(&after, &new) && !verified(&after, &old));
    send(&api, Method::DELETE, &format!("{path}/key"), &json!({})).await;
    assert!(!tested().await.header("webhook-signature").contains("v1a,"));
}

#[tokio::test]
async fn a38_f24_what_receivers_do_and_what_becomes_of_it() {
    let stack = Stack::running();
    let mark = marker("habits");
    let api = client(&stack, &mark).await;
    let habits = [
        ("hang", json!({"hang": true}), Value::Null),
        ("reset", json!({"reset": true}), Value::Null),
        ("redirect", json!({"redirect_to": "http://10.0.0.1/"}), json!(302)),
        ("busy", json!({"statuses": [429], "retry_after": "60"}), json!(429)),
        ("broken", json!({"statuses": [500]}), json!(500)),
    ];
    let fine = [
        ("slow", json!({"slow_body_bytes_per_s": 10})),
        ("large", json!({"body_bytes": 1_000_000})),
        ("cut", json!({"reset_mid_response": true})),
    ];
    let test = async |name: &str, script: &Value| {
        let hook = format!("{mark}-{name}");
        stack.receiver().script(&hook, script).await;
        let body = json!({"url": stack.receiver().hook(&hook), "event_types": ["generation.cancelled"]});
        let endpoint = register(&api, &body).await;
        let sent = send(&api, Method::POST, &format!("{}/test", path(&endpoint)), &json!({})).await;
        (endpoint, sent["id"].as_str().unwrap().to_owned())
    };
    let mut failing = Vec::new();
    for (name, script, status) in &habits {
        failing.push((name, test(name, script).await, status));
    }
    // The verdict is in the status; a body that is slow, large or cut changes nothing, and nobody waits for the hung.
    for (name, script) in &fine {
        let (_, sent) = test(name, script).await;
        let delivery = settled(&stack, &sent, |delivery| delivery["status"] == "delivered").await;
        assert_eq!(delivery["tries"].as_array().unwrap().len(), 1, "{name}: {delivery}");
    }
    for (name, (endpoint, sent), status) in failing {
        let tried = |delivery: &Value| !delivery["tries"].as_array().is_none_or(Vec::is_empty);
        let delivery = settled(&stack, &sent, tried).await;
        assert_eq!(
            (&delivery["status"], &delivery["tries"][0]["status"]),
            (&json!("pending"), status),
            "{name}"
        );
        let shown = api.send(api.request(Method::GET, &path(&endpoint))).await.body;
        assert!(shown["enabled"] == true && shown["failing_since"].is_string(), "{name}: {shown}");
        assert_eq!(shown["paused_until"].is_string(), **name == *"busy", "{name}: {shown}");
    }
}

/// Jobs that end well, by a detour, and badly, and what each left: how it ended, its attempts with their prices, and what
/// the provider was asked for and accepted. Nothing of it names a job or a time.
async fn three_jobs(stack: &Stack, api: &Api, mark: &str, callback: Option<&str>) -> Vec<Value> {
    let behaviours = [
        ("well", None, json!({})),
        ("detour", Some(1), json!({"http_status": 429, "error_body": {"detail": "Too many requests"}})),
        ("badly", None, json!({"outcome": "refuse"})),
    ];
    let mut jobs = Vec::new();
    for (name, times, behaviour) in behaviours {
        let prompt = format!("{mark}-{name}");
        stack.simulator().script_times(&prompt, times, &behaviour).await;
        let mut body = Api::video(&prompt);
        if let Some(callback) = callback {
            body["callback_url"] = json!(callback);
        }
        jobs.push((api.created(&prompt, &body).await, prompt));
    }
    let mut left = Vec::new();
    for (job, prompt) in jobs {
        let ended = api.ended(&job).await;
        let attempts = api.attempts(&job).await;
        let attempts: Vec<Value> = attempts
            .iter()
            .map(|one| {
                json!([
                    one["provider"],
                    one["model"],
                    one["state"],
                    one["class"],
                    one["cost"],
                    one["cost_source"]
                ])
            })
            .collect();
        let calls = stack.simulator().calls(&prompt).await;
        let calls: Vec<Value> = calls.iter().map(|call| json!([call.model, call.accepted])).collect();
        left.push(json!([ended["status"], ended["error"]["code"], ended["cost"], attempts, calls]));
    }
    left
}

#[tokio::test]
async fn a36_while_every_receiver_is_down_jobs_end_and_pay_exactly_as_without_webhooks() {
    let stack = Stack::running();
    let mark = marker("all-down");
    let (silent, told) = (client(&stack, &format!("{mark}-silent")).await, client(&stack, &mark).await);
    for name in ["hang", "reset"] {
        let hook = format!("{mark}-{name}");
        stack.receiver().script(&hook, &json!({name: true})).await;
        register(&told, &json!({"url": stack.receiver().hook(&hook)})).await;
    }
    let hang = stack.receiver().hook(&format!("{mark}-hang"));
    let (without, with) = (format!("{mark}-without"), format!("{mark}-with"));
    let (without, with) = tokio::join!(
        three_jobs(&stack, &silent, &without, None),
        three_jobs(&stack, &told, &with, Some(&hang))
    );
    assert_eq!(with, without);
    let ends: Vec<&Value> = with.iter().map(|job| &job[0]).collect();
    assert_eq!(ends, ["succeeded", "succeeded", "failed"]);
    assert_eq!((&with[0][2]["priced"], &with[0][4][0][1]), (&json!("0.400000"), &json!(true)), "{}", with[0]);
    // The receivers were asked, and have nothing to do with it.
    for name in ["hang", "reset"] {
        stack.receiver().until(&format!("{mark}-{name}"), 1).await;
    }
}
