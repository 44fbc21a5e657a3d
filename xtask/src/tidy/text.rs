//! What must not stand in any file.

use std::path::Path;

use super::Finding;
use super::tree::Tree;

/// A text that is not wanted, in halves so that this file does not hold it, and what to do instead.
struct Unwanted {
    halves: (&'static str, &'static str),
    rust_only: bool,
    instead: &'static str,
}

const UNWANTED: [Unwanted; 7] = [
    Unwanted { halves: ("#[al", "low("), rust_only: true, instead: "use #[expect(…, reason = \"…\")]" },
    Unwanted { halves: ("#![al", "low("), rust_only: true, instead: "use #![expect(…, reason = \"…\")]" },
    Unwanted { halves: ("to", "do!("), rust_only: true, instead: "finish it" },
    Unwanted { halves: ("unimple", "mented!("), rust_only: true, instead: "finish it" },
    Unwanted { halves: ("/ho", "me/"), rust_only: false, instead: "name no folder of one machine" },
    Unwanted { halves: ("/ro", "ot/"), rust_only: false, instead: "name no folder of one machine" },
    Unwanted { halves: ("/Use", "rs/"), rust_only: false, instead: "name no folder of one machine" },
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files()
        .flat_map(|file| tree.read(file).map(|text| in_file(file, &text)).unwrap_or_default())
        .collect()
}

fn in_file(file: &str, text: &str) -> Vec<Finding> {
    let is_rust = Path::new(file).extension().is_some_and(|extension| extension == "rs");
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        for unwanted in &UNWANTED {
            let wanted_gone = [unwanted.halves.0, unwanted.halves.1].concat();
            if (is_rust || !unwanted.rust_only) && has(line, &wanted_gone) {
                findings.push(Finding::new(
                    format!("{file}:{number}"),
                    format!("`{wanted_gone}`: {}", unwanted.instead),
                ));
            }
        }
    }
    findings
}

/// Whether the line has the text where a word or path begins: `autodo!(` and `example.com/home/x` are other things.
fn has(line: &str, text: &str) -> bool {
    line.match_indices(text).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        !before
            .is_some_and(|before| before.is_alphanumeric() || matches!(before, '_' | '.' | '}' | '>' | '-'))
    })
}

#[cfg(test)]
mod tests {
    use super::in_file;

    fn lines(file: &str, text: &str) -> usize {
        in_file(file, text).len()
    }

    #[test]
    fn switched_off_lints_and_open_ends_are_found_in_rust_only() {
        for text in [
            ["#[al", "low(dead_code)]"],
            ["#![al", "low(dead_code)]"],
            ["    to", "do!()"],
            ["unimple", "mented!()"],
        ] {
            assert_eq!(lines("a.rs", &text.concat()), 1, "{text:?}");
            assert_eq!(lines("a.md", &text.concat()), 0, "{text:?}");
        }
        assert_eq!(lines("a.rs", "#[expect(dead_code, reason = \"x\")]\nautodo!()"), 0);
    }

    #[test]
    fn folders_of_a_machine_are_found_anywhere_but_in_addresses() {
        for text in [["see /ho", "me/someone/x"], ["\"/ro", "ot/.cache\""], ["(/Use", "rs/someone)"]] {
            assert_eq!(lines("docs/a.md", &text.concat()), 1, "{text:?}");
        }
        assert_eq!(lines("a.md", &["https://example.com/ho", "me/page $HOME/x ./ro", "ot/y"].concat()), 0);
    }

    #[test]
    fn a_finding_names_its_line() {
        let found = in_file("a.rs", &["\n\nto", "do!()"].concat());
        assert_eq!(found.first().unwrap().place, "a.rs:3");
    }
}
