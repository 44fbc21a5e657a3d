//! `/v1/admin/clients`: who may use AFC.

use axum::extract::{Extension, RawQuery};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::client::{Registration, Settings};
use domain::error::Code;
use domain::{ClientId, Secret};
use platform::{log, session};
use serde_json::{Value, json};
use store::clients::{Client, NewClient};
use uuid::Uuid;

use super::keys::{Fresh, random};
use super::operator::changed;
use super::page::Page;
use crate::api::{Segments, json as respond, object};
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// Makes a client with its first key and webhook secret. Both are shown here and never again. Each call makes another.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/admin/clients", tag = "Operators", security(("admin_token" = [])),
    request_body = schemas::ClientRequest,
    responses(
        (status = 200, description = "The client; its key and its webhook secret are shown once", body = schemas::NewClient),
    ),
    extensions(("x-problems" = json!(["INVALID_JSON"]))),
))]
#[worker::send]
pub async fn create(Extension(app): Extension<App>, body: Bytes) -> Result<Response, Problem> {
    let Registration { name } = Registration::parse(object(&body)?).map_err(Problem::invalid)?;
    let key = Fresh::draw()?;
    let secret = Secret::new(format!("whsec_{}", STANDARD.encode(random()?)));
    let id = ClientId::new(Uuid::now_v7());
    let new = NewClient {
        id,
        name: &name,
        webhook_secrets: std::slice::from_ref(&secret),
        key_id: key.id,
        key_hash: key.hash(),
        key_prefix: key.prefix(),
    };
    session(&app.env, async |db| store::clients::create(db, &new).await).await?;
    log::info("admin.client.create", json!({"client.id": id, "client.name": name}));
    let shown = json!({
        "id": id, "object": "client", "name": name, "key": key.secret.expose(), "key_id": key.id,
        "webhook_secret": secret.expose(),
    });
    Ok(changed(respond(&shown), Value::Null, json!({"client": id, "name": name, "key": key.id})))
}

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/admin/clients", tag = "Operators", security(("admin_token" = [])),
    params(
        ("limit" = Option<u32>, Query, description = "Clients of a page, 1 to 100; 50 if absent", minimum = 1, maximum = 100),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before"),
    ),
    responses(
        (status = 200, description = "Clients, oldest first", body = schemas::ClientList),
    ),
    extensions(("x-problems" = json!([]))),
))]
#[worker::send]
pub async fn list(Extension(app): Extension<App>, RawQuery(query): RawQuery) -> Result<Response, Problem> {
    let page = Page::<ClientId>::parse(query.as_deref())?;
    let clients =
        session(&app.env, async |db| store::clients::list(db, page.after, page.and_one_more()).await).await?;
    let (clients, next) = page.cut(clients, |client| client.id);
    let data: Vec<_> = clients.iter().map(view).collect();
    Ok(respond(&json!({"object": "list", "data": data, "next_cursor": next})))
}

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/admin/clients/{id}", tag = "Operators", security(("admin_token" = [])),
    params(("id" = String, Path, description = "The client's id", format = "uuid")),
    responses(
        (status = 200, description = "The client", body = schemas::Client),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
pub async fn read(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
) -> Result<Response, Problem> {
    let id = client_id(&id)?;
    let client = session(&app.env, async |db| store::clients::find(db, id).await).await?;
    client.map(|client| respond(&view(&client))).ok_or_else(missing)
}

/// Changes what the body says. A client that is disabled has no good key; what it asked for before goes on.
#[cfg_attr(test, utoipa::path(
    patch, path = "/v1/admin/clients/{id}", tag = "Operators", security(("admin_token" = [])),
    params(("id" = String, Path, description = "The client's id", format = "uuid")),
    request_body(content = Option<schemas::ClientChange>),
    responses(
        (status = 200, description = "The client as it is now", body = schemas::Client),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND", "INVALID_JSON"]))),
))]
#[worker::send]
pub async fn change(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let id = client_id(&id)?;
    let settings = Settings::parse(object(&body)?).map_err(Problem::invalid)?;
    let change = session(&app.env, async |db| store::clients::change(db, id, &settings).await).await?;
    let change = change.ok_or_else(missing)?;
    log::info(
        "admin.client.change",
        json!({"client.id": id, "client.enabled": change.after.disabled_at.is_none()}),
    );
    let (before, after) = (view(&change.before), view(&change.after));
    Ok(changed(respond(&after), before, after))
}

fn view(client: &Client) -> Value {
    json!({
        "id": client.id, "object": "client", "name": client.name, "enabled": client.disabled_at.is_none(),
        "disabled_at": client.disabled_at, "live_keys": client.live_keys,
        "max_open": client.max_open, "creates_per_minute": client.creates_per_minute,
        "budget_day": client.budget_day, "budget_month": client.budget_month,
        "output_days": client.output_days, "payload_days": client.payload_days, "created_at": client.created_at,
    })
}

pub(super) fn client_id(segment: &str) -> Result<ClientId, Problem> {
    segment.parse().map_err(|_| missing())
}

pub(super) fn missing() -> Problem {
    Problem::new(Code::NotFound, "there is no such client")
}
