//! `/v1/admin/clients/{id}/erasure`: a client's data goes, at its request.

use axum::extract::Extension;
use axum::response::Response;
use http::StatusCode;
use platform::{log, session};
use serde_json::{Value, json};
use store::retention::{Asked, Erasure};
use uuid::Uuid;

use super::clients::{client_id, missing};
use super::operator::changed;
use crate::api::{Segments, json as respond, time};
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// What stays, said to whoever asks.
const KEPT: [&str; 4] = [
    "what each generation and attempt cost, with its provider, model, project and times: it was paid",
    "ids, Idempotency-Keys and request hashes: a repeat of an old request must not pay again",
    "the client itself, its keys and webhook endpoints: delete endpoints and disable the client if it is to go too",
    "the audit log of operators' actions",
];

/// Writes down that everything the client made until now goes: inputs, outputs, requests, metadata, what providers and
/// receivers said. The sweeper carries it out, in bounded pieces; a piece that is lost is found again. Generations that
/// are open go when they have ended. Asked for again while it is under way, it is the same one.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/admin/clients/{id}/erasure", tag = "Operators", security(("admin_token" = [])),
    params(("id" = String, Path, description = "The client's id", format = "uuid")),
    responses(
        (status = 202, description = "The erasure under way, what remains of it and what is kept", body = schemas::Erasure),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
pub async fn ask(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
) -> Result<Response, Problem> {
    let client = client_id(&id)?;
    let fresh = Uuid::now_v7();
    let asked = session(&app.env, async |db| store::retention::ask(db, client, fresh).await).await?;
    let (erasure, begun) = match asked {
        Asked::Begun(erasure) => (erasure, true),
        Asked::UnderWay(erasure) => (erasure, false),
        Asked::NoClient => return Err(missing()),
    };
    log::info(
        "admin.erasure",
        json!({"client.id": client, "erasure.id": erasure.id, "erasure.begun": begun}),
    );
    let mut answer = respond(&view(&erasure));
    *answer.status_mut() = StatusCode::ACCEPTED;
    Ok(changed(answer, Value::Null, json!({"client": client, "erasure": erasure.id, "begun": begun})))
}

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/admin/clients/{id}/erasure", tag = "Operators", security(("admin_token" = [])),
    params(("id" = String, Path, description = "The client's id", format = "uuid")),
    responses(
        (status = 200, description = "The client's last erasure", body = schemas::Erasure),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
pub async fn show(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
) -> Result<Response, Problem> {
    let client = client_id(&id)?;
    let found = session(&app.env, async |db| store::retention::find(db, client).await).await?;
    let none = || {
        let detail = "there is no such client, or its data was never to be erased";
        Problem::new(domain::error::Code::NotFound, detail)
    };
    found.map(|erasure| respond(&view(&erasure))).ok_or_else(none)
}

fn view(erasure: &Erasure) -> Value {
    json!({
        "id": erasure.id, "object": "erasure", "client": erasure.client_id, "asked_at": time(erasure.asked_at),
        "completed_at": erasure.completed_at.map(time), "remaining": erasure.remaining, "kept": KEPT,
    })
}
