//! `broken-rules`: the test of the tests. Rules are broken on purpose, one at a time, in a copy of the tree; model,
//! simulation and scenarios must say so.

mod copy;
mod document;
mod rule;

use std::fs::File;
use std::process::Command;

use copy::Copy;
use rule::Rule;

use crate::failure::{Failure, OrFail, Outcome};
use crate::paths::Repo;
use crate::setup;
use crate::test::runner;

/// Arguments of `broken-rules`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only rules whose file's name contains this
    filter: Option<String>,
}

/// Who may notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detector {
    Model,
    Simulation,
    Scenarios,
}

/// What a detector said of a broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    /// It has none of the code that the patch changes.
    Elsewhere,
    Missed,
    /// By these tests.
    Caught(Vec<String>),
}

/// The `broken-rules` command. Succeeds only if every rule that it broke was noticed by somebody.
pub(crate) fn run(repo: &Repo, args: &Args) -> Outcome {
    setup::base(repo)?;
    let copy = Copy::make(repo)?;
    let mut unseen = Vec::new();
    for rule in Rule::all(repo)? {
        if args.filter.as_ref().is_some_and(|filter| !rule.name.contains(filter)) {
            continue;
        }
        eprintln!("\n--- {}: {}", rule.rules, rule.broken);
        copy.break_rule(&rule)?;
        let mut verdicts = Vec::new();
        for detector in Detector::ALL {
            let verdict = detector.ask(repo, &copy, &rule)?;
            eprintln!("{}: {verdict}", detector.name());
            verdicts.push(verdict);
        }
        document::put(repo, &rule, &verdicts)?;
        if !verdicts.iter().any(|verdict| matches!(verdict, Verdict::Caught(_))) {
            unseen.push(rule.name);
        }
    }
    if unseen.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("nobody noticed: {}", unseen.join(", ")), "write the test that would have"))
}

impl Detector {
    const ALL: [Self; 3] = [Self::Model, Self::Simulation, Self::Scenarios];

    const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Simulation => "sim",
            Self::Scenarios => "scenarios",
        }
    }

    /// Whether it runs the code that was changed, by the arrows of `deny.toml`.
    fn has(self, package: &str) -> bool {
        match self {
            Self::Model => package == "domain",
            Self::Simulation => ["domain", "executor"].contains(&package),
            Self::Scenarios => true,
        }
    }

    fn ask(self, repo: &Repo, copy: &Copy, rule: &Rule) -> Outcome<Verdict> {
        if !rule.crates.iter().any(|package| self.has(package)) {
            return Ok(Verdict::Elsewhere);
        }
        let path = repo.notes().join("logs").join(format!("broken-{}-{}.log", rule.name, self.name()));
        let advice = "check the disk";
        let mut log = File::create(&path).or_fail(format!("cannot create {}", path.display()), advice)?;
        let errors = log.try_clone().or_fail("cannot share the log", advice)?;
        let mut tests = self.command(repo, copy, rule);
        tests.stderr(errors);
        let runtime = tokio::runtime::Runtime::new().or_fail("cannot start tokio", advice)?;
        let report = runtime.block_on(runner::run(tests, &mut log))?;
        if report.succeeded() {
            return Ok(Verdict::Missed);
        }
        if report.failed_tests().is_empty() {
            let what = format!("{} did not come to its tests: {}", self.name(), repo.shown(&path));
            return Err(Failure::new(what, "read the end of that log"));
        }
        Ok(Verdict::Caught(report.failed_tests().to_vec()))
    }

    fn command(self, repo: &Repo, copy: &Copy, rule: &Rule) -> Command {
        let mut cargo = copy.cargo(repo);
        match self {
            Self::Model | Self::Simulation => {
                cargo.args(["test", "--no-fail-fast", "--package", self.name()])
            }
            Self::Scenarios => cargo.args(["xtask", "test", "--part", "scenarios", &rule.scenarios]),
        };
        cargo
    }
}
