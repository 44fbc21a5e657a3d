//! Checkers that come as wheels from `PyPI`, in a virtual environment below the cache.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::lock;
use crate::command::logged;
use crate::failure::{OrFail, Outcome};
use crate::hash::sha256_hex;
use crate::paths::Repo;
use crate::pins;
use crate::progress::Step;

const INSTALL_PYTHON: &str = "install Python 3 with its venv module (Debian: `apt-get install python3-venv`), check the network, then run this again";

/// Creates the environment of [`pins::PYTHON_TOOLS`] unless it is there. Another set of pins is another folder.
pub(crate) fn ensure(repo: &Repo) -> Outcome {
    let folder = environment(repo);
    let complete = folder.join("complete");
    if complete.exists() {
        return Ok(());
    }
    let _held = lock(&repo.cache().join("python.lock"))?;
    if complete.exists() {
        return Ok(());
    }
    let step = Step::start(format!("installing {} (once per machine)", pins::PYTHON_TOOLS.join(", ")));
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .or_fail(format!("cannot delete {}", folder.display()), "delete it by hand")?;
    }
    logged(repo, "python-venv", Command::new("python3").args(["-m", "venv"]).arg(&folder), INSTALL_PYTHON)?;
    let pip = folder.join("bin/python");
    let mut install = Command::new(pip);
    install.args(["-m", "pip", "install", "--disable-pip-version-check", "--only-binary", ":all:"]);
    logged(repo, "python-tools", install.args(pins::PYTHON_TOOLS), INSTALL_PYTHON)?;
    fs::write(&complete, "")
        .or_fail(format!("cannot write {}", complete.display()), "check its permissions")?;
    step.done();
    Ok(())
}

/// A program of the environment.
pub(crate) fn program(repo: &Repo, name: &str) -> PathBuf {
    environment(repo).join("bin").join(name)
}

fn environment(repo: &Repo) -> PathBuf {
    let pins = sha256_hex(pins::PYTHON_TOOLS.join("\n").as_bytes());
    repo.cache().join(format!("python-{}", pins.get(..12).unwrap_or(&pins)))
}
