//! `POST /v1/admin/clients`

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use domain::error::Code;
use domain::{ClientId, Secret};
use platform::{log, session};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use store::clients::{KeyHash, NewClient};
use uuid::Uuid;

use super::{authorise, parse};
use crate::api::json as respond;
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    name: String,
}

/// Makes a client with its first key and webhook secret. Both are shown here and never again.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/admin/clients", tag = "Operators", security(("admin_token" = [])),
    request_body = schemas::ClientRequest,
    responses(
        (status = 200, description = "The client; its key and its webhook secret are shown once", body = schemas::NewClient),
    ),
    extensions(("x-problems" = json!(["INVALID_REQUEST"]))),
))]
#[worker::send]
pub async fn create(State(app): State<App>, headers: HeaderMap, body: Bytes) -> Result<Response, Problem> {
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

fn random() -> Result<[u8; 32], Problem> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| worker::Error::RustError(error.to_string()))?;
    Ok(bytes)
}
