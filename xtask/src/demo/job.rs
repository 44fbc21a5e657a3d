//! The main job, step by step.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::api::{Api, ledger, number, text};
use super::report::{Ledger, Output, Report, Timings, Webhook};
use super::webhook::{self, Delivery};
use crate::failure::{Failure, OrFail, Outcome};
use crate::hash::sha256_hex;
use crate::http::{Answer, Call};
use crate::paths::Repo;
use crate::progress::Step;
use crate::stack::StackFile;

/// A container's start, the simulated run, and the way of the webhook take seconds.
const PATIENCE: Duration = Duration::from_mins(3);
const PAUSE: Duration = Duration::from_millis(100);
const HOOK: &str = "demo";
const LOGS: &str = "read target/dev-demo/logs/";

/// Runs it on a fresh stack. Fails when a step could not be taken; what was taken and did not hold is in the report.
pub(super) async fn run(repo: &Repo, stack: &StackFile, stack_ms: u128) -> Outcome<Report> {
    let api = Api::new(stack);
    simulate_a_short_run(stack).await?;
    let request = request(stack, "a lighthouse at dusk, slow aerial shot");
    let key = "demo-1";

    let begin = Instant::now();
    let created = api.create(key, &request).await?;
    let create_ms = begin.elapsed().as_millis();
    let job_id = id_of(&created)?;
    eprintln!("✓ POST /v1/generations: {} {job_id} ({create_ms} ms)", created.status);

    let (job, states) = watch(&api, &job_id, begin).await?;
    let terminal_ms = begin.elapsed().as_millis();
    let attempts = api.get(&format!("{job_id}/attempts")).await?.json()?;
    let saved = save_output(repo, &api, &job_id).await?;
    let delivery = await_webhook(stack, &job_id).await?;
    let webhook_ms = begin.elapsed().as_millis();
    let ledger_before = ledger(stack).await?;

    let replayed = api.create(key, &request).await?;
    eprintln!("✓ the same request again: {}", replayed.status);
    let conflict = api.create(key, &self::request(stack, "another prompt under the same key")).await?;
    eprintln!("✓ the same key with another body: {} {}", conflict.status, text(&conflict.json()?, "/code"));
    let ledger_after = ledger(stack).await?;

    let verified = webhook::verify(&delivery, &stack.webhook_secret);
    Ok(Report {
        status: text(&job, "/status").to_owned(),
        created_status: created.status,
        replay_status: replayed.status,
        replay_id: text(&replayed.json()?, "/id").to_owned(),
        conflict_status: conflict.status,
        conflict_code: text(&conflict.json()?, "/code").to_owned(),
        output: saved.output,
        saved_as: repo.shown(&saved.path),
        shown_output: (number(&job, "/outputs/0/bytes"), text(&job, "/outputs/0/sha256").to_owned()),
        attempts: attempts.pointer("/data").and_then(Value::as_array).cloned().unwrap_or_default(),
        cost: job.get("cost").cloned().unwrap_or_default(),
        ledger: Ledger::of(&ledger_after),
        ledger_before_replay: Ledger::of(&ledger_before),
        webhook: Webhook {
            id: delivery.header("webhook-id").to_owned(),
            event: text(&delivery.json(), "/type").to_owned(),
            verified,
        },
        states,
        timings_ms: Timings {
            stack: stack_ms,
            create: create_ms,
            terminal: terminal_ms,
            webhook: webhook_ms,
        },
        job_id,
    })
}

/// Long enough that its states can be seen; eight seconds of video are billed.
async fn simulate_a_short_run(stack: &StackFile) -> Outcome {
    let behaviour = json!({"queue_ms": 500, "run_ms": 1500, "units": "8", "charge": "3.20"});
    let script = json!({"match": {"provider": "fal"}, "behaviour": behaviour});
    let answer = Call::post(format!("{}/_sim/script", stack.simulator), &script).send().await?;
    if (200..300).contains(&answer.status) {
        return Ok(());
    }
    Err(Failure::new(format!("the simulator refused a script: {} {}", answer.status, answer.excerpt()), LOGS))
}

fn request(stack: &StackFile, prompt: &str) -> Value {
    json!({
        "kind": "video",
        "input": {"prompt": prompt, "duration_seconds": 8, "aspect_ratio": "16:9"},
        "chain": [{"provider": "fal", "model": "fal-ai/veo3.1"}],
        "callback_url": format!("{}/hooks/{HOOK}", stack.receiver),
        "metadata": {"shown_by": "cargo xtask demo"},
    })
}

fn id_of(created: &Answer) -> Outcome<String> {
    let id = text(&created.json()?, "/id").to_owned();
    if id.is_empty() {
        let what = format!("POST /v1/generations was answered {}: {}", created.status, created.excerpt());
        return Err(Failure::new(what, LOGS));
    }
    Ok(id)
}

/// Polls until the job has ended. Returns it, and each status with the time of its first sight.
async fn watch(api: &Api<'_>, id: &str, begin: Instant) -> Outcome<(Value, Vec<(String, u128)>)> {
    let mut seen: Vec<(String, u128)> = Vec::new();
    while begin.elapsed() < PATIENCE {
        let job = api.get(id).await?.json()?;
        let status = text(&job, "/status").to_owned();
        if seen.last().is_none_or(|(last, _)| *last != status) {
            let at = begin.elapsed().as_millis();
            eprintln!("  {at:>6} ms  {status}");
            seen.push((status.clone(), at));
        }
        if matches!(status.as_str(), "succeeded" | "failed" | "cancelled") {
            return Ok((job, seen));
        }
        tokio::time::sleep(PAUSE).await;
    }
    let seen: Vec<&str> = seen.iter().map(|(status, _)| status.as_str()).collect();
    Err(Failure::new(
        format!("the job did not end within {} s: {}", PATIENCE.as_secs(), seen.join(" → ")),
        LOGS,
    ))
}

struct Saved {
    path: PathBuf,
    output: Output,
}

async fn save_output(repo: &Repo, api: &Api<'_>, id: &str) -> Outcome<Saved> {
    let answer = api.get(&format!("{id}/output")).await?;
    let content_type =
        answer.headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let folder = repo.target().join("demo");
    let advice = "check the permissions of the target folder";
    fs::create_dir_all(&folder).or_fail(format!("cannot create {}", folder.display()), advice)?;
    let ending = if content_type == "video/mp4" { "mp4" } else { "bin" };
    let path = folder.join(format!("{id}.{ending}"));
    fs::write(&path, &answer.body).or_fail(format!("cannot write {}", path.display()), advice)?;
    let bytes = u64::try_from(answer.body.len()).unwrap_or(u64::MAX);
    eprintln!("✓ output: {bytes} bytes of {content_type}, saved as {}", repo.shown(&path));
    let output = Output { bytes, sha256: sha256_hex(&answer.body), content_type: content_type.to_owned() };
    Ok(Saved { path, output })
}

async fn await_webhook(stack: &StackFile, id: &str) -> Outcome<Delivery> {
    let step = Step::start("waiting for the webhook");
    let since = Instant::now();
    let url = format!("{}/_receiver/deliveries?name={HOOK}", stack.receiver);
    while since.elapsed() < PATIENCE {
        let deliveries = Call::get(&url).send().await?.json()?;
        let all = deliveries.get("deliveries").cloned().unwrap_or_default();
        let all: Vec<Delivery> =
            serde_json::from_value(all).or_fail("the receiver's list cannot be read", LOGS)?;
        if let Some(delivery) = all.into_iter().find(|delivery| text(&delivery.json(), "/data/id") == id) {
            step.done_with(delivery.header("webhook-id"));
            return Ok(delivery);
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(Failure::new(format!("no webhook within {} s", PATIENCE.as_secs()), LOGS))
}
