//! What scripts make the simulator do wrong.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use http::header::{AUTHORIZATION, IF_RANGE, RANGE};
use serde_json::{Value, json};
use testkit::client::{Error, Outgoing};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::fal::{Fal, MODEL, Outcome};
use crate::hooks::Hooks;

/// The call that was entered as number `index`.
fn call(fal: &Fal, index: usize) -> Value {
    fal.ledger().pointer(&format!("/calls/{index}")).cloned().unwrap_or_default()
}

#[tokio::test]
async fn a_refused_submit_is_not_accepted_and_a_script_is_used_as_often_as_it_says() -> Outcome {
    let refusal = json!({"http_status": 429, "error_body": {"detail": "slow down"}, "error_headers": {"retry-after": "7"}});
    let gateway = json!({"http_status": 502, "error_body": "<html>Bad gateway</html>"});
    let fal = Fal::start(&[
        json!({"match": {"model": MODEL}, "times": 1, "behaviour": gateway}),
        json!({"match": {"provider": "fal"}, "times": 1, "behaviour": refusal}),
    ])
    .await?;
    let send = || fal.submission(MODEL, "", &json!({"prompt": "x"})).send();
    let answer = send().await?;
    assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (429, "7"));
    assert_eq!(answer.json(), json!({"detail": "slow down"}));
    let answer = send().await?;
    assert_eq!((answer.status.as_u16(), &answer.body[..]), (502, &b"<html>Bad gateway</html>"[..]));
    assert_eq!(send().await?.status, 200);
    let ledger = fal.ledger();
    assert_eq!(ledger["accepted"], 1);
    assert_eq!([0, 1, 2].map(|index| ledger["calls"][index]["answered"].clone()), [429, 502, 200]);
    assert_eq!(
        (&ledger["calls"][0]["state"], &ledger["calls"][0]["charged"]),
        (&json!("rejected"), &Value::Null)
    );
    Ok(())
}

#[tokio::test]
async fn an_error_may_hide_an_acceptance() -> Outcome {
    let fal = Fal::behaving(json!({"http_status": 504, "accept_anyway": true, "charge": "0.70"})).await?;
    assert_eq!(fal.submission(MODEL, "", &json!({"prompt": "x"})).send().await?.status, 504);
    let ledger = fal.ledger_when(|ledger| ledger["charged"] == "0.700000").await;
    assert_eq!((&ledger["accepted"], &ledger["calls"][0]["answered"]), (&json!(1), &json!(504)));
    Ok(())
}

/// Sends a submit over a bare socket, and says how the connection ended.
async fn submit_and_read(fal: &Fal) -> Outcome<Result<usize, std::io::ErrorKind>> {
    let address = fal.simulator.url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).await?;
    let head = format!(
        "POST /fal/{MODEL} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Key k\r\nContent-Length: 14\r\n\r\n"
    );
    stream.write_all(format!("{head}{{\"prompt\":\"x\"}}").as_bytes()).await?;
    let mut answer = Vec::new();
    Ok(stream.read_to_end(&mut answer).await.map_err(|error| error.kind()))
}

#[tokio::test]
async fn an_answer_is_lost_by_a_real_reset() -> Outcome {
    let fal = Fal::behaving(json!({"drop_response_after_accept": true})).await?;
    assert_eq!(submit_and_read(&fal).await?, Err(std::io::ErrorKind::ConnectionReset));
    let ledger = fal.ledger_when(|ledger| ledger["charged"] == "0.400000").await;
    assert_eq!((&ledger["accepted"], &ledger["calls"][0]["answered"]), (&json!(1), &Value::Null));
    Ok(())
}

#[tokio::test]
async fn a_reset_before_the_acceptance_costs_nothing() -> Outcome {
    let fal = Fal::behaving(json!({"drop_before_accept": true})).await?;
    assert_eq!(submit_and_read(&fal).await?, Err(std::io::ErrorKind::ConnectionReset));
    let ledger = fal.ledger();
    assert_eq!((&ledger["accepted"], &ledger["calls"][0]["state"]), (&json!(0), &json!("rejected")));
    Ok(())
}

#[tokio::test]
async fn a_late_answer_comes_after_the_acceptance() -> Outcome {
    let fal = Fal::behaving(json!({"submit_delay_ms": 60_000})).await?;
    let mut hasty = fal.submission(MODEL, "", &json!({"prompt": "x"}));
    hasty.limit = Duration::from_millis(150);
    assert!(matches!(hasty.send().await, Err(Error::Timeout(_))));
    assert_eq!(fal.ledger()["accepted"], 1, "although its sender gave up");
    Ok(())
}

#[tokio::test]
async fn one_submit_may_make_two_jobs() -> Outcome {
    let fal = Fal::behaving(json!({"accept_twice": true, "charge": "0.25"})).await?;
    let hooks = Hooks::start().await?;
    let query = format!("?fal_webhook={}", hooks.url("good"));
    let job = fal.submission(MODEL, &query, &json!({"prompt": "x"})).send().await?.json();
    let done = |ledger: &Value| (0..2).all(|index| ledger["calls"][index]["callbacks"][0]["status"] == 200);
    let ledger = fal.ledger_when(done).await;
    assert_eq!((&ledger["accepted"], &ledger["charged"]), (&json!(2), &json!("0.500000")));
    assert_eq!(ledger["calls"][0]["request_id"], job["request_id"]);
    assert_eq!(ledger["calls"][1]["duplicate_of"], ledger["calls"][0]["id"]);
    assert_ne!(ledger["calls"][1]["request_id"], job["request_id"]);
    assert_eq!(hooks.deliveries("good").len(), 2, "both call back");
    Ok(())
}

#[tokio::test]
async fn a_job_may_never_end_or_say_a_word_nobody_knows() -> Outcome {
    let fal = Fal::start(&[
        json!({"match": {"prompt_contains": "endless"}, "behaviour": {"queue_ms": 0, "never_finish": true}}),
        json!({"match": {"prompt_contains": "strange"}, "behaviour": {"queue_ms": 0, "run_ms": 100, "unknown_status": "REASONING"}}),
    ])
    .await?;
    let endless = fal.submit("endless").await?;
    let strange = fal.submit("strange").await?;
    assert_eq!(fal.ask(&endless, Method::GET, "status_url").await?.json()["status"], "IN_PROGRESS");
    let told = fal.ask(&strange, Method::GET, "status_url").await?;
    assert_eq!((told.status.as_u16(), &told.json()["status"]), (202, &json!("REASONING")));
    assert_eq!(fal.wait(&strange).await?.status, 200, "it ends all the same");
    assert_eq!(call(&fal, 0)["state"], "running");
    assert_eq!(call(&fal, 0)["charged"], Value::Null);
    Ok(())
}

#[tokio::test]
async fn polls_and_results_fail_as_often_as_scripted() -> Outcome {
    let fal = Fal::behaving(json!({
        "queue_ms": 0, "run_ms": 0, "poll_http_status": 503, "poll_errors": 2, "result_http_status": 500, "result_errors": 1,
    }))
    .await?;
    let job = fal.submit("x").await?;
    let mut statuses = Vec::new();
    for url in ["status_url", "status_url", "status_url", "response_url", "response_url"] {
        statuses.push(fal.ask(&job, Method::GET, url).await?.status.as_u16());
    }
    assert_eq!(statuses, [503, 503, 200, 500, 200]);
    let seen = call(&fal, 0);
    assert_eq!((&seen["polls"], &seen["results"]), (&json!(3), &json!(2)));
    Ok(())
}

#[tokio::test]
async fn an_output_expires_and_comes_back() -> Outcome {
    let fal = Fal::behaving(json!({"result_expired_times": 2})).await?;
    let url = fal.output("x").await?;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(Outgoing::get(url.clone()).send().await?.status.as_u16());
    }
    assert_eq!(statuses, [410, 410, 200]);
    assert_eq!(call(&fal, 0)["fetches"], 3);

    let fal = Fal::behaving(json!({"fetch_http_status": 500, "fetch_errors": 1})).await?;
    let url = fal.output("x").await?;
    assert_eq!(Outgoing::get(url.clone()).send().await?.status, 500);
    assert_eq!(Outgoing::get(url).send().await?.status, 200);
    Ok(())
}

#[tokio::test]
async fn an_output_url_lives_so_long_and_asking_again_gives_a_new_one() -> Outcome {
    let fal = Fal::behaving(json!({"url_ttl_ms": 100, "result_expired_status": 404})).await?;
    let job = fal.submit("x").await?;
    fal.wait(&job).await?;
    let url = || async {
        let result = fal.ask(&job, Method::GET, "response_url").await?.json();
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(
            result["video"]["url"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let first = url().await?;
    while Outgoing::get(first.clone()).send().await?.status == 200 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(Outgoing::get(first).send().await?.status, 404);
    assert_eq!(Outgoing::get(url().await?).send().await?.status, 200);
    Ok(())
}

#[tokio::test]
async fn a_body_comes_slowly_or_breaks_off_or_says_no_length() -> Outcome {
    let fal = Fal::start(&[
        json!({"match": {"prompt_contains": "slow"}, "behaviour": {"output_bytes": 3000, "slow_body_bytes_per_s": 10_000}}),
        json!({"match": {"prompt_contains": "short"}, "behaviour": {"truncate_body_at": 1000, "truncate_times": 1}}),
        json!({"match": {"prompt_contains": "nothing"}, "behaviour": {"truncate_body_at": 0}}),
        json!({"match": {"prompt_contains": "chunked"}, "behaviour": {"no_content_length": true, "output_bytes": 200_000}}),
        json!({"match": {"prompt_contains": "broken chunks"}, "behaviour": {"no_content_length": true, "truncate_body_at": 9}}),
    ])
    .await?;
    let url = fal.output("slow").await?;
    let began = Instant::now();
    let answer = Outgoing::get(url).send().await?;
    assert_eq!((answer.body.len(), answer.complete), (3000, true));
    assert!(
        began.elapsed() >= Duration::from_millis(290),
        "3000 bytes at 10000 a second: {:?}",
        began.elapsed()
    );

    let url = fal.output("short").await?;
    let answer = Outgoing::get(url.clone()).send().await?;
    assert_eq!((answer.status.as_u16(), answer.body.len(), answer.complete), (200, 1000, false));
    assert!(answer.header("content-length").parse::<usize>()? > 1000, "it had promised more");
    let answer = Outgoing::get(url).send().await?;
    assert!(answer.complete && answer.body.len() > 1000, "the second time it is whole");

    let url = fal.output("nothing").await?;
    assert!(matches!(Outgoing::get(url).send().await, Err(Error::NoAnswer(_))));

    let answer = Outgoing::get(fal.output("chunked").await?).send().await?;
    assert_eq!((answer.header("content-length"), answer.header("transfer-encoding")), ("", "chunked"));
    assert_eq!((answer.body.len(), answer.complete), (200_000, true));
    let answer = Outgoing::get(fal.output("broken chunks").await?).send().await?;
    assert_eq!((answer.body.len(), answer.complete), (9, false));
    Ok(())
}

#[tokio::test]
async fn outputs_are_as_many_and_as_large_as_scripted_also_inline() -> Outcome {
    let fal = Fal::start(&[
        json!({"match": {"prompt_contains": "many"}, "behaviour": {"outputs": 3}}),
        json!({"match": {"prompt_contains": "large"}, "behaviour": {"output_bytes": 5_000_000}}),
        json!({"match": {"prompt_contains": "inline"}, "behaviour": {"inline": true, "output_bytes": 2_000_000}}),
        json!({"match": {"prompt_contains": "picture"}, "behaviour": {"media": "image"}}),
    ])
    .await?;
    assert_eq!(fal.run("many").await?.json()["videos"].as_array().map(Vec::len), Some(3));
    let result = fal.run("large").await?.json();
    assert_eq!(result["video"]["file_size"], 5_000_000);
    let large = Outgoing::get(result["video"]["url"].as_str().ok_or("no URL")?).send().await?;
    assert_eq!(large.body.len(), 5_000_000);
    let inline = fal.output("inline").await?;
    let data = inline.strip_prefix("data:video/mp4;base64,").ok_or("not inline")?;
    let decoded = STANDARD.decode(data)?;
    assert_eq!(decoded.len(), 2_000_000);
    assert_eq!(decoded.get(..100_000), large.body.get(..100_000), "the same file, longer");
    assert!(fal.output("picture").await?.contains("/output-0.png"));
    Ok(())
}

#[tokio::test]
async fn outputs_are_served_in_ranges_and_credentials_shown_to_them_are_noted() -> Outcome {
    let fal = Fal::behaving(json!({"output_bytes": 1000})).await?;
    let url = fal.output("x").await?;
    let whole = Outgoing::get(url.clone()).send().await?;
    assert_eq!(whole.header("accept-ranges"), "bytes");

    let part = Outgoing::get(url.clone()).header(RANGE, "bytes=100-199").send().await?;
    assert_eq!((part.status.as_u16(), part.header("content-range")), (206, "bytes 100-199/1000"));
    assert_eq!(part.body, whole.body.slice(100..200));
    let beyond = Outgoing::get(url.clone()).header(RANGE, "bytes=1000-").send().await?;
    assert_eq!((beyond.status.as_u16(), beyond.header("content-range")), (416, "bytes */1000"));
    let tag = whole.header("etag").to_owned();
    let same = Outgoing::get(url.clone()).header(RANGE, "bytes=0-0").header(IF_RANGE, &tag).send().await?;
    assert_eq!(same.status, 206);
    let other =
        Outgoing::get(url.clone()).header(RANGE, "bytes=0-0").header(IF_RANGE, "\"other\"").send().await?;
    assert_eq!((other.status.as_u16(), other.body.len()), (200, 1000));

    let head = Outgoing::new(Method::HEAD, url.clone()).send().await?;
    assert_eq!((head.status.as_u16(), head.header("content-length"), head.body.len()), (200, "1000", 0));
    assert_eq!(call(&fal, 0)["fetches"], 5);
    assert_eq!(call(&fal, 0)["fetches_with_credentials"], 0);
    Outgoing::get(url.clone()).header(AUTHORIZATION, "Key leaked").send().await?;
    assert_eq!(call(&fal, 0)["fetches_with_credentials"], 1);
    assert_eq!(Outgoing::get(url.replace("/0/1/", "/7/1/")).send().await?.status, 404);
    Ok(())
}

#[tokio::test]
async fn what_ended_shows_in_listings_only_after_a_while() -> Outcome {
    let fal = Fal::behaving(json!({"lookup_lag_ms": 200})).await?;
    let job = fal.submit("x").await?;
    fal.wait(&job).await?;
    let listed = || async {
        let url = format!("{}/fal/v1/models/requests/by-endpoint?endpoint_id={MODEL}", fal.simulator.url());
        let answer = Outgoing::get(url).header(AUTHORIZATION, "Key k").send().await?.json();
        Ok::<_, Error>(answer["items"].as_array().map_or(0, Vec::len))
    };
    assert_eq!(listed().await?, 0);
    while listed().await? == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

#[tokio::test]
async fn a_public_url_is_in_every_answer() -> Outcome {
    let options =
        testkit::simulator::Options { port: 0, public_url: Some("http://simulator.test:81/".to_owned()) };
    let simulator = testkit::simulator::start(options).await?;
    let url = format!("{}/fal/{MODEL}", simulator.url());
    let answer =
        Outgoing::post_json(url, &json!({"prompt": "x"})).header(AUTHORIZATION, "Key k").send().await?;
    let status = answer.json()["status_url"].as_str().unwrap_or_default().to_owned();
    assert!(status.starts_with("http://simulator.test:81/fal/fal-ai/veo3.1/requests/"), "{status}");
    assert_eq!(simulator.provider_url("fal"), "http://simulator.test:81/fal");
    Ok(())
}
