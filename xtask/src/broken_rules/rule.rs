//! A rule and the patch that breaks it.

use std::fs;
use std::path::PathBuf;

use crate::failure::{Failure, OrFail, Outcome};
use crate::paths::Repo;

/// Where the patches are, below the root.
pub(super) const FOLDER: &str = "xtask/broken-rules";

/// One file of [`FOLDER`]: three lines of heading, then what `git diff` wrote.
#[derive(Debug)]
pub(super) struct Rule {
    /// The file's name without its ending.
    pub(super) name: String,
    pub(super) patch: PathBuf,
    /// As the contract numbers it.
    pub(super) rules: String,
    /// What is done instead.
    pub(super) broken: String,
    /// Part of the names of the scenarios that are run.
    pub(super) scenarios: String,
    /// The folders that the patch changes, each a crate.
    pub(super) crates: Vec<String>,
}

impl Rule {
    /// All of them, by name.
    pub(super) fn all(repo: &Repo) -> Outcome<Vec<Self>> {
        let folder = repo.join(FOLDER);
        let files = fs::read_dir(&folder).or_fail("cannot read the broken rules", "check the checkout")?;
        let mut rules = Vec::new();
        for file in files {
            let path = file.or_fail("cannot read the broken rules", "check the checkout")?.path();
            let text = fs::read_to_string(&path).or_fail(path.display(), "check the checkout")?;
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let rule = name.and_then(|name| Self::read(name, path.clone(), &text));
            let advice = "it begins with the lines `Rule: …`, `Broken: …` and `Scenarios: …`";
            rules.push(rule.ok_or_else(|| Failure::new(format!("no patch: {}", path.display()), advice))?);
        }
        rules.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(rules)
    }

    fn read(name: String, patch: PathBuf, text: &str) -> Option<Self> {
        let heading = |word: &str| text.lines().find_map(|line| line.strip_prefix(word)).map(str::to_owned);
        let mut crates: Vec<String> = text
            .lines()
            .filter_map(|line| line.strip_prefix("+++ b/")?.split('/').next().map(str::to_owned))
            .collect();
        crates.dedup();
        Some(Self {
            name,
            patch,
            rules: heading("Rule: ")?,
            broken: heading("Broken: ")?,
            scenarios: heading("Scenarios: ")?,
            crates,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::Rule;
    use crate::paths::Repo;

    #[test]
    fn every_patch_applies_and_names_scenarios_that_are_there() {
        let repo = Repo::locate().unwrap();
        let rules = Rule::all(&repo).unwrap();
        assert!(rules.len() >= 10, "{} rules", rules.len());
        let scenarios =
            ["scenarios", "faults"].map(|part| sources(&repo.join("e2e/tests").join(part))).concat();
        for Rule { name, patch, scenarios: part, crates, .. } in rules {
            let mut check = Command::new("git");
            check.current_dir(repo.root()).args(["apply", "--check"]).arg(&patch);
            assert!(check.status().unwrap().success(), "{name}: make the patch anew");
            assert!(scenarios.contains(&format!("fn {part}")), "{name}: no scenario begins with {part}");
            assert!(!crates.is_empty(), "{name}");
        }
    }

    fn sources(folder: &Path) -> String {
        let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        files.map(|file| fs::read_to_string(file).unwrap()).collect()
    }
}
