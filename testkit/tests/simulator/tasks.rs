//! The providers that keep a job under an id, each with what is peculiar to it.

use std::time::Duration;

use http::Method;
use http::header::{HeaderName, HeaderValue};
use serde_json::{Value, json};
use testkit::client::{Answer, Outgoing};
use testkit::simulator::{self, Filter, Options, Simulator};

use crate::fal::Outcome;
use crate::hooks::Hooks;

struct Provider {
    simulator: Simulator,
    name: &'static str,
    key: (&'static str, &'static str),
}

impl Provider {
    async fn behaving(
        name: &'static str,
        key: (&'static str, &'static str),
        behaviour: &Value,
    ) -> Outcome<Self> {
        let simulator = simulator::start(Options::default()).await?;
        simulator.script(serde_json::from_value(json!({"behaviour": behaviour}))?);
        Ok(Self { simulator, name, key })
    }

    async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Outcome<Answer> {
        let url = format!("{}/{path}", self.simulator.provider_url(self.name));
        let mut request = Outgoing::new(method, url);
        if let Some(body) = body {
            request.body = body.to_string().into();
        }
        request.headers.insert(HeaderName::from_static(self.key.0), HeaderValue::from_static(self.key.1));
        request
            .headers
            .insert(HeaderName::from_static("x-runway-version"), HeaderValue::from_static("2024-11-06"));
        Ok(request.send().await?)
    }

    /// Submits and gives the text at a pointer of the answer.
    async fn submit(&self, path: &str, body: &Value, id: &str) -> Outcome<String> {
        let answer = self.ask(Method::POST, path, Some(body)).await?;
        let told = answer.json();
        let id = told.pointer(id).and_then(Value::as_str).ok_or_else(|| format!("no id in {told}"))?;
        Ok(id.to_owned())
    }

    fn call(&self) -> Value {
        self.simulator.ledger(&Filter::default()).pointer("/calls/0").cloned().unwrap_or_default()
    }
}

const BEARER: (&str, &str) = ("authorization", "Bearer k");

fn at_once() -> Value {
    json!({"queue_ms": 0, "run_ms": 0})
}

#[tokio::test]
async fn runways_delete_destroys_what_is_finished() -> Outcome {
    let runway = Provider::behaving("runway", BEARER, &at_once()).await?;
    let body = json!({"model": "gen4.5", "promptText": "a cat", "ratio": "1280:720"});
    let id = runway.submit("text_to_video", &body, "/id").await?;
    let task = runway.ask(Method::GET, &format!("tasks/{id}"), None).await?.json();
    assert_eq!((&task["status"], &task["cost"]["credits"]), (&json!("SUCCEEDED"), &json!(40)));
    let output = task["output"][0].as_str().ok_or("no output")?;
    assert_eq!(Outgoing::get(output).send().await?.status, 200);
    assert_eq!(runway.ask(Method::DELETE, &format!("tasks/{id}"), None).await?.status, 204);
    assert_eq!(runway.ask(Method::GET, &format!("tasks/{id}"), None).await?.status, 404);
    assert_eq!(Outgoing::get(output).send().await?.status, 404);
    let call = runway.call();
    assert_eq!((&call["deleted"], &call["charged"]), (&json!(true), &json!("0.40")), "paid all the same");
    Ok(())
}

#[tokio::test]
async fn runway_wants_its_version_and_pixels() -> Outcome {
    let runway = Provider::behaving("runway", BEARER, &at_once()).await?;
    let body = json!({"model": "gen4.5", "promptText": "a cat", "ratio": "16:9"});
    assert_eq!(runway.ask(Method::POST, "text_to_video", Some(&body)).await?.status, 400);
    let url = format!("{}/text_to_video", runway.simulator.provider_url("runway"));
    let mut bare = Outgoing::post_json(url, &json!({"model": "gen4.5"}));
    bare.headers.insert(HeaderName::from_static(BEARER.0), HeaderValue::from_static(BEARER.1));
    assert_eq!(bare.send().await?.status, 400);
    Ok(())
}

#[tokio::test]
async fn a_bfl_job_is_known_in_its_region_only_and_priced_at_once() -> Outcome {
    let bfl = Provider::behaving("bfl", ("x-key", "k"), &at_once()).await?;
    let answer = bfl.ask(Method::POST, "flux-pro-1.1", Some(&json!({"prompt": "a cat"}))).await?;
    let told = answer.json();
    assert_eq!(told["cost"], 40);
    let id = told["id"].as_str().ok_or("no id")?;
    let elsewhere = bfl.ask(Method::GET, &format!("get_result?id={id}"), None).await?;
    assert_eq!((elsewhere.status.as_u16(), &elsewhere.json()["status"]), (404, &json!("Task not found")));
    let here = bfl.ask(Method::GET, &format!("eu1/get_result?id={id}"), None).await?.json();
    assert_eq!(here["status"], "Ready");
    assert!(here["result"]["sample"].is_string());
    Ok(())
}

#[tokio::test]
async fn minimaxs_delete_is_three_things() -> Outcome {
    let body = json!({"model": "MiniMax-H3", "content": [{"type": "text", "text": "a cat"}]});
    for (behaviour, status, state, deleted) in [
        (json!({"queue_ms": 60_000}), 200, "cancelled", false),
        (json!({"queue_ms": 0, "never_finish": true}), 400, "running", false),
        (at_once(), 200, "succeeded", true),
    ] {
        let minimax = Provider::behaving("minimax", BEARER, &behaviour).await?;
        let id = minimax.submit("video_generation", &body, "/task_id").await?;
        let answer = minimax.ask(Method::DELETE, &format!("video_generation/{id}"), None).await?;
        let call = minimax.call();
        assert_eq!((answer.status.as_u16(), &call["state"]), (status, &json!(state)));
        assert_eq!(call["deleted"], deleted, "{behaviour}");
    }
    Ok(())
}

#[tokio::test]
async fn minimax_v1_says_everything_in_a_200_and_names_the_file_elsewhere() -> Outcome {
    let minimax = Provider::behaving("minimax_v1", BEARER, &at_once()).await?;
    let body = json!({"model": "MiniMax-Hailuo-2.3", "prompt": "a cat"});
    let id = minimax.submit("video_generation", &body, "/task_id").await?;
    let task = minimax.ask(Method::GET, &format!("query/video_generation?task_id={id}"), None).await?.json();
    assert_eq!((&task["status"], &task["base_resp"]["status_code"]), (&json!("Success"), &json!(0)));
    let file = task["file_id"].as_str().ok_or("no file")?;
    let found = minimax.ask(Method::GET, &format!("files/retrieve?file_id={file}"), None).await?.json();
    assert!(found["file"]["download_url"].is_string());
    for path in ["query/video_generation?task_id=nobody", "files/retrieve?file_id=nobody"] {
        let told = minimax.ask(Method::GET, path, None).await?;
        let code = &told.json()["base_resp"]["status_code"];
        assert_eq!((told.status.as_u16(), code), (200, &json!(2013)), "{path}");
    }
    Ok(())
}

#[tokio::test]
async fn a_kling_task_is_found_by_the_senders_own_id() -> Outcome {
    let kling = Provider::behaving("kling", BEARER, &at_once()).await?;
    let body = json!({"prompt": "a cat", "options": {"external_task_id": "ours"}});
    let id = kling.submit("text-to-video/kling-3.0", &body, "/data/id").await?;
    let found = kling.ask(Method::GET, "tasks?external_task_ids=ours", None).await?.json();
    assert_eq!((&found["data"][0]["id"], &found["data"][0]["status"]), (&json!(id), &json!("succeeded")));
    let none = kling.ask(Method::GET, "tasks?external_task_ids=theirs", None).await?.json();
    assert_eq!(none["data"], json!([]));
    Ok(())
}

#[tokio::test]
async fn a_report_names_the_request_where_it_is_looked_for() -> Outcome {
    let hooks = Hooks::start().await?;
    for (name, key, path, member, id) in [
        ("replicate", BEARER, "models/a/b/predictions", "/webhook", "/id"),
        ("luma_dream_machine", BEARER, "generations", "/callback_url", "/id"),
        ("bfl", ("x-key", "k"), "flux-pro-1.1", "/webhook_url", "/id"),
        ("kling", BEARER, "text-to-video/kling-3.0", "/options/callback_url", "/data/id"),
    ] {
        let provider = Provider::behaving(name, key, &at_once()).await?;
        let mut body = json!({"model": "ray-2", "prompt": "a cat", "options": {}});
        let url = json!(hooks.url(name));
        match member.strip_prefix("/options/") {
            Some(member) => body["options"][member] = url,
            None => body[member.trim_start_matches('/')] = url,
        }
        let id = provider.submit(path, &body, id).await?;
        let came = async {
            while hooks.deliveries(name).is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), came).await?;
        let report: Value = serde_json::from_slice(&hooks.deliveries(name)[0].body)?;
        let known = domain::provider::Provider::from_word(name).ok_or("no such provider")?;
        let mut places = known.callback_request_ids().iter();
        assert_eq!(places.find_map(|place| report.pointer(place)), Some(&json!(id)), "{name}");
    }
    Ok(())
}
