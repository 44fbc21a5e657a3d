//! `/_proxy/…`: what to do, and how it stands.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::Shared;
use super::mode::Mode;

pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new().route("/_proxy/mode", post(mode)).route("/_proxy/state", get(state)).with_state(shared)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    mode: Wanted,
}

/// The modes, and the one order that leaves the mode as it is.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Wanted {
    Pass,
    Refuse,
    Stall,
    Drop,
    CutAfterBytes(u64),
}

/// Answers when what was ordered holds.
async fn mode(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    let order = match serde_json::from_slice::<Order>(&body) {
        Ok(order) => order,
        Err(error) => {
            return (StatusCode::BAD_REQUEST, Json(json!({"error": error.to_string()}))).into_response();
        }
    };
    let faults = &shared.faults;
    match order.mode {
        Wanted::Pass => faults.set(Mode::Pass).await,
        Wanted::Refuse => faults.set(Mode::Refuse).await,
        Wanted::Stall => faults.set(Mode::Stall).await,
        Wanted::Drop => faults.drop_connections().await,
        Wanted::CutAfterBytes(bytes) => faults.set(Mode::CutAfterBytes(bytes)).await,
    }
    StatusCode::NO_CONTENT.into_response()
}

async fn state(State(shared): State<Arc<Shared>>) -> Response {
    Json(shared.state()).into_response()
}
