//! The files that belong to the repository: tracked ones, and new ones that git does not ignore.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::output;
use crate::failure::Outcome;

/// A checkout's own files, by their path below its root.
pub(super) struct Tree {
    root: PathBuf,
    files: BTreeSet<String>,
}

impl Tree {
    /// What git knows or would add.
    pub(super) fn of_git(root: &Path) -> Outcome<Self> {
        let mut list = Command::new("git");
        list.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(root);
        let files = output(&mut list, "install git and run this inside a clone of the repository")?;
        // A tracked file may be deleted and not yet committed as such.
        let files = files.lines().filter(|file| root.join(file).is_file()).map(str::to_owned).collect();
        Ok(Self { root: root.to_path_buf(), files })
    }

    /// Everything below `root`; for tests.
    #[cfg(test)]
    pub(super) fn of_folder(root: &Path) -> Self {
        fn add(root: &Path, folder: &Path, files: &mut BTreeSet<String>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    add(root, &path, files);
                } else {
                    files.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        let mut files = BTreeSet::new();
        add(root, root, &mut files);
        Self { root: root.to_path_buf(), files }
    }

    /// All files, in order.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Files whose name ends with `ending`.
    pub(super) fn ending_with(&self, ending: &str) -> impl Iterator<Item = &str> {
        self.files().filter(move |file| file.ends_with(ending))
    }

    /// The text of a file, if it is there and is text.
    pub(super) fn read(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.root.join(file)).ok()
    }
}

/// The part of a Rust file before its tests.
pub(super) fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod ").next().unwrap_or(text)
}
