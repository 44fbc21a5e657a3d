//! Events of style runs that were given up on (A42).

use axum::extract::Extension;
use axum::response::Response;
use domain::error::Code;
use platform::session;
use serde_json::json;
use store::outbox::{Parked, Revived};

use crate::api::{Segments, json as respond, time};
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;
use crate::style_runs;

/// The parked events, oldest first.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/admin/outbox/parked", tag = "Operators", security(("admin_token" = [])),
    responses((status = 200, description = "At most 100, oldest first", body = schemas::ParkedEventList)),
    extensions(("x-problems" = json!([]))),
))]
#[worker::send]
pub async fn parked(Extension(app): Extension<App>) -> Result<Response, Problem> {
    let parked = session(&app.env, async |db| store::outbox::parked(db, 100).await).await?;
    Ok(respond(&json!({"object": "list", "data": parked.iter().map(view).collect::<Vec<_>>()})))
}

/// Makes a parked event due again, with all its tries.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/admin/outbox/{event}/retry", tag = "Operators", security(("admin_token" = [])),
    params(("event" = String, Path, description = "The event's id")),
    responses((status = 200, description = "It is due", body = schemas::RevivedEvent)),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
pub async fn revive(
    Extension(app): Extension<App>,
    Segments(event): Segments<String>,
) -> Result<Response, Problem> {
    match session(&app.env, async |db| store::outbox::revive(db, &event).await).await? {
        Revived::Due => {
            style_runs::kick(&app);
            Ok(respond(&json!({"object": "outbox_event", "id": event, "status": "pending"})))
        }
        Revived::NotParked => Err(Problem::new(Code::NotFound, "no parked event has that id")),
    }
}

fn view(event: &Parked) -> serde_json::Value {
    json!({
        "id": event.event_id, "object": "outbox_event", "style_run": event.run_id, "event_type": event.event_type,
        "tries": event.tries, "last_error": event.last_error, "created_at": time(event.created_at),
    })
}
