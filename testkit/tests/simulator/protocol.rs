//! fal's protocol, as the simulator speaks it.

use crate::fal::{Fal, MODEL, Outcome, named};
use crate::hooks::{Delivery, Hooks};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::Method;
use http::header::AUTHORIZATION;
use serde_json::{Value, json};
use sha2::Digest;
use testkit::client::Outgoing;
use testkit::simulator::Filter;

#[tokio::test]
async fn a_job_goes_from_queue_to_output() -> Outcome {
    let fal = Fal::behaving(json!({"queue_ms": 60, "run_ms": 60, "charge": "0.45", "units": 3.008})).await?;
    let job = fal.submit("a cat").await?;
    assert_eq!(job["status"], "IN_QUEUE");
    let id = job["request_id"].as_str().ok_or("no id")?;
    let base = format!("{}/fal/fal-ai/veo3.1/requests/{id}", fal.simulator.url());
    assert_eq!(job["status_url"], format!("{base}/status"), "without the model's sub-path");
    assert_eq!(job["response_url"], base);
    assert_eq!(job["cancel_url"], format!("{base}/cancel"));

    let waiting = fal.ask(&job, Method::GET, "status_url").await?;
    assert_eq!((waiting.status.as_u16(), &waiting.json()["status"]), (202, &json!("IN_QUEUE")));
    assert_eq!(fal.ask(&job, Method::GET, "response_url").await?.status, 400, "not yet");
    assert_eq!(fal.ledger()["calls"][0]["charged"], Value::Null, "nothing is charged before the end");

    let over = fal.wait(&job).await?;
    assert_eq!(over.status, 200);
    assert_eq!(over.json()["logs"], Value::Null);
    assert_eq!(over.json()["metrics"]["inference_time"], json!(0.06));
    assert!(over.json().get("error").is_none());

    let result = fal.ask(&job, Method::GET, "response_url").await?;
    assert_eq!(result.status, 200);
    assert_eq!((result.header("x-fal-billable-units"), result.header("x-fal-request-id")), ("3.008", id));
    let video = &result.json()["video"];
    assert_eq!(video["content_type"], "video/mp4");
    let file = Outgoing::get(video["url"].as_str().ok_or("no URL")?).send().await?;
    assert_eq!((file.status.as_u16(), file.header("content-type")), (200, "video/mp4"));
    assert_eq!(json!(file.body.len()), video["file_size"]);
    assert_eq!(file.body.get(4..8), Some(&b"ftyp"[..]));

    let ledger = fal.ledger();
    assert_eq!((&ledger["accepted"], &ledger["charged"]), (&json!(1), &json!("0.450000")));
    let call = &ledger["calls"][0];
    assert_eq!(
        (&call["state"], &call["charged"], &call["units"]),
        (&json!("succeeded"), &json!("0.45"), &json!("3.008"))
    );
    assert_eq!((&call["results"], &call["fetches"], &call["answered"]), (&json!(2), &json!(1), &json!(200)));
    assert!(call["polls"].as_u64() >= Some(2));
    Ok(())
}

#[tokio::test]
async fn what_is_logged_comes_when_it_is_asked_for_and_states_can_be_streamed() -> Outcome {
    let fal = Fal::behaving(json!({"queue_ms": 30, "run_ms": 50})).await?;
    let job = fal.submit("x").await?;
    let status_url = job["status_url"].as_str().ok_or("no URL")?;

    let stream = Outgoing::get(format!("{status_url}/stream")).header(AUTHORIZATION, "Key k").send().await?;
    assert_eq!(stream.header("content-type"), "text/event-stream");
    let text = String::from_utf8_lossy(&stream.body).into_owned();
    let states: Vec<Value> = text
        .split("\n\n")
        .filter_map(|event| event.strip_prefix("data: "))
        .map(|event| serde_json::from_str::<Value>(event).map(|state| state["status"].clone()))
        .collect::<Result<_, _>>()?;
    assert_eq!(states, ["IN_QUEUE", "IN_PROGRESS", "COMPLETED"]);

    let logged = Outgoing::get(format!("{status_url}?logs=1")).header(AUTHORIZATION, "Key k").send().await?;
    assert_eq!(logged.json()["logs"].as_array().map(Vec::len), Some(2));
    Ok(())
}

#[tokio::test]
async fn images_come_in_a_list() -> Outcome {
    let fal = Fal::behaving(json!({"outputs": 2})).await?;
    let body = json!({"prompt": "a dog", "seed": 7});
    let job = fal.submission("fal-ai/flux/dev", "", &body).send().await?.json();
    fal.wait(&job).await?;
    let result = fal.ask(&job, Method::GET, "response_url").await?.json();
    assert_eq!(result["images"].as_array().map(Vec::len), Some(2));
    assert_eq!((&result["seed"], &result["prompt"]), (&json!(7), &json!("a dog")));
    assert_eq!(result["has_nsfw_concepts"], json!([false, false]));
    let file = Outgoing::get(result["images"][1]["url"].as_str().ok_or("no URL")?).send().await?;
    assert_eq!(file.body.get(1..4), Some(&b"PNG"[..]));
    Ok(())
}

#[tokio::test]
async fn a_key_is_wanted_everywhere_and_what_was_refused_is_in_the_ledger() -> Outcome {
    let fal = Fal::start(&[]).await?;
    let job = fal.submit("x").await?;
    for url in ["status_url", "response_url"] {
        let url = job[url].as_str().ok_or("no URL")?;
        assert_eq!(Outgoing::get(url).send().await?.status, 401);
    }
    let url = format!("{}/{MODEL}", fal.simulator.provider_url("fal"));
    for key in ["", "Bearer k", "Key "] {
        let request = Outgoing::post_json(url.clone(), &json!({"prompt": "x"})).header(AUTHORIZATION, key);
        let answer = request.send().await?;
        assert_eq!(answer.status, 401, "{key:?}");
        assert!(answer.json()["detail"].is_string());
    }
    let ledger = fal.ledger();
    assert_eq!(ledger["accepted"], 1);
    assert_eq!(ledger["calls"].as_array().map(Vec::len), Some(4));
    assert_eq!(ledger["calls"][3]["answered"], 401);
    assert_eq!(ledger["calls"][3]["request_id"], Value::Null);
    assert_eq!(ledger["calls"][0]["headers"]["authorization"], "Key [REDACTED]");
    Ok(())
}

#[tokio::test]
async fn nonsense_is_refused() -> Outcome {
    let fal = Fal::start(&[]).await?;
    assert_eq!(fal.submission("lonely", "", &json!({})).send().await?.status, 404);
    assert_eq!(fal.submission(MODEL, "", &json!([1])).send().await?.status, 422);
    let job = fal.submit("x").await?;
    let right = job["status_url"].as_str().ok_or("no URL")?;
    let asked = |url: String| Outgoing::get(url).header(AUTHORIZATION, "Key k").send();
    assert_eq!(
        asked(right.replace("veo3.1", "veo3.1/fast")).await?.status,
        405,
        "the sub-path does not belong here"
    );
    assert_eq!(asked(right.replace("veo3.1", "veo9")).await?.status, 404, "another application's job");
    assert_eq!(asked(format!("{right}x")).await?.status, 404);
    Ok(())
}

#[tokio::test]
async fn failures_and_refusals_have_fals_envelopes() -> Outcome {
    let fal = Fal::start(&[
        json!({"match": {"prompt_contains": "broken"}, "behaviour": {"outcome": "fail"}}),
        json!({"match": {"prompt_contains": "naughty"}, "behaviour": {"outcome": "refuse", "charge": "0.10"}}),
        json!({"match": {"prompt_contains": "huge"}, "behaviour": {"outcome": "fail", "fail_body":
            {"detail": [{"loc": ["body", "image_url"], "msg": "Too large", "type": "image_too_large"}]}}}),
        json!({"match": {"prompt_contains": "poor"}, "behaviour": {"outcome": "fail", "fail_status": 403,
            "fail_body": {"detail": "User is locked. Reason: Exhausted balance."},
            "fail_headers": {"x-fal-retryable": "false"}}}),
    ])
    .await?;

    let job = fal.submit("broken").await?;
    let over = fal.wait(&job).await?;
    assert_eq!((over.status.as_u16(), &over.json()["error_type"]), (200, &json!("internal_error")));
    let result = fal.ask(&job, Method::GET, "response_url").await?;
    assert_eq!((result.status.as_u16(), result.header("x-fal-error-type")), (500, "internal_error"));
    assert_eq!(result.header("x-fal-retryable"), "true");
    assert!(result.json()["detail"].is_string());

    let job = fal.submit("naughty").await?;
    assert_eq!(fal.wait(&job).await?.json()["error_type"], "content_policy_violation");
    let result = fal.ask(&job, Method::GET, "response_url").await?;
    assert_eq!(result.status, 422);
    assert_eq!(result.json()["detail"][0]["type"], "content_policy_violation");

    let result = fal.run("huge").await?;
    assert_eq!(
        (result.status.as_u16(), &result.json()["detail"][0]["type"]),
        (422, &json!("image_too_large"))
    );
    let result = fal.run("poor").await?;
    assert_eq!((result.status.as_u16(), result.header("x-fal-retryable")), (403, "false"));

    let ledger = fal.ledger();
    assert_eq!(
        (&ledger["accepted"], &ledger["charged"]),
        (&json!(4), &json!("0.100000")),
        "a refusal may cost"
    );
    let states: Vec<&Value> =
        ledger["calls"].as_array().ok_or("no calls")?.iter().map(|call| &call["state"]).collect();
    assert_eq!(states, ["failed", "refused", "failed", "failed"]);
    Ok(())
}

#[tokio::test]
async fn a_success_without_output_is_a_success_to_fal() -> Outcome {
    let fal = Fal::behaving(json!({"outcome": "empty"})).await?;
    let result = fal.run("x").await?;
    assert_eq!((result.status.as_u16(), &result.json()["video"]), (200, &Value::Null));
    assert_eq!(fal.ledger()["calls"][0]["state"], "empty");
    Ok(())
}

#[tokio::test]
async fn cancelling_depends_on_where_the_job_is() -> Outcome {
    let fal = Fal::start(&[
        json!({"match": {"prompt_contains": "queued"}, "behaviour": {"queue_ms": 60_000, "charge": "1.00"}}),
        json!({"match": {"prompt_contains": "running"}, "behaviour": {"queue_ms": 0, "run_ms": 60_000, "charge": "0.30"}}),
        json!({"match": {"prompt_contains": "stubborn"}, "behaviour": {"queue_ms": 0, "run_ms": 80, "ignore_cancel": true}}),
    ])
    .await?;
    let cancel = |job: Value| {
        let fal = &fal;
        async move { fal.ask(&job, Method::PUT, "cancel_url").await }
    };
    let job = fal.submit("queued").await?;
    let answer = cancel(job.clone()).await?;
    assert_eq!((answer.status.as_u16(), &answer.json()["status"]), (200, &json!("OK")));
    assert_eq!(fal.wait(&job).await?.json()["error_type"], "client_cancelled");
    assert_eq!(fal.ask(&job, Method::GET, "response_url").await?.status, 499);
    let again = cancel(job).await?;
    assert_eq!((again.status.as_u16(), &again.json()["status"]), (400, &json!("ALREADY_COMPLETED")));

    let job = fal.submit("running").await?;
    let answer = cancel(job).await?;
    assert_eq!((answer.status.as_u16(), &answer.json()["status"]), (202, &json!("CANCELLATION_REQUESTED")));

    let job = fal.submit("stubborn").await?;
    assert_eq!(cancel(job.clone()).await?.status, 202);
    fal.wait(&job).await?;
    assert_eq!(fal.ask(&job, Method::GET, "response_url").await?.status, 200, "it finished all the same");

    let unknown =
        json!({"cancel_url": format!("{}/fal/fal-ai/veo3.1/requests/none/cancel", fal.simulator.url())});
    let answer = cancel(unknown).await?;
    assert_eq!((answer.status.as_u16(), &answer.json()["status"]), (404, &json!("NOT_FOUND")));

    let ledger = fal.ledger();
    let seen: Vec<(&Value, &Value)> = ledger["calls"]
        .as_array()
        .ok_or("no calls")?
        .iter()
        .map(|call| (&call["cancelled"], &call["charged"]))
        .collect();
    let (yes, no) = (json!(true), json!(false));
    assert_eq!(seen, [(&yes, &json!("0")), (&yes, &json!("0.30")), (&no, &json!("0.40"))]);
    Ok(())
}

#[tokio::test]
async fn the_senders_limit_on_the_time_to_the_start_ends_a_job_in_the_queue() -> Outcome {
    let fal = Fal::behaving(json!({"queue_ms": 60_000})).await?;
    let hasty =
        fal.submission(MODEL, "", &json!({"prompt": "x"})).header(named("x-fal-request-timeout"), "0.05");
    let job = hasty.send().await?.json();
    fal.wait(&job).await?;
    let result = fal.ask(&job, Method::GET, "response_url").await?;
    assert_eq!((result.status.as_u16(), result.header("x-fal-request-timeout-type")), (504, "user"));
    assert_eq!(fal.ledger()["calls"][0]["charged"], "0");
    Ok(())
}

#[tokio::test]
async fn a_job_calls_back_with_a_signed_payload() -> Outcome {
    let fal = Fal::start(&[
        json!({"match": {"prompt_contains": "naughty"}, "behaviour": {"outcome": "refuse"}}),
        json!({"match": {"prompt_contains": "silent"}, "behaviour": {"callback": "never"}}),
        json!({"match": {"prompt_contains": "twice"}, "behaviour": {"callback": "twice"}}),
    ])
    .await?;
    let hooks = Hooks::start().await?;
    for (hook, prompt) in [
        ("good", "a cat"),
        ("bad", "naughty"),
        ("silent", "silent"),
        ("twice", "twice"),
        ("flaky", "x"),
        ("moved", "x"),
    ] {
        let query: String = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("fal_webhook", &hooks.url(hook))
            .finish();
        fal.submission(MODEL, &format!("?{query}"), &json!({"prompt": prompt})).send().await?;
    }
    // good 1, bad 1, twice 2, flaky 2, moved 1.
    let ledger = fal
        .ledger_when(|ledger| {
            let calls = ledger["calls"].as_array().into_iter().flatten();
            calls.filter_map(|call| call["callbacks"].as_array()).map(Vec::len).sum::<usize>() == 7
        })
        .await;
    assert_eq!(ledger["calls"][2]["callbacks"], json!([]));
    assert_eq!(ledger["calls"][4]["callbacks"][0]["status"], 500);
    assert_eq!(ledger["calls"][4]["callbacks"][1]["status"], 200);
    assert!(hooks.deliveries("other").is_empty(), "a redirect is not followed");

    let good = hooks.deliveries("good").pop().ok_or("nothing came")?;
    let payload: Value = serde_json::from_slice(&good.body)?;
    assert_eq!((&payload["status"], &payload["error"]), (&json!("OK"), &Value::Null));
    assert_eq!(payload["request_id"], ledger["calls"][0]["request_id"]);
    let url = payload["payload"]["video"]["url"].as_str().ok_or("no output")?;
    assert_eq!(Outgoing::get(url).send().await?.status, 200);
    verify_signature(&fal, &good).await?;

    let bad = hooks.deliveries("bad").pop().ok_or("nothing came")?;
    let payload: Value = serde_json::from_slice(&bad.body)?;
    assert_eq!(
        (&payload["status"], &payload["error"]),
        (&json!("ERROR"), &json!("Invalid status code: 422"))
    );
    assert_eq!(payload["payload"]["detail"][0]["type"], "content_policy_violation");
    Ok(())
}

/// Checks a delivery the way fal's documentation says.
async fn verify_signature(fal: &Fal, delivery: &Delivery) -> Outcome {
    let keys =
        Outgoing::get(format!("{}/fal/.well-known/jwks.json", fal.simulator.url())).send().await?.json();
    let key = URL_SAFE_NO_PAD.decode(keys.pointer("/keys/0/x").and_then(Value::as_str).ok_or("no key")?)?;
    let header =
        |name: &str| delivery.headers.get(name).and_then(|value| value.to_str().ok()).ok_or("no header");
    let hash: String =
        sha2::Sha256::digest(&delivery.body).iter().fold(String::new(), |hex, b| format!("{hex}{b:02x}"));
    let signed = [
        header("x-fal-webhook-request-id")?,
        header("x-fal-webhook-user-id")?,
        header("x-fal-webhook-timestamp")?,
        &hash,
    ]
    .join("\n");
    let pairs = header("x-fal-webhook-signature")?.as_bytes().chunks(2);
    let signature: Outcome<Vec<u8>> =
        pairs.map(|pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?)).collect();
    let public = ring::signature::UnparsedPublicKey::new(&ring::signature::ED25519, key);
    public.verify(signed.as_bytes(), &signature?).map_err(|_| "the signature does not fit".into())
}

#[tokio::test]
async fn a_lost_job_is_found_in_the_list_and_its_price_in_the_bill() -> Outcome {
    let fal = Fal::start(&[
        json!({"behaviour": {"charge": "0.123456", "units": 4}}),
        json!({"match": {"prompt_contains": "endless"}, "behaviour": {"never_finish": true}}),
        json!({"match": {"prompt_contains": "lost"}, "behaviour": {"drop_response_after_accept": true}}),
    ])
    .await?;
    assert!(fal.submission(MODEL, "", &json!({"prompt": "lost"})).send().await.is_err());
    fal.submit("endless").await?;
    let other = fal.submission("fal-ai/flux/dev", "", &json!({"prompt": "lost"}));
    assert!(other.send().await.is_err());
    let private =
        fal.submission(MODEL, "", &json!({"prompt": "private"})).header(named("x-fal-store-io"), "0");
    let private = private.send().await?.json();
    fal.wait(&private).await?;
    fal.ledger_when(|ledger| ledger["calls"][0]["state"] == "succeeded").await;

    let list = |query: &str, key: &'static str| {
        let url = format!("{}/fal/v1/models/{query}", fal.simulator.url());
        Outgoing::get(url).header(AUTHORIZATION, key).send()
    };
    let found =
        list(&format!("requests/by-endpoint?endpoint_id={MODEL}&expand=payloads"), "Key k").await?.json();
    let items = found["items"].as_array().ok_or("no items")?;
    assert_eq!(items.len(), 2, "neither the one that runs nor another endpoint's");
    assert_eq!(items.first().ok_or("none")?.get("json_input"), None, "payloads that were not to be kept");
    assert_eq!(items.last().ok_or("none")?["json_input"], json!({"prompt": "lost"}));
    assert_eq!(found["has_more"], false);

    let first = list(&format!("requests/by-endpoint?endpoint_id={MODEL}&limit=1"), "Key k").await?.json();
    assert_eq!(first["has_more"], true);
    let cursor = first["next_cursor"].as_str().ok_or("no cursor")?;
    let second = list(&format!("requests/by-endpoint?endpoint_id={MODEL}&limit=1&cursor={cursor}"), "Key k")
        .await?
        .json();
    assert_eq!(second["items"][0]["request_id"], items.last().ok_or("none")?["request_id"]);

    let id = private["request_id"].as_str().ok_or("no id")?;
    assert_eq!(list(&format!("billing-events?request_id={id}"), "Key k").await?.status, 403);
    let bill = list(&format!("billing-events?request_id={id}"), "Key admin:k").await?.json();
    assert_eq!(bill["billing_events"][0]["cost_estimate_nano_usd"], 123_456_000);
    assert_eq!(bill["billing_events"][0]["output_units"], json!(4.0));
    Ok(())
}

#[tokio::test]
async fn the_ledger_is_filtered_and_reset() -> Outcome {
    let fal = Fal::start(&[]).await?;
    let keyed = |key: &'static str, query: &'static str| {
        fal.submission(MODEL, query, &json!({"prompt": "a cat"})).header(named("idempotency-key"), key).send()
    };
    keyed("k1", "?fal_webhook=http%3A%2F%2F127.0.0.1%3A9%2Fcallbacks%2Fattempt-77").await?;
    keyed("k2", "").await?;
    let count = |query: &'static str| {
        let url = format!("{}/_sim/ledger?{query}", fal.simulator.url());
        async move { Ok::<_, testkit::client::Error>(Outgoing::get(url).send().await?.json()["accepted"].clone()) }
    };
    assert_eq!(count("").await?, 2);
    assert_eq!(count("idempotency_key=k2").await?, 1);
    assert_eq!(count("contains=attempt-77").await?, 1);
    assert_eq!(count("provider=fal&model=fal-ai/veo3.1/fast&prompt_contains=cat&accepted=true").await?, 2);
    assert_eq!(count("provider=runway").await?, 0);
    assert_eq!(
        count("idempotence=k2").await?,
        Value::Null,
        "a misspelt condition is an error, not everything"
    );

    let bad = json!({"behaviour": {"charge": 0.5}});
    let refused = Outgoing::post_json(format!("{}/_sim/script", fal.simulator.url()), &bad).send().await?;
    assert_eq!(refused.status, 400);

    Outgoing::new(Method::POST, format!("{}/_sim/reset", fal.simulator.url())).send().await?;
    assert_eq!(
        fal.simulator.ledger(&Filter::default()),
        json!({"accepted": 0, "charged": "0.000000", "calls": []})
    );
    Ok(())
}
