//! The operator's API, under the admin token or a key with scope `admin`.

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::{get, patch, post};

mod operator;
mod page;

mod attempts;
mod audit;
mod clients;
pub mod deliveries;
mod endpoints;
mod erasures;
mod keys;
mod metrics;
mod outbox;
pub mod providers;
mod spend;

/// What `docs/openapi.json` says of these routes.
#[cfg(test)]
#[derive(utoipa::OpenApi)]
#[openapi(paths(
    clients::create,
    clients::list,
    clients::read,
    clients::change,
    erasures::ask,
    erasures::show,
    keys::list,
    keys::issue,
    keys::rotate,
    keys::revoke,
    audit::list,
    spend::all,
    metrics::show,
    attempts::unknown,
    attempts::resolve,
    endpoints::survey,
    providers::list,
    providers::change,
    deliveries::dead,
    deliveries::redeliver_all,
    deliveries::inspect,
    deliveries::redeliver,
    outbox::parked,
    outbox::revive
))]
pub struct Documented;

/// Every route here is for operators: the layer stands before all of them.
pub fn router() -> Router {
    Router::new()
        .route("/v1/admin/clients", get(clients::list).post(clients::create))
        .route("/v1/admin/clients/{id}", get(clients::read).patch(clients::change))
        .route("/v1/admin/clients/{id}/erasure", get(erasures::show).post(erasures::ask))
        .route("/v1/admin/clients/{id}/keys", get(keys::list).post(keys::issue))
        .route("/v1/admin/clients/{id}/keys/{key}/rotate", post(keys::rotate))
        .route("/v1/admin/clients/{id}/keys/{key}/revoke", post(keys::revoke))
        .route("/metrics", get(metrics::show))
        .route("/v1/admin/spend", get(spend::all))
        .route("/v1/admin/audit", get(audit::list))
        .route("/v1/admin/attempts/unknown", get(attempts::unknown))
        .route("/v1/admin/attempts/{id}/resolution", post(attempts::resolve))
        .route("/v1/admin/webhook-endpoints", get(endpoints::survey))
        .route("/v1/admin/providers", get(providers::list))
        .route("/v1/admin/providers/{provider}", patch(providers::change))
        .route("/v1/admin/outbox/parked", get(outbox::parked))
        .route("/v1/admin/outbox/{event}/retry", post(outbox::revive))
        .route("/v1/admin/deliveries/dead", get(deliveries::dead))
        .route("/v1/admin/deliveries/redeliver", post(deliveries::redeliver_all))
        .route("/v1/admin/deliveries/{id}", get(deliveries::inspect))
        .route("/v1/admin/deliveries/{id}/redeliver", post(deliveries::redeliver))
        .route_layer(from_fn(operator::operator))
}
