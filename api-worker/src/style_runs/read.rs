//! `GET /v1/style-runs` and `GET /v1/style-runs/{id}`

use axum::extract::{Extension, RawQuery};
use axum::http::HeaderMap;
use axum::response::Response;
use domain::StyleRunId;
use domain::error::Code;
use platform::session;
use serde_json::json;

use super::{caller, found, run_id, view};
use crate::api::{Segments, client_key, json as respond};
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// Runs of one page.
const PAGE: usize = 20;

/// The client's runs, newest first.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/style-runs", tag = "Style runs", security(("client_key" = [])),
    params(("before" = Option<String>, Query, description = "The last id of the page before", format = "uuid")),
    responses((status = 200, description = "At most 20, newest first", body = schemas::StyleRunList)),
    extensions(("x-problems" = json!([]))),
))]
#[worker::send]
pub async fn list(
    Extension(app): Extension<App>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let key = client_key(&headers)?;
    let before = before(query.as_deref().unwrap_or_default())?;
    // One more than a page: whether there is another.
    let limit = i64::try_from(PAGE).unwrap_or(i64::MAX).saturating_add(1);
    let mut runs =
        found(session(&app.env, async |db| store::style_runs::list(db, key, before, limit).await).await?)?;
    let more = runs.len() > PAGE;
    runs.truncate(PAGE);
    let data = runs.iter().map(|run| view::style_run(&app.env, run)).collect::<Result<Vec<_>, _>>()?;
    Ok(respond(&json!({"object": "list", "data": data, "has_more": more})))
}

fn before(query: &str) -> Result<Option<StyleRunId>, Problem> {
    let refused = || {
        let detail = "the one query parameter is \"before\": the id of a style run, from the page before";
        Problem::new(Code::InvalidRequest, detail)
    };
    match query.strip_prefix("before=") {
        None if query.is_empty() => Ok(None),
        None => Err(refused()),
        Some(id) => id.parse().map(Some).map_err(|_| refused()),
    }
}

/// A run with its rounds, candidates, decisions and spend, for its client or whoever holds its review link.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/style-runs/{id}", tag = "Style runs", security(("client_key" = []), ("review_link" = [])),
    params(("id" = String, Path, description = "The run's id", format = "uuid")),
    responses((status = 200, description = "The run as it stands", body = schemas::StyleRun, headers(
        ("ETag" = String, description = "Its version, for `If-Match`")))),
    extensions(("x-problems" = json!(["NOT_FOUND", "TOKEN_INVALID"]))),
))]
#[worker::send]
pub async fn read(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let id = run_id(&id)?;
    let caller = caller(&app.env, &headers, id)?;
    let run = found(session(&app.env, async |db| store::style_runs::find(db, caller, id).await).await?)?;
    Ok(view::answer(&app.env, &run)?)
}
