//! Build tools that come from crates.io, built once into the cache for all checkouts.

use std::fs;
use std::process::Command;

use super::lock;
use crate::command::logged;
use crate::failure::{Failure, OrFail, Outcome};
use crate::paths::Repo;
use crate::pins;
use crate::progress::Step;

/// A program from crates.io.
struct Tool {
    package: &'static str,
    version: String,
    /// Rough time on two cores, for the person who waits.
    minutes: u8,
}

/// `worker-build` and the `wasm-bindgen` of `Cargo.lock`: what a Worker is built with.
pub(crate) fn ensure_build_tools(repo: &Repo) -> Outcome {
    let tools = [
        Tool { package: "worker-build", version: pins::WORKER_BUILD.to_owned(), minutes: 2 },
        Tool { package: "wasm-bindgen-cli", version: locked_version(repo, "wasm-bindgen")?, minutes: 2 },
    ];
    tools.iter().try_for_each(|tool| ensure(repo, tool))
}

/// What `ci` checks the workspace with.
pub(crate) fn ensure_check_tools(repo: &Repo) -> Outcome {
    let tools = [
        Tool { package: "cargo-machete", version: pins::CARGO_MACHETE.to_owned(), minutes: 1 },
        Tool { package: "cargo-deny", version: pins::CARGO_DENY.to_owned(), minutes: 3 },
    ];
    tools.iter().try_for_each(|tool| ensure(repo, tool))
}

/// The version of `package` that `Cargo.lock` holds; the command-line tool must be the same.
fn locked_version(repo: &Repo, package: &str) -> Outcome<String> {
    let path = repo.join("Cargo.lock");
    let text = fs::read_to_string(&path).or_fail(path.display(), "run this inside the checkout")?;
    version_in(&text, package).ok_or_else(|| {
        Failure::new(
            format!("Cargo.lock holds no single `{package}`"),
            "run `cargo metadata` to write it; two versions at once must be made one",
        )
    })
}

/// The version of `package` in the text of a lock file, if it is there exactly once.
pub(crate) fn version_in(lock: &str, package: &str) -> Option<String> {
    let lock: toml::Table = lock.parse().ok()?;
    let mut versions = lock.get("package")?.as_array()?.iter().filter_map(|entry| {
        (entry.get("name")?.as_str()? == package)
            .then(|| entry.get("version")?.as_str().map(str::to_owned))?
    });
    versions.next().filter(|_| versions.next().is_none())
}

fn ensure(repo: &Repo, tool: &Tool) -> Outcome {
    if is_installed(repo, tool) {
        return Ok(());
    }
    let _held = lock(&repo.cache().join("tools.lock"))?;
    if is_installed(repo, tool) {
        return Ok(());
    }
    let Tool { package, version, minutes } = tool;
    let step = Step::start(format!("building {package} {version} (about {minutes} min, once per machine)"));
    // A lock file can name a version that a mirror of the registry does not serve: then a compatible one will do.
    if install(repo, tool, Locked::AsPublished).is_err() {
        step.detail("its lock file cannot be used, trying without");
        install(repo, tool, Locked::Resolved)?;
    }
    let build = repo.cache().join("build");
    fs::remove_dir_all(&build).or_fail(format!("cannot delete {}", build.display()), "delete it by hand")?;
    step.done();
    Ok(())
}

/// Whose versions of its dependencies a tool is built with.
#[derive(Clone, Copy)]
enum Locked {
    AsPublished,
    Resolved,
}

fn install(repo: &Repo, tool: &Tool, locked: Locked) -> Outcome {
    let mut command = Command::new("cargo");
    command
        .args(["install", tool.package, "--version", &tool.version, "--root"])
        .arg(repo.cache().join("tools"));
    match locked {
        Locked::AsPublished => command.arg("--locked"),
        Locked::Resolved => &mut command,
    }
    .current_dir(repo.cache())
    .env("CARGO_TARGET_DIR", repo.cache().join("build"))
    // These run for seconds: a quick build is worth more than a quick program.
    .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
    .env("CARGO_PROFILE_RELEASE_LTO", "off")
    .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
    // `cargo xtask` sets these for us; they are about this workspace, not about the tool.
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
        command.env_remove(name);
    }
    let advice = "check the network and the log, then run this again";
    logged(repo, &format!("install-{}", tool.package), &mut command, advice)
}

fn is_installed(repo: &Repo, tool: &Tool) -> bool {
    fs::read_to_string(repo.cache().join("tools/.crates.toml"))
        .is_ok_and(|record| records(&record, tool.package, &tool.version))
}

/// Whether cargo's own record of installed programs names this version.
fn records(record: &str, package: &str, version: &str) -> bool {
    record.lines().any(|line| line.starts_with(&format!("\"{package} {version} (")))
}

#[cfg(test)]
mod tests {
    use super::{records, version_in};

    #[test]
    fn the_record_of_cargo_names_package_and_version() {
        let record =
            "[v1]\n\"wasm-bindgen-cli 0.2.130 (registry+https://…)\" = [\n    \"wasm-bindgen\",\n]\n";
        assert!(records(record, "wasm-bindgen-cli", "0.2.130"));
        assert!(!records(record, "wasm-bindgen-cli", "0.2.13"));
        assert!(!records(record, "wasm-bindgen", "0.2.130"));
    }

    #[test]
    fn the_lock_file_must_hold_one_version() {
        let one = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n[[package]]\nname = \"b\"\nversion = \"2.0.0\"\n";
        assert_eq!(version_in(one, "a").as_deref(), Some("1.0.0"));
        assert_eq!(version_in(one, "c"), None);
        let two = format!("{one}[[package]]\nname = \"a\"\nversion = \"1.1.0\"\n");
        assert_eq!(version_in(&two, "a"), None);
    }
}
