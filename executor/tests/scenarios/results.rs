//! Fetching what was made, and results that are none.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::{Request, State as Shared};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use domain::attempt::{ErrorClass, State};
use domain::execution::Report;
use domain::output::key;
use serde_json::{Value, json};

use crate::support::serve::Server;
use crate::support::{MODEL, Rig, UNPRICED, code, is_interrupted, spec};

#[tokio::test]
async fn f16_a_body_without_a_length_is_stored() {
    let rig = Rig::scripted(&json!({"no_content_length": true, "output_bytes": 50_000})).await;
    let Report::Succeeded { outputs } = rig.run().await else { panic!("no success") };
    assert_eq!(outputs[0].bytes, 50_000);
}

#[tokio::test]
async fn f7_a_result_inside_the_answer_is_stored() {
    let mut rig = Rig::scripted(&json!({"inline": true, "output_bytes": 2_000_000})).await;
    rig.spec =
        spec(&json!([{"provider": "fal", "model": MODEL, "attempts": 1, "options": {"sync_mode": true}}]));
    let Report::Succeeded { outputs } = rig.run().await else { panic!("no success") };
    assert_eq!((outputs[0].bytes, outputs[0].content_type.as_str()), (2_000_000, "video/mp4"));
    assert_eq!(rig.accepted(), 1);
}

#[tokio::test]
async fn images_are_stored_as_what_they_are() {
    let rig = Rig::scripted(&json!({"media": "image"})).await;
    let Report::Succeeded { outputs } = rig.run().await else { panic!("no success") };
    assert_eq!(outputs[0].content_type, "image/png");
}

#[tokio::test]
async fn a_truncated_body_is_noticed_and_fetched_again() {
    let rig =
        Rig::scripted(&json!({"output_bytes": 50_000, "truncate_body_at": 1000, "truncate_times": 2})).await;
    let Report::Succeeded { outputs } = rig.run().await else { panic!("no success") };
    assert_eq!((outputs[0].bytes, rig.calls().len()), (50_000, 1));
}

#[tokio::test]
async fn b2_a_body_that_never_comes_whole_is_fetched_again_later_and_not_paid_again() {
    let rig =
        Rig::scripted(&json!({"output_bytes": 50_000, "truncate_body_at": 1000, "truncate_times": 7})).await;
    let report = rig.run().await;
    assert_eq!((is_interrupted(&report), code(&report)), (true, "PROVIDER_UNAVAILABLE"));
    assert_eq!(rig.states(), [State::Accepted]);
    assert!(rig.attempt().usage.is_some(), "settled before the fetch");
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!(rig.calls().len(), 1);
}

#[tokio::test]
async fn an_expired_url_is_asked_for_anew() {
    for status in [403, 404, 410] {
        let rig = Rig::scripted(&json!({"result_expired_times": 2, "result_expired_status": status})).await;
        assert_eq!(code(&rig.run().await), "succeeded", "{status}");
        assert_eq!((rig.states(), rig.calls().len()), (vec![State::Succeeded], 1));
    }
}

#[tokio::test]
async fn i3_an_odd_answer_on_the_way_to_a_paid_result_loses_nothing() {
    for status in [204, 302, 400, 401, 409, 429, 500, 503] {
        let rig =
            Rig::scripted(&json!({"result_http_status": status, "result_errors": 1, "units": "8"})).await;
        assert_eq!(code(&rig.run().await), "succeeded", "{status}");
        assert_eq!((rig.states(), rig.calls().len()), (vec![State::Succeeded], 1), "{status}");
        assert_eq!(rig.attempt().cost.unwrap().amount.to_string(), "3.200000", "{status}");
    }
}

#[tokio::test]
async fn a43_a_run_that_the_provider_called_done_is_never_written_off_as_free() {
    for status in [204, 400, 500] {
        let mut rig = Rig::scripted(&json!({"result_http_status": status, "result_errors": 1000})).await;
        rig.spec = spec(&json!([{"provider": "fal", "model": MODEL, "attempts": 1}]));
        assert!(matches!(rig.run().await, Report::Failed { .. }), "{status}");
        let row = rig.attempt();
        assert_eq!((row.state, row.cost), (State::Failed, None), "{status}: unpriced, not free");
    }
}

#[tokio::test]
async fn a_result_that_is_gone_for_good_fails_its_attempt_and_keeps_its_cost() {
    let mut rig = Rig::scripted(&json!({"result_expired_times": 1000, "units": "8"})).await;
    rig.spec = spec(&json!([{"provider": "fal", "model": MODEL, "attempts": 1}]));
    let report = rig.run().await;
    assert!(matches!(report, Report::Failed { .. }));
    assert_eq!(code(&report), "OUTPUT_INVALID");
    let row = rig.attempt();
    assert_eq!((row.state, row.cost.unwrap().amount.to_string().as_str()), (State::Failed, "3.200000"));
}

#[tokio::test]
async fn too_large_a_file_ends_the_job_and_is_not_tried_again() {
    for behaviour in [json!({"output_bytes": 5000}), json!({"output_bytes": 5000, "no_content_length": true})]
    {
        let mut rig = Rig::scripted(&behaviour).await;
        rig.output_limit = 4000;
        let report = rig.run().await;
        assert!(matches!(report, Report::Failed { .. }));
        assert_eq!((code(&report), rig.calls().len()), ("OUTPUT_INVALID", 1));
        assert_eq!(rig.states(), [State::Failed]);
    }
}

#[tokio::test]
async fn done_without_an_output_is_never_a_success() {
    let rig = Rig::scripted(&json!({"outcome": "empty"})).await;
    let report = rig.run().await;
    assert!(matches!(report, Report::Failed { .. }));
    // A refusal: one more try of the same model, then the end.
    assert_eq!((code(&report), rig.calls().len()), ("PROVIDER_REFUSED", 2));
    assert_eq!(rig.states(), [State::Failed, State::Failed]);
    assert!(rig.bucket.get(&key(rig.job, 0)).is_none());
}

#[tokio::test]
async fn a32_a_refusal_is_tried_once_more_and_does_not_move_along_the_chain() {
    let mut rig = Rig::scripted(&json!({"outcome": "refuse", "units": "8"})).await;
    rig.spec = spec(
        &json!([{"provider": "fal", "model": MODEL, "attempts": 3}, {"provider": "fal", "model": UNPRICED, "attempts": 1}]),
    );
    assert_eq!(code(&rig.run().await), "PROVIDER_REFUSED");
    let rows = rig.journal.attempts();
    assert_eq!(rows.len(), 2);
    for row in rows {
        let error = row.error.unwrap();
        assert_eq!(
            (error.class, error.code.as_deref()),
            (ErrorClass::Refusal, Some("content_policy_violation"))
        );
        assert!(error.message.contains("flagged by a content checker"));
    }
}

#[tokio::test]
async fn b7_a_run_that_fails_is_classified_by_what_its_result_says() {
    for (behaviour, class, free) in [
        (json!({"outcome": "fail"}), ErrorClass::Retryable, true),
        (
            json!({"outcome": "fail", "fail_status": 503, "fail_body": {"detail": "gone", "error_type": "runner_disconnected"}}),
            ErrorClass::Unavailable,
            true,
        ),
        (
            json!({"outcome": "fail", "fail_body": {"detail": [{"loc": ["body"], "msg": "no face", "type": "face_detection_error"}]}}),
            ErrorClass::InvalidInput,
            false,
        ),
    ] {
        let mut rig = Rig::scripted(&behaviour).await;
        rig.spec = spec(&json!([{"provider": "fal", "model": MODEL, "attempts": 1}]));
        assert!(matches!(rig.run().await, Report::Failed { .. }));
        let row = rig.attempt();
        assert_eq!((row.state, row.error.unwrap().class), (State::Failed, class), "{behaviour}");
        assert_eq!(row.cost.is_some(), free, "{behaviour}: a 5xx is never billed, a 422 may be");
    }
}

/// A provider whose submit, status and result are as given; whatever else is asked for is counted.
struct Odd {
    server: Server,
    strays: Arc<AtomicUsize>,
}

#[derive(Clone)]
struct Words {
    result: Value,
    media: (&'static str, &'static [u8]),
    named: Option<String>,
    strays: Arc<AtomicUsize>,
}

impl Odd {
    async fn start(result: Value, media: (&'static str, &'static [u8]), named: Option<String>) -> Self {
        let strays = Arc::new(AtomicUsize::new(0));
        let words = Words { result, media, named, strays: Arc::clone(&strays) };
        let server = Server::start(Router::new().fallback(odd).with_state(words)).await;
        Self { server, strays }
    }
}

async fn odd(Shared(words): Shared<Words>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let host = request.headers()["host"].to_str().unwrap().to_owned();
    let keyed = request.headers().contains_key("authorization");
    let result = words.result.to_string().replace("BASE", &format!("http://{host}"));
    match path.as_str() {
        "/media" if keyed => {
            words.strays.fetch_add(1, Ordering::SeqCst);
            "".into_response()
        }
        "/media" => ([("content-type", words.media.0)], words.media.1).into_response(),
        path if path.ends_with("/requests/r-1/status") => {
            Json(json!({"status": "COMPLETED"})).into_response()
        }
        path if path.ends_with("/requests/r-1") => {
            ([("content-type", "application/json")], result).into_response()
        }
        path if path.starts_with("/fal/") && request.method() == "POST" => {
            let named = words.named.map(|named| format!("{named}/stolen"));
            Json(json!({"request_id": "r-1", "status_url": named, "response_url": named})).into_response()
        }
        _ => {
            words.strays.fetch_add(1, Ordering::SeqCst);
            "".into_response()
        }
    }
}

async fn odd_rig(provider: &Odd) -> Rig {
    let mut rig = Rig::new().await;
    rig.spec = spec(&json!([{"provider": "fal", "model": MODEL, "attempts": 1}]));
    rig.provider_url = format!("{}/fal", provider.server.url);
    rig
}

#[tokio::test]
async fn what_is_no_media_is_not_stored() {
    let url = json!({"video": {"url": "BASE/media"}});
    for media in [
        ("text/html", &b"<!doctype html><title>Not found</title>"[..]),
        ("video/mp4", b"<!doctype html>"),
        ("text/html", b"\0\0\0\x18ftypmp42\0\0\0\0"),
        ("video/mp4", b""),
    ] {
        let provider = Odd::start(url.clone(), media, None).await;
        let rig = odd_rig(&provider).await;
        let report = rig.run().await;
        assert!(matches!(report, Report::Failed { .. }), "{media:?}");
        assert_eq!(code(&report), "OUTPUT_INVALID");
        assert!(rig.bucket.get(&key(rig.job, 0)).is_none());
    }
}

#[tokio::test]
async fn the_key_goes_to_the_allow_list_only() {
    let thief = Odd::start(json!({}), ("", b""), None).await;
    let media = ("video/mp4", &b"\0\0\0\x18ftypmp42\0\0\0\0"[..]);
    let provider =
        Odd::start(json!({"video": {"url": "BASE/media"}}), media, Some(thief.server.url.clone())).await;
    let rig = odd_rig(&provider).await;
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((thief.strays.load(Ordering::SeqCst), provider.strays.load(Ordering::SeqCst)), (0, 0));
}

#[tokio::test]
async fn f24_a_result_url_to_a_private_address_is_not_fetched() {
    for url in [
        "http://10.0.0.1/x.mp4",
        "https://192.168.1.1/x.mp4",
        "http://example.com/x.mp4",
        "file:///etc/passwd",
        "nonsense",
    ] {
        let provider = Odd::start(json!({"video": {"url": url}}), ("", b""), None).await;
        let rig = odd_rig(&provider).await;
        assert_eq!(code(&rig.run().await), "OUTPUT_INVALID", "{url}");
    }
}
