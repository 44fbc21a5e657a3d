//! The providers. Each is a file beside this one with its routes; what it has in common with the others (scripts,
//! ledger, jobs, outputs, callbacks) is not its concern.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use serde_json::Value;

use super::world::World;
use super::{
    bfl, fal, kling, kling_v1, luma_agents, luma_dream_machine, minimax, minimax_v1, openai_images,
    replicate, runway, tasks, veo, workers_ai,
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
        &kling_v1::PROTOCOL,
        &veo::PROTOCOL,
        &openai_images::PROTOCOL,
        &workers_ai::PROTOCOL,
    ];
    let fal = Router::new().nest(&format!("/{}", fal::NAME), fal::routes()).nest("/runway", runway::routes());
    protocols
        .into_iter()
        .fold(fal, |router, protocol| router.nest(&format!("/{}", protocol.name), tasks::routes(protocol)))
}

/// An answer with a JSON body; a JSON string goes out as plain text, for the gateways that do not speak JSON, or as the
/// file that it is a `data:` URI of.
pub(super) fn reply(status: u16, body: &Value, headers: &[(&str, &str)]) -> Response {
    let file = body.as_str().and_then(|text| text.strip_prefix("data:")?.split_once(";base64,"));
    let file = file.and_then(|(kind, data)| Some((kind, STANDARD.decode(data).ok()?)));
    let (kind, bytes) = match (file, body.as_str()) {
        (Some(file), _) => file,
        (None, Some(text)) => ("text/plain; charset=utf-8", text.to_owned().into_bytes()),
        (None, None) => ("application/json", body.to_string().into_bytes()),
    };
    let mut response = Response::builder().status(status).header(CONTENT_TYPE, kind);
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    response.body(Body::from(bytes)).unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}
