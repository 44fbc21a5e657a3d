//! `GET /v1/generations/{id}/attempts`: every paid call, of whichever process and whoever won (B4).

use axum::extract::Extension;
use axum::http::HeaderMap;
use axum::response::Response;
use platform::session;
use serde_json::json;

use super::{Segments, client_key, found, job_id, view};
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/generations/{id}/attempts", tag = "Generations", security(("client_key" = [])),
    params(("id" = String, Path, description = "The generation's id", format = "uuid")),
    responses(
        (status = 200, description = "Every paid call, in order", body = schemas::AttemptList),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
pub async fn attempts(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(&headers)?, job_id(&id)?);
    let attempts = found(session(&app.env, async |db| store::attempts::list(db, key, id).await).await?)?;
    let data: Vec<_> = attempts.iter().map(view::attempt).collect();
    Ok(view::json(&json!({"object": "list", "data": data})))
}
