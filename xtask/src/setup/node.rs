//! Node's packages: wrangler, a Node new enough for it, esbuild, wasm-opt, Postgres.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::lock;
use crate::command::{logged, output};
use crate::failure::{Failure, OrFail, Outcome};
use crate::paths::Repo;
use crate::pins;
use crate::progress::Step;

const INSTALL_NODE: &str = "install Node.js 22 or newer with npm (https://nodejs.org), then run this again";
/// Programs that must be there, besides the packages' folders: an interrupted install script leaves them out.
const PROGRAMS: [&str; 5] = ["node", "wrangler", "workerd", "esbuild", "wasm-opt"];

/// Runs `npm ci` unless `node_modules` is what `package-lock.json` asks for.
pub(crate) fn ensure_packages(repo: &Repo) -> Outcome {
    check_node()?;
    if is_installed(repo) {
        return Ok(());
    }
    let _held = lock(&repo.notes().join("npm.lock"))?;
    if is_installed(repo) {
        return Ok(());
    }
    output(Command::new("npm").arg("--version"), INSTALL_NODE)?;
    let step = Step::start("installing npm packages (about a minute, once)");
    let advice = "check the network and the log, then run this again";
    logged(repo, "npm-ci", Command::new("npm").arg("ci").current_dir(repo.root()), advice)?;
    if !is_installed(repo) {
        return Err(Failure::new(
            "`npm ci` ended well, yet node_modules is not what package-lock.json asks for",
            "delete node_modules and run this again; if it stays, allow the packages' install scripts (`npm config get ignore-scripts` must be false)",
        ));
    }
    step.done();
    Ok(())
}

fn check_node() -> Outcome {
    let version = output(Command::new("node").arg("--version"), INSTALL_NODE)?;
    match major(&version) {
        Some(major) if major >= pins::NODE_MAJOR => Ok(()),
        _ => Err(Failure::new(
            format!("Node.js {version} is too old, {} is the least", pins::NODE_MAJOR),
            INSTALL_NODE,
        )),
    }
}

/// `v22.1.0` → 22.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

fn is_installed(repo: &Repo) -> bool {
    let read = |path: &str| read_json(&repo.join(path));
    PROGRAMS.iter().all(|program| repo.node_program(program).exists())
        && matches!(
            (read("package-lock.json"), read("node_modules/.package-lock.json")),
            (Ok(wanted), Ok(found)) if same_packages(&wanted, &found)
        )
}

fn read_json(path: &Path) -> Outcome<Value> {
    let text = fs::read_to_string(path).or_fail(path.display(), "run `npm ci`")?;
    serde_json::from_str(&text).or_fail(path.display(), "run `npm ci`")
}

/// Whether npm's record of what it installed (`found`) has all of `wanted` and nothing else. Packages of other
/// platforms are optional and may be absent.
fn same_packages(wanted: &Value, found: &Value) -> bool {
    let packages =
        |lock: &Value| lock.get("packages").and_then(Value::as_object).cloned().unwrap_or_default();
    let (wanted, found) = (packages(wanted), packages(found));
    let integrity = |package: &Value| (package.get("version").cloned(), package.get("integrity").cloned());
    let all_wanted =
        wanted.iter().filter(|(path, _)| !path.is_empty()).all(|(path, package)| match found.get(path) {
            Some(installed) => integrity(installed) == integrity(package),
            None => package.get("optional").and_then(Value::as_bool).unwrap_or(false),
        });
    all_wanted && found.keys().all(|path| wanted.contains_key(path)) && !found.is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{major, same_packages};

    fn lock(packages: &Value) -> Value {
        json!({ "packages": packages })
    }

    #[test]
    fn node_versions_are_read() {
        assert_eq!(major("v22.23.3"), Some(22));
        assert_eq!(major("22.23.3"), None);
        assert_eq!(major("vague"), None);
    }

    #[test]
    fn packages_of_other_platforms_may_be_absent() {
        let wanted = lock(&json!({
            "": {}, "node_modules/a": {"version": "1", "integrity": "x"},
            "node_modules/a-darwin": {"version": "1", "optional": true}
        }));
        assert!(same_packages(
            &wanted,
            &lock(&json!({"node_modules/a": {"version": "1", "integrity": "x"}}))
        ));
    }

    #[test]
    fn another_version_a_missing_and_a_superfluous_package_are_noticed() {
        let wanted =
            lock(&json!({"": {}, "node_modules/a": {"version": "1"}, "node_modules/b": {"version": "1"}}));
        for found in [
            json!({"node_modules/a": {"version": "2"}, "node_modules/b": {"version": "1"}}),
            json!({"node_modules/a": {"version": "1"}}),
            json!({"node_modules/a": {"version": "1"}, "node_modules/b": {"version": "1"}, "node_modules/c": {"version": "1"}}),
            json!({}),
        ] {
            assert!(!same_packages(&wanted, &lock(&found)), "{found}");
        }
    }
}
