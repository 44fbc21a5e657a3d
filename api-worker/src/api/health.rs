//! `GET /healthz`: the Worker runs. `GET /readyz`: it is configured and its database answers.

use axum::extract::Extension;
use axum::response::Response;
use platform::session;
use serde_json::json;

use super::view;
use crate::config;
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

#[cfg_attr(test, utoipa::path(
    get, path = "/healthz", tag = "Service",
    responses((status = 200, description = "The Worker runs", body = schemas::Health)),
    extensions(("x-problems" = json!([]))),
))]
pub async fn alive() -> Response {
    view::json(&json!({"status": "ok"}))
}

#[cfg_attr(test, utoipa::path(
    get, path = "/readyz", tag = "Service",
    responses((status = 200, description = "It is configured and its database answers", body = schemas::Health)),
    extensions(("x-problems" = json!(["INTERNAL", "DATABASE_UNAVAILABLE", "DATABASE_TIMEOUT"]))),
))]
#[worker::send]
pub async fn ready(Extension(app): Extension<App>) -> Result<Response, Problem> {
    config::job_token_key(&app.env)?;
    config::required(&app.env, config::PUBLIC_URL)?;
    session(&app.env, async |db| store::ping(db).await).await?;
    Ok(view::json(&json!({"status": "ready"})))
}
