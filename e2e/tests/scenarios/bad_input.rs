//! Bad input: a problem with a stable code and the field's path, never a 500.

use e2e::{Answer, Api, Stack, marker};
use reqwest::Method;
use serde_json::{Value, json};

/// # Panics
/// When the answer is no problem+json of that status and code.
fn problem(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, answer.text("/code")), (status, code), "{}", answer.body);
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert_eq!(answer.body["status"], status);
    assert_eq!(answer.text("/type"), format!("/errors/{code}"));
    assert!(!answer.text("/detail").is_empty());
}

async fn post(api: &Api, key: Option<&str>, body: impl Into<reqwest::Body>) -> Answer {
    let mut request = api.request(Method::POST, "/v1/generations").header("content-type", "application/json");
    if let Some(key) = key {
        request = request.header("idempotency-key", key);
    }
    api.send(request.body(body)).await
}

#[tokio::test]
async fn a4_the_idempotency_key_is_required_and_checked() {
    let (api, body) = (Stack::running().api(), Api::video("x").to_string());
    problem(&post(&api, None, body.clone()).await, 400, "IDEMPOTENCY_KEY_MISSING");
    problem(&post(&api, Some(""), body.clone()).await, 400, "IDEMPOTENCY_KEY_INVALID");
    problem(&post(&api, Some(&"k".repeat(300)), body.clone()).await, 400, "IDEMPOTENCY_KEY_INVALID");
    problem(&post(&api, Some("two words"), body).await, 400, "IDEMPOTENCY_KEY_INVALID");
}

#[tokio::test]
async fn bodies_that_are_no_request_are_refused() {
    let api = Stack::running().api();
    let key = marker("bad-body");
    for body in ["", "{", "nonsense", "{\"a\":1,\"a\":2}", "\"\\u0000\"", "[1e400]", "{\"kind\":\"video\"} x"]
    {
        problem(&post(&api, Some(&key), body).await, 400, "INVALID_JSON");
    }
    problem(&post(&api, Some(&key), "[".repeat(5000)).await, 400, "INVALID_JSON");
    for body in ["null", "[]", "1", "{}"] {
        problem(&post(&api, Some(&key), body).await, 400, "INVALID_REQUEST");
    }
    problem(&post(&api, Some(&key), vec![0xff, 0xfe]).await, 400, "INVALID_JSON");
    problem(&post(&api, Some(&key), "x".repeat(2 << 20)).await, 413, "BODY_TOO_LARGE");
    let form = api.request(Method::POST, "/v1/generations").header("idempotency-key", &key);
    let form = form.header("content-type", "application/x-www-form-urlencoded").body("kind=video");
    problem(&api.send(form).await, 415, "UNSUPPORTED_MEDIA_TYPE");
}

#[tokio::test]
async fn fields_that_are_wrong_are_named_by_their_path() {
    let api = Stack::running().api();
    let key = marker("bad-field");
    let set = |pointer: &str, value: Value| {
        let mut body = Api::video("x");
        let (parent, member) = pointer.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap()[member] = value;
        body
    };
    for (pointer, value) in [
        ("/kind", json!("sculpture")),
        ("/input/prompt", json!("")),
        ("/input/prompt", json!(7)),
        ("/input/duration_seconds", json!("8")),
        ("/input/duration_seconds", json!(8.5)),
        ("/input/colour", json!("red")),
        ("/chain/0/provider", json!("nobody")),
        ("/chain/0/model", json!("../../etc/passwd")),
        ("/chain/0/attempts", json!(0)),
        ("/callback_url", json!("https://169.254.169.254/")),
        ("/callback_url", json!("https://[::ffff:127.0.0.1]/")),
        ("/metadata", json!({"a": 1})),
        ("/max_cost", json!(5)),
        ("/deadline_seconds", json!(1)),
        ("/surprise", json!(true)),
    ] {
        let answer = post(&api, Some(&key), set(pointer, value.clone()).to_string()).await;
        problem(&answer, 400, "INVALID_REQUEST");
        let named = answer.text("/errors/0/pointer").to_owned();
        assert!(
            named == pointer || named.starts_with(&format!("{pointer}/")),
            "{pointer} = {value}: {}",
            answer.body
        );
    }
    // Nothing was recorded: the key is still free.
    let answer = api.create(&key, &Api::video(&key)).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
}

#[tokio::test]
async fn who_asks_without_a_good_key_learns_nothing() {
    let stack = Stack::running();
    let api = stack.api();
    let stranger = api.with_key("afc_not_a_key");
    let mark = marker("stranger");
    problem(&stranger.create(&mark, &Api::video(&mark)).await, 401, "UNAUTHENTICATED");
    let id = api.created(&mark, &Api::video(&mark)).await;
    for path in ["", "/attempts", "/output", "/output/0"] {
        let path = format!("/v1/generations/{id}{path}");
        problem(&stranger.send(stranger.request(Method::GET, &path)).await, 401, "UNAUTHENTICATED");
        let bare = reqwest::Client::new().get(format!("{}{path}", stack.api));
        problem(&api.send(bare).await, 401, "UNAUTHENTICATED");
    }
    problem(&stranger.cancel(&id).await, 401, "UNAUTHENTICATED");
    assert_eq!(api.ended(&id).await["status"], "succeeded");
}

#[tokio::test]
async fn what_does_not_exist_is_not_found() {
    let api = Stack::running().api();
    for id in [
        "0198c0de-0000-7000-8000-000000000001",
        "nonsense",
        "%00",
        "..%2f",
        "0198C0DE-0000-7000-8000-000000000001",
    ] {
        for path in ["", "/attempts", "/output", "/output/0"] {
            let answer = api.send(api.request(Method::GET, &format!("/v1/generations/{id}{path}"))).await;
            problem(&answer, 404, "NOT_FOUND");
        }
        problem(&api.cancel(id).await, 404, "NOT_FOUND");
    }
    problem(&api.send(api.request(Method::GET, "/v2/x")).await, 404, "NOT_FOUND");
    problem(&api.send(api.request(Method::DELETE, "/v1/generations")).await, 405, "METHOD_NOT_ALLOWED");
}

#[tokio::test]
async fn the_journal_opens_to_its_own_token_only() {
    let api = Stack::running().api();
    let id = "0198c0de-0000-7000-8000-000000000001";
    for path in ["lease", "attempts", "attempts/0198c0de-0000-7000-8000-000000000002"] {
        let request = api.request(Method::POST, &format!("/internal/jobs/{id}/{path}"));
        problem(&api.send(request.body("{}")).await, 401, "TOKEN_INVALID");
    }
}

#[tokio::test]
async fn every_error_code_has_its_page() {
    let api = Stack::running().api();
    let answer = api.send(api.request(Method::GET, "/errors/IDEMPOTENCY_CONFLICT")).await;
    assert_eq!(answer.status, 200);
    assert!(answer.body.as_str().unwrap().starts_with("# IDEMPOTENCY_CONFLICT"));
}
