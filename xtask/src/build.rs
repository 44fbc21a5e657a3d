//! `build`: the parts of AFC that are deployed.

use crate::artifact::{Part, build};
use crate::failure::Outcome;
use crate::paths::Repo;
use crate::setup;

/// Arguments of `build`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to build; everything when nothing is named
    #[arg(value_enum)]
    parts: Vec<Part>,
}

/// The `build` command. `wrangler` calls it too, from the repository root.
pub(crate) fn run(repo: &Repo, args: &Args) -> Outcome {
    setup::base(repo)?;
    let all = [Part::ApiWorker, Part::WebhookConsumer, Part::Executor];
    let parts: &[Part] = if args.parts.is_empty() { &all } else { &args.parts };
    parts.iter().try_for_each(|part| build(repo, *part))
}
