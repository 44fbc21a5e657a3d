//! A hash over all that a crate is built from, so that nothing is built twice and nothing stale is kept.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, OrFail, Outcome};
use crate::hash::Parts;

/// Folders of a crate that its library is not built from.
const LEFT_OUT: [&str; 6] = ["assets", "build", "target", "node_modules", ".wrangler", "tests"];
/// Files of the root that decide a build.
const ROOT_FILES: [&str; 2] = ["Cargo.toml", "Cargo.lock"];

/// The hash of the crate in the folder `package`, its path dependencies, the root's manifest and lock file, and `tools`.
pub(crate) fn of_crate(root: &Path, package: &str, tools: &str) -> Outcome<String> {
    let mut parts = Parts::default();
    parts.add("tools", tools.as_bytes());
    for name in ROOT_FILES {
        add_file(&mut parts, root, &root.join(name))?;
    }
    for folder in crate_folders(root, package)? {
        for file in files_below(&folder, &LEFT_OUT)? {
            add_file(&mut parts, root, &file)?;
        }
    }
    Ok(parts.finish())
}

/// The crate's folder and those of its path dependencies, direct and indirect; development dependencies are left out.
fn crate_folders(root: &Path, package: &str) -> Outcome<BTreeSet<PathBuf>> {
    let workspace = manifest(&root.join("Cargo.toml"))?;
    let shared = workspace.get("workspace").and_then(|table| table.get("dependencies"));
    let mut found = BTreeSet::new();
    let mut waiting = vec![root.join(package)];
    while let Some(folder) = waiting.pop() {
        let manifest = manifest(&folder.join("Cargo.toml"))?;
        for table in dependency_tables(&manifest) {
            for (name, dependency) in table {
                let inherited = dependency.get("workspace").is_some();
                let (base, entry) = if inherited {
                    (root, shared.and_then(|shared| shared.get(name)))
                } else {
                    (folder.as_path(), Some(dependency))
                };
                if let Some(path) = entry.and_then(|entry| entry.get("path")).and_then(toml::Value::as_str) {
                    waiting.extend(Some(base.join(path)).filter(|folder| !found.contains(folder)));
                }
            }
        }
        found.insert(folder);
    }
    Ok(found)
}

/// `[dependencies]`, `[build-dependencies]` and the same below `[target.….]`.
fn dependency_tables(manifest: &toml::Table) -> Vec<&toml::Table> {
    let targets =
        manifest.get("target").and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::values);
    std::iter::once(manifest)
        .chain(targets.filter_map(toml::Value::as_table))
        .flat_map(|table| [table.get("dependencies"), table.get("build-dependencies")])
        .flatten()
        .filter_map(toml::Value::as_table)
        .collect()
}

fn manifest(path: &Path) -> Outcome<toml::Table> {
    let advice = "mend the manifest";
    let text = fs::read_to_string(path).or_fail(format!("cannot read {}", path.display()), advice)?;
    text.parse().or_fail(format!("cannot parse {}", path.display()), advice)
}

/// All files below `folder`, without those in its sub-folders named `left_out`.
fn files_below(folder: &Path, left_out: &[&str]) -> Outcome<BTreeSet<PathBuf>> {
    let failed = |cause: std::io::Error| {
        Failure::new(
            format!("cannot list {}: {cause}", folder.display()),
            "check the path dependencies of the crate",
        )
    };
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if entry.file_type().map_err(failed)?.is_dir() {
            if !left_out.iter().any(|left_out| name == *left_out) {
                files.append(&mut files_below(&entry.path(), &[])?);
            }
        } else {
            files.insert(entry.path());
        }
    }
    Ok(files)
}

fn add_file(parts: &mut Parts, root: &Path, file: &Path) -> Outcome {
    let content =
        fs::read(file).or_fail(format!("cannot read {}", file.display()), "check its permissions")?;
    let name = file.strip_prefix(root).unwrap_or(file);
    parts.add(&name.to_string_lossy(), &content);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::of_crate;
    use crate::scratch::Scratch;

    fn workspace() -> Scratch {
        let tree = Scratch::new();
        tree.write(
            "Cargo.toml",
            "[workspace]\n[workspace.dependencies]\nb = { path = \"b\" }\nserde = \"1\"\n",
        );
        tree.write("Cargo.lock", "");
        tree.write("a/Cargo.toml", "[dependencies]\nb.workspace = true\nserde.workspace = true\n");
        tree.write("a/src/lib.rs", "");
        tree.write("b/Cargo.toml", "[target.'cfg(unix)'.dependencies]\nc = { path = \"../c\" }\n[dev-dependencies]\nd = { path = \"../d\" }\n");
        tree.write("b/src/lib.rs", "");
        tree.write("c/Cargo.toml", "[dependencies]\n");
        tree.write("c/src/deep/er.rs", "");
        tree.write("d/Cargo.toml", "");
        tree
    }

    fn fingerprint(root: &Path) -> String {
        of_crate(root, "a", "tools 1").unwrap()
    }

    #[test]
    fn every_source_of_the_crate_and_of_its_dependencies_counts() {
        let tree = workspace();
        let mut seen = vec![fingerprint(tree.path())];
        for file in [
            "a/src/lib.rs",
            "a/src/build/x.rs",
            "a/entry.mjs",
            "b/src/lib.rs",
            "c/src/deep/er.rs",
            "Cargo.lock",
            "a/Cargo.toml",
        ] {
            let before = fs::read_to_string(tree.path().join(file)).unwrap_or_default();
            tree.write(file, &format!("{before}\n"));
            let now = fingerprint(tree.path());
            assert!(!seen.contains(&now), "{file}");
            seen.push(now);
        }
        fs::rename(tree.path().join("a/src/lib.rs"), tree.path().join("a/src/main.rs")).unwrap();
        assert!(!seen.contains(&fingerprint(tree.path())), "a renamed file");
        assert_ne!(fingerprint(tree.path()), of_crate(tree.path(), "a", "tools 2").unwrap());
    }

    #[test]
    fn results_and_crates_that_are_not_built_do_not_count() {
        let tree = workspace();
        let before = fingerprint(tree.path());
        for file in ["a/build/index.js", "a/.wrangler/x", "d/src/lib.rs", "a/tests/it.rs"] {
            tree.write(file, "x");
        }
        assert_eq!(fingerprint(tree.path()), before);
    }

    #[test]
    fn a_dependency_without_a_folder_is_named() {
        let tree = workspace();
        tree.write("a/Cargo.toml", "[dependencies]\ngone = { path = \"../gone\" }\n");
        assert!(of_crate(tree.path(), "a", "").unwrap_err().to_string().contains("gone"));
    }
}
