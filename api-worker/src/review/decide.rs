//! `POST /review/{token}/decisions`: the page's form.

use axum::body::Body;
use axum::extract::Extension;
use axum::response::Response;
use bytes::Bytes;
use domain::error::Code;
use domain::style_run::DecisionRequest;
use http::StatusCode;
use http::header::{HeaderValue, LOCATION};
use platform::{log, session};
use serde_json::json;
use store::style_runs::{Caller, Decided, NewDecision, StyleRun};
use uuid::Uuid;

use super::form::Draft;
use super::page::{self, Notice};
use super::refusal::Refusal;
use super::{Link, html};
use crate::api::Segments;
use crate::http::App;
use crate::problem::{self, Problem};
use crate::style_runs::kick;

/// Decides the round that the page showed, once: the form carries a name of its own and the version that it was made for.
/// What could not stand is shown again with the reason and with what stands.
#[cfg_attr(test, utoipa::path(
    post, path = "/review/{token}/decisions", tag = "Review page",
    params(("token" = String, Path, description = "The last part of a review link")),
    request_body(content = String, content_type = "application/x-www-form-urlencoded", description = "The page's form"),
    responses(
        (status = 303, description = "The decision stands; `Location` is the page", headers(("Location" = String))),
        (status = 403, description = "The link is not whole, or not ours", body = String, content_type = "text/html"),
        (status = 404, description = "The run is gone", body = String, content_type = "text/html"),
        (status = 409, description = "Somebody else decided before, or the run is over: what stands", body = String, content_type = "text/html"),
        (status = 410, description = "The link has expired", body = String, content_type = "text/html"),
        (status = 412, description = "The run has moved on since the page was shown: what stands", body = String, content_type = "text/html"),
        (status = 422, description = "The form again, with what is missing", body = String, content_type = "text/html"),
    ),
))]
#[worker::send]
pub async fn decide(
    Extension(app): Extension<App>,
    segments: Result<Segments<String>, Problem>,
    body: Bytes,
) -> Result<Response, Refusal> {
    let Segments(token) = segments?;
    let link = Link::open(&app.env, &token)?;
    let draft = Draft::read(&body);
    let (Some(key), Some(version)) = (draft.idempotency_key(), draft.version) else {
        return Err(Refusal::BrokenForm);
    };
    let run = link.run(&app.env).await?;
    let request = match DecisionRequest::parse(draft.body(), &run.spec.template) {
        Ok(request) => request,
        // Who comes late is told so, whatever else is wrong.
        Err(_) if run.version != version => return Ok(late(&link, &run, &draft, Code::VersionMismatch)),
        Err(wrong) => {
            let notice = Notice::Incomplete(draft.complaints(&wrong));
            let page = page::page(&link, &run, &draft, Some(&notice));
            return Ok(html(StatusCode::UNPROCESSABLE_ENTITY, page));
        }
    };
    let new = NewDecision {
        id: Uuid::now_v7(),
        run: link.run,
        caller: Caller::Link,
        idempotency_key: &key,
        version: Some(version),
        request: &request,
    };
    let decided = session(&app.env, async |db| store::style_runs::decide(db, &new).await).await?;
    kick(&app);
    let (run, lost) = match decided {
        Decided::Won(run) | Decided::Replayed(run) => (run, None),
        Decided::KeyConflict(run)
        | Decided::Late(run)
        | Decided::NoSuchCandidate(run)
        | Decided::NoRoundLeft(run) => (run, Some(Code::DecisionConflict)),
        Decided::Stale(run) => (run, Some(Code::VersionMismatch)),
        Decided::NotFound | Decided::Unauthenticated => return Err(Refusal::NoSuchRun),
    };
    log::info(
        "style_run.decide",
        json!({"style_run.id": run.id, "style_run.state": run.state, "action": request.action.as_str(),
            "by": "review page", "error.code": lost}),
    );
    Ok(match lost {
        None => see(&link),
        Some(code) => late(&link, &run, &draft, code),
    })
}

/// The page as it stands now, with what was written: picks and marks meant other candidates, name and notes stay.
fn late(link: &Link, run: &StyleRun, lost: &Draft, code: Code) -> Response {
    let again = Draft { reviewer: lost.reviewer.clone(), notes: lost.notes.clone(), ..Draft::new() };
    html(problem::status(code), page::page(link, run, &again, Some(&Notice::Late(lost))))
}

fn see(link: &Link) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    // A token has nothing that a header may not hold.
    let location = HeaderValue::try_from(link.path()).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(LOCATION, location);
    response
}
