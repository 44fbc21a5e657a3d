//! `setup`: installs what is missing and nothing else. The other commands call it; when all is there it takes no time.

mod cargo_tools;
mod chromium;
mod node;
mod python_tools;
mod rust;

use std::fs::{self, File};
use std::path::Path;

use crate::failure::{OrFail, Outcome};
use crate::paths::Repo;

pub(crate) use cargo_tools::version_in;
pub(crate) use chromium::{Chromium, ensure as chromium};
pub(crate) use python_tools::{ensure as python, program as python_tool};

/// Arguments of `setup`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also install the tools of `ci`, `tidy` and `test`: cargo-deny, cargo-machete, typos, taplo, squawk, schemathesis, and
    /// Chromium where that needs nobody's leave (as root, with apt)
    #[arg(long)]
    checks: bool,
}

/// The `setup` command.
pub(crate) fn run(repo: &Repo, args: &Args) -> Outcome {
    base(repo)?;
    if args.checks {
        checks(repo)?;
    }
    eprintln!("✓ set up");
    Ok(())
}

/// What building and running AFC needs.
pub(crate) fn base(repo: &Repo) -> Outcome {
    rust::ensure_wasm_target()?;
    node::ensure_packages(repo)?;
    cargo_tools::ensure_build_tools(repo)
}

/// What `ci` needs beyond [`base`].
pub(crate) fn checks(repo: &Repo) -> Outcome {
    cargo_tools::ensure_check_tools(repo)?;
    python_tools::ensure(repo)?;
    chromium::ensure(repo).map(drop)
}

/// Waits until no other xtask works on the same thing; held until the returned file is dropped.
fn lock(path: &Path) -> Outcome<File> {
    let advice = "check the permissions of the folder";
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).or_fail(format!("cannot create {}", folder.display()), advice)?;
    }
    let file = File::create(path).or_fail(format!("cannot create {}", path.display()), advice)?;
    file.lock().or_fail(format!("cannot lock {}", path.display()), advice)?;
    Ok(file)
}
