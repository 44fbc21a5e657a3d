//! Runway's ephemeral uploads: a place is asked for with the key, and the file goes there as a form without it.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Multipart, Path, State};
use axum::response::Response;
use axum::routing::post;
use axum::{Json, Router};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use serde_json::{Value, json};

use super::super::provider::reply;
use super::super::world::World;

/// What the form must say before the file.
const POLICY: &str = "signed";

pub(in crate::simulator) fn routes() -> Router<Arc<World>> {
    Router::new().route("/uploads", post(offer)).route("/_uploads/{id}", post(take))
}

async fn offer(State(world): State<Arc<World>>, headers: HeaderMap, Json(asked): Json<Value>) -> Response {
    if !headers.contains_key(AUTHORIZATION) {
        return reply(401, &json!({"error": "The API key is missing or invalid."}), &[]);
    }
    let said = |member: &str| asked.get(member).and_then(Value::as_str).unwrap_or_default();
    if !said("filename").contains('.') || said("type") != "ephemeral" {
        return reply(400, &json!({"error": "filename and type are wanted"}), &[]);
    }
    let id = uuid::Uuid::now_v7().to_string();
    let offered = json!({
        "uploadUrl": world.url(&format!("/runway/_uploads/{id}")), "fields": {"key": id, "policy": POLICY},
        "runwayUri": format!("runway://{id}"),
    });
    reply(200, &offered, &[])
}

/// The key has no business here, and a form whose fields come behind the file is refused, as storage services do.
async fn take(
    State(world): State<Arc<World>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    mut form: Multipart,
) -> Response {
    if headers.contains_key(AUTHORIZATION) {
        return reply(400, &json!({"error": "only one authentication mechanism is allowed"}), &[]);
    }
    let mut fields = Vec::new();
    while let Ok(Some(field)) = form.next_field().await {
        let name = field.name().unwrap_or_default().to_owned();
        let Ok(bytes) = field.bytes().await else { break };
        if name == "file" {
            let expected = [("key", id.as_bytes()), ("policy", POLICY.as_bytes())];
            let said = |(name, value): &(&str, &[u8])| {
                fields.iter().any(|(said, bytes): &(String, Bytes)| said == name && bytes == *value)
            };
            if !expected.iter().all(said) {
                break;
            }
            world.keep_upload(&format!("runway://{id}"), bytes);
            return reply(204, &Value::Null, &[]);
        }
        fields.push((name, bytes));
    }
    reply(400, &json!({"error": "the form is not what was signed"}), &[])
}
