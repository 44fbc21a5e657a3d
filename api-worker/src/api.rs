//! The public API, one file an endpoint.

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::{get, post};
use domain::callback_url::CallbackUrl;
use domain::error::Code;
use domain::fields::Violation;
use domain::{JobId, json};
use serde_json::{Map, Value};
use store::clients::KeyHash;
use store::jobs::Found;
use worker::Env;

use crate::access::bearer;
use crate::config;
use crate::problem::Problem;

mod segments;
pub use segments::Segments;

mod create;
pub use create::{IDEMPOTENT_REPLAYED, idempotency_key, json_body, refuse_query};
mod list;
mod read;

mod attempts;
mod events;
mod timeline;

mod cancel;
pub use cancel::stop;
mod output;
use output::IntoStreamed;
pub use output::send as send_output;

mod inputs;
#[cfg(test)]
pub use inputs::Documented as DocumentedInputs;
pub use inputs::UPLOADS;

mod endpoints;
#[cfg(test)]
pub use endpoints::Documented as DocumentedEndpoints;
pub use endpoints::view as endpoint;

mod estimates;
pub mod spend;

mod errors;
mod health;

mod view;
pub use view::{event_data, failure, json, outputs_of, time};

/// What `docs/openapi.json` says of these routes.
#[cfg(test)]
#[derive(utoipa::OpenApi)]
#[openapi(paths(
    create::create,
    list::list,
    read::read,
    attempts::attempts,
    timeline::timeline,
    events::events,
    output::first,
    output::indexed,
    cancel::cancel,
    estimates::create,
    spend::own,
    errors::page,
    health::alive,
    health::ready
))]
pub struct Documented;

pub fn router() -> Router {
    Router::new()
        .route("/v1/generations", post(create::create).get(list::list))
        .route("/v1/generations/{id}", get(read::read))
        .route("/v1/generations/{id}/attempts", get(attempts::attempts))
        .route("/v1/generations/{id}/timeline", get(timeline::timeline))
        .route("/v1/generations/{id}/events", get(events::events))
        .route("/v1/generations/{id}/output", get(output::first))
        .route("/v1/generations/{id}/output/{index}", get(output::indexed))
        .route("/v1/generations/{id}/cancel", post(cancel::cancel))
        .route("/v1/estimates", post(estimates::create))
        .route("/v1/spend", get(spend::own))
        .route("/errors/{code}", get(errors::page))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .merge(inputs::router())
        .merge(endpoints::router())
}

/// The hash of the bearer key. Whether it is good, the statement that answers the request tells.
pub fn client_key(headers: &HeaderMap) -> Result<KeyHash, Problem> {
    bearer(headers).ok_or_else(Problem::unauthenticated)
}

/// Refuses AFC itself as a receiver of webhooks; `pointer` is where the request names it.
pub fn elsewhere(env: &Env, receiver: Option<&CallbackUrl>, pointer: &str) -> Result<(), Problem> {
    let Some(receiver) = receiver else { return Ok(()) };
    receiver.elsewhere(&config::required(env, config::PUBLIC_URL)?).map_err(|why| {
        Problem::invalid(vec![Violation { pointer: pointer.to_owned(), detail: why.to_string() }])
    })
}

/// The JSON of a body; no body is an empty object.
pub fn object(body: &[u8]) -> Result<Value, Problem> {
    if body.is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    json::parse(body).map_err(|why| Problem::new(Code::InvalidJson, format!("the body: {why}")))
}

/// An id from a path. One that cannot be a job's id is no job's: not found, like any other.
fn job_id(segment: &str) -> Result<JobId, Problem> {
    segment.parse().map_err(|_| Problem::not_found())
}

fn found<T>(found: Found<T>) -> Result<T, Problem> {
    match found {
        Found::Found(value) => Ok(value),
        Found::NotFound => Err(Problem::not_found()),
        Found::Unauthenticated => Err(Problem::unauthenticated()),
    }
}
