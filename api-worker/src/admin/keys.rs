//! `/v1/admin/clients/{id}/keys`: issued and rotated keys are shown once; hashes are kept.

use axum::extract::Extension;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use domain::Secret;
use domain::client::{KeyRequest, KeyRotation, MAX_KEYS};
use domain::error::Code;
use platform::{log, session};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::clients::{Issued, Key, KeyHash, NewKey, Rotated};
use uuid::Uuid;

use super::clients::{client_id, missing as no_client};
use super::operator::changed;
use crate::api::{Segments, json as respond, object};
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// A key that nobody has seen yet.
pub struct Fresh {
    pub id: Uuid,
    pub secret: Secret,
}

impl Fresh {
    /// 256 random bits: nobody guesses one, so a plain hash is enough to keep.
    pub fn draw() -> Result<Self, Problem> {
        let secret = Secret::new(format!("afc_{}", URL_SAFE_NO_PAD.encode(random()?)));
        Ok(Self { id: Uuid::now_v7(), secret })
    }

    pub fn hash(&self) -> KeyHash {
        KeyHash::new(Sha256::digest(self.secret.expose().as_bytes()).into())
    }

    /// 48 of its 256 bits.
    pub fn prefix(&self) -> &str {
        self.secret.expose().get(..12).unwrap_or_default()
    }

    fn kept(&self) -> NewKey<'_> {
        NewKey { id: self.id, hash: self.hash(), prefix: self.prefix() }
    }
}

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/admin/clients/{id}/keys", tag = "Operators", security(("admin_token" = [])),
    params(("id" = String, Path, description = "The client's id", format = "uuid")),
    responses(
        (status = 200, description = "Its keys, oldest first, those that have ended too", body = schemas::KeyList),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
pub async fn list(
    Extension(app): Extension<App>,
    Segments(client): Segments<String>,
) -> Result<Response, Problem> {
    let client = client_id(&client)?;
    let keys = session(&app.env, async |db| store::clients::list_keys(db, client).await).await?;
    let data: Vec<_> = keys.ok_or_else(no_client)?.iter().map(view).collect();
    Ok(respond(&json!({"object": "list", "data": data})))
}

/// A key beside those that stand. Each call makes another: one whose answer was lost can be listed and revoked.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/admin/clients/{id}/keys", tag = "Operators", security(("admin_token" = [])),
    params(("id" = String, Path, description = "The client's id", format = "uuid")),
    request_body(content = Option<schemas::KeyRequest>),
    responses(
        (status = 200, description = "The key, shown for the only time", body = schemas::NewKey),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND", "INVALID_JSON"]))),
))]
#[worker::send]
pub async fn issue(
    Extension(app): Extension<App>,
    Segments(client): Segments<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let client = client_id(&client)?;
    let request = KeyRequest::parse(object(&body)?).map_err(Problem::invalid)?;
    let fresh = Fresh::draw()?;
    let issued =
        session(&app.env, async |db| store::clients::issue(db, client, &fresh.kept(), &request).await)
            .await?;
    match issued {
        Issued::Issued(key) => {
            log::info(
                "admin.key.issue",
                json!({"client.id": client, "key.id": key.id, "key.scopes": key.scopes}),
            );
            Ok(changed(respond(&shown(&key, &fresh)), Value::Null, view(&key)))
        }
        Issued::Full => {
            let detail = format!("the client has {MAX_KEYS} live keys; revoke one first");
            Err(Problem::new(Code::InvalidRequest, detail))
        }
        Issued::NoSuchClient => Err(no_client()),
    }
}

/// A successor with the same label, scopes and lifetime; the old key is good for the overlap.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/admin/clients/{id}/keys/{key}/rotate", tag = "Operators", security(("admin_token" = [])),
    params(("id" = String, Path, description = "The client's id", format = "uuid"),
        ("key" = String, Path, description = "The id of the key to be followed", format = "uuid")),
    request_body(content = Option<schemas::KeyRotation>),
    responses(
        (status = 200, description = "The new key, shown for the only time", body = schemas::NewKey),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND", "INVALID_JSON"]))),
))]
#[worker::send]
pub async fn rotate(
    Extension(app): Extension<App>,
    Segments((client, key)): Segments<(String, String)>,
    body: Bytes,
) -> Result<Response, Problem> {
    let (client, key) = (client_id(&client)?, key_id(&key)?);
    let rotation = KeyRotation::parse(object(&body)?).map_err(Problem::invalid)?;
    let fresh = Fresh::draw()?;
    let rotated =
        session(&app.env, async |db| store::clients::rotate(db, client, key, &fresh.kept(), rotation).await);
    match rotated.await? {
        Rotated::Rotated { old, new } => {
            log::info("admin.key.rotate", json!({"client.id": client, "key.id": new.id, "key.old": old.id}));
            Ok(changed(respond(&shown(&new, &fresh)), view(&old), view(&new)))
        }
        Rotated::Over => {
            Err(Problem::new(Code::InvalidRequest, "the key was revoked or has expired; issue a new one"))
        }
        Rotated::Missing => Err(missing()),
    }
}

/// Ends a key at once. Safe to repeat.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/admin/clients/{id}/keys/{key}/revoke", tag = "Operators", security(("admin_token" = [])),
    params(("id" = String, Path, description = "The client's id", format = "uuid"),
        ("key" = String, Path, description = "The key's id", format = "uuid")),
    responses(
        (status = 200, description = "The key, which opens nothing any more", body = schemas::Key),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
pub async fn revoke(
    Extension(app): Extension<App>,
    Segments((client, key)): Segments<(String, String)>,
) -> Result<Response, Problem> {
    let (client, key) = (client_id(&client)?, key_id(&key)?);
    let revoked = session(&app.env, async |db| store::clients::revoke(db, client, key).await).await?;
    let revoked = revoked.ok_or_else(missing)?;
    log::info("admin.key.revoke", json!({"client.id": client, "key.id": key}));
    let shown = view(&revoked);
    Ok(changed(respond(&shown), json!({"key": key}), shown))
}

fn view(key: &Key) -> Value {
    json!({
        "id": key.id, "object": "key", "client": key.client, "label": key.label, "prefix": key.prefix,
        "scopes": key.scopes, "created_at": key.created_at, "expires_at": key.expires_at,
        "revoked_at": key.revoked_at, "last_used_at": key.last_used_at,
    })
}

fn shown(key: &Key, fresh: &Fresh) -> Value {
    let mut shown = view(key);
    if let Value::Object(members) = &mut shown {
        members.insert("key".to_owned(), json!(fresh.secret.expose()));
    }
    shown
}

pub(super) fn random() -> Result<[u8; 32], Problem> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| worker::Error::RustError(error.to_string()))?;
    Ok(bytes)
}

/// One spelling, like every id.
fn key_id(segment: &str) -> Result<Uuid, Problem> {
    let id = Uuid::try_parse(segment).map_err(|_| missing())?;
    if id.as_hyphenated().to_string() == segment { Ok(id) } else { Err(missing()) }
}

fn missing() -> Problem {
    Problem::new(Code::NotFound, "the client has no such key")
}
