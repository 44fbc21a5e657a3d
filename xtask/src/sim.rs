//! `sim`: the simulation (`sim`), by seed, as a release build.

use crate::command::{cargo, shown_run};
use crate::failure::Outcome;
use crate::paths::Repo;

/// What to simulate: `cargo xtask sim -- --help` lists it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Arguments of the simulation, which knows them itself
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// The `sim` command.
pub(crate) fn run(repo: &Repo, args: &Args) -> Outcome {
    let mut sim = cargo(repo);
    sim.args(["run", "--quiet", "--release", "--package", "sim", "--"]).args(&args.arguments);
    shown_run(&mut sim, "the shortest failing case and all that happened in it are printed above")
}
