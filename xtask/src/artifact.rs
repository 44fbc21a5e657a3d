//! What is built: the Workers as wasm, the executor as a static binary. What has not changed is not built again.

mod assets;
mod executor;
mod fingerprint;
mod worker;

use clap::ValueEnum;

use crate::failure::Outcome;
use crate::paths::Repo;

pub(crate) use executor::{build_programs, empty_context, release_executor};

/// A part of AFC that is deployed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Part {
    /// HTTP API, Workflow, Durable Object
    ApiWorker,
    /// Queue consumer
    WebhookConsumer,
    /// Container image context below target/image
    Executor,
}

impl Part {
    /// The Workers, as `wrangler dev` takes them: the first answers requests.
    pub(crate) const WORKERS: [Self; 2] = [Self::ApiWorker, Self::WebhookConsumer];

    /// The crate's name, which is its folder's name too.
    pub(crate) const fn package(self) -> &'static str {
        match self {
            Self::ApiWorker => "api-worker",
            Self::WebhookConsumer => "webhook-consumer",
            Self::Executor => "executor",
        }
    }
}

/// Both Workers.
pub(crate) fn workers(repo: &Repo) -> Outcome {
    Part::WORKERS.iter().try_for_each(|part| build(repo, *part))
}

/// The executor's image context.
pub(crate) fn image(repo: &Repo) -> Outcome {
    build(repo, Part::Executor)
}

/// Builds one part.
pub(crate) fn build(repo: &Repo, part: Part) -> Outcome {
    match part {
        Part::ApiWorker => {
            assets::collect(repo)?;
            worker::build(repo, part)
        }
        Part::WebhookConsumer => worker::build(repo, part),
        Part::Executor => executor::build_image(repo),
    }
}
