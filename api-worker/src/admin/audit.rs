//! `GET /v1/admin/audit`: what operators did, newest first.

use axum::extract::{Extension, RawQuery};
use axum::response::Response;
use platform::session;
use serde_json::json;

use super::page::Page;
use crate::api::json as respond;
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/admin/audit", tag = "Operators", security(("admin_token" = [])),
    params(
        ("limit" = Option<u32>, Query, description = "Rows of a page, 1 to 100; 50 if absent", minimum = 1, maximum = 100),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before"),
    ),
    responses(
        (status = 200, description = "Actions, newest first", body = schemas::AuditList),
    ),
    extensions(("x-problems" = json!([]))),
))]
#[worker::send]
pub async fn list(Extension(app): Extension<App>, RawQuery(query): RawQuery) -> Result<Response, Problem> {
    let page = Page::<i64>::parse(query.as_deref())?;
    let records =
        session(&app.env, async |db| store::audit::list(db, page.after, page.and_one_more()).await).await?;
    let (records, next) = page.cut(records, |record| record.id);
    let data: Vec<_> = records
        .iter()
        .map(|record| {
            json!({
                "id": record.id.to_string(), "object": "audit_record", "actor": record.actor, "action": record.action,
                "path": record.path, "request_id": record.request_id, "status": record.status,
                "before": record.before, "after": record.after,
                "begun_at": record.begun_at, "ended_at": record.ended_at,
            })
        })
        .collect();
    Ok(respond(&json!({"object": "list", "data": data, "next_cursor": next})))
}
