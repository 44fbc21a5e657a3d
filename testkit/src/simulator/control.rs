//! `/_sim/…`: scripts in, the ledger out.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Router, extract::rejection::QueryRejection};
use serde_json::json;

use super::ledger::Filter;
use super::provider::reply;
use super::script::Script;
use super::world::World;

pub(super) fn routes() -> Router<Arc<World>> {
    Router::new()
        .route("/_sim/script", post(script))
        .route("/_sim/ledger", get(ledger))
        .route("/_sim/reset", post(reset))
        .route("/_sim/health", get(health))
}

async fn script(State(world): State<Arc<World>>, body: Bytes) -> Response {
    match serde_json::from_slice::<Script>(&body) {
        Ok(script) => {
            world.add_script(script);
            reply(200, &json!({"scripts": world.counts().0}), &[])
        }
        Err(error) => reply(400, &json!({"error": error.to_string()}), &[]),
    }
}

async fn ledger(State(world): State<Arc<World>>, filter: Result<Query<Filter>, QueryRejection>) -> Response {
    match filter {
        Ok(Query(filter)) => reply(200, &world.ledger(&filter), &[]),
        Err(error) => reply(400, &json!({"error": error.body_text()}), &[]),
    }
}

async fn reset(State(world): State<Arc<World>>) -> Response {
    world.reset();
    reply(200, &json!({}), &[])
}

async fn health(State(world): State<Arc<World>>) -> Response {
    let (scripts, calls) = world.counts();
    reply(200, &json!({"ok": true, "scripts": scripts, "calls": calls}), &[])
}
