//! `GET /review/{token}`

use axum::extract::{Extension, RawQuery};
use axum::response::{IntoResponse, Response};
use http::StatusCode;

use super::form::Draft;
use super::refusal::Refusal;
use super::{Link, html, page};
use crate::api::Segments;
use crate::http::App;
use crate::problem::Problem;

/// The page. An open one asks now and then whether it is still true: with `?since=STAMP` while AFC is at work, for the page
/// as it is then, and with `?seen=VERSION` while a decision is wanted, for a note only: what is being written must not go.
/// No content means that nothing has changed.
#[cfg_attr(test, utoipa::path(
    get, path = "/review/{token}", tag = "Review page",
    params(
        ("token" = String, Path, description = "The last part of a review link"),
        ("seen" = Option<String>, Query, description = "The version that the asking page shows"),
        ("since" = Option<String>, Query, description = "The stamp of the asking page"),
    ),
    responses(
        (status = 200, description = "The run, and the form that decides on it", body = String, content_type = "text/html"),
        (status = 204, description = "What the asking page shows is what stands"),
        (status = 403, description = "The link is not whole, or not ours", body = String, content_type = "text/html"),
        (status = 404, description = "The run is gone", body = String, content_type = "text/html"),
        (status = 410, description = "The link has expired", body = String, content_type = "text/html"),
    ),
))]
#[worker::send]
pub async fn show(
    Extension(app): Extension<App>,
    segments: Result<Segments<String>, Problem>,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    let Segments(token) = segments?;
    let link = Link::open(&app.env, &token)?;
    let run = link.run(&app.env).await?;
    Ok(match query.as_deref().and_then(|query| query.split_once('=')) {
        Some(("seen", seen)) if seen == run.version.to_string() => StatusCode::NO_CONTENT.into_response(),
        Some(("since", stamp)) if stamp == page::stamp(&run) => StatusCode::NO_CONTENT.into_response(),
        Some(("seen", _)) => html(StatusCode::OK, page::moved_on(&link, &run)),
        _ => html(StatusCode::OK, page::page(&link, &run, &Draft::new(), None)),
    })
}
