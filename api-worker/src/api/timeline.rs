//! `GET /v1/generations/{id}/timeline`: what happened to one generation, in order.

use axum::extract::Extension;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::timeline::Mark;
use platform::session;
use serde_json::{Value, json};

use super::{Segments, client_key, found, job_id, view};
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/generations/{id}/timeline", tag = "Generations", security(("client_key" = [])),
    params(("id" = String, Path, description = "The generation's id", format = "uuid")),
    responses(
        (status = 200, description = "What happened to it so far, the oldest first: changes of its status, and how far each paid call came",
            body = schemas::EventList),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
pub async fn timeline(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(&headers)?, job_id(&id)?);
    let told = found(session(&app.env, async |db| store::timeline::read(db, key, id).await).await?)?;
    let entries = told.history.since(&Mark::default());
    let data: Vec<Value> = entries.iter().map(|entry| view::entry(id, entry)).collect();
    Ok(view::json(&json!({"object": "list", "data": data})))
}
