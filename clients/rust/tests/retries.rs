//! What a call sends when its answers do not come, over real sockets.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use afc_client::{ChainStep, Client, Code, Error, GenerationRequest, Id, IdempotencyKey, Policy};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

type Seen = Arc<Mutex<Vec<String>>>;

/// A server that sends these texts, one a connection, and keeps what it was asked. An empty one is no answer.
async fn server(answers: Vec<String>) -> (Client, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let seen = Seen::default();
    let kept = Arc::clone(&seen);
    tokio::spawn(async move {
        for answer in answers {
            let (mut socket, _) = listener.accept().await.unwrap();
            let request = read(&mut socket).await;
            kept.lock().unwrap().push(request);
            socket.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let quick = Policy {
        total: Duration::from_secs(20),
        per_try: Duration::from_secs(5),
        first_wait: Duration::from_millis(2),
        longest_wait: Duration::from_millis(4),
    };
    (Client::builder(&base, "afc_key").policy(quick).build().unwrap(), seen)
}

/// A whole request: head, and as much body as it announces.
async fn read(socket: &mut TcpStream) -> String {
    let (mut text, mut piece) = (String::new(), [0; 4096]);
    loop {
        let length = socket.read(&mut piece).await.unwrap();
        text.push_str(std::str::from_utf8(&piece[..length]).unwrap());
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let announced = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= announced.map_or(0, |length| length.parse().unwrap()) {
            return text;
        }
    }
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}")
}

fn problem(status: u16, code: &str, headers: &str) -> String {
    let body = format!(
        r#"{{"type":"/errors/{code}","title":"T","status":{status},"code":"{code}","detail":"D","request_id":"r-1"}}"#
    );
    answer(&format!("{status} X"), headers, &body)
}

fn generation() -> String {
    let body = r#"{"id":"0198c0de-0000-7000-8000-000000000001","object":"generation","status":"queued","waiting":null,
        "kind":"video","input":{"prompt":"p"},"chain":[],"policy":{},"outputs":[],"error":null,"callback_url":null,
        "cost":{"priced":"0.000000","unpriced":0,"unknown":0,"reserved":"0.000000"},"metadata":{},"project":null,
        "created_at":"2026-12-01T10:00:00Z","started_at":null,"finished_at":null,
        "deadline_at":"2026-12-01T11:00:00Z","a_member_of_tomorrow":1}"#;
    answer("202 Accepted", "idempotent-replayed: true\r\n", body)
}

fn wish() -> GenerationRequest {
    GenerationRequest::video("p", [ChainStep::new("fal", "fal-ai/veo3.1")])
}

#[tokio::test]
async fn every_try_has_the_key_and_the_body_of_the_first() {
    let cut = generation().replace("HTTP/1.1 202", "HTTP/1.1 201").split_at(250).0.to_owned();
    let refusals = [503, 504].map(|status| problem(status, "DATABASE_UNAVAILABLE", "retry-after: 0\r\n"));
    let gateway = answer("502 Bad Gateway", "", "<html>");
    let [first, second] = refusals;
    let (afc, seen) = server(vec![String::new(), cut, first, second, gateway, generation()]).await;
    let made = afc.create_generation(&wish(), &IdempotencyKey::random()).await.unwrap();
    assert!(made.replayed);
    let seen = seen.lock().unwrap().clone();
    assert_eq!(seen.len(), 6);
    assert!(seen[0].contains("\r\nidempotency-key: ") && seen[0].ends_with('}'), "{}", seen[0]);
    assert!(seen.iter().all(|request| *request == seen[0]), "{seen:?}");
}

#[tokio::test]
async fn other_refusals_are_told_at_once_with_their_code_and_request() {
    for (status, code, known) in [
        (409, "IDEMPOTENCY_CONFLICT", Code::IdempotencyConflict),
        (402, "BUDGET_EXCEEDED", Code::BudgetExceeded),
        (422, "INPUT_INVALID", Code::InputInvalid),
        (400, "INVALID_REQUEST", Code::InvalidRequest),
        (500, "INTERNAL", Code::Internal),
        (418, "A_CODE_OF_TOMORROW", Code::Other("A_CODE_OF_TOMORROW".to_owned())),
    ] {
        let (afc, seen) = server(vec![problem(status, code, ""), generation()]).await;
        let error = afc.create_generation(&wish(), &IdempotencyKey::new("k").unwrap()).await.unwrap_err();
        assert_eq!(error.code(), Some(&known));
        let problem = error.problem().unwrap();
        assert_eq!((problem.status, problem.request_id.as_deref()), (status, Some("r-1")));
        assert_eq!(seen.lock().unwrap().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_retry_after_that_does_not_fit_is_told_and_not_waited_for() {
    let (afc, seen) = server(vec![problem(429, "RATE_LIMITED", "retry-after: 60\r\n")]).await;
    let begun = Instant::now();
    let error = afc.create_generation(&wish(), &IdempotencyKey::random()).await.unwrap_err();
    assert_eq!(error.problem().unwrap().retry_after, Some(Duration::from_mins(1)));
    assert!(begun.elapsed() < Duration::from_secs(20) && seen.lock().unwrap().len() == 1);
}

#[tokio::test]
async fn a_call_that_makes_something_new_each_time_is_not_repeated_blindly() {
    let id = Id::new("0198c0de-0000-7000-8000-000000000001".parse().unwrap());
    let (afc, seen) = server(vec![String::new(), String::new()]).await;
    let error = afc.rotate_secret(id, 60).await.unwrap_err();
    assert!(matches!(error, Error::Unanswered { tries: 1, .. }), "{error}");
    assert_eq!(seen.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn what_a_lost_try_deleted_is_deleted() {
    let id = "0198c0de-0000-7000-8000-000000000001".parse().unwrap();
    let (afc, _) = server(vec![String::new(), problem(404, "NOT_FOUND", "")]).await;
    afc.delete_input(id).await.unwrap();
    let (afc, _) = server(vec![problem(404, "NOT_FOUND", "")]).await;
    assert_eq!(afc.delete_input(id).await.unwrap_err().code(), Some(&Code::NotFound));
}

#[tokio::test]
async fn a_download_goes_on_where_it_stopped() {
    let broken =
        "HTTP/1.1 200 OK\r\nconnection: close\r\netag: \"e\"\r\ncontent-length: 10\r\n\r\n0123".to_owned();
    let rest = answer("206 Partial Content", "etag: \"e\"\r\ncontent-range: bytes 4-9/10\r\n", "456789");
    let (afc, seen) = server(vec![broken, rest]).await;
    let mut file = Vec::new();
    let id = "0198c0de-0000-7000-8000-000000000001".parse().unwrap();
    assert_eq!((afc.download(id, 0, &mut file).await.unwrap(), file.as_slice()), (10, &b"0123456789"[..]));
    let seen = seen.lock().unwrap().clone();
    assert!(
        seen[1].contains("range: bytes=4-\r\n") && seen[1].contains("if-range: \"e\"\r\n"),
        "{}",
        seen[1]
    );
}

#[tokio::test]
async fn nobody_there_is_unanswered_when_the_time_is_up() {
    let quick = Policy { total: Duration::from_millis(300), ..Policy::default() };
    let afc = Client::builder("http://127.0.0.1:1", "afc_key").policy(quick).build().unwrap();
    let error = afc.create_generation(&wish(), &IdempotencyKey::random()).await.unwrap_err();
    assert!(matches!(error, Error::Unanswered { .. }), "{error}");
}

#[tokio::test]
async fn pages_follow_each_other_by_their_cursors() {
    let whole = generation();
    let body = whole.split_once("\r\n\r\n").unwrap().1;
    let page = |next: &str| {
        answer("200 OK", "", &format!(r#"{{"object":"list","data":[{body}],"next_cursor":{next}}}"#))
    };
    let (afc, seen) = server(vec![page("\"c 1\""), page("null")]).await;
    let filter = afc_client::GenerationFilter { project: Some("film 7".to_owned()), ..Default::default() };
    assert_eq!(afc.generations(&filter).all().await.unwrap().len(), 2);
    let seen = seen.lock().unwrap().clone();
    assert!(seen[0].starts_with("GET /v1/generations?project=film+7 "), "{}", seen[0]);
    assert!(seen[1].starts_with("GET /v1/generations?project=film+7&cursor=c+1 "), "{}", seen[1]);
}

#[test]
fn the_client_key_is_not_printed() {
    let builder = Client::builder("https://afc.example.com", "afc_secret");
    assert!(!format!("{builder:?} {:?}", builder.clone().build().unwrap()).contains("afc_secret"));
}
