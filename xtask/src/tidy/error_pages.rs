//! Every error code of the domain has a page, and no page stands for a code that is gone.

use std::collections::BTreeSet;

use domain::error::Code;

use super::Finding;
use super::tree::Tree;

const FOLDER: &str = "docs/errors/";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    compare(tree, &Code::ALL.map(Code::as_str))
}

fn compare(tree: &Tree, codes: &[&str]) -> Vec<Finding> {
    let pages: BTreeSet<&str> = tree
        .files()
        .filter_map(|file| file.strip_prefix(FOLDER)?.strip_suffix(".md"))
        .filter(|page| *page != "README")
        .collect();
    let missing = codes.iter().filter(|code| !pages.contains(*code)).map(|code| {
        Finding::new(
            format!("{FOLDER}{code}.md"),
            "missing: say what the code means, whether to retry, what to do",
        )
    });
    let stale = pages.iter().filter(|page| !codes.contains(page)).map(|page| {
        Finding::new(
            format!("{FOLDER}{page}.md"),
            "no such code in domain/src/error.rs: delete the page or name the code",
        )
    });
    missing.chain(stale).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::compare;
    use crate::scratch::Scratch;

    #[test]
    fn missing_and_stale_pages_are_found() {
        let folder = Scratch::new();
        for page in ["KNOWN", "GONE", "README"] {
            folder.write(&format!("docs/errors/{page}.md"), "");
        }
        let places: Vec<_> = compare(&Tree::of_folder(folder.path()), &["KNOWN", "NEW"])
            .into_iter()
            .map(|found| found.place)
            .collect();
        assert_eq!(places, ["docs/errors/NEW.md", "docs/errors/GONE.md"]);
    }
}
