//! Every operation that the API's description has, so that a new one cannot be forgotten.

use e2e::{Answer, Api};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use uuid::Uuid;

/// One operation of `docs/openapi.json`.
pub struct Operation {
    pub method: Method,
    /// With its parameters in braces.
    pub path: String,
    described: Value,
}

/// All operations that `security` opens: `client_key` or `admin_token`.
pub fn opened_by(security: &str) -> Vec<Operation> {
    let document: Value = serde_json::from_str(include_str!("../../../docs/openapi.json")).unwrap();
    let mut found = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, described) in operations.as_object().unwrap() {
            let opens = described["security"].as_array().into_iter().flatten();
            if opens.into_iter().any(|one| one.get(security).is_some()) {
                let method = method.to_uppercase().parse().unwrap();
                found.push(Operation { method, path: path.clone(), described: described.clone() });
            }
        }
    }
    assert!(found.len() > 5, "the operations are not found any more");
    found
}

impl Operation {
    pub fn takes(&self, place: &str, name: &str) -> bool {
        let parameters = self.described["parameters"].as_array().into_iter().flatten();
        parameters.into_iter().any(|one| one["in"] == place && one["name"] == name)
    }

    pub fn has_id(&self) -> bool {
        self.path.contains('{')
    }

    /// The operation on `path`, as a caller who means it would ask.
    fn request(&self, api: &Api, path: &str) -> RequestBuilder {
        let mut request = api.request(self.method.clone(), path);
        if self.takes("header", "Idempotency-Key") {
            request = request.header("idempotency-key", Uuid::new_v4().to_string());
        }
        let content = &self.described["requestBody"]["content"];
        if content["application/octet-stream"].is_object() {
            return request.body(&b"\x89PNG\r\n\x1a\na picture"[..]);
        }
        let schema = &content["application/json"]["schema"]["$ref"];
        match schema.as_str().and_then(|schema| schema.rsplit('/').next()) {
            Some(shape) => request.json(&body(shape)),
            None => request,
        }
    }

    /// Asks with each parameter of the path as `fill` says.
    pub async fn ask(&self, api: &Api, fill: impl Fn(&str, &str) -> String) -> Answer {
        let mut path = String::new();
        for segment in self.path.split('/').skip(1) {
            let name = segment.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
            let said = name.map_or_else(|| segment.to_owned(), |name| fill(&path, name));
            path.push('/');
            path.push_str(&said);
        }
        api.send(self.request(api, &path)).await
    }
}

/// A good body of each shape that a request may have. A new shape must be added.
fn body(shape: &str) -> Value {
    match shape {
        "GenerationRequest" => Api::video("a request that nobody may make"),
        "EndpointRequest" => json!({"url": "https://hooks.example.com/afc"}),
        "EndpointChange" => json!({"description": "another"}),
        "RedeliveryOrder" | "RotationRequest" | "KeyRotationRequest" | "KeyRequest" | "KeyRotation"
        | "ClientChange" | "ProviderGateChange" => json!({}),
        "ClientRequest" => json!({"name": "nobody"}),
        "ResolutionRequest" => json!({"resolution": "retry"}),
        "RedeliveryRequest" => json!({"since": "2026-01-01T00:00:00Z", "dry_run": true}),
        "StyleRunRequest" => {
            json!({"brief": "nobody", "template": Api::video("a look that nobody may have"), "variations": [{"seed": 1}]})
        }
        "DecisionRequest" => json!({"action": "reject", "reviewer": "nobody"}),
        _ => unreachable!("say in routes.rs what a good {shape} is"),
    }
}
