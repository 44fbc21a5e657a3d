//! Uploads and what is generated from them, on the whole stack.

use e2e::{Answer, Api, Stack, marker};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::endpoints::client;

/// A picture that nobody else has.
fn picture(mark: &str, bytes: usize) -> Vec<u8> {
    let mut picture = [b"\x89PNG\r\n\x1a\n", mark.as_bytes()].concat();
    picture.resize(bytes, b'.');
    picture
}

async fn upload(api: &Api, key: Option<&str>, media_type: &str, bytes: Vec<u8>) -> Answer {
    let mut request = api.request(Method::POST, "/v1/inputs").header("content-type", media_type);
    if let Some(key) = key {
        request = request.header("idempotency-key", key);
    }
    api.send(request.body(bytes)).await
}

async fn uploaded(api: &Api, bytes: Vec<u8>) -> String {
    let answer = upload(api, None, "image/png", bytes).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.text("/id").to_owned()
}

fn from(mark: &str, media: Value) -> Value {
    let mut body = Api::video(mark);
    body["chain"][0]["model"] = json!("fal-ai/veo3.1/image-to-video");
    body["input"]["media"] = media;
    body
}

fn is_problem(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, answer.text("/code")), (status, code), "{}", answer.body);
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
}

#[tokio::test]
async fn a_picture_that_was_uploaded_is_what_the_provider_gets() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("input"));
    // Larger than one piece of anything on its way.
    let bytes = picture(&mark, 3 << 20);
    let made = upload(&api, None, "image/png", bytes.clone()).await;
    assert_eq!((made.status, made.text("/content_type")), (201, "image/png"), "{}", made.body);
    let hash = hex(&Sha256::digest(&bytes));
    assert_eq!((made.text("/sha256"), &made.body["bytes"]), (hash.as_str(), &json!(bytes.len())));
    let input = made.text("/id").to_owned();
    assert_eq!(made.header("location"), Some(format!("/v1/inputs/{input}").as_str()));
    let read = api.send(api.request(Method::GET, &format!("/v1/inputs/{input}"))).await;
    assert_eq!((read.status, &read.body), (200, &made.body));

    let id = api.created(&mark, &from(&mark, json!([{"role": "first_frame", "input": input}]))).await;
    let job = api.ended(&id).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    let calls = stack.simulator().calls(&mark).await;
    assert_eq!(calls.len(), 1);
    let given = calls[0].body["image_url"].as_str().unwrap();
    let fetched = reqwest::get(given).await.unwrap();
    assert_eq!(fetched.status(), 200);
    assert_eq!(fetched.bytes().await.unwrap(), bytes, "the provider is given the very bytes");
    let written = reqwest::Client::new().delete(given).send().await.unwrap();
    assert!(written.status().is_client_error(), "the link is for GET only: {}", written.status());

    // What came of it is an input too.
    let next = marker("input-next");
    let mut body = from(&next, json!([{"role": "source", "generation": id}]));
    body["chain"][0]["model"] = json!("fal-ai/veo3.1/extend-video");
    let id = api.created(&next, &body).await;
    let job = api.ended(&id).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    assert!(stack.simulator().calls(&next).await[0].body["video_url"].is_string());
}

#[tokio::test]
async fn i11_the_same_upload_is_the_same_input_and_another_one_under_its_key_a_conflict() {
    let (api, mark) = (Stack::running().api(), marker("input-again"));
    let made = upload(&api, Some(&mark), "image/png", picture(&mark, 4096)).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let again = upload(&api, Some(&mark), "application/octet-stream", picture(&mark, 4096)).await;
    assert_eq!((again.status, again.header("idempotent-replayed")), (200, Some("true")), "{}", again.body);
    assert_eq!(again.body, made.body);
    for other in [picture(&mark, 4097), picture(&marker("other"), 4096)] {
        is_problem(&upload(&api, Some(&mark), "image/png", other).await, 409, "IDEMPOTENCY_CONFLICT");
    }
    let nameless = uploaded(&api, picture(&mark, 5000)).await;
    let again = upload(&api, None, "image/png", picture(&mark, 5000)).await;
    assert_eq!((again.status, again.text("/id")), (200, nameless.as_str()), "{}", again.body);
}

#[tokio::test]
async fn f24_what_is_no_picture_is_refused() {
    let (api, mark) = (Stack::running().api(), marker("input-bad"));
    let good = picture(&mark, 200);
    for (media_type, bytes, status, code) in [
        ("image/png", b"<html>".to_vec(), 422, "INPUT_INVALID"),
        ("image/png", Vec::new(), 422, "INPUT_INVALID"),
        ("video/mp4", good.clone(), 422, "INPUT_INVALID"),
        ("text/html", good.clone(), 415, "UNSUPPORTED_MEDIA_TYPE"),
        ("application/x-www-form-urlencoded", good.clone(), 415, "UNSUPPORTED_MEDIA_TYPE"),
    ] {
        is_problem(&upload(&api, None, media_type, bytes).await, status, code);
    }
    is_problem(
        &upload(&api, Some("two words"), "image/png", good.clone()).await,
        400,
        "IDEMPOTENCY_KEY_INVALID",
    );
    let gzipped =
        api.request(Method::POST, "/v1/inputs").header("content-encoding", "gzip").body(good.clone());
    is_problem(&api.send(gzipped).await, 415, "UNSUPPORTED_MEDIA_TYPE");
    let queried = api.request(Method::POST, "/v1/inputs?role=source").body(good.clone());
    is_problem(&api.send(queried).await, 400, "INVALID_REQUEST");
    let stranger = api.with_key("afc_not_a_key");
    is_problem(&upload(&stranger, None, "image/png", good).await, 401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn an_input_is_its_clients_own() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("input-own"));
    let other = client(&stack, &mark).await;
    let input = uploaded(&api, picture(&mark, 300)).await;
    let path = format!("/v1/inputs/{input}");
    for method in [Method::GET, Method::DELETE] {
        is_problem(&other.send(other.request(method, &path)).await, 404, "NOT_FOUND");
    }
    for id in ["nonsense", "0198c0de-0000-7000-8000-000000000001", "%00"] {
        is_problem(&api.send(api.request(Method::GET, &format!("/v1/inputs/{id}"))).await, 404, "NOT_FOUND");
    }
    let media = json!([{"role": "first_frame", "input": input}]);
    let foreign = other.create(&mark, &from(&mark, media.clone())).await;
    is_problem(&foreign, 400, "INVALID_REQUEST");
    assert_eq!(foreign.text("/errors/0/pointer"), "/input/media/0/input");

    stack.simulator().script(&mark, &json!({"never_finish": true})).await;
    let id = api.created(&mark, &from(&mark, media.clone())).await;
    let early = json!([{"role": "first_frame", "generation": id}]);
    is_problem(&api.create(&marker("early"), &from(&mark, early)).await, 409, "OUTPUT_NOT_READY");
    api.cancel(&id).await;

    let gone = api.send(api.request(Method::DELETE, &path)).await;
    assert_eq!((gone.status, &gone.body["deleted"]), (200, &json!(true)), "{}", gone.body);
    is_problem(&api.send(api.request(Method::DELETE, &path)).await, 404, "NOT_FOUND");
    // What was recorded stands; a new wish does not (A6).
    assert_eq!(api.create(&mark, &from(&mark, media.clone())).await.status, 202);
    is_problem(&api.create(&marker("late"), &from(&mark, media)).await, 400, "INVALID_REQUEST");
}

#[tokio::test]
async fn f24_hostile_urls_are_refused_and_bad_ones_cost_nothing() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("input-url"));
    for url in [
        "https://169.254.169.254/a.png",
        "https://[::ffff:127.0.0.1]/",
        "ftp://cdn.studio.com/a",
        "https://10.1/",
    ] {
        let answer = api.create(&mark, &from(&mark, json!([{"role": "first_frame", "url": url}]))).await;
        is_problem(&answer, 400, "INVALID_REQUEST");
        assert_eq!(answer.text("/errors/0/pointer"), "/input/media/0/url", "{url}");
    }
    // The stack's own health page is no picture.
    let url = format!("{}/healthz", stack.api);
    let id = api.created(&mark, &from(&mark, json!([{"role": "first_frame", "url": url}]))).await;
    let job = api.ended(&id).await;
    assert_eq!((&job["status"], &job["error"]["code"]), (&json!("failed"), &json!("INPUT_INVALID")), "{job}");
    assert_eq!((stack.simulator().calls(&mark).await.len(), api.attempts(&id).await.len()), (0, 0));
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}
