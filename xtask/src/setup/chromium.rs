//! Chromium and its `WebDriver`, as Debian has them: for the browser scenarios and the demo's screenshots.

use std::env;
use std::process::Command;

use crate::command::{logged, output};
use crate::failure::{Failure, Outcome};
use crate::paths::Repo;
use crate::progress::Step;

/// Debian's security suite carries one version at a time, so the newest is the only pin there is; that the two fit is checked.
const PACKAGES: [&str; 3] = ["chromium", "chromium-driver", "fonts-dejavu-core"];
const INSTALL: &str = "install Chromium and ChromeDriver of one version so that `chromium` and `chromedriver` are on PATH (Debian: `apt-get install chromium chromium-driver`), then run this again";

/// Whether a page can be looked at here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chromium {
    There,
    Missing,
}

/// Installs the packages where that can be done without asking anybody: as root, with apt. Elsewhere it says what is
/// missing; under CI that is a failure.
pub(crate) fn ensure(repo: &Repo) -> Outcome<Chromium> {
    if is_there()? {
        return Ok(Chromium::There);
    }
    if is_root() && works("apt-get") {
        install(repo)?;
        if is_there()? {
            return Ok(Chromium::There);
        }
    }
    if env::var("CI").is_ok_and(|value| value == "true") {
        return Err(Failure::new("the browser scenarios need Chromium, which is not here", INSTALL));
    }
    eprintln!(
        "! NO CHROMIUM HERE: the review page is not looked at in a browser.\n! To change that, {INSTALL}."
    );
    Ok(Chromium::Missing)
}

fn install(repo: &Repo) -> Outcome {
    let step = Step::start("installing Debian's Chromium (about a minute, once per machine)");
    let advice = "check the network and the log, then run this again";
    logged(repo, "apt-update", Command::new("apt-get").arg("update"), advice)?;
    let mut install = Command::new("apt-get");
    install.args(["install", "--yes", "--no-install-recommends"]).args(PACKAGES);
    logged(repo, "apt-chromium", install.env("DEBIAN_FRONTEND", "noninteractive"), advice)?;
    step.done();
    Ok(())
}

/// Both programs run; two versions that do not fit are a failure at once, not a session that will not start.
fn is_there() -> Outcome<bool> {
    let version = |program: &str| {
        let said = output(Command::new(program).arg("--version"), INSTALL).ok()?;
        said.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned)
    };
    match (version("chromium"), version("chromedriver")) {
        (Some(browser), Some(driver)) if browser == driver => Ok(true),
        (Some(browser), Some(driver)) => {
            Err(Failure::new(format!("Chromium is {browser}, its driver {driver}"), INSTALL))
        }
        _ => Ok(false),
    }
}

fn works(program: &str) -> bool {
    output(Command::new(program).arg("--version"), INSTALL).is_ok()
}

fn is_root() -> bool {
    output(Command::new("id").arg("-u"), INSTALL).is_ok_and(|id| id == "0")
}
