//! The description against the checked-in file, the router and the readers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use domain::callback_url::Loopback;
use domain::generation::GenerationRequest;
use serde_json::{Value, json};

use super::document;

/// Set it to write the file instead of comparing it.
const WRITE: &str = "AFC_WRITE_OPENAPI";

/// Not for callers: the executor's way to its journal, which a job token opens.
const INTERNAL: &str = "/internal/";

#[test]
fn the_checked_in_document_is_what_the_code_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi.json");
    let made = serde_json::to_string_pretty(&document()).unwrap() + "\n";
    if env::var_os(WRITE).is_some() {
        fs::write(&path, &made).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == made, "docs/openapi.json is stale: {WRITE}=1 cargo test -p api-worker openapi");
}

#[test]
fn every_route_is_documented_and_every_documented_route_exists() {
    let mut routes = BTreeSet::new();
    for file in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        routes.extend(routes_of(&fs::read_to_string(file).unwrap()));
    }
    let document = document();
    let documented: BTreeSet<(String, String)> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, operations)| {
            operations.as_object().unwrap().keys().map(move |method| (path.clone(), method.clone()))
        })
        .collect();
    let operations =
        document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let names: BTreeSet<&str> =
        operations.map(|operation| operation["operationId"].as_str().unwrap()).collect();
    assert_eq!(names.len(), documented.len(), "a name stands twice: {names:?}");
    assert!(routes.len() > 10, "the routes are not found any more: {routes:?}");
    assert_eq!(routes, documented);
}

/// `.route("/path", get(a).post(b))` in the text of a router.
fn routes_of(text: &str) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for call in text.split(".route(").skip(1) {
        let call = arguments(call);
        let (path, methods) =
            call.split_once(',').unwrap_or_else(|| panic!("no route that can be read: {call}"));
        let path = path.trim().strip_prefix('"').and_then(|path| path.strip_suffix('"'));
        let path = path.unwrap_or_else(|| panic!("no literal path: {call}"));
        if path.starts_with(INTERNAL) {
            continue;
        }
        let words: Vec<&str> =
            methods.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '(').collect();
        let before = found.len();
        for method in ["get", "post", "put", "patch", "delete"] {
            if words.iter().any(|word| word.starts_with(&format!("{method}("))) {
                found.insert((path.to_owned(), method.to_owned()));
            }
        }
        assert!(found.len() > before, "no method that is known: {call}");
    }
    found
}

/// What stands before the parenthesis that closes a call.
fn arguments(text: &str) -> &str {
    let mut open = 1;
    let end = text.find(|c: char| {
        open += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        open == 0
    });
    text.get(..end.unwrap()).unwrap()
}

#[test]
fn routes_are_read_however_they_are_laid_out() {
    let text = "x().route(\n    \"/a/{id}\",\n    get(a::get_it)\n        .delete(b),\n).route(\"/internal/x\", post(c)); y.get(z)";
    let wanted = [("/a/{id}", "delete"), ("/a/{id}", "get")];
    let wanted = wanted.map(|(path, method)| (path.to_owned(), method.to_owned()));
    assert_eq!(routes_of(text), BTreeSet::from(wanted));
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .filter(|path| !path.ends_with("openapi"))
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .collect()
}

fn accepts(body: &Value) -> bool {
    GenerationRequest::parse(body.clone(), Loopback::Refused).is_ok()
}

fn least() -> Value {
    json!({"kind": "image", "input": {"prompt": "x"}, "chain": [{"provider": "fal", "model": "m"}]})
}

#[test]
fn the_request_s_example_is_accepted_and_its_limits_are_the_readers() {
    let request = document()["components"]["schemas"]["GenerationRequest"].clone();
    assert!(accepts(&request["examples"][0]) && accepts(&least()));
    let mut seen = 0;
    for (place, schema) in [
        ("", &request),
        ("/input", &request["properties"]["input"]),
        ("/chain/0", &request["properties"]["chain"]["items"]),
    ] {
        for (name, member) in schema["properties"].as_object().unwrap() {
            let member = member.get("anyOf").map_or(member, |either| &either[0]);
            for (value, good) in edges(member) {
                let mut body = least();
                body.pointer_mut(place).unwrap()[name] = value;
                assert_eq!(accepts(&body), good, "{place}/{name}: {}", body.pointer(place).unwrap()[name]);
                seen += 1;
            }
        }
    }
    assert!(seen > 40, "only {seen} edges were tried");
}

/// Values on both sides of what a schema allows.
fn edges(schema: &Value) -> Vec<(Value, bool)> {
    let mut edges = Vec::new();
    if let Some(minimum) = schema["minimum"].as_i64() {
        edges.extend([(json!(minimum), true), (json!(minimum - 1), false)]);
    }
    if let Some(maximum) = schema["maximum"].as_i64() {
        edges.extend([(json!(maximum), true), (json!(maximum + 1), false)]);
    }
    for word in schema["enum"].as_array().into_iter().flatten() {
        edges.extend([(word.clone(), true), (json!(format!("{}x", word.as_str().unwrap())), false)]);
    }
    let free = schema["format"].is_null()
        && !schema["pattern"].as_str().is_some_and(|p| p.contains(':') && !p.contains("A-Z"));
    if let (true, Some(longest)) = (free, schema["maxLength"].as_u64()) {
        let longest = usize::try_from(longest).unwrap();
        let digit = if schema["pattern"].as_str().is_some_and(|pattern| pattern.starts_with("^[0-9]+")) {
            "1."
        } else {
            ""
        };
        let fill = |length: usize| {
            if digit.is_empty() { "1".repeat(length) } else { format!("1.{:0<1$}", "", length - 2) }
        };
        edges.extend([(json!(fill(longest)), true), (json!(fill(longest + 1)), false), (json!(""), false)]);
    }
    edges
}
