//! `cargo xtask sim`: pairs of faults by seed, and what a failing one did.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use sim::explore::{Report, explore, of_seed};
use sim::run::{shrink, traced};

/// Simulates paid jobs with two faults each.
#[derive(Parser)]
struct Args {
    /// Seeds to run.
    #[arg(long, default_value_t = 10_000)]
    seeds: u64,
    /// The first of them.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Print everything that happens under this seed, and nothing else.
    #[arg(long)]
    trace: Option<u64>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(seed) = args.trace {
        let case = of_seed(seed);
        let outcome = traced(&case);
        println!("{case}\n{}\n{:?}", outcome.trace.join("\n"), outcome.wrong);
        return if outcome.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let began = Instant::now();
    let report = explore(args.seeds, |number| Some(of_seed(args.from.saturating_add(number))));
    print(&report, began.elapsed().as_secs());
    if report.failed > 0 || !report.missed().is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn print(report: &Report, seconds: u64) {
    println!(
        "{} runs, {} faults, {} accepted calls, {} runs that paid twice as their policy allows, {} failures, {seconds} s",
        report.runs, report.faults, report.accepted, report.doubles, report.failed
    );
    for (reached, count) in &report.reached {
        println!("  {reached:?}: {count}");
    }
    for missed in report.missed() {
        println!("  {missed:?}: never");
    }
    for (case, wrong) in &report.failures {
        let least = shrink(case);
        let outcome = traced(&least);
        println!(
            "\nFAILED  {case}\n  {}\nshrunk  {least}\n  {}",
            wrong.join("\n  "),
            outcome.wrong.join("\n  ")
        );
        println!("{}", outcome.trace.join("\n"));
    }
}
