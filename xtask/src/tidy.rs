//! `tidy`: rules of this repository that no other tool holds.

mod arrows;
mod bindings;
mod error_pages;
mod pins;
mod proofs;
mod sizes;
mod statuses;
mod text;
mod tree;

use std::fmt;

use crate::failure::{Failure, Outcome};
use crate::paths::Repo;
use tree::Tree;

/// A broken rule and where.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    /// A file, relative to the root; with `:line` where there is one.
    place: String,
    what: String,
}

impl Finding {
    fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

type Rule = fn(&Tree) -> Vec<Finding>;

const RULES: [(&str, Rule); 8] = [
    ("crates build on each other as designed", arrows::check),
    ("binding names are those of the wrangler files", bindings::check),
    ("every error code has its page", error_pages::check),
    ("words of the database are words of the domain", statuses::check),
    ("every proof of a guarantee is a test", proofs::check),
    ("files are small", sizes::check),
    ("no lint is switched off, nothing is left to do, no machine is named", text::check),
    ("pinned tools match Cargo.lock", pins::check),
];

/// The `tidy` command.
pub(crate) fn run(repo: &Repo) -> Outcome {
    let tree = Tree::of_git(repo.root())?;
    let mut broken = 0;
    for (name, rule) in RULES {
        let mut findings = rule(&tree);
        findings.sort();
        eprintln!("{} {name}", if findings.is_empty() { '✓' } else { '✗' });
        broken += findings.len();
        for finding in findings {
            eprintln!("    {finding}");
        }
    }
    if broken == 0 {
        return Ok(());
    }
    Err(Failure::new(
        format!("{broken} broken rules"),
        "mend what is listed above; the rules are in xtask/src/tidy/",
    ))
}
