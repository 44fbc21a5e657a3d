//! The operator's API, under the admin token.

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::{get, patch, post};
use domain::Secret;
use domain::error::Code;
use http::header::AUTHORIZATION;
use serde::de::DeserializeOwned;
use worker::Env;

use crate::config;
use crate::http::App;
use crate::problem::Problem;

mod attempts;
mod clients;
pub mod deliveries;
mod endpoints;
pub mod providers;

/// What `docs/openapi.json` says of these routes.
#[cfg(test)]
#[derive(utoipa::OpenApi)]
#[openapi(paths(
    clients::create,
    attempts::unknown,
    attempts::resolve,
    endpoints::survey,
    providers::list,
    providers::change,
    deliveries::dead,
    deliveries::redeliver_all,
    deliveries::inspect,
    deliveries::redeliver
))]
pub struct Documented;

pub fn router() -> Router<App> {
    Router::new()
        .route("/v1/admin/clients", post(clients::create))
        .route("/v1/admin/attempts/unknown", get(attempts::unknown))
        .route("/v1/admin/attempts/{id}/resolution", post(attempts::resolve))
        .route("/v1/admin/webhook-endpoints", get(endpoints::survey))
        .route("/v1/admin/providers", get(providers::list))
        .route("/v1/admin/providers/{provider}", patch(providers::change))
        .route("/v1/admin/deliveries/dead", get(deliveries::dead))
        .route("/v1/admin/deliveries/redeliver", post(deliveries::redeliver_all))
        .route("/v1/admin/deliveries/{id}", get(deliveries::inspect))
        .route("/v1/admin/deliveries/{id}/redeliver", post(deliveries::redeliver))
}

fn authorise(env: &Env, headers: &HeaderMap) -> Result<(), Problem> {
    let wanted = Secret::new(config::required(env, config::ADMIN_TOKEN)?);
    let value = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = value.and_then(|value| value.strip_prefix("Bearer ")).map(Secret::new);
    if given.is_some_and(|given| given == wanted) {
        return Ok(());
    }
    Err(Problem::new(Code::Unauthenticated, "send the admin token as \"Authorization: Bearer <token>\""))
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|why| Problem::new(Code::InvalidRequest, format!("the body: {why}")))
}
