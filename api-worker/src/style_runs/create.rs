//! `POST /v1/style-runs`: record a wish once, however often it is sent.

use axum::extract::{Extension, RawQuery};
use axum::http::HeaderMap;
use axum::response::Response;
use bytes::Bytes;
use domain::StyleRunId;
use domain::error::Code;
use domain::style_run::StyleRunRequest;
use domain::trace::Trace;
use http::StatusCode;
use http::header::{HeaderValue, LOCATION};
use platform::{log, session};
use serde_json::json;
use store::style_runs::{Creation, NewRun, StyleRun};
use uuid::Uuid;

use super::{kick, view};
use crate::api::{IDEMPOTENT_REPLAYED, client_key, elsewhere, idempotency_key, json_body, refuse_query};
use crate::config;
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// 201 with a fresh run, 202 with the one that the key made before, 409 if that had another body.
///
/// The event that starts the Workflow is committed with the row; the drainer, kicked here and by the clock, carries it out.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/style-runs", tag = "Style runs", security(("client_key" = [])),
    params(("Idempotency-Key" = String, Header, min_length = 1, max_length = 255, pattern = "^[!-~]+$",
        description = "Your name for this wish: the same on every retry of it, and never another body under it")),
    request_body = schemas::StyleRunRequest,
    responses(
        (status = 201, description = "A new run", body = schemas::StyleRun, headers(
            ("Location" = String, description = "Its path"), ("ETag" = String, description = "Its version"))),
        (status = 202, description = "The same key and body were here before: the run as it stands now",
            body = schemas::StyleRun, headers(
            ("Location" = String, description = "Its path"), ("ETag" = String, description = "Its version"),
            ("Idempotent-Replayed" = String, description = "`true`"))),
    ),
    extensions(("x-problems" = json!(["IDEMPOTENCY_KEY_MISSING", "IDEMPOTENCY_KEY_INVALID", "INVALID_JSON", "IDEMPOTENCY_CONFLICT", "UNSUPPORTED_MEDIA_TYPE"]))),
))]
#[worker::send]
pub async fn create(
    Extension(app): Extension<App>,
    Extension(trace): Extension<Trace>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let client_key = client_key(&headers)?;
    let idempotency_key = idempotency_key(&headers)?;
    refuse_query(query.as_deref())?;
    let request = StyleRunRequest::parse(json_body(&headers, &body)?, config::loopback(&app.env))
        .map_err(Problem::invalid)?;
    elsewhere(&app.env, request.callback_url.as_ref(), "/callback_url")?;
    let id = StyleRunId::new(Uuid::now_v7());
    let new =
        NewRun { id, client_key, idempotency_key: &idempotency_key, request: &request, trace: Some(&trace) };
    let creation = session(&app.env, async |db| store::style_runs::create(db, &new).await).await?;
    // A repeat kicks too: the first one may have died before it could.
    kick(&app);
    match creation {
        Creation::Created(run) => answer(&app, StatusCode::CREATED, &run),
        Creation::Replayed(run) => answer(&app, StatusCode::ACCEPTED, &run),
        Creation::Conflict { standing } => {
            let detail = format!(
                "this Idempotency-Key belongs to style run {standing}, which was asked for with another body; send \
                 that body to get it again, or a new key for a new run"
            );
            Err(Problem::new(Code::IdempotencyConflict, detail))
        }
        Creation::Unauthenticated => Err(Problem::unauthenticated()),
    }
}

fn answer(app: &App, status: StatusCode, run: &StyleRun) -> Result<Response, Problem> {
    let fresh = status == StatusCode::CREATED;
    log::info(
        "style_run.create",
        json!({"style_run.id": run.id, "client.id": run.client_id, "idempotency.replayed": !fresh,
            "trace.id": run.trace.as_ref().map(Trace::id)}),
    );
    let mut response = view::answer(&app.env, run)?;
    *response.status_mut() = status;
    if let Ok(location) = HeaderValue::try_from(format!("/v1/style-runs/{}", run.id)) {
        response.headers_mut().insert(LOCATION, location);
    }
    if !fresh {
        response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}
