//! `docs/BROKEN_RULES.md`: a row for each rule, kept from run to run.

use std::fmt;
use std::fs;

use super::Verdict;
use super::rule::Rule;
use crate::failure::{OrFail, Outcome};
use crate::paths::Repo;

/// Where the table is, below the root.
const PATH: &str = "docs/BROKEN_RULES.md";
const HEAD: &str = "# Rules broken on purpose

The test of the tests: `cargo xtask broken-rules` breaks one rule at a time in a copy of the tree, by a patch of
`xtask/broken-rules`, and runs the model, the simulation (every single fault) and the scenarios that the patch names on a
whole stack. *(not its code)*: it runs none of the code that was changed. The command writes these rows; that every patch
still applies is a test.

| rule | broken | model | simulation | scenarios |
|---|---|---|---|---|
";
/// More names than these are counted.
const NAMES: usize = 3;

/// Writes a rule's row, in place of the one that an earlier run wrote.
pub(super) fn put(repo: &Repo, rule: &Rule, verdicts: &[Verdict]) -> Outcome {
    let path = repo.join(PATH);
    let text = fs::read_to_string(&path).unwrap_or_default();
    fs::write(&path, with_row(&text, rule, verdicts))
        .or_fail(format!("cannot write {PATH}"), "check the disk")
}

fn with_row(text: &str, rule: &Rule, verdicts: &[Verdict]) -> String {
    let cells: Vec<String> = verdicts.iter().map(Verdict::to_string).collect();
    let start = format!("| {} | {} |", rule.rules, rule.broken);
    let mut rows: Vec<String> = text
        .lines()
        .skip_while(|line| !line.starts_with("|---"))
        .skip(1)
        .filter(|row| row.starts_with('|') && !row.starts_with(&start))
        .map(str::to_owned)
        .collect();
    rows.push(format!("{start} {} |", cells.join(" | ")));
    rows.sort();
    format!("{HEAD}{}\n", rows.join("\n"))
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elsewhere => f.write_str("*(not its code)*"),
            Self::Missed => f.write_str("–"),
            Self::Caught(tests) => {
                let names: Vec<String> = tests.iter().take(NAMES).map(|test| format!("`{test}`")).collect();
                f.write_str(&names.join(", "))?;
                match tests.len().saturating_sub(NAMES) {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{HEAD, Verdict, with_row};
    use crate::broken_rules::rule::Rule;

    fn rule(rules: &str) -> Rule {
        let words = ["name", rules, "is broken", "a1_"].map(str::to_owned);
        let [name, rules, broken, scenarios] = words;
        Rule { name, patch: PathBuf::new(), rules, broken, scenarios, crates: Vec::new() }
    }

    #[test]
    fn a_row_is_written_in_its_place_and_again_over_itself() {
        let caught = Verdict::Caught(["a", "b", "c", "d"].map(str::to_owned).to_vec());
        let one = with_row("", &rule("B2"), &[Verdict::Missed, caught]);
        let two = with_row(&one, &rule("A1"), &[Verdict::Elsewhere, Verdict::Missed]);
        assert_eq!(
            two,
            format!(
                "{HEAD}| A1 | is broken | *(not its code)* | – |\n| B2 | is broken | – | `a`, `b`, `c` and 1 more |\n"
            )
        );
        let again = with_row(&two, &rule("B2"), &[Verdict::Missed, Verdict::Missed]);
        assert!(
            again.ends_with("| B2 | is broken | – | – |\n") && again.lines().count() == two.lines().count()
        );
    }
}
