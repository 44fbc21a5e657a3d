//! `/v1/webhook-endpoints`: where a client wants its events (B12).

use axum::Router;
use axum::extract::Extension;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::{self, get, post};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::endpoint::{KeyRotation, Registration, Rotation, Settings, TEST_EVENT};
use domain::error::Code;
use domain::event::API_VERSION;
use domain::fields::Violation;
use domain::{DeliveryId, EndpointId, KeyPair, Secret};
use http::StatusCode;
use platform::{log, now, session};
use serde_json::{Value, json};
use store::endpoints::{Endpoint, NewEndpoint, Registered};
use store::jobs::Found;
use uuid::Uuid;

use super::view::json as respond;
use super::{Segments, client_key, elsewhere, object};
use crate::config;
use crate::generation::enqueue;
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// What `docs/openapi.json` says of these routes.
#[cfg(test)]
#[derive(utoipa::OpenApi)]
#[openapi(paths(create, list, read, update, delete, rotate, rotate_key, end_keys, test))]
pub struct Documented;

pub fn router() -> Router {
    Router::new()
        .route("/v1/webhook-endpoints", get(list).post(create))
        .route("/v1/webhook-endpoints/{id}", get(read).patch(update).delete(delete))
        .route("/v1/webhook-endpoints/{id}/secret/rotate", post(rotate))
        .route("/v1/webhook-endpoints/{id}/key/rotate", post(rotate_key))
        .route("/v1/webhook-endpoints/{id}/key", routing::delete(end_keys))
        .route("/v1/webhook-endpoints/{id}/test", post(test))
}

/// 201 with a new endpoint and its secret, which is not shown again; 200 with the one that the client has at this URL.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/webhook-endpoints", tag = "Webhook endpoints", security(("client_key" = [])),
    request_body = schemas::EndpointRequest,
    responses(
        (status = 201, description = "A new endpoint, with its secret for the only time", body = schemas::NewEndpoint),
        (status = 200, description = "The endpoint that the client has at this URL already", body = schemas::Endpoint),
    ),
    extensions(("x-problems" = json!(["INVALID_JSON"]))),
))]
#[worker::send]
async fn create(
    Extension(app): Extension<App>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let key = client_key(&headers)?;
    let Registration { settings, .. } =
        Registration::parse(object(&body)?, config::loopback(&app.env)).map_err(Problem::invalid)?;
    elsewhere(&app.env, settings.url.as_ref(), "/url")?;
    let (id, secret) = (EndpointId::new(Uuid::now_v7()), fresh_secret()?);
    let new = NewEndpoint { id, key, settings: &settings, secret: &secret };
    match session(&app.env, async |db| store::endpoints::create(db, &new).await).await? {
        Registered::Created(endpoint) => {
            log::info("endpoint.create", json!({"endpoint.id": id, "client.id": endpoint.client_id}));
            let mut response = respond(&with_secret(&endpoint, &secret));
            *response.status_mut() = StatusCode::CREATED;
            Ok(response)
        }
        Registered::Stands(endpoint) => Ok(respond(&view(&endpoint))),
        Registered::Full => {
            let detail = "you have as many endpoints as a client may have; delete one first";
            Err(Problem::new(Code::InvalidRequest, detail))
        }
        Registered::Unauthenticated => Err(Problem::unauthenticated()),
    }
}

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/webhook-endpoints", tag = "Webhook endpoints", security(("client_key" = [])),
    responses(
        (status = 200, description = "All of the client's", body = schemas::EndpointList),
    ),
    extensions(("x-problems" = json!([]))),
))]
#[worker::send]
async fn list(Extension(app): Extension<App>, headers: HeaderMap) -> Result<Response, Problem> {
    let key = client_key(&headers)?;
    let all = found(session(&app.env, async |db| store::endpoints::list(db, key).await).await?)?;
    Ok(respond(&json!({"object": "list", "data": all.iter().map(view).collect::<Vec<_>>()})))
}

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/webhook-endpoints/{id}", tag = "Webhook endpoints", security(("client_key" = [])),
    params(("id" = String, Path, description = "The endpoint's id", format = "uuid")),
    responses(
        (status = 200, description = "The endpoint and its last changes", body = schemas::Endpoint),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
async fn read(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(&headers)?, endpoint_id(&id)?);
    let endpoint = found(session(&app.env, async |db| store::endpoints::find(db, key, id).await).await?)?;
    Ok(respond(&view(&endpoint)))
}

/// Changes what the body says. Enabling counts failures from zero.
#[cfg_attr(test, utoipa::path(
    patch, path = "/v1/webhook-endpoints/{id}", tag = "Webhook endpoints", security(("client_key" = [])),
    params(("id" = String, Path, description = "The endpoint's id", format = "uuid")),
    request_body(content = Option<schemas::EndpointChange>),
    responses(
        (status = 200, description = "The endpoint as it is now", body = schemas::Endpoint),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND", "INVALID_JSON"]))),
))]
#[worker::send]
async fn update(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(&headers)?, endpoint_id(&id)?);
    let settings = Settings::parse(object(&body)?, config::loopback(&app.env)).map_err(Problem::invalid)?;
    elsewhere(&app.env, settings.url.as_ref(), "/url")?;
    let updated = session(&app.env, async |db| store::endpoints::update(db, key, id, &settings).await).await;
    if let Err(store::Error::Conflict(_)) = updated {
        let detail = "is the URL of another endpoint of yours".to_owned();
        return Err(Problem::invalid(vec![Violation { pointer: "/url".to_owned(), detail }]));
    }
    let endpoint = found(updated?)?;
    log::info("endpoint.update", json!({"endpoint.id": id, "client.id": endpoint.client_id}));
    Ok(respond(&view(&endpoint)))
}

#[cfg_attr(test, utoipa::path(
    delete, path = "/v1/webhook-endpoints/{id}", tag = "Webhook endpoints", security(("client_key" = [])),
    params(("id" = String, Path, description = "The endpoint's id", format = "uuid")),
    responses(
        (status = 200, description = "Gone; its pending deliveries are not sent", body = schemas::DeletedEndpoint),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
async fn delete(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(&headers)?, endpoint_id(&id)?);
    found(session(&app.env, async |db| store::endpoints::delete(db, key, id).await).await?)?;
    log::info("endpoint.delete", json!({"endpoint.id": id}));
    Ok(respond(&json!({"id": id, "object": "webhook_endpoint", "deleted": true})))
}

/// Adds a secret and shows it once; the ones that stand go on signing beside it for the overlap.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/webhook-endpoints/{id}/secret/rotate", tag = "Webhook endpoints", security(("client_key" = [])),
    params(("id" = String, Path, description = "The endpoint's id", format = "uuid")),
    request_body(content = Option<schemas::RotationRequest>),
    responses(
        (status = 200, description = "The new secret, for the only time", body = schemas::RotatedSecret),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND", "INVALID_JSON"]))),
))]
#[worker::send]
async fn rotate(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(&headers)?, endpoint_id(&id)?);
    let Rotation { secret, overlap_seconds } = Rotation::parse(object(&body)?).map_err(Problem::invalid)?;
    let secret = secret.map_or_else(fresh_secret, Ok)?;
    let rotated =
        session(&app.env, async |db| store::endpoints::rotate(db, key, id, &secret, overlap_seconds).await);
    let endpoint = found(rotated.await?)?;
    log::info("endpoint.secret.rotate", json!({"endpoint.id": id, "client.id": endpoint.client_id}));
    Ok(respond(&json!({"id": id, "object": "webhook_endpoint", "secret": secret.expose(),
        "overlap_seconds": overlap_seconds})))
}

/// Adds an ed25519 key pair and shows its public half; deliveries carry a `v1a` signature by it beside `v1`. The pairs that
/// stand go on signing for the overlap.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/webhook-endpoints/{id}/key/rotate", tag = "Webhook endpoints", security(("client_key" = [])),
    params(("id" = String, Path, description = "The endpoint's id", format = "uuid")),
    request_body = schemas::KeyRotationRequest,
    responses(
        (status = 200, description = "The new public key; the endpoint shows it too", body = schemas::RotatedKey),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND", "INVALID_JSON"]))),
))]
#[worker::send]
async fn rotate_key(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(&headers)?, endpoint_id(&id)?);
    let KeyRotation { overlap_seconds } = KeyRotation::parse(object(&body)?).map_err(Problem::invalid)?;
    let pair = KeyPair::from_seed(&random()?);
    let rotated =
        session(&app.env, async |db| store::endpoints::rotate_key(db, key, id, &pair, overlap_seconds).await);
    let endpoint = found(rotated.await?)?;
    log::info("endpoint.key.rotate", json!({"endpoint.id": id, "client.id": endpoint.client_id}));
    Ok(respond(&json!({"id": id, "object": "webhook_endpoint", "public_key": pair.public(),
        "overlap_seconds": overlap_seconds})))
}

/// Ends all key pairs of the endpoint at once: its deliveries carry `v1` signatures only.
#[cfg_attr(test, utoipa::path(
    delete, path = "/v1/webhook-endpoints/{id}/key", tag = "Webhook endpoints", security(("client_key" = [])),
    params(("id" = String, Path, description = "The endpoint's id", format = "uuid")),
    responses(
        (status = 200, description = "No key pair signs any more", body = schemas::EndedKeys),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
async fn end_keys(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(&headers)?, endpoint_id(&id)?);
    found(session(&app.env, async |db| store::endpoints::end_keys(db, key, id).await).await?)?;
    log::info("endpoint.key.end", json!({"endpoint.id": id}));
    Ok(respond(&json!({"id": id, "object": "webhook_endpoint", "public_keys": []})))
}

/// Sends a test event to this endpoint only, whatever it has subscribed to, even while it is disabled. Each call is
/// another event.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/webhook-endpoints/{id}/test", tag = "Webhook endpoints", security(("client_key" = [])),
    params(("id" = String, Path, description = "The endpoint's id", format = "uuid")),
    responses(
        (status = 202, description = "A test event is on its way", body = schemas::TestDelivery),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
async fn test(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(&headers)?, endpoint_id(&id)?);
    let delivery = DeliveryId::from_stored(format!("test_{}", Uuid::now_v7())).at_endpoint(id);
    let payload = json!({
        "type": TEST_EVENT, "timestamp": now(), "api_version": API_VERSION,
        "data": {"id": id, "object": "webhook_endpoint"},
    })
    .to_string();
    let written =
        session(&app.env, async |db| store::endpoints::test(db, key, id, &delivery, &payload).await);
    found(written.await?)?;
    // Without the message the sweeper sends it.
    enqueue(&app.env, &delivery).await?;
    let mut response = respond(&json!({"object": "delivery", "id": delivery, "event_type": TEST_EVENT}));
    *response.status_mut() = StatusCode::ACCEPTED;
    Ok(response)
}

/// An endpoint as its client and operators see it: headers by name only, they may hold secrets.
pub fn view(endpoint: &Endpoint) -> Value {
    let all = || vec!["*".to_owned()];
    let changes = endpoint
        .changes
        .iter()
        .map(|one| json!({"change": one.change, "reason": one.reason, "created_at": one.created_at}));
    let keys = endpoint.public_keys.iter().map(|one| {
        json!({"public_key": one.public_key, "created_at": one.created_at, "expires_at": one.expires_at})
    });
    json!({
        "id": endpoint.id, "object": "webhook_endpoint", "url": endpoint.url, "description": endpoint.description,
        "event_types": endpoint.event_types.clone().unwrap_or_else(all),
        "header_names": endpoint.headers.keys().collect::<Vec<_>>(),
        "rate_limit": endpoint.rate_limit, "enabled": endpoint.disabled_reason.is_none(),
        "disabled_reason": endpoint.disabled_reason, "disabled_at": endpoint.disabled_at,
        "failing_since": endpoint.failing_since, "paused_until": endpoint.paused_until,
        "live_secrets": endpoint.live_secrets, "public_keys": keys.collect::<Vec<_>>(), "created_at": endpoint.created_at, "updated_at": endpoint.updated_at,
        "changes": changes.collect::<Vec<_>>(),
    })
}

fn with_secret(endpoint: &Endpoint, secret: &Secret) -> Value {
    let mut shown = view(endpoint);
    if let Value::Object(members) = &mut shown {
        members.insert("secret".to_owned(), json!(secret.expose()));
        // Written by the statement that read the rest.
        members.insert("live_secrets".to_owned(), json!(1));
    }
    shown
}

fn fresh_secret() -> Result<Secret, Problem> {
    Ok(Secret::new(format!("whsec_{}", STANDARD.encode(random()?))))
}

fn random() -> Result<[u8; 32], Problem> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| worker::Error::RustError(error.to_string()))?;
    Ok(bytes)
}

fn endpoint_id(segment: &str) -> Result<EndpointId, Problem> {
    segment.parse().map_err(|_| missing())
}

fn found<T>(found: Found<T>) -> Result<T, Problem> {
    match found {
        Found::Found(value) => Ok(value),
        Found::NotFound => Err(missing()),
        Found::Unauthenticated => Err(Problem::unauthenticated()),
    }
}

fn missing() -> Problem {
    Problem::new(Code::NotFound, "there is no such webhook endpoint, or it belongs to another client")
}
