//! Which crate of this workspace may build on which; `deny.toml` holds the arrows to crates from outside.

use super::Finding;
use super::tree::Tree;

/// A crate and what it may depend on. Tests of all may use testkit.
const ARROWS: [(&str, &[&str]); 15] = [
    ("domain", &[]),
    ("store", &["domain"]),
    ("workflow", &[]),
    ("bodies", &["domain", "workflow"]),
    ("platform", &["domain", "store"]),
    ("api-worker", &["domain", "store", "workflow", "bodies", "platform"]),
    ("webhook-consumer", &["domain", "store", "platform"]),
    ("executor", &["domain"]),
    ("model", &["domain"]),
    ("sim", &["domain", "executor"]),
    ("process-engine", &[]),
    ("testkit", &["domain", "store"]),
    ("afc-client", &[]),
    ("e2e", &["domain", "store", "testkit", "afc-client"]),
    ("xtask", &["domain", "store", "testkit"]),
];
const FOR_TESTS: &str = "testkit";
/// Crates that are not in a folder of their name.
const ELSEWHERE: [(&str, &str); 1] = [("afc-client", "clients/rust")];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in tree.ending_with("/Cargo.toml") {
        let Some((name, allowed)) = ARROWS.iter().find(|(name, _)| manifest == manifest_of(name)) else {
            findings.push(Finding::new(
                manifest,
                "a crate that no arrow names: add it to xtask/src/tidy/arrows.rs",
            ));
            continue;
        };
        let parsed: Option<toml::Table> = tree.read(manifest).and_then(|text| text.parse().ok());
        let Some(parsed) = parsed else {
            findings.push(Finding::new(manifest, "cannot be parsed"));
            continue;
        };
        for (kind, other) in internal_dependencies(&parsed) {
            let in_tests = kind == "dev-dependencies" && other == FOR_TESTS;
            if other != *name && !in_tests && !allowed.contains(&other.as_str()) {
                findings.push(Finding::new(manifest, format!("{name} must not build on {other} ({kind})")));
            }
        }
    }
    findings
}

fn manifest_of(name: &str) -> String {
    let folder =
        ELSEWHERE.iter().find(|(crate_name, _)| *crate_name == name).map_or(name, |(_, folder)| folder);
    format!("{folder}/Cargo.toml")
}

/// Members of the workspace among the dependencies of any kind, `[target.….dependencies]` included.
fn internal_dependencies(manifest: &toml::Table) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (kind, table) in manifest {
        let Some(table) = table.as_table() else { continue };
        if kind.ends_with("dependencies") {
            let members = table.keys().filter(|name| ARROWS.iter().any(|(member, _)| member == name));
            found.extend(members.map(|name| (kind.clone(), name.clone())));
        } else if kind == "target" {
            found.extend(table.values().filter_map(toml::Value::as_table).flat_map(internal_dependencies));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::check;
    use crate::scratch::Scratch;

    fn findings(name: &str, manifest: &str) -> Vec<String> {
        let folder = Scratch::new();
        folder.write(&format!("{name}/Cargo.toml"), manifest);
        check(&Tree::of_folder(folder.path())).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn arrows_that_the_design_has_are_in_order() {
        let worker = "[dependencies]\ndomain.workspace = true\nserde = \"1\"\n[dev-dependencies]\ntestkit.workspace = true\n";
        assert_eq!(findings("api-worker", worker), Vec::<String>::new());
    }

    #[test]
    fn other_arrows_are_found_in_every_table() {
        let backwards = "[dependencies]\nstore = { path = \"../store\" }\n";
        assert_eq!(
            findings("domain", backwards),
            ["domain/Cargo.toml: domain must not build on store (dependencies)"]
        );
        let hidden = "[target.'cfg(unix)'.dependencies]\nexecutor = { path = \"../executor\" }\n[dev-dependencies]\nxtask = \"0\"\n";
        assert_eq!(findings("store", hidden).len(), 2);
        assert_eq!(findings("executor", "[dependencies]\ntestkit = \"0\"\n").len(), 1);
    }

    #[test]
    fn a_new_crate_needs_its_arrows() {
        assert_eq!(findings("newcomer", "[dependencies]\n").len(), 1);
    }
}
