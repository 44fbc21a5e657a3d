//! `GET /v1/generations/{id}`

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use platform::session;

use super::{Segments, client_key, found, job_id, view};
use crate::config;
use crate::http::App;
use crate::problem::Problem;

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
