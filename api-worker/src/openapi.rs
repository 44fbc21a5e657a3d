//! `docs/openapi.json`, the API's own description (`OpenAPI` 3.1), made by this crate's tests and by nothing that is
//! deployed. Operations stand as `utoipa::path` beside their endpoints; shapes, which read the domain's own limits, in
//! [`schemas`]; what all operations of a kind may answer is added here.

use std::collections::{BTreeMap, BTreeSet};

use domain::error::Code;
use domain::timing::UNAVAILABLE_RETRY_AFTER_SECONDS;
use serde_json::{Map, Value, json};
use utoipa::OpenApi;

use crate::problem::status;

pub mod schemas;

#[cfg(test)]
mod tests;

const PROBLEMS: &str = "x-problems";

/// The whole document.
fn document() -> Value {
    let mut api = crate::api::Documented::openapi();
    api.merge(crate::api::DocumentedInputs::openapi());
    api.merge(crate::api::DocumentedEndpoints::openapi());
    api.merge(crate::admin::Documented::openapi());
    api.merge(crate::callbacks::Documented::openapi());
    api.merge(crate::style_runs::Documented::openapi());
    api.merge(crate::review::Documented::openapi());
    let mut document = serde_json::to_value(api).unwrap();
    document["openapi"] = json!("3.1.0");
    document["info"] = json!({
        "title": "AFC", "version": env!("CARGO_PKG_VERSION"),
        "description": "Runs paid AI generations safely under retries: the same Idempotency-Key is the same generation.",
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    });
    document["servers"] = json!([{"url": "/"}]);
    document["components"] = json!({
        "schemas": schemas::all(),
        "securitySchemes": {
            "client_key": {"type": "http", "scheme": "bearer", "description": "A client's key"},
            "link": {"type": "apiKey", "in": "query", "name": "signature",
                "description": "With `expires`, as the `url` of an output has them"},
            "review_link": {"type": "apiKey", "in": "header", "name": "Authorization",
                "description": "`Review TOKEN`: the last part of a review link"},
            "admin_token": {"type": "http", "scheme": "bearer", "description": "The operator's token, or a key with scope `admin`"},
        },
    });
    for (path, operations) in document["paths"].as_object_mut().unwrap() {
        for (method, operation) in operations.as_object_mut().unwrap() {
            let operation = operation.as_object_mut().unwrap();
            // Handlers of different modules share names, and what follows a handler's first line is for its reader.
            operation.insert("operationId".to_owned(), json!(name(method, path)));
            operation.remove("description");
            operation.get_mut("parameters").into_iter().for_each(without_null);
            complete(operation);
        }
    }
    document
}

/// `post` and `/v1/generations/{id}/cancel` → `post_generations_id_cancel`.
fn name(method: &str, path: &str) -> String {
    let words =
        path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty() && *word != "v1");
    std::iter::once(method).chain(words).collect::<Vec<_>>().join("_")
}

/// A parameter of a query is there or it is not; `null` would be a text.
fn without_null(parameters: &mut Value) {
    for parameter in parameters.as_array_mut().unwrap().iter_mut().filter(|one| one["in"] == "query") {
        let schema = &mut parameter["schema"];
        if let Some(either) = schema["oneOf"].as_array() {
            *schema = either.iter().find(|one| one["type"] != "null").unwrap().clone();
        } else if let Some(word) = schema["type"].as_array() {
            schema["type"] = word[0].clone();
        }
    }
}

/// Adds the problems that an operation may answer with: its own, and those of its kind.
fn complete(operation: &mut Map<String, Value>) {
    let named = operation.remove(PROBLEMS).unwrap_or_default();
    let mut codes: BTreeSet<&str> =
        named.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if operation.contains_key("security") {
        codes.extend([
            "UNAUTHENTICATED",
            "SCOPE_MISSING",
            "CLIENT_DISABLED",
            "INTERNAL",
            "DATABASE_UNAVAILABLE",
            "DATABASE_TIMEOUT",
        ]);
    }
    // Any request may be malformed as a whole, or carry a body that is too large, whether it needs one or not.
    codes.extend(["INVALID_REQUEST", "BODY_TOO_LARGE"]);
    let mut by_status = BTreeMap::<String, Vec<Code>>::new();
    for code in codes {
        let known = Code::ALL.into_iter().find(|known| known.as_str() == code);
        let known = known.unwrap_or_else(|| panic!("{code} is no code of domain::error"));
        by_status.entry(status(known).as_u16().to_string()).or_default().push(known);
    }
    let responses = operation["responses"].as_object_mut().unwrap();
    for (status, codes) in by_status {
        let doubled = responses.insert(status.clone(), problem(&status, &codes));
        assert!(doubled.is_none(), "{status} is said twice");
    }
}

fn problem(status: &str, codes: &[Code]) -> Value {
    let words: Vec<&str> = codes.iter().map(|code| code.as_str()).collect();
    let pages: Vec<String> = words.iter().map(|word| format!("[`{word}`](/errors/{word})")).collect();
    let mut response = json!({
        "description": pages.join(", "),
        "content": {"application/problem+json": {"schema": {"allOf": [
            {"$ref": "#/components/schemas/Problem"},
            {"properties": {"code": {"enum": words}}},
        ]}}},
    });
    match status {
        "401" => response["headers"] = json!({"WWW-Authenticate": {"schema": {"const": "Bearer"}}}),
        "416" => {
            response["headers"] =
                json!({"Content-Range": {"description": "`bytes */SIZE`", "schema": {"type": "string"}}});
        }
        "429" => {
            response["headers"] = json!({"Retry-After": {
                "description": "Seconds; then send the same request, with the same Idempotency-Key",
                "schema": {"type": "string", "pattern": "^[0-9]+$"},
            }});
        }
        "503" | "504" => {
            response["headers"] = json!({"Retry-After": {
                "description": "Seconds; then send the same request, with the same Idempotency-Key",
                "schema": {"type": "string", "pattern": "^[0-9]+$"},
                "example": UNAVAILABLE_RETRY_AFTER_SECONDS.to_string(),
            }});
        }
        _ => {}
    }
    response
}
