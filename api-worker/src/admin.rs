//! The operator's API, under the admin token.

use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::{get, post};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use domain::error::Code;
use domain::resolution::Resolution;
use domain::{AttemptId, ClientId, Secret};
use http::header::AUTHORIZATION;
use platform::{log, session};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use store::clients::{KeyHash, NewClient};
use store::unknown::{Held, Resolved};
use uuid::Uuid;
use worker::Env;

use crate::api::{Segments, json as respond};
use crate::config;
use crate::generation::{is_request_id, wake};
use crate::http::App;
use crate::problem::Problem;

pub fn router() -> Router<App> {
    Router::new()
        .route("/v1/admin/clients", post(create_client))
        .route("/v1/admin/attempts/unknown", get(unknown))
        .route("/v1/admin/attempts/{id}/resolution", post(resolve))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    name: String,
}

/// Makes a client with its first key and webhook secret. Both are shown here and never again.
#[worker::send]
async fn create_client(State(app): State<App>, headers: HeaderMap, body: Bytes) -> Result<Response, Problem> {
    authorise(&app.env, &headers)?;
    let Wanted { name } = parse(&body)?;
    if name.is_empty() || name.chars().count() > 200 || name.contains('\0') {
        return Err(Problem::new(
            Code::InvalidRequest,
            "name: must have 1 to 200 characters, none of them U+0000",
        ));
    }
    let key = format!("afc_{}", URL_SAFE_NO_PAD.encode(random()?));
    let secret = Secret::new(format!("whsec_{}", STANDARD.encode(random()?)));
    let id = ClientId::new(Uuid::now_v7());
    let new = NewClient {
        id,
        name: &name,
        webhook_secrets: std::slice::from_ref(&secret),
        key_id: Uuid::now_v7(),
        key_hash: KeyHash::new(Sha256::digest(key.as_bytes()).into()),
        key_prefix: key.get(..8).unwrap_or_default(),
    };
    session(&app.env, async |db| store::clients::create(db, &new).await).await?;
    log::info("admin.client.create", json!({"client.id": id, "client.name": name}));
    Ok(respond(
        &json!({"id": id, "object": "client", "name": name, "key": key, "webhook_secret": secret.expose()}),
    ))
}

/// The attempts that wait for a word, oldest first.
#[worker::send]
async fn unknown(State(app): State<App>, headers: HeaderMap) -> Result<Response, Problem> {
    authorise(&app.env, &headers)?;
    let held = session(&app.env, async |db| store::unknown::list(db, 100).await).await?;
    let data: Vec<_> = held.iter().map(view).collect();
    Ok(respond(&json!({"object": "list", "data": data})))
}

fn view(held: &Held) -> serde_json::Value {
    json!({
        "id": held.id, "object": "attempt", "generation": held.job_id, "provider": held.provider, "model": held.model,
        "request": held.request, "message": held.message, "reserved": held.reserved, "started_at": held.started_at,
    })
}

/// Settles an unknown attempt and wakes its job (B3). Repeating it changes nothing.
#[worker::send]
async fn resolve(
    State(app): State<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    authorise(&app.env, &headers)?;
    let missing = || Problem::new(Code::NotFound, "there is no such attempt");
    let attempt: AttemptId = id.parse().map_err(|_| missing())?;
    let resolution: Resolution = parse(&body)?;
    if let Resolution::Paid { provider_request_id } = &resolution
        && !is_request_id(provider_request_id)
    {
        let detail = "provider_request_id: must be the provider's id, 1 to 200 letters, digits and . _ - :";
        return Err(Problem::new(Code::InvalidRequest, detail));
    }
    match session(&app.env, async |db| store::unknown::resolve(db, attempt, &resolution).await).await? {
        Resolved::Recorded(job) => {
            log::info(
                "admin.attempt.resolve",
                json!({"attempt.id": attempt, "job.id": job, "resolution": resolution.as_str()}),
            );
            wake(&app.env, job).await;
            Ok(respond(&json!({"id": attempt, "generation": job, "resolution": resolution.as_str()})))
        }
        Resolved::Stands(state) => Err(Problem::new(
            Code::NotUnknown,
            format!("the attempt is {}; only an unknown one takes a word", state.as_str()),
        )),
        Resolved::Missing => Err(missing()),
    }
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

fn parse<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|why| Problem::new(Code::InvalidRequest, format!("the body: {why}")))
}

fn random() -> Result<[u8; 32], Problem> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| worker::Error::RustError(error.to_string()))?;
    Ok(bytes)
}
