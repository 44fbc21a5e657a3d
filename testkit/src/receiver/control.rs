//! `/_receiver/…`: scripts in, deliveries out.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::log::Log;
use super::script::Script;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    name: Option<String>,
}

pub(super) async fn script(State(log): State<Arc<Log>>, body: Bytes) -> Response {
    match serde_json::from_slice::<Script>(&body) {
        Ok(script) => {
            log.add_script(script);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(error) => (StatusCode::BAD_REQUEST, Json(json!({"error": error.to_string()}))).into_response(),
    }
}

pub(super) async fn deliveries(State(log): State<Arc<Log>>, Query(which): Query<Which>) -> Response {
    Json(log.show(which.name.as_deref())).into_response()
}

pub(super) async fn reset(State(log): State<Arc<Log>>) -> Response {
    log.reset();
    StatusCode::NO_CONTENT.into_response()
}

pub(super) async fn health(State(log): State<Arc<Log>>) -> Response {
    Json(json!({"ok": true, "deliveries": log.count()})).into_response()
}
