//! Two clients that probe each other's ids, keys and cursors learn nothing.

use e2e::{Api, Stack, marker};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::clients::Tenant;
use crate::routes::opened_by;

/// What an answer says, but for what names the request itself.
fn said(answer: &e2e::Answer) -> (u16, Value, Vec<String>) {
    let mut body = answer.body.clone();
    if let Some(members) = body.as_object_mut() {
        members.remove("request_id");
    }
    let mut headers: Vec<String> = answer
        .headers
        .iter()
        .filter(|(name, _)| !["date", "x-request-id", "cf-ray"].contains(&name.as_str()))
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap_or_default()))
        .collect();
    headers.sort();
    (answer.status, body, headers)
}

/// Something of `owner`'s for each kind of id that a path may hold. A new kind must be added.
async fn belongings(stack: &Stack, owner: &Tenant, mark: &str) -> impl Fn(&str, &str) -> String + use<> {
    let generation = owner.api.created(mark, &Api::video(mark)).await;
    owner.api.ended(&generation).await;
    let hook = stack.receiver().hook(mark);
    let endpoint = owner
        .api
        .send(owner.api.request(Method::POST, "/v1/webhook-endpoints").json(&json!({"url": hook})))
        .await;
    assert_eq!(endpoint.status, 201, "{}", endpoint.body);
    let endpoint = endpoint.text("/id").to_owned();
    let picture = owner.api.request(Method::POST, "/v1/inputs").body(&b"\x89PNG\r\n\x1a\na picture"[..]);
    let picture = owner.api.send(picture).await;
    assert_eq!(picture.status, 201, "{}", picture.body);
    let input = picture.text("/id").to_owned();
    let run = json!({
        "brief": "a look for a film", "template": Api::video(mark), "variations": [{"seed": 1}],
    });
    let run = owner.api.request(Method::POST, "/v1/style-runs").header("idempotency-key", mark).json(&run);
    let run = owner.api.send(run).await;
    assert_eq!(run.status, 201, "{}", run.body);
    let run = run.text("/id").to_owned();
    move |before, name| match (before, name) {
        ("/v1/style-runs", _) => run.clone(),
        ("/v1/generations", _) => generation.clone(),
        ("/v1/inputs", _) => input.clone(),
        ("/v1/webhook-endpoints", _) => endpoint.clone(),
        (_, "index") => "0".to_owned(),
        _ => unreachable!("say in probing.rs what stands behind {before} as {name}"),
    }
}

#[tokio::test]
async fn another_client_s_id_looks_like_one_that_nobody_has() {
    let stack = Stack::running();
    let (owner, prober) = (Tenant::new(&stack, "owner").await, Tenant::new(&stack, "prober").await);
    let mark = marker("probed");
    let theirs = belongings(&stack, &owner, &mark).await;
    let nobodys = Uuid::new_v4().to_string();
    let mut count = 0;
    for operation in opened_by("client_key").iter().filter(|operation| operation.has_id()) {
        let of_theirs = operation.ask(&prober.api, &theirs).await;
        let of_nobody = operation
            .ask(&prober.api, |before, name| match name {
                "index" => theirs(before, name),
                _ => nobodys.clone(),
            })
            .await;
        assert_eq!(of_theirs.status, 404, "{} {}: {}", operation.method, operation.path, of_theirs.body);
        assert_eq!(said(&of_theirs), said(&of_nobody), "{} {}", operation.method, operation.path);
        count += 1;
    }
    assert!(count >= 9, "only {count} operations take an id");
    // The owner's things are as they were.
    let job = owner.api.get(&theirs("/v1/generations", "id")).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    let endpoint = format!("/v1/webhook-endpoints/{}", theirs("/v1/webhook-endpoints", "id"));
    let endpoint = owner.api.send(owner.api.request(Method::GET, &endpoint)).await;
    assert_eq!((endpoint.status, &endpoint.body["enabled"]), (200, &json!(true)), "{}", endpoint.body);
}

#[tokio::test]
async fn another_client_s_idempotency_key_is_free() {
    let stack = Stack::running();
    let (owner, prober) = (Tenant::new(&stack, "owner").await, Tenant::new(&stack, "prober").await);
    let (key, mark, other) = (marker("key"), marker("probed"), marker("probing"));
    let theirs = owner.api.created(&key, &Api::video(&mark)).await;
    let mine = prober.api.created(&key, &Api::video(&other)).await;
    assert_ne!(mine, theirs);
    for (api, id) in [(&owner.api, &theirs), (&prober.api, &mine)] {
        assert_eq!(api.ended(id).await["status"], "succeeded");
    }
}

#[tokio::test]
async fn another_client_s_cursor_shows_nothing_of_its_own() {
    let stack = Stack::running();
    let (owner, prober) = (Tenant::new(&stack, "owner").await, Tenant::new(&stack, "prober").await);
    let mut theirs = Vec::new();
    for _ in 0..3 {
        let mark = marker("listed");
        theirs.push(owner.api.created(&mark, &Api::video(&mark)).await);
    }
    for operation in opened_by("client_key").iter().filter(|operation| operation.takes("query", "cursor")) {
        let first =
            owner.api.send(owner.api.request(Method::GET, &format!("{}?limit=1", operation.path))).await;
        let Some(cursor) = first.body["next_cursor"].as_str() else { continue };
        let path = format!("{}?limit=1&cursor={cursor}", operation.path);
        let page = prober.api.send(prober.api.request(Method::GET, &path)).await;
        assert!([200, 400].contains(&page.status), "{path}: {}", page.body);
        assert!(theirs.iter().all(|id| !page.body.to_string().contains(id)), "{path}: {}", page.body);
    }
    for id in theirs {
        owner.api.ended(&id).await;
    }
}
