//! A tool that must be of a library's version is of that version.

use super::Finding;
use super::tree::Tree;
use crate::pins::WORKER_BUILD;
use crate::setup::version_in;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let locked = tree.read("Cargo.lock").and_then(|lock| version_in(&lock, "worker"));
    match locked {
        Some(version) if version == WORKER_BUILD => Vec::new(),
        found => vec![Finding::new(
            "xtask/src/pins.rs",
            format!(
                "worker-build is pinned to {WORKER_BUILD}, Cargo.lock has `worker` {}",
                found.as_deref().unwrap_or("not once")
            ),
        )],
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::check;
    use crate::pins::WORKER_BUILD;
    use crate::scratch::Scratch;

    #[test]
    fn another_version_of_the_library_is_found() {
        let folder = Scratch::new();
        for (version, findings) in [(WORKER_BUILD, 0), ("0.1.0", 1)] {
            folder.write("Cargo.lock", &format!("[[package]]\nname = \"worker\"\nversion = \"{version}\"\n"));
            assert_eq!(check(&Tree::of_folder(folder.path())).len(), findings, "{version}");
        }
    }
}
