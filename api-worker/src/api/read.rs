//! `GET /v1/generations/{id}`, at once or when it has ended.

use std::time::Duration;

use axum::extract::{Extension, RawQuery};
use axum::http::HeaderMap;
use axum::response::Response;
use domain::timing::next_look_ms;
use domain::{JobId, watch};
use platform::{now, session};
use store::clients::KeyHash;
use worker::{Delay, Env};

use super::{Segments, client_key, found, job_id, view};
use crate::http::App;
use crate::links::Links;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/generations/{id}", tag = "Generations", security(("client_key" = [])),
    params(("id" = String, Path, description = "The generation's id", format = "uuid"),
        ("wait" = Option<u32>, Query, minimum = 0, maximum = 60,
            description = "Seconds to wait for its end, at most; the answer comes as soon as it has ended")),
    responses(
        (status = 200, description = "The generation as it stands", body = schemas::Generation),
    ),
    extensions(("x-problems" = json!(["INVALID_REQUEST", "NOT_FOUND"]))),
))]
#[worker::send]
pub async fn read(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(&headers)?, job_id(&id)?);
    let wait = watch::wait_seconds(query.as_deref().unwrap_or_default()).map_err(Problem::invalid)?;
    if wait > 0 {
        ended_within(&app.env, key, id, Duration::from_secs(wait.into())).await?;
    }
    let job = found(session(&app.env, async |db| store::jobs::find(db, key, id).await).await?)?;
    Ok(view::json(&view::generation(&job, &Links::of(&app.env)?)))
}

/// Returns when the job has ended, or the time is over. Who may not see the job learns it from the first look. A look
/// reads one column by the primary key, and the session is closed in between (decision 21). A client that leaves ends it:
/// the runtime drops what it asked for.
async fn ended_within(env: &Env, key: KeyHash, job: JobId, wait: Duration) -> Result<(), Problem> {
    let until = now().timestamp_millis() + i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
    let mut pause_ms = 0;
    loop {
        let status = found(session(env, async |db| store::jobs::status(db, key, job).await).await?)?;
        let left = u64::try_from(until - now().timestamp_millis()).unwrap_or(0);
        if status.is_terminal() || left == 0 {
            return Ok(());
        }
        pause_ms = next_look_ms(pause_ms);
        Delay::from(Duration::from_millis(pause_ms.min(left))).await;
    }
}
