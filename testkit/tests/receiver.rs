//! The receiver over real sockets: what it keeps, and every way in which it misbehaves.

use std::error::Error;
use std::io::ErrorKind;
use std::process::Stdio;
use std::time::{Duration, Instant};

use http::{HeaderName, Method};
use serde_json::{Value, json};
use testkit::client::{Answer, Outgoing};
use testkit::receiver::{self, Receiver};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::Command;

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// How long anything may take that takes a moment.
const LIMIT: Duration = Duration::from_secs(20);

/// A receiver whose hooks all behave like this.
async fn behaving(behaviour: Value) -> Outcome<Receiver> {
    let receiver = receiver::start(0).await?;
    let answer = control(&receiver, "script", &json!({"behaviour": behaviour})).await?;
    assert_eq!(answer.status, 204, "{}", answer.json());
    Ok(receiver)
}

async fn control(receiver: &Receiver, path: &str, body: &Value) -> Outcome<Answer> {
    Ok(Outgoing::post_json(format!("{}/_receiver/{path}", receiver.url()), body).send().await?)
}

async fn deliveries(receiver: &Receiver, query: &str) -> Outcome<Vec<Value>> {
    let url = format!("{}/_receiver/deliveries{query}", receiver.url());
    let answer = Outgoing::get(url).send().await?.json();
    let list = answer.get("deliveries").and_then(Value::as_array);
    Ok(list.ok_or("no list")?.clone())
}

/// Waits until the receiver's deliveries satisfy `wanted`.
async fn until(receiver: &Receiver, wanted: impl Fn(&[Value]) -> bool) -> Outcome<Vec<Value>> {
    let looking = async {
        loop {
            let list = deliveries(receiver, "").await?;
            if wanted(&list) {
                return Ok(list);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LIMIT, looking).await?
}

/// A delivery of the event `id` to the hook `/hooks/x`.
fn event(receiver: &Receiver, id: &str) -> Outgoing {
    let request = Outgoing::post_json(receiver.hook("x"), &json!({"type": "generation.succeeded"}));
    request.header(HeaderName::from_static("webhook-id"), id)
}

/// Sends bytes as they are, and leaves the connection open.
async fn send(receiver: &Receiver, bytes: &[u8]) -> Outcome<TcpStream> {
    let mut stream = TcpStream::connect(receiver.url().trim_start_matches("http://")).await?;
    stream.write_all(bytes).await?;
    Ok(stream)
}

/// Everything that comes, and how it ended: in order, or broken.
async fn drain(stream: &mut TcpStream) -> Outcome<(Vec<u8>, Option<ErrorKind>)> {
    let mut bytes = Vec::new();
    let ended = tokio::time::timeout(LIMIT, stream.read_to_end(&mut bytes)).await?;
    Ok((bytes, ended.err().map(|error| error.kind())))
}

const PLAIN: &[u8] = b"POST /hooks/x HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\nhi";

#[tokio::test]
async fn a_delivery_is_kept_as_it_came() -> Outcome {
    let receiver = receiver::start(0).await?;
    let head = "PUT /hooks/a%20b?c=d HTTP/1.1\r\nHost: a\r\nZebra: 1\r\nWebhook-Id: msg_1\r\nApple: 2\r\n\
                Connection: close\r\nContent-Length: 4\r\n\r\n";
    let before = chrono::Utc::now();
    let mut stream = send(&receiver, &[head.as_bytes(), b"\xffok\0"].concat()).await?;
    let (answer, broken) = drain(&mut stream).await?;
    assert_eq!(broken, None);
    assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"));
    assert!(answer.ends_with(b"\r\n\r\n"), "an empty body");

    let list = deliveries(&receiver, "?name=a%20b").await?;
    let [delivery] = list.as_slice() else { return Err(format!("not one: {list:?}").into()) };
    assert_eq!(
        (&delivery["name"], &delivery["method"], &delivery["path"], &delivery["webhook_id"]),
        (&json!("a b"), &json!("PUT"), &json!("/hooks/a%20b?c=d"), &json!("msg_1"))
    );
    assert_eq!(
        delivery["headers"],
        json!([
            ["host", "a"],
            ["zebra", "1"],
            ["webhook-id", "msg_1"],
            ["apple", "2"],
            ["connection", "close"],
            ["content-length", "4"]
        ])
    );
    assert_eq!((&delivery["body"], &delivery["body_base64"]), (&json!("\u{fffd}ok\0"), &json!("/29rAA==")));
    assert_eq!((&delivery["answered"], &delivery["in_flight"]), (&json!({"status": 200}), &json!(1)));
    let at: chrono::DateTime<chrono::Utc> = delivery["at"].as_str().ok_or("no time")?.parse()?;
    // It is told to the millisecond.
    assert!(at >= before - Duration::from_millis(1) && at <= chrono::Utc::now());
    Ok(())
}

#[tokio::test]
async fn deliveries_are_told_by_their_hook_and_forgotten_on_demand() -> Outcome {
    let receiver = behaving(json!({"statuses": [503]})).await?;
    for hook in ["a", "b", "a"] {
        assert_eq!(Outgoing::post_json(receiver.hook(hook), &json!({})).send().await?.status, 503);
    }
    let names = |list: &[Value]| list.iter().map(|one| one["name"].clone()).collect::<Vec<_>>();
    assert_eq!(names(&deliveries(&receiver, "").await?), ["a", "b", "a"]);
    assert_eq!(names(&deliveries(&receiver, "?name=a").await?), ["a", "a"]);
    assert_eq!(deliveries(&receiver, "?name=c").await?.len(), 0);
    let health = Outgoing::get(format!("{}/_receiver/health", receiver.url())).send().await?;
    assert_eq!(health.json(), json!({"ok": true, "deliveries": 3}));
    let misspelt = Outgoing::get(format!("{}/_receiver/deliveries?nmae=a", receiver.url())).send().await?;
    assert_eq!(misspelt.status, 400);

    assert_eq!(control(&receiver, "reset", &json!({})).await?.status, 204);
    assert_eq!(deliveries(&receiver, "").await?.len(), 0);
    assert_eq!(Outgoing::post_json(receiver.hook("a"), &json!({})).send().await?.status, 200);
    Ok(())
}

#[tokio::test]
async fn statuses_come_in_turn() -> Outcome {
    let receiver = behaving(json!({"statuses": [500, 204, 429], "retry_after": "120"})).await?;
    let mut seen = Vec::new();
    for _ in 0..4 {
        let answer = event(&receiver, "msg_1").send().await?;
        seen.push((answer.status.as_u16(), answer.header("retry-after").to_owned()));
    }
    let expected = [(500, "120"), (204, ""), (429, "120"), (429, "120")];
    assert_eq!(seen, expected.map(|(status, after)| (status, after.to_owned())));
    let answered = deliveries(&receiver, "").await?;
    let answered: Vec<_> = answered.iter().map(|one| one["answered"]["status"].clone()).collect();
    assert_eq!(answered, [500, 204, 429, 429]);
    Ok(())
}

#[tokio::test]
async fn a_redirect_says_where_to() -> Outcome {
    let receiver = behaving(json!({"redirect_to": "http://127.0.0.1:1/"})).await?;
    let answer = event(&receiver, "msg_1").send().await?;
    assert_eq!((answer.status.as_u16(), answer.header("location")), (302, "http://127.0.0.1:1/"));
    let receiver = behaving(json!({"redirect_to": "/hooks/y", "statuses": [308]})).await?;
    let answer = event(&receiver, "msg_1").send().await?;
    assert_eq!((answer.status.as_u16(), answer.header("location")), (308, "/hooks/y"));
    Ok(())
}

#[tokio::test]
async fn a_delayed_answer_is_not_told_before_it_is_given() -> Outcome {
    let receiver = behaving(json!({"delay_ms": 300, "statuses": [201]})).await?;
    let begun = Instant::now();
    let sending = tokio::spawn(event(&receiver, "msg_1").send());
    let waiting = until(&receiver, |list| list.len() == 1).await?;
    // Looked at in time, as a rule; a slow machine may show the answer already.
    if begun.elapsed() < Duration::from_millis(300) {
        assert_eq!((&waiting[0]["answered"], &waiting[0]["over"]), (&Value::Null, &json!(false)));
    }
    assert_eq!(sending.await??.status, 201);
    assert!(begun.elapsed() >= Duration::from_millis(300));
    let over = until(&receiver, |list| list[0]["over"] == true).await?;
    assert_eq!(over[0]["answered"], json!({"status": 201}));
    Ok(())
}

#[tokio::test]
async fn a_sender_that_leaves_too_early_is_told() -> Outcome {
    let receiver = behaving(json!({"delay_ms": 600_000})).await?;
    let stream = send(&receiver, PLAIN).await?;
    until(&receiver, |list| list.len() == 1).await?;
    drop(stream);
    let list = until(&receiver, |list| list[0]["over"] == true).await?;
    assert_eq!(list[0]["answered"], "sender_left");

    // One that leaves in the middle of its body has delivered nothing.
    let partial = PLAIN.get(..PLAIN.len() - 1).ok_or("too short")?;
    let mut stream = send(&receiver, partial).await?;
    stream.shutdown().await?;
    drain(&mut stream).await?;
    assert_eq!(deliveries(&receiver, "").await?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_hanging_hook_answers_nothing_for_as_long_as_the_sender_waits() -> Outcome {
    let receiver = behaving(json!({"hang": true})).await?;
    let mut stream = send(&receiver, PLAIN).await?;
    let list = until(&receiver, |list| list.iter().any(|one| one["answered"] == "hang")).await?;
    assert_eq!(list[0]["over"], false);
    let silent = tokio::time::timeout(Duration::from_millis(100), stream.read_u8()).await;
    assert!(silent.is_err(), "neither an answer nor an end: {silent:?}");
    drop(stream);
    until(&receiver, |list| list[0]["over"] == true).await?;
    Ok(())
}

#[tokio::test]
async fn a_reset_comes_instead_of_the_answer() -> Outcome {
    let receiver = behaving(json!({"reset": true})).await?;
    let (answer, broken) = drain(&mut send(&receiver, PLAIN).await?).await?;
    assert_eq!((answer.len(), broken), (0, Some(ErrorKind::ConnectionReset)));
    let list = until(&receiver, |list| list[0]["over"] == true).await?;
    assert_eq!((&list[0]["answered"], &list[0]["body"]), (&json!("reset"), &json!("hi")));
    Ok(())
}

#[tokio::test]
async fn a_reset_comes_in_the_middle_of_the_answer() -> Outcome {
    for (behaviour, half) in [
        (json!({"reset_mid_response": true}), 512),
        (json!({"reset_mid_response": true, "body_bytes": 100_001}), 50_000),
        (json!({"reset_mid_response": true, "body_bytes": 1}), 0),
        (json!({"reset_mid_response": true, "body_bytes": 40, "slow_body_bytes_per_s": 200}), 20),
    ] {
        let receiver = behaving(behaviour).await?;
        let (answer, broken) = drain(&mut send(&receiver, PLAIN).await?).await?;
        assert_eq!(broken, Some(ErrorKind::ConnectionReset));
        assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"));
        let head = answer.windows(4).position(|four| four == b"\r\n\r\n").ok_or("no head")?;
        assert_eq!(answer.len() - head - 4, half);
        let list = until(&receiver, |list| list[0]["over"] == true).await?;
        assert_eq!(list[0]["answered"], "reset");
    }
    // There is no middle of a body that is not there.
    let receiver = behaving(json!({"reset_mid_response": true, "statuses": [204]})).await?;
    let (answer, broken) = drain(&mut send(&receiver, PLAIN).await?).await?;
    assert_eq!((answer.len(), broken), (0, Some(ErrorKind::ConnectionReset)));
    Ok(())
}

#[tokio::test]
async fn a_body_has_the_length_and_the_pace_that_it_was_given() -> Outcome {
    let receiver = behaving(json!({"body_bytes": 300_000, "statuses": [500, 204]})).await?;
    let answer = event(&receiver, "msg_1").send().await?;
    assert_eq!(
        (answer.complete, answer.header("content-length"), answer.body.len()),
        (true, "300000", 300_000)
    );
    let answer = event(&receiver, "msg_1").send().await?;
    assert_eq!((answer.status.as_u16(), answer.body.len()), (204, 0), "a 204 has no body");

    for (bytes, pace) in [(4, 10), (2, 5), (60, 200)] {
        let receiver = behaving(json!({"body_bytes": bytes, "slow_body_bytes_per_s": pace})).await?;
        let begun = Instant::now();
        let answer = event(&receiver, "msg_1").send().await?;
        assert_eq!((answer.complete, answer.body.len()), (true, bytes));
        let least = Duration::from_millis(u64::try_from(bytes)? * 1000 / pace);
        assert!(begun.elapsed() >= least, "{bytes} bytes at {pace} in {:?}", begun.elapsed());
    }
    Ok(())
}

#[tokio::test]
async fn requests_in_flight_are_counted_by_their_webhook_id() -> Outcome {
    let receiver = behaving(json!({"hang": true})).await?;
    let mut open = Vec::new();
    for (count, id) in ["one", "one", "two", "one", "", ""].into_iter().enumerate() {
        let id = if id.is_empty() { String::new() } else { format!("webhook-id: {id}\r\n") };
        let request = format!("POST /hooks/x HTTP/1.1\r\nhost: a\r\n{id}content-length: 0\r\n\r\n");
        open.push(send(&receiver, request.as_bytes()).await?);
        until(&receiver, |list| list.len() == count + 1).await?;
    }
    let counts = |list: &[Value]| list.iter().map(|one| one["in_flight"].clone()).collect::<Vec<_>>();
    assert_eq!(counts(&deliveries(&receiver, "").await?), [1, 2, 1, 3, 1, 1]);
    assert_eq!(receiver.deliveries(None)["max_in_flight"], json!({"one": 3, "two": 1}));

    open.remove(1);
    until(&receiver, |list| list[1]["over"] == true).await?;
    receiver.script(serde_json::from_value(json!({"behaviour": {}}))?);
    event(&receiver, "one").send().await?;
    assert_eq!(deliveries(&receiver, "").await?[6]["in_flight"], 3);

    receiver.reset();
    event(&receiver, "one").send().await?;
    assert_eq!(deliveries(&receiver, "").await?[0]["in_flight"], 3, "two hang on all the same");
    Ok(())
}

#[tokio::test]
async fn an_answered_request_is_no_longer_in_flight() -> Outcome {
    for behaviour in [json!({}), json!({"body_bytes": 100_000}), json!({"slow_body_bytes_per_s": 100_000})] {
        let receiver = behaving(behaviour).await?;
        for _ in 0..20 {
            event(&receiver, "one").send().await?;
        }
        assert_eq!(receiver.deliveries(None)["max_in_flight"], json!({"one": 1}));
    }
    Ok(())
}

#[tokio::test]
async fn a_script_that_cannot_be_is_refused_with_the_reason() -> Outcome {
    let receiver = receiver::start(0).await?;
    for (script, reason) in [
        (json!({}), "missing field `behaviour`"),
        (json!({"behaviour": {"sttuses": [500]}}), "unknown field `sttuses`"),
        (json!({"behaviour": {"statuses": [99]}}), "99 is no status"),
        (json!({"behaviour": {"hang": true, "reset_mid_response": true}}), "only one of"),
    ] {
        let answer = control(&receiver, "script", &script).await?;
        assert_eq!(answer.status, 400);
        let error = answer.json()["error"].as_str().ok_or("no reason")?.to_owned();
        assert!(error.contains(reason), "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn a_stopped_receiver_is_gone() -> Outcome {
    let receiver = behaving(json!({"hang": true})).await?;
    let address = receiver.url().trim_start_matches("http://").to_owned();
    let mut hanging = send(&receiver, PLAIN).await?;
    until(&receiver, |list| list.len() == 1).await?;
    receiver.stop().await;
    let refused = TcpStream::connect(&address).await.err().map(|error| error.kind());
    assert_eq!(refused, Some(ErrorKind::ConnectionRefused));
    assert_eq!(drain(&mut hanging).await?.0, b"");
    let port = address.rsplit_once(':').ok_or("no port")?.1.parse()?;
    assert_eq!(receiver::start(port).await?.url(), format!("http://{address}"));
    Ok(())
}

#[tokio::test]
async fn the_command_announces_where_it_listens_and_ends_with_its_input() -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testkit"));
    command.args(["receiver", "--exit-with-stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.kill_on_drop(true).spawn()?;
    let mut output = BufReader::new(child.stdout.take().ok_or("no output")?);
    let mut line = String::new();
    tokio::time::timeout(LIMIT, output.read_line(&mut line)).await??;
    let ready: Value = serde_json::from_str(&line)?;
    assert_eq!(ready["ready"], "receiver");
    let url = ready["url"].as_str().ok_or("no URL")?;
    assert_eq!(Outgoing::new(Method::POST, format!("{url}/hooks/x")).send().await?.status, 200);
    let list = Outgoing::get(format!("{url}/_receiver/deliveries")).send().await?.json();
    assert_eq!(list["deliveries"][0]["name"], "x");

    drop(child.stdin.take());
    assert!(tokio::time::timeout(LIMIT, child.wait()).await??.success());
    let mut rest = String::new();
    output.read_to_string(&mut rest).await?;
    assert_eq!(rest, "", "one line is all");
    Ok(())
}
