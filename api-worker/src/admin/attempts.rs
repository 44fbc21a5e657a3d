//! Attempts of which nobody can tell whether they were accepted, and the word that settles them (B3).

use axum::extract::Extension;
use axum::response::Response;
use bytes::Bytes;
use domain::AttemptId;
use domain::error::Code;
use domain::resolution::Resolution;
use platform::{log, session};
use serde_json::json;
use store::unknown::{Held, Resolved};

use crate::api::{Segments, json as respond, object};
use crate::generation::wake;
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// The attempts that wait for a word, oldest first.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/admin/attempts/unknown", tag = "Operators", security(("admin_token" = [])),
    responses(
        (status = 200, description = "At most 100, oldest first", body = schemas::UnknownAttemptList),
    ),
    extensions(("x-problems" = json!([]))),
))]
#[worker::send]
pub async fn unknown(Extension(app): Extension<App>) -> Result<Response, Problem> {
    let held = session(&app.env, async |db| store::unknown::list(db, 100).await).await?;
    let data: Vec<_> = held.iter().map(view).collect();
    Ok(respond(&json!({"object": "list", "data": data})))
}

fn view(held: &Held) -> serde_json::Value {
    json!({
        "id": held.id, "object": "attempt", "generation": held.job_id, "provider": held.provider, "model": held.model,
        "request": held.request, "message": held.message, "reserved": held.reserved, "started_at": held.started_at,
    })
}

/// Settles an unknown attempt and wakes its job (B3). Repeating it changes nothing.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/admin/attempts/{id}/resolution", tag = "Operators", security(("admin_token" = [])),
    params(("id" = String, Path, description = "The attempt's id", format = "uuid")),
    request_body = schemas::ResolutionRequest,
    responses(
        (status = 200, description = "Recorded; the generation goes on", body = schemas::Resolved),
    ),
    extensions(("x-problems" = json!(["INVALID_JSON", "NOT_FOUND", "NOT_UNKNOWN"]))),
))]
#[worker::send]
pub async fn resolve(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let missing = || Problem::new(Code::NotFound, "there is no such attempt");
    let attempt: AttemptId = id.parse().map_err(|_| missing())?;
    let resolution = Resolution::parse(object(&body)?).map_err(Problem::invalid)?;
    match session(&app.env, async |db| store::unknown::resolve(db, attempt, &resolution).await).await? {
        Resolved::Recorded(job) => {
            log::info(
                "admin.attempt.resolve",
                json!({"attempt.id": attempt, "job.id": job, "resolution": resolution.as_str()}),
            );
            wake(&app.env, job).await;
            Ok(respond(&json!({"id": attempt, "generation": job, "resolution": resolution.as_str()})))
        }
        Resolved::Stands(state) => Err(Problem::new(
            Code::NotUnknown,
            format!("the attempt is {}; only an unknown one takes a word", state.as_str()),
        )),
        Resolved::Missing => Err(missing()),
    }
}
