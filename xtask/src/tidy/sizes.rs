//! A file that is read from the top must have an end in sight.

use super::Finding;
use super::tree::{Tree, without_tests};

/// Lines of a file without its tests.
const MOST_LINES: usize = 400;
const KINDS: [&str; 4] = [".rs", ".mjs", ".js", ".sql"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    KINDS
        .iter()
        .flat_map(|kind| tree.ending_with(kind))
        .filter(|file| !is_test(file))
        .filter_map(|file| {
            let lines = without_tests(&tree.read(file)?).lines().count();
            (lines > MOST_LINES).then(|| {
                Finding::new(
                    file,
                    format!("{lines} lines without tests, {MOST_LINES} at most: split it by use case"),
                )
            })
        })
        .collect()
}

fn is_test(file: &str) -> bool {
    file.contains("/tests/") || file.ends_with("/tests.rs")
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::{MOST_LINES, check};
    use crate::scratch::Scratch;

    #[test]
    fn lines_before_the_tests_are_counted() {
        let folder = Scratch::new();
        let most = "//\n".repeat(MOST_LINES);
        folder.write("a/src/fits.rs", &format!("{most}#[cfg(test)]\nmod tests {{\n{most}}}\n"));
        folder.write("a/src/long.rs", &format!("{most}//\n"));
        folder.write("a/tests/long.rs", &format!("{most}//\n"));
        folder.write("a/long.mjs", &format!("{most}//\n"));
        let places: Vec<_> =
            check(&Tree::of_folder(folder.path())).into_iter().map(|found| found.place).collect();
        assert_eq!(places, ["a/src/long.rs", "a/long.mjs"]);
    }

    #[test]
    fn a_test_helper_does_not_hide_the_rest_of_a_file() {
        let folder = Scratch::new();
        let most = "//\n".repeat(MOST_LINES);
        folder.write("a/src/helped.rs", &format!("#[cfg(test)]\nfn helper() {{}}\n{most}"));
        assert_eq!(check(&Tree::of_folder(folder.path())).len(), 1);
    }
}
