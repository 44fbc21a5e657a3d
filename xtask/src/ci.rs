//! `ci`: everything that must hold before a change lands.

use std::process::Command;
use std::time::Instant;

use crate::artifact::Part;
use crate::command::{cargo, output, shown_run};
use crate::failure::{Failure, Outcome};
use crate::paths::Repo;
use crate::progress::seconds;
use crate::{artifact, setup, tidy};

type Check = fn(&Repo) -> Outcome;

/// Quick checks first. All run, also after a failure: one run tells everything.
const CHECKS: [(&str, Check); 13] = [
    ("format", format),
    ("clippy, native", clippy_native),
    ("clippy, wasm", clippy_wasm),
    ("tidy", tidy::run),
    ("cargo deny", deny),
    ("unused dependencies", machete),
    ("spelling", typos),
    ("toml files", taplo),
    ("migrations", squawk),
    ("tests", tests),
    ("deployable", deployable),
    ("main job", demo),
    ("API and its description", schemathesis),
];

/// The `ci` command.
pub(crate) fn run(repo: &Repo) -> Outcome {
    setup::base(repo)?;
    setup::checks(repo)?;
    let mut lines = Vec::new();
    let mut failed = Vec::new();
    for (name, check) in CHECKS {
        eprintln!("\n=== {name}");
        let started = Instant::now();
        let outcome = check(repo);
        let took = seconds(started.elapsed());
        match outcome {
            Ok(()) => lines.push(format!("✓ {name} ({took})")),
            Err(failure) => {
                eprintln!("{failure}");
                lines.push(format!(
                    "✗ {name} ({took}): {}",
                    failure.what().lines().next().unwrap_or_default()
                ));
                failed.push(name);
            }
        }
    }
    println!("\n{}", lines.join("\n"));
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(format!("failed: {}", failed.join(", ")), "see above, section by section"))
    }
}

fn format(repo: &Repo) -> Outcome {
    shown_run(cargo(repo).args(["fmt", "--all", "--check"]), "run `cargo fmt --all`")
}

fn clippy_native(repo: &Repo) -> Outcome {
    let mut clippy = cargo(repo);
    clippy.args([
        "clippy",
        "--locked",
        "--workspace",
        "--all-targets",
        "--all-features",
        "--",
        "--deny",
        "warnings",
    ]);
    shown_run(&mut clippy, "mend what clippy says")
}

/// What a Worker is made of is compiled for wasm too, where other code is behind `cfg`.
fn clippy_wasm(repo: &Repo) -> Outcome {
    let mut clippy = cargo(repo);
    clippy.args(["clippy", "--locked", "--target", "wasm32-unknown-unknown"]);
    for package in ["api-worker", "webhook-consumer", "workflow", "store", "domain"] {
        clippy.args(["--package", package]);
    }
    clippy.args(["--", "--deny", "warnings"]);
    shown_run(&mut clippy, "mend what clippy says")
}

fn deny(repo: &Repo) -> Outcome {
    // It works offline: the crates of every platform must be here.
    shown_run(
        cargo(repo).args(["fetch", "--locked"]),
        "check the network, and that Cargo.lock is up to date",
    )?;
    let mut deny = tool(repo, "cargo-deny");
    deny.args(["--offline", "check", "bans", "licenses", "sources"]);
    shown_run(&mut deny, "keep the arrows of deny.toml, or change them on purpose")
}

fn machete(repo: &Repo) -> Outcome {
    shown_run(&mut tool(repo, "cargo-machete"), "remove the dependencies that nothing uses")
}

fn typos(repo: &Repo) -> Outcome {
    shown_run(&mut python_tool(repo, "typos"), "mend the spelling, or teach typos.toml the word")
}

fn taplo(repo: &Repo) -> Outcome {
    shown_run(
        python_tool(repo, "taplo").args(["format", "--check"]),
        "run `taplo format` (its path is in the line above)",
    )
}

fn squawk(repo: &Repo) -> Outcome {
    let mut squawk = python_tool(repo, "squawk");
    squawk.arg("migrations/*.sql");
    shown_run(&mut squawk, "mend the migration, or exclude the rule in .squawk.toml with a reason")
}

/// The README's command, as a person calls it.
fn tests(repo: &Repo) -> Outcome {
    shown_run(cargo(repo).args(["xtask", "test"]), "read the first failure above")
}

/// Both Workers as `wrangler deploy` would upload them, with their sizes.
fn deployable(repo: &Repo) -> Outcome {
    artifact::workers(repo)?;
    artifact::image(repo)?;
    for (part, config) in
        [(Part::ApiWorker, "wrangler.toml"), (Part::WebhookConsumer, "webhook-consumer/wrangler.toml")]
    {
        let mut deploy = Command::new(repo.node_program("wrangler"));
        deploy
            .args(["deploy", "--dry-run", "--config", config, "--outdir"])
            .arg(repo.notes().join("deploy").join(part.package()));
        deploy.current_dir(repo.root()).env("PATH", repo.node_path()?).env("WRANGLER_SEND_METRICS", "false");
        // Even in a dry run it would build the image, with Docker; the image's one file is built above.
        deploy.arg("--containers-rollout=none").env("NO_COLOR", "1").env("WRANGLER_WRITE_LOGS", "false");
        let said = output(&mut deploy, "mend the wrangler file or the bundle")?;
        let size = said.lines().find(|line| line.contains("Total Upload")).unwrap_or("no size was printed");
        println!("{}: {size}", part.package());
    }
    Ok(())
}

fn demo(repo: &Repo) -> Outcome {
    shown_run(
        cargo(repo).args(["xtask", "demo", "--json"]),
        "run `cargo xtask demo` and read the logs it names",
    )
}

/// Few requests an operation; `cargo xtask schemathesis --examples N` makes more.
fn schemathesis(repo: &Repo) -> Outcome {
    shown_run(cargo(repo).args(["xtask", "schemathesis"]), "read what it found above")
}

fn tool(repo: &Repo, name: &str) -> Command {
    let mut command = Command::new(repo.tool(name));
    command.current_dir(repo.root());
    command
}

fn python_tool(repo: &Repo, name: &str) -> Command {
    let mut command = Command::new(setup::python_tool(repo, name));
    command.current_dir(repo.root());
    command
}
