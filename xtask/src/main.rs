//! The commands of this repository: `cargo xtask --help` lists them.

mod artifact;
mod bench;
mod broken_rules;
mod build;
mod chaos;
mod ci;
mod command;
mod demo;
mod dev;
mod failure;
mod faults;
mod hash;
mod http;
mod migrate;
mod paths;
mod pins;
mod process;
mod progress;
mod schemathesis;
#[cfg(test)]
mod scratch;
mod setup;
mod sim;
mod stack;
mod test;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Outcome;
use crate::paths::Repo;

/// Sets AFC up, runs it, tests it.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install what is missing: wasm target, npm packages, build tools (called by the others)
    Setup(setup::Args),
    /// Build the Workers (wasm) and the executor; skips what has not changed
    Build(build::Args),
    /// Run the whole local stack until Ctrl-C
    Dev(dev::Args),
    /// Run the main job end to end on a stack of its own and check what it promises
    Demo(demo::Args),
    /// Run all tests: unit tests, Workflow engine tests, scenarios on a stack
    Test(test::Args),
    /// Run every cell of the fault table and write what came out to docs/FAULTS.md
    Faults,
    /// Simulate paid jobs with two faults each, by seed, and print what they came to
    Sim(sim::Args),
    /// Break rules one at a time in a copy of the tree, and write down who noticed
    BrokenRules(broken_rules::Args),
    /// Measure something and write what came out to docs/BENCHMARKS.md
    Bench(bench::Args),
    /// Break everything under load for a while, lay the ledger beside the record, and write docs/CHAOS.md
    Chaos(chaos::Args),
    /// Compare the running API with its own description, by thousands of requests
    Schemathesis(schemathesis::Args),
    /// Apply or list database migrations
    Migrate(migrate::Args),
    /// Check the rules of this repository that no other tool holds
    Tidy,
    /// Check everything that must hold before a change lands
    Ci,
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Outcome {
    let repo = Repo::locate()?;
    match cli.command {
        Command::Setup(args) => setup::run(&repo, &args),
        Command::Build(args) => build::run(&repo, &args),
        Command::Dev(args) => dev::run(&repo, &args),
        Command::Demo(args) => demo::run(&repo, &args),
        Command::Test(args) => test::run(&repo, &args),
        Command::Faults => faults::run(&repo),
        Command::Sim(args) => sim::run(&repo, &args),
        Command::BrokenRules(args) => broken_rules::run(&repo, &args),
        Command::Bench(args) => bench::run(&repo, &args),
        Command::Chaos(args) => chaos::run(&repo, &args),
        Command::Schemathesis(args) => schemathesis::run(&repo, &args),
        Command::Migrate(args) => migrate::run(&repo, &args),
        Command::Tidy => tidy::run(&repo),
        Command::Ci => ci::run(&repo),
    }
}
