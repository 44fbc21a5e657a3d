//! `sim`: the simulation (`sim`), by seed, as a release build.

use crate::command::{cargo, shown_run};
use crate::failure::Outcome;
use crate::paths::Repo;

/// What to simulate.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Seeds to run
    #[arg(long, default_value_t = 10_000)]
    seeds: u64,
    /// The first of them
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Print everything that happens under this seed, and nothing else
    #[arg(long)]
    trace: Option<u64>,
}

/// The `sim` command.
pub(crate) fn run(repo: &Repo, args: &Args) -> Outcome {
    let mut sim = cargo(repo);
    sim.args(["run", "--quiet", "--release", "--package", "sim", "--"]);
    sim.args(["--seeds", &args.seeds.to_string(), "--from", &args.from.to_string()]);
    if let Some(seed) = args.trace {
        sim.args(["--trace", &seed.to_string()]);
    }
    shown_run(&mut sim, "the shortest failing case and all that happened in it are printed above")
}
