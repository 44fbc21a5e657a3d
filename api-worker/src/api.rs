//! The public API, one file an endpoint.

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::{get, post};
use domain::JobId;
use http::header::AUTHORIZATION;
use sha2::{Digest, Sha256};
use store::clients::KeyHash;
use store::jobs::Found;

use crate::http::App;
use crate::problem::Problem;

mod segments;
pub use segments::Segments;

mod create;
pub use create::{IDEMPOTENT_REPLAYED, idempotency_key, json_body, refuse_query};
mod read;

mod attempts;
mod cancel;
pub use cancel::stop;
mod output;

mod endpoints;
#[cfg(test)]
pub use endpoints::Documented as DocumentedEndpoints;
pub use endpoints::view as endpoint;

mod errors;
mod health;

mod view;
pub use view::{event_data, failure, json, outputs_of, time};

/// What `docs/openapi.json` says of these routes.
#[cfg(test)]
#[derive(utoipa::OpenApi)]
#[openapi(paths(
    create::create,
    read::read,
    attempts::attempts,
    output::first,
    output::indexed,
    cancel::cancel,
    errors::page,
    health::alive,
    health::ready
))]
pub struct Documented;

pub fn router() -> Router<App> {
    Router::new()
        .route("/v1/generations", post(create::create))
        .route("/v1/generations/{id}", get(read::read))
        .route("/v1/generations/{id}/attempts", get(attempts::attempts))
        .route("/v1/generations/{id}/output", get(output::first))
        .route("/v1/generations/{id}/output/{index}", get(output::indexed))
        .route("/v1/generations/{id}/cancel", post(cancel::cancel))
        .route("/errors/{code}", get(errors::page))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .merge(endpoints::router())
}

/// The hash of the bearer key. Only the database can tell whether the key is good, and does so in the statement that
/// answers the request.
pub fn client_key(headers: &HeaderMap) -> Result<KeyHash, Problem> {
    let value = headers.get(AUTHORIZATION).ok_or_else(Problem::unauthenticated)?.as_bytes();
    let (scheme, key) = value.split_at_checked(7).ok_or_else(Problem::unauthenticated)?;
    if !scheme.eq_ignore_ascii_case(b"Bearer ") || key.is_empty() {
        return Err(Problem::unauthenticated());
    }
    Ok(KeyHash::new(Sha256::digest(key.trim_ascii()).into()))
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
