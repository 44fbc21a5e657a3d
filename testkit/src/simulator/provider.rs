//! The providers. Each is a file beside this one with its routes; what it has in common with the others (scripts,
//! ledger, jobs, outputs, callbacks) is not its concern.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use serde_json::Value;

use super::world::World;
use super::{
    bfl, fal, kling, luma_agents, luma_dream_machine, minimax, minimax_v1, replicate, runway, tasks,
};

/// Every provider's routes, each below its name.
pub(super) fn routes() -> Router<Arc<World>> {
    let protocols = [
        &replicate::PROTOCOL,
        &runway::PROTOCOL,
        &luma_dream_machine::PROTOCOL,
        &bfl::PROTOCOL,
        &luma_agents::PROTOCOL,
        &minimax::PROTOCOL,
        &minimax_v1::PROTOCOL,
        &kling::PROTOCOL,
    ];
    let fal = Router::new().nest(&format!("/{}", fal::NAME), fal::routes());
    protocols
        .into_iter()
        .fold(fal, |router, protocol| router.nest(&format!("/{}", protocol.name), tasks::routes(protocol)))
}

/// An answer with a JSON body; a JSON string goes out as plain text, for the gateways that do not speak JSON.
pub(super) fn reply(status: u16, body: &Value, headers: &[(&str, &str)]) -> Response {
    let (kind, text) = match body.as_str() {
        Some(text) => ("text/plain; charset=utf-8", text.to_owned()),
        None => ("application/json", body.to_string()),
    };
    let mut response =
        Response::builder().status(status).header(CONTENT_TYPE, HeaderValue::from_static(kind));
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    response.body(Body::from(text)).unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}
