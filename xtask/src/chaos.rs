//! `chaos`: half an hour of kills under load, and the ledger laid beside the record; writes `docs/CHAOS.md`.

use std::io::stdout;

use crate::command::cargo;
use crate::failure::{Failure, Outcome};
use crate::paths::Repo;
use crate::stack::{ControlPath, Data, Engine, Logs, Options, with_stack};
use crate::test::{TIMING, runner};

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
    let name: crate::stack::Name =
        "chaos".parse().map_err(|error: &str| Failure::new(error, "report this"))?;
    let options = Options {
        name: name.clone(),
        engine: Engine::Process,
        logs: Logs::Kept,
        data: Data::Deleted,
        timing: TIMING.to_owned(),
        control_path: ControlPath::Faulty,
    };
    let report = with_stack(repo, &options, async |_file| {
        let mut test = cargo(repo);
        test.args([
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
        test.env("AFC_STACK", name.file(repo)).env("AFC_CHAOS_REPORT", repo.join("docs/CHAOS.md"));
        test.env("AFC_CHAOS_MINUTES", args.minutes.to_string()).env("AFC_CHAOS_SEED", args.seed.to_string());
        runner::run(test, &mut stdout()).await
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
