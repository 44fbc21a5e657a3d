//! Webhook endpoints of all clients.

use axum::extract::Extension;
use axum::response::Response;
use platform::session;
use serde_json::{Value, json};

use crate::api::{endpoint, json as respond};
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// What one call lists at most.
const LIMIT: i64 = 500;

/// The disabled and the failing first, each with its last changes.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/admin/webhook-endpoints", tag = "Operators", security(("admin_token" = [])),
    responses(
        (status = 200, description = "The disabled and the failing first, 500 at most", body = schemas::ClientEndpointList),
    ),
    extensions(("x-problems" = json!([]))),
))]
#[worker::send]
pub async fn survey(Extension(app): Extension<App>) -> Result<Response, Problem> {
    let all = session(&app.env, async |db| store::endpoints::survey(db, LIMIT).await).await?;
    let data = all.iter().map(|one| {
        let mut shown = endpoint(one);
        if let Value::Object(members) = &mut shown {
            members.insert("client".to_owned(), json!(one.client_id));
        }
        shown
    });
    Ok(respond(&json!({"object": "list", "data": data.collect::<Vec<_>>()})))
}
