//! `GET /review/{token}/media/{round}/{candidate}/{output}`: a file of one of the run's candidates.

use axum::extract::Extension;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::error::Code;
use http::Method;

use super::Link;
use super::refusal::Refusal;
use crate::api::{Segments, send_output};
use crate::http::App;
use crate::problem::Problem;

/// The stored bytes, whole or by range, like a generation's output. A link opens the files of its run's candidates only.
#[cfg_attr(test, utoipa::path(
    get, path = "/review/{token}/media/{round}/{candidate}/{output}", tag = "Review page",
    params(
        ("token" = String, Path, description = "The last part of a review link"),
        ("round" = u32, Path, description = "The round, from 1"),
        ("candidate" = u32, Path, description = "The candidate's index"),
        ("output" = u32, Path, description = "Which of its outputs, from 0"),
        ("Range" = Option<String>, Header, description = "One range of bytes"),
    ),
    responses(
        (status = 200, description = "The bytes, under their own media type", content_type = "*/*"),
        (status = 206, description = "The range that was asked for", content_type = "*/*"),
        (status = 403, description = "The link is not whole, or not ours", body = String, content_type = "text/html"),
        (status = 404, description = "The run has no such file", body = String, content_type = "text/html"),
        (status = 410, description = "The link has expired", body = String, content_type = "text/html"),
    ),
))]
#[worker::send]
pub async fn media(
    Extension(app): Extension<App>,
    segments: Result<Segments<(String, u32, u32, u32)>, Problem>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let Segments((token, round, candidate, output)) = segments?;
    let link = Link::open(&app.env, &token)?;
    let run = link.run(&app.env).await?;
    let shown = run.candidates.iter().find(|shown| shown.round == round && shown.index == candidate);
    let stored = shown.and_then(|shown| shown.outputs.iter().find(|stored| stored.index == output));
    let stored = stored.ok_or_else(|| Problem::new(Code::NotFound, "the run has no such file"));
    Ok(send_output(&app.env, stored?, &method, &headers).await?)
}
