//! The wrangler configuration of a local session, made from the one that is deployed.
//!
//! `wrangler dev` gives `--var`, `--env-file` and a `.dev.vars` of the current folder to the *first* Worker of a session
//! only; the others get nothing but a `.dev.vars` beside their own configuration file. So each Worker gets a
//! configuration of its own below the stack's folder, with its values in it and its secrets beside it: nothing is
//! written into the checkout, and two stacks do not share a file.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::failure::{Failure, OrFail, Outcome};

const ADVICE: &str = "mend the wrangler file";

/// What a local session changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Local {
    /// Replaces `vars` of the same name.
    pub(super) vars: Vec<(&'static str, String)>,
    /// Goes to `.dev.vars`.
    pub(super) secrets: Vec<(&'static str, String)>,
    /// Key id and key with which the local buckets answer S3 calls.
    pub(super) s3_credentials: Option<(String, String)>,
    /// What `cargo xtask` is called as, so that a rebuild in a session waits for no cargo.
    pub(super) xtask: PathBuf,
}

/// A wrangler file as JSON.
#[derive(Clone, Debug)]
pub(super) struct Config(Map<String, Value>);

impl Config {
    /// Reads a `wrangler.toml`.
    pub(super) fn read(path: &Path) -> Outcome<Self> {
        let text =
            std::fs::read_to_string(path).or_fail(format!("cannot read {}", path.display()), ADVICE)?;
        Self::parse(&text).or_fail(format!("cannot parse {}", path.display()), ADVICE)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        match serde_json::to_value(table) {
            Ok(Value::Object(config)) => Ok(Self(config)),
            Ok(_) => Err("not a table".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The Durable Object classes that have a container.
    pub(super) fn container_classes(&self) -> Vec<String> {
        texts(self.list("containers"), "class_name")
    }

    /// The name of the first bucket.
    pub(super) fn bucket(&self) -> Outcome<String> {
        texts(self.list("r2_buckets"), "bucket_name")
            .into_iter()
            .next()
            .or_fail("wrangler.toml names no bucket", ADVICE)
    }

    /// The configuration for a local session. Paths of the file, which are relative to `folder`, become absolute, and so
    /// does the folder `root` that commands run in.
    pub(super) fn localised(mut self, folder: &Path, root: &Path, local: &Local) -> Outcome<Value> {
        let absolute = |path: &str| Value::from(folder.join(path).display().to_string());
        for key in ["main", "base_dir"] {
            if let Some(path) = self.0.get_mut(key) {
                *path = absolute(path.as_str().unwrap_or_default());
            }
        }
        if let Some(directory) = self.0.get_mut("assets").and_then(|assets| assets.get_mut("directory")) {
            *directory = absolute(directory.as_str().unwrap_or_default());
        }
        for container in self.entries("containers") {
            // An image may also be the name of one in a registry.
            for key in ["image", "image_build_context"] {
                let path = container.get(key).and_then(Value::as_str).map(str::to_owned);
                if let Some(path) = path.filter(|path| folder.join(path).exists()) {
                    container.insert(key.to_owned(), absolute(&path));
                }
            }
        }
        if let Some((key_id, key)) = &local.s3_credentials {
            for bucket in self.entries("r2_buckets") {
                let credentials = json!({"accessKeyId": key_id, "secretAccessKey": key});
                bucket.insert("local_dev".to_owned(), json!({"experimental_s3_credentials": credentials}));
            }
        }
        if let Some(build) = self.0.get_mut("build").and_then(Value::as_object_mut) {
            localise_build(build, folder, root, &local.xtask);
        }
        let vars = self.0.entry("vars").or_insert_with(|| json!({}));
        let vars = vars.as_object_mut().or_fail("`vars` is no table", ADVICE)?;
        for (name, value) in &local.vars {
            if vars.insert((*name).to_owned(), Value::from(value.as_str())).is_none() {
                return Err(Failure::new(
                    format!("a local stack sets the variable {name}, which the wrangler file does not have"),
                    "add it to `vars` there with its value for production",
                ));
            }
        }
        Ok(Value::Object(self.0))
    }

    fn list(&self, key: &str) -> &[Value] {
        self.0.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn entries(&mut self, key: &str) -> impl Iterator<Item = &mut Map<String, Value>> {
        let list = self.0.get_mut(key).and_then(Value::as_array_mut);
        list.into_iter().flatten().filter_map(Value::as_object_mut)
    }
}

/// The text of a `.dev.vars`.
pub(super) fn dev_vars(secrets: &[(&'static str, String)]) -> String {
    let lines: Vec<String> = secrets.iter().map(|(name, value)| format!("{name}='{value}'")).collect();
    lines.join("\n") + "\n"
}

fn localise_build(build: &mut Map<String, Value>, folder: &Path, root: &Path, xtask: &Path) {
    if let Some(command) = build.get_mut("command") {
        let text = command.as_str().unwrap_or_default();
        if let Some(arguments) = text.strip_prefix("cargo xtask ") {
            *command = Value::from(format!("'{}' {arguments}", xtask.display()));
        }
    }
    build.insert("cwd".to_owned(), Value::from(root.display().to_string()));
    let watched = build.get("watch_dir").cloned().unwrap_or_else(|| json!("src"));
    let absolute = |path: &Value| folder.join(path.as_str().unwrap_or_default()).display().to_string();
    let watched: Vec<String> = watched
        .as_array()
        .map_or_else(|| vec![absolute(&watched)], |paths| paths.iter().map(absolute).collect());
    build.insert("watch_dir".to_owned(), json!(watched));
}

fn texts(entries: &[Value], key: &str) -> Vec<String> {
    entries.iter().filter_map(|entry| entry.get(key)?.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use serde_json::json;

    use super::{Config, Local, dev_vars};
    use crate::scratch::Scratch;

    const FILE: &str = r#"
        name = "api-worker"
        main = "api-worker/entry.mjs"
        compatibility_date = "2026-10-01"
        vars = { PUBLIC_URL = "https://example.com", KEPT = "kept" }
        r2_buckets = [{ binding = "MEDIA", bucket_name = "afc-media" }]
        [build]
        command = "cargo xtask build api-worker"
        watch_dir = ["api-worker/src", "domain/src"]
        [assets]
        directory = "target/assets"
        [[containers]]
        class_name = "ExecutorContainer"
        image = "executor/Dockerfile"
    "#;

    fn local() -> Local {
        Local {
            vars: vec![("PUBLIC_URL", "http://127.0.0.1:1".to_owned())],
            secrets: Vec::new(),
            s3_credentials: Some(("id".to_owned(), "key".to_owned())),
            xtask: PathBuf::from("/t/xtask"),
        }
    }

    #[test]
    fn paths_become_absolute_and_values_local() {
        let tree = Scratch::new();
        tree.write("executor/Dockerfile", "");
        let root = tree.path();
        let config = Config::parse(FILE).unwrap();
        assert_eq!(config.container_classes(), ["ExecutorContainer"]);
        assert_eq!(config.bucket().unwrap(), "afc-media");
        let made = config.localised(root, root, &local()).unwrap();
        let path = |relative: &str| root.join(relative).display().to_string();
        assert_eq!(
            made,
            json!({
                "name": "api-worker",
                "main": path("api-worker/entry.mjs"),
                "compatibility_date": "2026-10-01",
                "vars": {"PUBLIC_URL": "http://127.0.0.1:1", "KEPT": "kept"},
                "r2_buckets": [{"binding": "MEDIA", "bucket_name": "afc-media",
                    "local_dev": {"experimental_s3_credentials": {"accessKeyId": "id", "secretAccessKey": "key"}}}],
                "build": {"command": "'/t/xtask' build api-worker", "cwd": root.display().to_string(),
                    "watch_dir": [path("api-worker/src"), path("domain/src")]},
                "assets": {"directory": path("target/assets")},
                "containers": [{"class_name": "ExecutorContainer", "image": path("executor/Dockerfile")}],
            }),
        );
    }

    #[test]
    fn an_image_from_a_registry_stays_as_it_is() {
        let file = "[[containers]]\nclass_name = \"X\"\nimage = \"registry.example.com/x:1\"\n";
        let made = Config::parse(file)
            .unwrap()
            .localised(Path::new("/r"), Path::new("/r"), &Local::default())
            .unwrap();
        assert_eq!(made["containers"][0]["image"], "registry.example.com/x:1");
    }

    #[test]
    fn a_variable_that_production_does_not_know_is_refused() {
        let config = Config::parse("name = \"x\"").unwrap();
        let failure = config.localised(Path::new("/r"), Path::new("/r"), &local()).unwrap_err();
        assert!(failure.to_string().contains("PUBLIC_URL"), "{failure}");
    }

    #[test]
    fn secrets_are_written_as_they_are() {
        assert_eq!(dev_vars(&[("A", "x$y#z".to_owned()), ("B", "1".to_owned())]), "A='x$y#z'\nB='1'\n");
    }
}
