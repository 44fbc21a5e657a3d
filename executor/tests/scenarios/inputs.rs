//! What a job generates from: each provider is given it in its own way, and what cannot be used is never paid for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::InputId;
use domain::execution::{Answer, Report};
use domain::inputs::key;
use domain::provider::Provider;
use executor::execution::execute;
use executor::executions::Order;
use executor::net;
use serde_json::{Value, json};

use crate::support::bucket::Object;
use crate::support::serve::{Server, hang_up};
use crate::support::{Rig, code, is_interrupted, kill};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR and so on, all of it";

/// How the provider is given a picture.
enum Way {
    Link,
    DataUri,
    Base64,
}

const CASES: &[(Provider, &str, &str, &str, Way)] = &[
    (Provider::Fal, "fal-ai/veo3.1/image-to-video", "first_frame", "/image_url", Way::Link),
    (Provider::Replicate, "google/veo-3-fast", "first_frame", "/input/image", Way::Link),
    (Provider::Runway, "gen4.5", "first_frame", "/promptImage/0/uri", Way::DataUri),
    (Provider::LumaDreamMachine, "ray-2", "first_frame", "/keyframes/frame0/url", Way::Link),
    (Provider::Bfl, "flux-pro-1.1", "reference", "/image_prompt", Way::Base64),
    (Provider::LumaAgents, "ray-3.2", "first_frame", "/video/start_frame/url", Way::Link),
    (Provider::Minimax, "MiniMax-H3", "first_frame", "/content/1/image_url/url", Way::Link),
    (Provider::MinimaxV1, "MiniMax-Hailuo-2.3", "first_frame", "/first_frame_image", Way::Link),
    (Provider::KlingV1, "image2video/kling-v2-1", "first_frame", "/image", Way::Link),
    (
        Provider::Veo,
        "veo-3.1-generate-preview",
        "first_frame",
        "/instances/0/image/bytesBase64Encoded",
        Way::Base64,
    ),
    (Provider::Kling, "image-to-video/kling-3.0", "first_frame", "/contents/1/url", Way::Link),
];

async fn rig(provider: Provider, model: &str, media: &Value) -> Rig {
    let mut rig = Rig::of(provider, model).await;
    rig.spec.input.media = serde_json::from_value(media.clone()).unwrap();
    rig.script(&json!({"queue_ms": 0, "run_ms": 0}), None);
    rig
}

async fn got(url: &str) -> Vec<u8> {
    let tls = net::tls(None).unwrap();
    let client = net::free_client(&tls, std::time::Duration::from_secs(5)).unwrap();
    client.get(url).send().await.unwrap().bytes().await.unwrap().to_vec()
}

/// A rig whose job begins with an upload of its client's.
async fn with_upload(provider: Provider, model: &str, role: &str) -> Rig {
    let input = InputId::new(uuid::Uuid::now_v7());
    let rig = rig(provider, model, &json!([{"role": role, "input": input}])).await;
    let object = Object::upload(&rig.client.to_string(), "image/png", PNG);
    rig.bucket.put(key(rig.client, input), object);
    rig
}

async fn from_url(url: &str) -> Rig {
    rig(Provider::Fal, "fal-ai/veo3.1/image-to-video", &json!([{"role": "first_frame", "url": url}])).await
}

/// Ends with `expected`, and nobody was asked for anything that costs.
async fn ends_unpaid(rig: &Rig, expected: &str) {
    let report = rig.run().await;
    assert_eq!(code(&report), expected, "{report:?}");
    assert_eq!((rig.calls().len(), rig.states().len()), (0, 0), "{report:?}");
}

#[tokio::test]
async fn each_provider_is_given_a_picture_as_it_wants_it() {
    for (provider, model, role, pointer, way) in CASES {
        let rig = with_upload(*provider, model, role).await;
        let report = rig.run().await;
        assert_eq!(code(&report), "succeeded", "{provider}: {report:?}");
        let calls = rig.calls();
        assert_eq!(calls.len(), 1, "{provider}");
        let given = calls[0]["body"].pointer(pointer).and_then(Value::as_str);
        let given = given.unwrap_or_else(|| panic!("{provider}: {}", calls[0]["body"]));
        let bytes = match way {
            Way::Link => {
                assert!(given.starts_with(&rig.bucket.url), "{provider}: {given}");
                got(given).await
            }
            Way::DataUri => {
                let data = given.strip_prefix("data:image/png;base64,");
                STANDARD.decode(data.unwrap_or_else(|| panic!("{provider}: {given}"))).unwrap()
            }
            Way::Base64 => STANDARD.decode(given).unwrap(),
        };
        assert_eq!(bytes, PNG, "{provider}");
        // The journal has its name, neither its bytes nor what opens it.
        let asked = rig.journal.with(|job| json!(job.requests).to_string());
        assert!(asked.contains(&format!("input:{}", input_of(&rig))), "{provider}: {asked}");
        assert!(!asked.contains("X-Amz-Signature") && !asked.contains("base64"), "{provider}: {asked}");
        rig.audit();
    }
}

fn input_of(rig: &Rig) -> String {
    rig.spec.input.media[0].origin.to_string().replace("input:", "")
}

#[tokio::test]
async fn a_file_too_large_for_the_request_is_uploaded_to_the_provider_once() {
    let mut rig = with_upload(Provider::Runway, "gen4.5", "first_frame").await;
    rig.spec.chain[0].attempts = 3;
    let bytes: &'static [u8] = Box::leak([PNG, &vec![b'.'; 4_000_000]].concat().into_boxed_slice());
    let object_key = key(rig.client, input_of(&rig).parse().unwrap());
    rig.bucket.put(object_key, Object::upload(&rig.client.to_string(), "image/png", bytes));
    rig.simulator.reset();
    rig.script(&json!({"queue_ms": 0, "run_ms": 0}), None);
    rig.script(&json!({"http_status": 503, "error_body": {"error": "busy"}}), Some(1));
    let report = rig.run().await;
    assert_eq!(code(&report), "succeeded", "{report:?}");
    let calls = rig.calls();
    let named: Vec<&str> =
        calls.iter().map(|call| call["body"]["promptImage"][0]["uri"].as_str().unwrap()).collect();
    assert_eq!(named.len(), 2);
    assert_eq!(named[0], named[1], "it is sent once");
    assert_eq!(rig.simulator.upload(named[0]).unwrap(), bytes);
    assert_eq!(rig.accepted(), 1);
    rig.audit();
}

#[tokio::test]
async fn an_earlier_output_and_a_callers_url_are_inputs_too() {
    let earlier = uuid::Uuid::now_v7();
    let media = json!([{"role": "first_frame", "generation": earlier, "output": 1}]);
    let rig = rig(Provider::Fal, "fal-ai/veo3.1/image-to-video", &media).await;
    ends_unpaid(&rig, "INPUT_INVALID").await;
    let mut object = Object::of(&earlier.to_string(), "0198c0de-0000-7000-8000-000000000001", PNG);
    object.headers.insert("content-type".to_owned(), "image/png".to_owned());
    rig.bucket.put(domain::output::key(domain::JobId::new(earlier), 1), object);
    assert_eq!(code(&rig.run().await), "succeeded");

    let server = Server::start(Router::new().fallback(async || ([("content-type", "image/png")], PNG))).await;
    let url = format!("{}/a.png", server.url);
    let rig = from_url(&url).await;
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!(rig.calls()[0]["body"]["image_url"], url, "the provider fetches it from where it is");
}

#[tokio::test]
async fn f24_an_input_that_cannot_be_used_is_never_paid_for() {
    async fn shop(uri: Uri) -> Response {
        match uri.path() {
            "/text" => ([("content-type", "text/html")], "<html>").into_response(),
            "/liar" => ([("content-type", "video/mp4")], PNG).into_response(),
            "/video" => ([("content-type", "video/webm")], &b"\x1a\x45\xdf\xa3more"[..]).into_response(),
            "/inward" => Redirect::temporary("https://169.254.169.254/latest/meta-data").into_response(),
            "/none" => StatusCode::NOT_FOUND.into_response(),
            "/broken" => StatusCode::BAD_GATEWAY.into_response(),
            _ => hang_up(),
        }
    }
    let server = Server::start(Router::new().fallback(shop)).await;
    for (path, expected) in [
        ("/text", "INPUT_INVALID"),
        ("/liar", "INPUT_INVALID"),
        // No model of the chain takes a video to begin with.
        ("/video", "INPUT_INVALID"),
        ("/none", "INPUT_INVALID"),
        ("/inward", "INPUT_INVALID"),
        ("/broken", "INPUT_UNREACHABLE"),
        ("/reset", "INPUT_UNREACHABLE"),
    ] {
        let rig = from_url(&format!("{}{path}", server.url)).await;
        ends_unpaid(&rig, expected).await;
    }
    for url in
        ["https://10.0.0.1/a.png", "https://user:pass@example.com/a.png", "https://[::ffff:10.0.0.1]/a"]
    {
        ends_unpaid(&from_url(url).await, "INPUT_INVALID").await;
    }
}

#[tokio::test]
async fn a_foreign_or_missing_upload_is_no_input() {
    let rig = with_upload(Provider::Fal, "fal-ai/veo3.1/image-to-video", "first_frame").await;
    let object_key = key(rig.client, input_of(&rig).parse().unwrap());
    rig.bucket
        .put(object_key.clone(), Object::upload("0198c0de-0000-7000-8000-000000000001", "image/png", PNG));
    ends_unpaid(&rig, "INPUT_INVALID").await;
    rig.bucket.with(|shelf| shelf.objects.remove(&object_key));
    ends_unpaid(&rig, "INPUT_INVALID").await;
}

#[tokio::test]
async fn a_server_that_fails_at_first_is_asked_again() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let flaky = move || {
        let times = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            if times < 2 {
                return StatusCode::SERVICE_UNAVAILABLE.into_response();
            }
            ([("content-type", "image/png")], PNG).into_response()
        }
    };
    let server = Server::start(Router::new().fallback(flaky)).await;
    let rig = from_url(&format!("{}/a.png", server.url)).await;
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((asked.load(Ordering::SeqCst), rig.accepted()), (3, 1));
}

#[tokio::test]
async fn b2_a_process_that_dies_while_it_prepares_has_paid_nothing_and_the_next_goes_on() {
    let rig = with_upload(Provider::Bfl, "flux-pro-1.1", "reference").await;
    rig.gates.close("bucket.get");
    let process = rig.begin();
    rig.gates.reached("bucket.get").await;
    kill(process).await;
    rig.gates.open("bucket.get");
    assert_eq!((rig.calls().len(), rig.states().len()), (0, 0));
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!(rig.accepted(), 1);
    rig.audit();
}

#[tokio::test]
async fn a_bucket_that_is_away_interrupts_the_job_and_ends_nothing() {
    let rig = with_upload(Provider::Bfl, "flux-pro-1.1", "reference").await;
    rig.bucket.with(|shelf| shelf.unreadable = true);
    let report = rig.run().await;
    assert!(is_interrupted(&report) && code(&report) == "STORAGE_FAILED", "{report:?}");
    assert_eq!((rig.calls().len(), rig.states().len()), (0, 0));
    rig.bucket.with(|shelf| shelf.unreadable = false);
    assert_eq!(code(&rig.run().await), "succeeded");
}

#[tokio::test]
async fn a24_a_cancel_while_it_prepares_ends_it_unpaid() {
    let rig = with_upload(Provider::Bfl, "flux-pro-1.1", "reference").await;
    rig.gates.close("bucket.get");
    let executions = rig.executions();
    executions.submit(rig.submit());
    rig.gates.reached("bucket.get").await;
    executions.cancel(rig.job);
    let ended = executions.watch(rig.job).unwrap().ended_within(std::time::Duration::from_secs(20)).await;
    assert!(matches!(ended, Answer::Ended { report: Report::Cancelled }), "{ended:?}");
    rig.gates.open("bucket.get");
    assert_eq!((rig.calls().len(), rig.states().len()), (0, 0));
}

#[tokio::test]
async fn b3_a_lost_call_with_a_picture_is_found_by_what_was_sent() {
    let rig = with_upload(Provider::Replicate, "google/veo-3-fast", "first_frame").await;
    rig.simulator.reset();
    rig.script(&json!({"queue_ms": 0, "run_ms": 0, "drop_response_after_accept": true}), None);
    let report = execute(&rig.parts(), &Order::detached(rig.submit())).await;
    assert_eq!(code(&report), "succeeded", "{report:?}");
    assert_eq!((rig.accepted(), rig.states().len()), (1, 1));
}
