//! `chaos`: half an hour of kills under load, and the ledger laid beside the record; writes `docs/CHAOS.md`.

use std::io::stdout;

use crate::command::cargo;
use crate::failure::{Failure, Outcome};
use crate::paths::Repo;
use crate::stack::{ControlPath, with_stack};
use crate::test::{self, runner};

/// Arguments of `chaos`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How long things break
    #[arg(long, default_value_t = 30)]
    minutes: u64,
    /// Draws the same jobs and troubles again; what meets what is up to the machine
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The `chaos` command. Fails on any finding; the report is written all the same.
pub(crate) fn run(repo: &Repo, args: &Args) -> Outcome {
    let options = test::stack("chaos", ControlPath::Faulty)?;
    let report = with_stack(repo, &options, async |_file| {
        let mut run = cargo(repo);
        run.args([
            "test",
            "--package",
            "e2e",
            "--features",
            "stack,chaos",
            "--test",
            "chaos",
            "--",
            "--nocapture",
        ]);
        run.env("AFC_STACK", options.name.file(repo)).env("AFC_CHAOS_REPORT", repo.join("docs/CHAOS.md"));
        run.env("AFC_CHAOS_MINUTES", args.minutes.to_string()).env("AFC_CHAOS_SEED", args.seed.to_string());
        runner::run(run, &mut stdout()).await
    })?
    .result()?;
    if report.succeeded() {
        return Ok(());
    }
    Err(Failure::new(
        "what must hold under trouble did not",
        "read docs/CHAOS.md, and the logs that are named above",
    ))
}
