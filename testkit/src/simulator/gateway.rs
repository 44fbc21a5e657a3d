//! The AI Gateway in front of the simulated providers: `/_gateway/{provider}/…` goes on to `/{provider}/…`, with what a
//! gateway would do of itself unless it is told not to. Scripted by `POST /_sim/gateway`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_service::Service;

use super::provider::reply;
use crate::lock::lock;

/// Bodies that pass through.
const LARGEST: usize = 64 << 20;

/// What a gateway does.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gate {
    /// Asks for this token in `cf-aig-authorization`.
    pub token: Option<String>,
    /// Answers every request of this method with its own error: status, and code in its envelope.
    pub refuses: Option<(String, u16, u32)>,
    /// The same after the provider was asked: what that said is withheld.
    pub withholds: bool,
}

#[derive(Debug, Default)]
struct Held {
    gate: Gate,
    /// Answers to POSTs by path and body: it caches and retries, as it is configured to, unless a request says otherwise.
    cache: HashMap<(String, Bytes), Value>,
    passed: Vec<Value>,
}

/// The gateway's own state.
#[derive(Clone, Debug, Default)]
pub(super) struct Gateway(Arc<Mutex<Held>>);

impl Gateway {
    pub(super) fn set(&self, gate: Gate) {
        lock(&self.0).gate = gate;
    }

    /// Method, path and headers of what passed through, secrets blanked.
    pub(super) fn passed(&self) -> Vec<Value> {
        lock(&self.0).passed.clone()
    }
}

/// `providers` are the routes behind it.
pub(super) fn routes(gateway: Gateway, providers: Router) -> Router {
    let through = Router::new().fallback(through).with_state((gateway.clone(), providers));
    Router::new().route("/_sim/gateway", post(set)).with_state(gateway).nest("/_gateway", through)
}

async fn set(State(gateway): State<Gateway>, body: Bytes) -> Response {
    match serde_json::from_slice::<Gate>(&body) {
        Ok(gate) => {
            gateway.set(gate);
            reply(200, &json!({}), &[])
        }
        Err(error) => reply(400, &json!({"error": error.to_string()}), &[]),
    }
}

async fn through(State((gateway, providers)): State<(Gateway, Router)>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST).await else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let gate = lock(&gateway.0).gate.clone();
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    lock(&gateway.0).passed.push(json!({
        "method": parts.method.as_str(), "path": path, "headers": super::ledger::show_headers(&parts.headers),
    }));
    let sent = header(&parts.headers, "cf-aig-authorization").and_then(|value| value.strip_prefix("Bearer "));
    if gate.token.is_some() && sent != gate.token.as_deref() {
        return own(401, 2009, "Unauthorized");
    }
    let refusal = gate.refuses.filter(|(method, _, _)| method == parts.method.as_str());
    if let Some((_, status, code)) = &refusal
        && !gate.withholds
    {
        return own(*status, *code, "refused by the gateway");
    }
    let key = (path.clone(), body.clone());
    let caches = parts.method == Method::POST && header(&parts.headers, "cf-aig-skip-cache") != Some("true");
    if let Some(cached) = lock(&gateway.0).cache.get(&key).filter(|_| caches) {
        return reply(200, cached, &[("cf-aig-cache-status", "HIT")]);
    }
    let attempts =
        header(&parts.headers, "cf-aig-max-attempts").and_then(|text| text.parse().ok()).unwrap_or(5_u8);
    let mut answer = StatusCode::BAD_GATEWAY.into_response();
    for _ in 0..attempts {
        answer = behind(&providers, &parts, &path, body.clone()).await;
        if !answer.status().is_server_error() {
            break;
        }
    }
    if let Some((_, status, code)) = refusal {
        return own(status, code, "withheld by the gateway");
    }
    let (head, body) = answer.into_parts();
    let Ok(body) = to_bytes(body, LARGEST).await else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    if caches && let Ok(json) = serde_json::from_slice(&body) {
        lock(&gateway.0).cache.insert(key, json);
    }
    let mut answer = Response::from_parts(head, Body::from(body));
    answer.headers_mut().insert("cf-aig-cache-status", HeaderValue::from_static("MISS"));
    answer
}

async fn behind(providers: &Router, parts: &http::request::Parts, path: &str, body: Bytes) -> Response {
    let mut request = Request::new(Body::from(body));
    *request.method_mut() = parts.method.clone();
    *request.uri_mut() = path.parse::<Uri>().unwrap_or_default();
    *request.headers_mut() = parts.headers.clone();
    *request.extensions_mut() = parts.extensions.clone();
    match providers.clone().call(request).await {
        Ok(answer) => answer,
        Err(never) => match never {},
    }
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// An error of its own, in its envelope.
fn own(status: u16, code: u32, message: &str) -> Response {
    let body = json!({
        "success": false, "result": [], "messages": [], "error": [{"code": code, "message": message}],
    });
    reply(status, &body, &[])
}
