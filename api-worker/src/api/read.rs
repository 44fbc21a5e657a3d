//! `GET /v1/generations/{id}`

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use platform::session;

use super::{Segments, client_key, found, job_id, view};
use crate::config;
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/generations/{id}", tag = "Generations", security(("client_key" = [])),
    params(("id" = String, Path, description = "The generation's id", format = "uuid")),
    responses(
        (status = 200, description = "The generation as it stands", body = schemas::Generation),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
pub async fn read(
    State(app): State<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(&headers)?, job_id(&id)?);
    let job = found(session(&app.env, async |db| store::jobs::find(db, key, id).await).await?)?;
    Ok(view::json(&view::generation(&job, &config::required(&app.env, config::PUBLIC_URL)?)))
}
