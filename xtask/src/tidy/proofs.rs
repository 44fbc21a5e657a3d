//! Every test that `docs/GUARANTEES.md` names as a proof is there.

use std::collections::BTreeSet;

use super::Finding;
use super::tree::Tree;

const PROMISES: &str = "docs/GUARANTEES.md";
/// What a name has at least, to be a test's and not a column's or a setting's.
const UNDERSCORES: usize = 3;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let texts: Vec<String> = tree.ending_with(".rs").filter_map(|file| tree.read(file)).collect();
    let functions: BTreeSet<&str> = texts.iter().flat_map(|text| functions(text)).collect();
    let promises = tree.read(PROMISES).unwrap_or_default();
    let missing = (1..).zip(promises.lines()).flat_map(|(number, line)| {
        let named = line.split('`').skip(1).step_by(2).filter_map(test_name);
        let missing = named.filter(|(name, whole)| !is_there(&functions, name, *whole));
        missing
            .map(move |(name, _)| {
                Finding::new(format!("{PROMISES}:{number}"), format!("there is no test `{name}`"))
            })
            .collect::<Vec<_>>()
    });
    missing.collect()
}

/// A test's name, or with `…` behind it the beginning of several.
fn test_name(span: &str) -> Option<(&str, bool)> {
    let (name, whole) = span.strip_suffix('…').map_or((span, true), |start| (start, false));
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let underscores = name.chars().filter(|c| *c == '_').count();
    let named = name.chars().all(plain) && underscores >= if whole { UNDERSCORES } else { 1 };
    named.then_some((name, whole))
}

fn functions(text: &str) -> impl Iterator<Item = &str> {
    let named = text.split("fn ").skip(1);
    named.filter_map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next())
}

fn is_there(functions: &BTreeSet<&str>, name: &str, whole: bool) -> bool {
    if whole {
        return functions.contains(name);
    }
    functions.range(name..).next().is_some_and(|found| found.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::check;
    use crate::scratch::Scratch;

    #[test]
    fn a_proof_that_is_gone_is_found() {
        let folder = Scratch::new();
        folder.write("a/tests/a.rs", "async fn i9_the_bytes_never_change() {}\nfn b6_the_loser_reads() {}");
        let promises =
            "| x | `i9_the_bytes_never_change`, `b6_…` |\n| y | `i9_the_bytes_never`, `b7_…` | `max_cost` |";
        folder.write("docs/GUARANTEES.md", promises);
        let found: Vec<String> =
            check(&Tree::of_folder(folder.path())).iter().map(ToString::to_string).collect();
        let expected = ["`i9_the_bytes_never`", "`b7_`"];
        let expected = expected.map(|name| format!("docs/GUARANTEES.md:2: there is no test {name}"));
        assert_eq!(found, expected);
    }
}
