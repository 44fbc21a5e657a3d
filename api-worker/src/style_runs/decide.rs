//! `POST /v1/style-runs/{id}/decisions` and `POST /v1/style-runs/{id}/cancel`

use axum::extract::Extension;
use axum::http::HeaderMap;
use axum::response::Response;
use bytes::Bytes;
use domain::error::Code;
use domain::style_run::DecisionRequest;
use http::header::{ETAG, HeaderValue, IF_MATCH};
use platform::{log, session};
use serde_json::json;
use store::style_runs::{Decided, Moved, NewDecision, StyleRun};
use uuid::Uuid;

use super::{caller, found, kick, missing, run_id, view};
use crate::api::{IDEMPOTENT_REPLAYED, Segments, client_key, idempotency_key, json_body};
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// Decides a round, once. State, decision and events are one commit (A41); the drainer is kicked right after it.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/style-runs/{id}/decisions", tag = "Style runs",
    security(("client_key" = []), ("review_link" = [])),
    params(
        ("id" = String, Path, description = "The run's id", format = "uuid"),
        ("Idempotency-Key" = String, Header, min_length = 1, max_length = 255, pattern = "^[!-~]+$",
            description = "Names this decision: a double click is one"),
        ("If-Match" = Option<String>, Header, description = "The ETag of the run that was looked at"),
    ),
    request_body = schemas::DecisionRequest,
    responses((status = 200, description = "The run as it stands after the decision", body = schemas::StyleRun, headers(
        ("ETag" = String, description = "Its version"),
        ("Idempotent-Replayed" = String, description = "`true` where the decision stood already")))),
    extensions(("x-problems" = json!(["NOT_FOUND", "TOKEN_INVALID", "IDEMPOTENCY_KEY_MISSING", "IDEMPOTENCY_KEY_INVALID", "INVALID_JSON", "IDEMPOTENCY_CONFLICT", "UNSUPPORTED_MEDIA_TYPE", "DECISION_CONFLICT", "VERSION_MISMATCH"]))),
))]
#[worker::send]
pub async fn decide(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let run = run_id(&id)?;
    let caller = caller(&app.env, &headers, run)?;
    let idempotency_key = idempotency_key(&headers)?;
    let version = if_match(&headers)?;
    let body = json_body(&headers, &body)?;
    let standing =
        found(session(&app.env, async |db| store::style_runs::find_to_change(db, caller, run).await).await?)?;
    let request = DecisionRequest::parse(body, &standing.spec.template).map_err(Problem::invalid)?;
    let id = Uuid::now_v7();
    let new = NewDecision { id, run, caller, idempotency_key: &idempotency_key, version, request: &request };
    let decided = session(&app.env, async |db| store::style_runs::decide(db, &new).await).await?;
    kick(&app);
    let (run, replayed) = standing_after(decided)?;
    log::info(
        "style_run.decide",
        json!({"style_run.id": run.id, "style_run.state": run.state, "action": request.action.as_str(),
            "idempotency.replayed": replayed.is_some()}),
    );
    let mut response = view::answer(&app.env, &run)?;
    if let Some(replayed) = replayed {
        response.headers_mut().insert(IDEMPOTENT_REPLAYED, replayed);
    }
    Ok(response)
}

/// The run, and the header of a replay; or why the decision does not stand, with what does.
fn standing_after(decided: Decided) -> Result<(Box<StyleRun>, Option<HeaderValue>), Problem> {
    match decided {
        Decided::Won(run) => Ok((run, None)),
        Decided::Replayed(run) => Ok((run, Some(HeaderValue::from_static("true")))),
        Decided::KeyConflict(_) => {
            let detail = "this Idempotency-Key belongs to another decision on this run";
            Err(Problem::new(Code::IdempotencyConflict, detail))
        }
        Decided::Stale(run) => {
            let detail = format!("you decided on another version; {}", stands(&run));
            Err(at(&run, Problem::new(Code::VersionMismatch, detail)))
        }
        Decided::Late(run) => Err(conflict(&run, "the run waits for no decision")),
        Decided::NoSuchCandidate(run) => {
            Err(conflict(&run, "a named candidate is none of this round, or was not made"))
        }
        Decided::NoRoundLeft(run) => Err(conflict(&run, "this was the last round; approve or reject")),
        Decided::NotFound => Err(missing()),
        Decided::Unauthenticated => Err(Problem::unauthenticated()),
    }
}

fn conflict(run: &StyleRun, why: &str) -> Problem {
    at(run, Problem::new(Code::DecisionConflict, format!("{why}; {}", stands(run))))
}

fn stands(run: &StyleRun) -> String {
    let decided = run.decisions.last().map_or_else(String::new, |decision| {
        let by = decision.reviewer.as_deref().unwrap_or("the deadline's policy");
        format!(", and {by} decided {:?} on round {}", decision.action.as_str(), decision.round)
    });
    format!(
        "it is {} in round {} of {}, version {}{decided}",
        run.state, run.round, run.max_rounds, run.version
    )
}

fn at(run: &StyleRun, problem: Problem) -> Problem {
    match view::etag(run) {
        Some(etag) => problem.with_header(ETAG, etag),
        None => problem,
    }
}

/// The version of `If-Match: "7"`; `None` without the header and for `*`.
fn if_match(headers: &HeaderMap) -> Result<Option<i64>, Problem> {
    let Some(value) = headers.get(IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let version =
        text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).and_then(|text| text.parse().ok());
    version.map(Some).ok_or_else(|| {
        Problem::new(
            Code::InvalidRequest,
            "If-Match: send one ETag of this run as you got it, such as \"3\" with its quotes",
        )
    })
}

/// Ends the run unless it has ended already, and answers with what stands. Its Workflow cancels what is under way.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/style-runs/{id}/cancel", tag = "Style runs", security(("client_key" = [])),
    params(("id" = String, Path, description = "The run's id", format = "uuid")),
    responses((status = 200, description = "What stands: cancelled, or ended otherwise before", body = schemas::StyleRun,
        headers(("ETag" = String, description = "Its version")))),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
pub async fn cancel(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let run = run_id(&id)?;
    let owner = store::style_runs::Caller::Key(client_key(&headers)?);
    found(session(&app.env, async |db| store::style_runs::find_to_change(db, owner, run).await).await?)?;
    let moved = session(&app.env, async |db| store::style_runs::cancel(db, run).await).await?;
    kick(&app);
    match moved {
        Moved::Won(run) | Moved::Stands(run) => {
            log::info("style_run.cancel", json!({"style_run.id": run.id, "style_run.state": run.state}));
            Ok(view::answer(&app.env, &run)?)
        }
        Moved::Missing => Err(missing()),
    }
}
