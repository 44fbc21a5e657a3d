//! A second checkout, in which rules are broken.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::rule::Rule;
use crate::command::{cargo, output};
use crate::failure::{OrFail, Outcome};
use crate::paths::Repo;

/// The last commit, checked out below the target folder, with a target folder of its own.
pub(super) struct Copy {
    root: PathBuf,
}

impl Copy {
    /// Takes the place of one that an earlier run left behind; what that one built is used again.
    pub(super) fn make(repo: &Repo) -> Outcome<Self> {
        let copy = Self { root: repo.notes().join("broken-rules") };
        let advice = "remove target/xtask/broken-rules, run `git worktree prune`, then this again";
        let mut git = Command::new("git");
        git.current_dir(repo.root());
        if copy.root.join(".git").exists() {
            let head = output(git.args(["rev-parse", "HEAD"]), advice)?;
            copy.git(&["checkout", "--quiet", "--force", "--detach", &head])?;
        } else {
            fs::create_dir_all(repo.notes()).or_fail("cannot make target/xtask", "check the disk")?;
            git.args(["worktree", "add", "--quiet", "--force", "--detach"]).arg(&copy.root).arg("HEAD");
            output(&mut git, advice)?;
        }
        Ok(copy)
    }

    /// Makes the rule broken in here, and only that one.
    pub(super) fn break_rule(&self, rule: &Rule) -> Outcome {
        self.git(&["checkout", "--quiet", "--force", "--", "."])?;
        self.git(&["apply", &rule.patch.to_string_lossy()])
    }

    /// Cargo in here.
    pub(super) fn cargo(&self, repo: &Repo) -> Command {
        let mut cargo = cargo(repo);
        cargo.current_dir(&self.root).env("CARGO_TARGET_DIR", self.root.join("target"));
        cargo
    }

    fn git(&self, args: &[&str]) -> Outcome {
        let advice = "make the patch anew: `git diff` of a tree in which the rule is broken";
        output(Command::new("git").current_dir(&self.root).args(args), advice).map(drop)
    }
}
