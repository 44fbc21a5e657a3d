//! The order in which a stack comes up.

use std::collections::BTreeMap;
use std::path::PathBuf;

use domain::provider::Provider;
use serde_json::Value;
use testkit::simulator::key_of;

use super::crew::Crew;
use super::engine::{self, Engine};
use super::file::{S3, StackFile};
use super::ports::Ports;
use super::secrets::Secrets;
use super::services::{self, Database};
use super::worker_config::{self, Config, Local};
use super::wrangler::{Launch, Wrangler};
use super::{ControlPath, Data, Options, seed};
use crate::artifact::{self, Part};
use crate::failure::{OrFail, Outcome};
use crate::paths::Repo;
use crate::progress::Step;
use crate::{migrate, setup};

/// What holds data of earlier runs, besides the database.
const DATA: [&str; 2] = ["wrangler", "secrets.json"];

/// Sets up, builds, and starts everything; returns when all of it answers.
pub(super) async fn all<'a>(repo: &'a Repo, options: &Options, crew: &'a Crew<'a>) -> Outcome<Wrangler<'a>> {
    options.engine.check()?;
    prepare(repo, options.engine).await?;
    clear(crew, options.data)?;
    let secrets = Secrets::of(crew.place())?;
    let config = Config::read(&repo.join("wrangler.toml"))?;

    let (name, engine) = (options.name.as_str(), options.engine.as_str());
    let step = Step::start(format!("starting the stack `{name}` (engine: {engine})"));
    let database = services::database(repo, crew).await?;
    migrate::up(repo, &database.url).await?;
    seed::client(&database.url, &secrets).await?;
    let ports = Ports::of(crew.place())?;
    let simulator = services::simulator(repo, crew, ports.simulator).await?;
    let receiver = services::receiver(repo, crew, ports.receiver).await?;
    step.detail("database, simulator and receiver are up");

    let api = format!("http://127.0.0.1:{}", ports.api);
    let proxy = match options.control_path {
        ControlPath::Direct => None,
        ControlPath::Faulty => Some(services::fault_proxy(repo, crew, &ports).await?),
    };
    let access = match options.engine {
        Engine::Process => engine::start_process_engine(repo, crew, &config.container_classes()).await?,
        Engine::Docker => {
            crew.owns_containers_of(&api);
            engine::docker_access()
        }
    };
    let public_url = proxy.as_ref().map_or_else(|| api.clone(), |proxy| proxy.url.clone());
    let file = StackFile {
        name: name.to_owned(),
        engine_kind: engine.to_owned(),
        engine: access.socket,
        s3: s3(&api, config.bucket()?, &secrets),
        api,
        admin_token: secrets.admin_token.clone(),
        client_key: secrets.client_key.clone(),
        webhook_secret: secrets.webhook_secret.clone(),
        link_keys: secrets.link_keys.clone(),
        database_url: database.url,
        postgres_control: database.control,
        simulator,
        receiver,
        control_proxy: proxy.map(|proxy| proxy.control),
        wrangler_starts: 0,
        pids: BTreeMap::new(),
        logs: BTreeMap::new(),
    };
    let configs = write_configs(repo, crew, &locals(repo, &file, &secrets, public_url, &options.timing))?;
    step.detail("Workers");
    let (engine, pooled_url) = (access.variables, database.pooled_url);
    let wrangler = Wrangler::start(repo, crew, Launch { configs, ports, engine, pooled_url }, file).await?;
    step.done();
    Ok(wrangler)
}

/// Logs are of one run; data is of all, or of one.
pub(super) fn clear(crew: &Crew<'_>, data: Data) -> Outcome {
    crew.place().delete("logs")?;
    crew.place().folder("logs")?;
    if data == Data::Deleted {
        services::delete_database(crew.place())?;
        DATA.iter().try_for_each(|part| crew.place().delete(part))?;
    }
    Ok(())
}

/// `wrangler dev` serves its local bucket over S3.
fn s3(api: &str, bucket: String, secrets: &Secrets) -> S3 {
    S3 {
        endpoint: format!("{api}/cdn-cgi/local/r2/s3/"),
        bucket,
        access_key_id: secrets.s3_access_key_id.clone(),
        secret_access_key: secrets.s3_secret_access_key.clone(),
    }
}

/// What each Worker's configuration gets: its wrangler file, its part, and the changes.
type Locals = [(Part, &'static str, Local); 2];

fn locals(repo: &Repo, file: &StackFile, secrets: &Secrets, public_url: String, timing: &str) -> Locals {
    let both = vec![
        ("ALLOW_LOOPBACK_CALLBACKS", "true".to_owned()),
        ("TIMING_OVERRIDES", timing.to_owned()),
        ("PUBLIC_URL", public_url),
    ];
    // By name and not as it runs: a build may have replaced the file meanwhile.
    let xtask = repo.debug_binary("xtask");
    let mut vars = both.clone();
    vars.extend([
        ("S3_ENDPOINT", file.s3.endpoint.clone()),
        ("S3_BUCKET", file.s3.bucket.clone()),
        ("PROVIDER_URLS", of_providers(|name| format!("{}/{name}", file.simulator)).to_string()),
    ]);
    let api = Local {
        vars,
        secrets: vec![
            ("ADMIN_TOKEN", secrets.admin_token.clone()),
            ("JOB_TOKEN_KEY", secrets.job_token_key.clone()),
            ("LINK_KEYS", secrets.link_keys.clone()),
            ("S3_ACCESS_KEY_ID", secrets.s3_access_key_id.clone()),
            ("S3_SECRET_ACCESS_KEY", secrets.s3_secret_access_key.clone()),
            ("PROVIDER_KEYS", provider_keys(secrets)),
        ],
        s3_credentials: Some((secrets.s3_access_key_id.clone(), secrets.s3_secret_access_key.clone())),
        xtask: xtask.clone(),
    };
    let consumer = Local { vars: both, xtask, ..Local::default() };
    [
        (Part::ApiWorker, "wrangler.toml", api),
        (Part::WebhookConsumer, "webhook-consumer/wrangler.toml", consumer),
    ]
}

fn provider_keys(secrets: &Secrets) -> String {
    let key = |name: Provider| key_of(name.as_str(), &format!("{}-{name}", secrets.provider_key));
    of_providers(key).to_string()
}

/// A JSON object with something for each provider.
fn of_providers(value: impl Fn(Provider) -> String) -> Value {
    Value::Object(
        Provider::ALL
            .into_iter()
            .map(|provider| (provider.to_string(), Value::from(value(provider))))
            .collect(),
    )
}

/// Writes the configurations and secrets; returns the configurations' paths.
fn write_configs(repo: &Repo, crew: &Crew<'_>, locals: &Locals) -> Outcome<Vec<PathBuf>> {
    let place = crew.place();
    let mut configs = Vec::new();
    for (part, wrangler_file, local) in locals {
        let source = repo.join(wrangler_file);
        let folder = source.parent().unwrap_or(repo.root());
        let config = Config::read(&source)?.localised(folder, repo.root(), local)?;
        let made = format!("workers/{}", part.package());
        place.folder(&made)?;
        let text =
            serde_json::to_string_pretty(&config).or_fail("cannot write a configuration", "report this")?;
        place.write(&format!("{made}/wrangler.json"), &text)?;
        place.write(&format!("{made}/.dev.vars"), &worker_config::dev_vars(&local.secrets))?;
        configs.push(place.join(format!("{made}/wrangler.json")));
    }
    Ok(configs)
}

/// A database and nothing else, set up, built and started.
pub(super) async fn database(repo: &Repo, crew: &Crew<'_>) -> Outcome<Database> {
    on_a_thread(repo, |repo| {
        setup::base(repo)?;
        artifact::build_programs(repo, &["testkit"])
    })
    .await?;
    let step = Step::start("starting a database");
    let database = services::database(repo, crew).await?;
    step.done();
    Ok(database)
}

/// Set-up and builds of a whole stack.
async fn prepare(repo: &Repo, engine: Engine) -> Outcome {
    on_a_thread(repo, move |repo| {
        setup::base(repo)?;
        artifact::workers(repo)?;
        match engine {
            Engine::Process => {
                artifact::empty_context(repo)?;
                artifact::build_programs(repo, &["testkit", "executor", "process-engine"])
            }
            Engine::Docker => {
                artifact::image(repo).and_then(|()| artifact::build_programs(repo, &["testkit"]))
            }
        }
    })
    .await
}

/// Work that blocks, on a thread of its own, so that a signal still ends it (its processes are swept up).
pub(super) async fn on_a_thread(
    repo: &Repo,
    work: impl FnOnce(&Repo) -> Outcome + Send + 'static,
) -> Outcome {
    let repo = repo.clone();
    tokio::task::spawn_blocking(move || work(&repo)).await.or_fail("the build ended early", "run it again")?
}
