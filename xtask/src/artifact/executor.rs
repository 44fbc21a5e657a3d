//! The executor: a static binary for its image, and plain builds of what the local stack runs.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::command::{cargo, logged, output};
use crate::failure::{OrFail, Outcome};
use crate::paths::Repo;
use crate::progress::Step;

const MEND: &str = "mend the crate (the log has the compiler's words), then run this again";

/// Builds `target/image/`, the context of the image: a static binary and an empty `tmp/`. wrangler gives the Dockerfile.
pub(crate) fn build_image(repo: &Repo) -> Outcome {
    let step = Step::start("building executor (static, for its image)");
    let host = host_triple()?;
    let mut command = cargo(repo);
    // An explicit target keeps the flag away from build scripts and proc macros, which cannot be static.
    command.args(["build", "--release", "--package", "executor", "--target", &host]);
    command.env("RUSTFLAGS", "-C target-feature=+crt-static");
    logged(repo, "build-executor", &mut command, MEND)?;
    empty_context(repo)?;
    let context = context(repo);
    let advice = "check the permissions of the target folder";
    let binary = repo.target().join(host).join("release/executor");
    fs::copy(&binary, context.join("executor"))
        .or_fail(format!("cannot copy {}", binary.display()), advice)?;
    let bytes = fs::metadata(context.join("executor")).or_fail("cannot measure the executor", advice)?.len();
    step.done_with(&format!("{} KiB", bytes.div_ceil(1024)));
    Ok(())
}

/// Makes the folders that the image is built from: wrangler wants them to exist even where no image is built.
pub(crate) fn empty_context(repo: &Repo) -> Outcome {
    let folder = context(repo).join("tmp");
    fs::create_dir_all(&folder)
        .or_fail(format!("cannot create {}", folder.display()), "check the target folder")
}

fn context(repo: &Repo) -> PathBuf {
    repo.target().join("image")
}

/// Builds programs of this workspace in the debug profile; cargo itself knows what has not changed.
pub(crate) fn build_programs(repo: &Repo, packages: &[&str]) -> Outcome {
    let step = Step::start(format!("building {}", packages.join(", ")));
    let mut command = cargo(repo);
    command.arg("build");
    for package in packages {
        command.args(["--package", package]);
    }
    logged(repo, "build-programs", &mut command, MEND)?;
    step.done();
    Ok(())
}

/// Builds the executor as it is deployed but for the static linking, and returns its place.
pub(crate) fn release_executor(repo: &Repo) -> Outcome<PathBuf> {
    let step = Step::start("building executor (release)");
    logged(repo, "build-release", cargo(repo).args(["build", "--release", "--package", "executor"]), MEND)?;
    step.done();
    Ok(repo.target().join("release/executor"))
}

fn host_triple() -> Outcome<String> {
    let about = output(Command::new("rustc").arg("-vV"), "install Rust with rustup (https://rustup.rs)")?;
    about
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .or_fail("`rustc -vV` names no host", "update Rust with `rustup update`")
}
