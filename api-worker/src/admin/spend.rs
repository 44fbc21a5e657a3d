//! `GET /v1/admin/spend`: the spend of all clients, or of one.

use axum::extract::{Extension, RawQuery};
use axum::http::HeaderMap;
use axum::response::Response;
use platform::{now, session};

use crate::api::spend::{Asked, respond};
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/admin/spend", tag = "Operators", security(("admin_token" = [])),
    params(
        ("from" = Option<String>, Query, description = "First day, UTC; the first of the month of `to` if absent", format = "date"),
        ("to" = Option<String>, Query, description = "Last day; today if absent", format = "date"),
        ("group_by" = Option<String>, Query, description = "What to tell apart: any of day, client, provider, model, project, with commas; day if absent"),
        ("client" = Option<String>, Query, description = "Only this client's", format = "uuid"),
        ("provider" = Option<String>, Query, description = "Only this provider's"),
        ("model" = Option<String>, Query, description = "Only this model's"),
        ("project" = Option<String>, Query, description = "Only this project's; empty: of generations without one"),
    ),
    responses(
        (status = 200, description = "The total, and a line for each group", content(
            (schemas::Spend = "application/json"), (String = "text/csv"))),
    ),
    extensions(("x-problems" = json!([]))),
))]
#[worker::send]
pub async fn all(
    Extension(app): Extension<App>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let Asked { question, client } =
        Asked::parse(query.as_deref(), now().date_naive()).map_err(Problem::invalid)?;
    let spend = session(&app.env, async |db| store::spend::of_clients(db, client, &question).await).await?;
    Ok(respond(&question, &spend, &headers))
}
