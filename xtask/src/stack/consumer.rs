//! The webhook consumer alone, under `wrangler dev` with the real queue, for measurements: a database, a receiver, and a
//! Worker beside it that puts on the queue what it is told to.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::crew::Crew;
use super::file::{S3, StackFile};
use super::ports::Ports;
use super::secrets::Secrets;
use super::worker_config::{self, Config, Local};
use super::wrangler::{Launch, Wrangler};
use super::{Data, Name, Queues, seed, services, start};
use crate::artifact::{self, Part};
use crate::failure::{OrFail, Outcome};
use crate::paths::Repo;
use crate::progress::Step;
use crate::{migrate, setup};

/// Takes a POST of `{"queue": n, "deliveries": [id, …]}`.
const PRODUCER: &str = r#"export default {
  async fetch(request, env) {
    if (request.method !== "POST") return new Response("ready");
    const { queue, deliveries } = await request.json();
    const messages = deliveries.map((delivery) => ({ body: { delivery } }));
    for (let at = 0; at < messages.length; at += 100) {
      await env[`QUEUE_${queue}`].sendBatch(messages.slice(at, at + 100));
    }
    return new Response(null, { status: 204 });
  },
  scheduled() {},
};
"#;

/// Starts everything on no data; returns when it answers. `api` of its file is the producer.
pub(super) async fn run<'a>(
    repo: &'a Repo,
    crew: &'a Crew<'a>,
    name: &Name,
    queues: &Queues,
    timing: &str,
) -> Outcome<Wrangler<'a>> {
    start::on_a_thread(repo, |repo| {
        setup::base(repo)?;
        artifact::build(repo, Part::WebhookConsumer)?;
        artifact::build_programs(repo, &["testkit"])
    })
    .await?;
    start::clear(crew, Data::Deleted)?;
    let step = Step::start("starting the webhook consumer");
    let secrets = Secrets::of(crew.place())?;
    let database = services::database(repo, crew).await?;
    migrate::up(repo, &database.url).await?;
    seed::client(&database.url, &secrets).await?;
    let ports = Ports::of(crew.place())?;
    let receiver = services::receiver(repo, crew, ports.receiver).await?;
    let configs = vec![producer(crew, queues)?, consumer(repo, crew, queues, timing)?];
    let api = format!("http://127.0.0.1:{}", ports.api);
    let file = file(name, api, &secrets, database.url, receiver);
    let launch = Launch { configs, ports, engine: Vec::new(), pooled_url: database.pooled_url };
    let wrangler = Wrangler::start(repo, crew, launch, file).await?;
    step.done();
    Ok(wrangler)
}

fn queue(number: u32) -> String {
    format!("bench-webhooks-{number}")
}

fn producer(crew: &Crew<'_>, queues: &Queues) -> Outcome<std::path::PathBuf> {
    let place = crew.place();
    place.folder("workers/producer")?;
    place.write("workers/producer/index.mjs", PRODUCER)?;
    let producers = (0..queues.count).map(|n| json!({"binding": format!("QUEUE_{n}"), "queue": queue(n)}));
    let config = json!({
        "name": "producer",
        "main": place.join("workers/producer/index.mjs").display().to_string(),
        "compatibility_date": "2026-10-01",
        "queues": {"producers": producers.collect::<Vec<_>>()},
    });
    place.write("workers/producer/wrangler.json", &config.to_string())?;
    Ok(place.join("workers/producer/wrangler.json"))
}

fn consumer(repo: &Repo, crew: &Crew<'_>, queues: &Queues, timing: &str) -> Outcome<std::path::PathBuf> {
    let place = crew.place();
    let source = repo.join("webhook-consumer/wrangler.toml");
    let folder = source.parent().unwrap_or(repo.root());
    let local = Local {
        vars: vec![("ALLOW_LOOPBACK_CALLBACKS", "true".to_owned()), ("TIMING_OVERRIDES", timing.to_owned())],
        xtask: repo.debug_binary("xtask"),
        ..Local::default()
    };
    let mut config = Config::read(&source)?.localised(folder, repo.root(), &local)?;
    let consumers = (0..queues.count).map(|n| {
        json!({"queue": queue(n), "max_batch_size": queues.batch, "max_batch_timeout": queues.timeout_seconds,
            "max_retries": 100})
    });
    let consumers = Value::Array(consumers.collect());
    let place_of = config.pointer_mut("/queues/consumers");
    *place_of.or_fail("the consumer has no queue", "mend webhook-consumer/wrangler.toml")? = consumers;
    place.folder("workers/webhook-consumer")?;
    place.write("workers/webhook-consumer/wrangler.json", &config.to_string())?;
    place.write("workers/webhook-consumer/.dev.vars", &worker_config::dev_vars(&[]))?;
    Ok(place.join("workers/webhook-consumer/wrangler.json"))
}

fn file(name: &Name, api: String, secrets: &Secrets, database_url: String, receiver: String) -> StackFile {
    let none = String::new;
    StackFile {
        name: name.as_str().to_owned(),
        engine_kind: none(),
        engine: none(),
        api,
        admin_token: none(),
        client_key: secrets.client_key.clone(),
        webhook_secret: secrets.webhook_secret.clone(),
        link_keys: none(),
        database_url,
        simulator: none(),
        receiver,
        postgres_control: None,
        control_proxy: None,
        s3: S3 { endpoint: none(), bucket: none(), access_key_id: none(), secret_access_key: none() },
        wrangler_starts: 0,
        pids: BTreeMap::new(),
        logs: BTreeMap::new(),
    }
}
