//! `test`: unit tests on a real Postgres, the Workflow engine's tests, and the scenarios on a running stack.

pub(crate) mod runner;

use std::io::stdout;
use std::process::Command;

use clap::ValueEnum;

use crate::artifact;
use crate::command::cargo;
use crate::failure::{Failure, Outcome};
use crate::paths::Repo;
use crate::setup::{self, Chromium};
use crate::stack::{
    ControlPath, Data, Ended, Engine, Logs, Name, Options, supervised, with_database, with_stack,
};
use runner::Report;

/// Waits that tests should not sit through; everything else is as in production (`domain::timing`).
const TIMING: &str = r#"{"execute_retry_ms":500,"record_retry_ms":200,"container_watch_ms":2000,"attempt_backoff_ms":100,"provider_poll_ms":200,"free_retry_ms":200,"journal_patience_ms":2000,"gate_poll_ms":300,"breaker_money_ms":1,"breaker_unavailable_ms":1,"callback_patience_ms":8000,"review_second_ms":50,"look_second_ms":20,"requeue_ms":20000,"sweep_idle_ms":15000,"retention_day_ms":4000,"erasure_settle_ms":1000}"#;
/// Tests of the Workflow binding and of the webhook consumer under wrangler's own engine, and of the TypeScript client;
/// patterns for Node.
const NODE_TESTS: [&str; 3] = [
    "workflow/tests/engine/*.test.mjs",
    "webhook-consumer/tests/engine/*.test.mjs",
    "clients/typescript/tests/*.test.ts",
];

/// Arguments of `test`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only tests whose name contains this
    filter: Option<String>,
    /// Only this part; may be given several times
    #[arg(long, value_enum)]
    part: Vec<Part>,
}

/// What tests need to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// A database
    Unit,
    /// Node: the engine of wrangler (the consumer's tests start a database and a receiver), the TypeScript client
    Engine,
    /// A whole stack
    Scenarios,
}

/// The `test` command. Everything runs even when something before it failed; the runners' closing lines come last.
pub(crate) fn run(repo: &Repo, args: &Args) -> Outcome {
    let filter = args.filter.as_deref();
    let all = [Part::Unit, Part::Engine, Part::Scenarios];
    let mut total = Report::default();
    let mut broken = Vec::new();
    for part in all.into_iter().filter(|part| args.part.is_empty() || args.part.contains(part)) {
        let name = part.name();
        eprintln!("\n--- {name}");
        match part.run(repo, filter) {
            Ok(Ended::Done(report)) => {
                broken.extend(Some(name).filter(|_| !report.succeeded()));
                total.add(report);
            }
            Ok(Ended::Interrupted) => return Err(Failure::new("interrupted", "run it again when you like")),
            Err(failure) => {
                eprintln!("{failure}");
                broken.push(name);
            }
        }
    }
    println!("{total}");
    if broken.is_empty() {
        return Ok(());
    }
    let advice = "read the first failure above; `cargo xtask test NAME` runs only tests with that name";
    Err(Failure::new(format!("failed: {}", broken.join(", ")), advice))
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Self::Unit => "unit tests",
            Self::Engine => "engine tests",
            Self::Scenarios => "scenarios",
        }
    }

    fn run(self, repo: &Repo, filter: Option<&str>) -> Outcome<Ended<Report>> {
        match self {
            Self::Unit => unit_tests(repo, filter),
            Self::Engine => engine_tests(repo, filter),
            Self::Scenarios => scenarios(repo, filter),
        }
    }
}

/// Everything that needs no stack. Tests of the store make a schema each in one database.
fn unit_tests(repo: &Repo, filter: Option<&str>) -> Outcome<Ended<Report>> {
    with_database(repo, &Name::of("unit")?, async |url| {
        let mut tests = cargo(repo);
        tests.args(["test", "--workspace", "--exclude", "e2e", "--no-fail-fast"]).args(filter);
        tests.env("DATABASE_URL", url);
        runner::run(tests, &mut stdout()).await
    })
}

/// The Workflow loop and decider, and the webhook consumer, under the engine that `wrangler` ships; the TypeScript client.
fn engine_tests(repo: &Repo, filter: Option<&str>) -> Outcome<Ended<Report>> {
    let path = repo.node_path()?;
    setup::base(repo)?;
    artifact::build(repo, artifact::Part::WebhookConsumer)?;
    artifact::build_programs(repo, &["testkit"])?;
    supervised(repo, &Name::of("engine")?, async || {
        let mut tests = Command::new(repo.node_program("node"));
        tests
            .arg("--test")
            .args(filter.map(|filter| format!("--test-name-pattern={filter}")))
            .args(NODE_TESTS);
        tests.current_dir(repo.root()).env("PATH", &path).env("WRANGLER_SEND_METRICS", "false");
        tests.env("AFC_TESTKIT", repo.debug_binary("testkit"));
        runner::run(tests, &mut stdout()).await
    })
}

/// Black-box scenarios on a stack of their own, with no data of earlier runs; those of the review page in a real browser too,
/// where there is one.
fn scenarios(repo: &Repo, filter: Option<&str>) -> Outcome<Ended<Report>> {
    let options = stack("test", ControlPath::Faulty)?;
    setup::python(repo)?;
    let features = match setup::chromium(repo)? {
        Chromium::There => "stack,browser",
        Chromium::Missing => "stack",
    };
    with_stack(repo, &options, async |_file| {
        let mut tests = cargo(repo);
        tests.args(["test", "--package", "e2e", "--features", features, "--no-fail-fast"]).args(filter);
        tests.env("AFC_STACK", options.name.file(repo));
        tests.env("AFC_PYTHON", setup::python_tool(repo, "python"));
        runner::run(tests, &mut stdout()).await
    })
}

/// A stack for tests: no data of earlier runs, and short waits.
pub(crate) fn stack(name: &str, control_path: ControlPath) -> Outcome<Options> {
    Ok(Options {
        name: Name::of(name)?,
        engine: Engine::Process,
        logs: Logs::Kept,
        data: Data::Deleted,
        timing: TIMING.to_owned(),
        control_path,
    })
}

#[cfg(test)]
mod tests {
    use super::TIMING;

    #[test]
    fn the_shortened_waits_are_waits_that_the_domain_knows() {
        domain::timing::Timing::from_overrides(Some(TIMING)).unwrap();
    }
}
