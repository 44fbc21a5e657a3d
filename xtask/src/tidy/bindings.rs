//! The names a Worker asks its environment for are the names its wrangler file gives.

use std::collections::BTreeSet;

use super::Finding;
use super::tree::{Tree, without_tests};

/// A Worker's wrangler file and the one source file that names its bindings.
const WORKERS: [(&str, &str); 2] = [
    ("wrangler.toml", "api-worker/src/config.rs"),
    ("webhook-consumer/wrangler.toml", "webhook-consumer/src/config.rs"),
];
/// Names that both Workers ask for.
const SHARED: &str = "platform/src/settings.rs";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let names = WORKERS.iter().flat_map(|(wrangler, config)| compare(tree, wrangler, config));
    names.chain(queues_without_a_consumer(tree)).collect()
}

fn compare(tree: &Tree, wrangler: &str, config: &str) -> Vec<Finding> {
    let given = match parsed(tree, wrangler) {
        Ok(file) => names_given(&file),
        Err(finding) => return vec![finding],
    };
    let Some(source) = tree.read(config) else {
        return vec![Finding::new(config, "missing: the one place that names this Worker's bindings")];
    };
    let mut asked = names_asked(without_tests(&source));
    asked.extend(tree.read(SHARED).map(|shared| names_asked(without_tests(&shared))).unwrap_or_default());
    let unknown = asked
        .difference(&given)
        .map(|name| Finding::new(wrangler, format!("gives no {name}, which {config} asks for")));
    let unused = given
        .difference(&asked)
        .map(|name| Finding::new(config, format!("never asks for {name}, which {wrangler} gives")));
    unknown.chain(unused).collect()
}

fn parsed(tree: &Tree, wrangler: &str) -> Result<toml::Table, Finding> {
    let text = tree.read(wrangler).ok_or_else(|| Finding::new(wrangler, "missing"))?;
    text.parse().map_err(|error| Finding::new(wrangler, format!("cannot be parsed: {error}")))
}

/// Bindings of every kind, variables, and the secrets that must be set.
fn names_given(file: &toml::Table) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (key, value) in file {
        match key.as_str() {
            "vars" => names.extend(value.as_table().into_iter().flat_map(toml::Table::keys).cloned()),
            "secrets" => {
                let required = value.get("required").and_then(toml::Value::as_array).into_iter().flatten();
                names.extend(required.filter_map(toml::Value::as_str).map(str::to_owned));
            }
            _ => add_bindings(value, &mut names),
        }
    }
    names
}

/// `binding = "X"` at any depth, and `name = "X"` below a key `bindings` (Durable Objects).
fn add_bindings(value: &toml::Value, names: &mut BTreeSet<String>) {
    for item in value.as_array().into_iter().flatten() {
        add_bindings(item, names);
    }
    for (key, inner) in value.as_table().into_iter().flatten() {
        if key == "binding" {
            names.extend(inner.as_str().map(str::to_owned));
        } else if key == "bindings" {
            let items = inner.as_array().into_iter().flatten();
            names.extend(items.filter_map(|item| item.get("name")?.as_str().map(str::to_owned)));
        } else {
            add_bindings(inner, names);
        }
    }
}

/// Every constant of the form `NAME: &str = "NAME"`.
fn names_asked(source: &str) -> BTreeSet<String> {
    source
        .lines()
        .filter_map(|line| {
            let (visibility, constant) = line.trim().split_once("const ")?;
            let (name, value) = constant.split_once(": &str = ").filter(|_| !visibility.starts_with("//"))?;
            (value == format!("\"{name}\";")).then(|| name.to_owned())
        })
        .collect()
}

fn queues_without_a_consumer(tree: &Tree) -> Vec<Finding> {
    let queues = |side: &str| -> Vec<(&str, String)> {
        let named = |wrangler: &'static str| {
            let file = parsed(tree, wrangler).ok()?;
            let entries = file.get("queues")?.get(side)?.as_array()?;
            let names =
                entries.iter().filter_map(|entry| Some((wrangler, entry.get("queue")?.as_str()?.to_owned())));
            Some(names.collect::<Vec<_>>())
        };
        WORKERS.iter().filter_map(|(wrangler, _)| named(wrangler)).flatten().collect()
    };
    let consumed = queues("consumers");
    queues("producers")
        .into_iter()
        .filter(|(_, queue)| consumed.iter().all(|(_, other)| other != queue))
        .map(|(wrangler, queue)| {
            Finding::new(wrangler, format!("sends to the queue {queue}, which no Worker consumes"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::check;
    use crate::scratch::Scratch;

    const WRANGLER: &str = r#"
        name = "api-worker"
        r2_buckets = [{ binding = "MEDIA", bucket_name = "afc-media" }]
        vars = { PUBLIC_URL = "x" }
        secrets = { required = ["ADMIN_TOKEN"] }
        [[queues.producers]]
        binding = "WEBHOOKS"
        queue = "afc-webhooks"
        [[durable_objects.bindings]]
        name = "EXECUTOR"
        class_name = "ExecutorContainer"
    "#;
    const CONFIG: &str = r#"
        pub const MEDIA: &str = "MEDIA";
        pub const PUBLIC_URL: &str = "PUBLIC_URL";
        pub const ADMIN_TOKEN: &str = "ADMIN_TOKEN";
        pub(crate) const WEBHOOKS: &str = "WEBHOOKS";
        // const UNUSED: &str = "UNUSED";
        const EXECUTOR: &str = "EXECUTOR";
        pub const FOR_THE_CONTAINER: [(&str, &str); 1] = [(PUBLIC_URL, "CONTROL_URL")];
    "#;
    const CONSUMER: &str =
        "[[queues.consumers]]\nqueue = \"afc-webhooks\"\n[[hyperdrive]]\nbinding = \"DB\"\n";

    fn findings(wrangler: &str, config: &str) -> Vec<String> {
        let folder = Scratch::new();
        folder.write("wrangler.toml", wrangler);
        folder.write("api-worker/src/config.rs", config);
        folder.write("webhook-consumer/wrangler.toml", CONSUMER);
        folder.write(
            "webhook-consumer/src/config.rs",
            "const DB: &str = \"DB\";\n#[cfg(test)]\nmod tests { const X: &str = \"X\"; }",
        );
        check(&Tree::of_folder(folder.path())).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_same_names_on_both_sides_are_in_order() {
        assert_eq!(findings(WRANGLER, CONFIG), Vec::<String>::new());
    }

    #[test]
    fn a_name_that_only_one_side_has_is_found() {
        assert_eq!(
            findings(&WRANGLER.replace("\"MEDIA\"", "\"PICTURES\""), CONFIG),
            [
                "wrangler.toml: gives no MEDIA, which api-worker/src/config.rs asks for",
                "api-worker/src/config.rs: never asks for PICTURES, which wrangler.toml gives",
            ]
        );
    }

    #[test]
    fn a_queue_that_nobody_reads_is_found() {
        assert_eq!(
            findings(&WRANGLER.replace("afc-webhooks", "afc-other"), CONFIG),
            ["wrangler.toml: sends to the queue afc-other, which no Worker consumes"]
        );
    }

    #[test]
    fn missing_files_are_found() {
        let found: Vec<_> =
            check(&Tree::of_folder(Scratch::new().path())).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["wrangler.toml: missing", "webhook-consumer/wrangler.toml: missing"]);
    }
}
