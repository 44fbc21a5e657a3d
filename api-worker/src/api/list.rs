//! `GET /v1/generations`: a client's generations, newest first, page by page.

use axum::extract::{Extension, RawQuery};
use axum::http::HeaderMap;
use axum::response::Response;
use domain::error::Code;
use domain::listing::{Cursor, Listing, Position};
use platform::session;
use serde_json::json;
use store::jobs::Listed;

use super::{client_key, view};
use crate::config;
use crate::http::App;
use crate::links::Links;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// Who a cursor belongs to is known only when the database has told whose key it is, so the page is read first and
/// answered only if both fit.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/generations", tag = "Generations", security(("client_key" = [])),
    params(
        ("status" = Option<schemas::StatusWord>, Query, description = "How they stand"),
        ("kind" = Option<schemas::KindWord>, Query, description = "What they make"),
        ("provider" = Option<schemas::ProviderWord>, Query, description = "Named in the chain; with `model`, by the same entry"),
        ("model" = Option<String>, Query, min_length = 1, max_length = 128, description = "Named in the chain"),
        ("project" = Option<String>, Query, min_length = 1, max_length = 64, description = "Their `project`"),
        ("metadata" = Option<schemas::MetadataFilter>, Query, style = DeepObject, explode, description = "`metadata[NAME]=VALUE`; all must be there"),
        ("created_from" = Option<String>, Query, format = "date-time", description = "Made then or later"),
        ("created_before" = Option<String>, Query, format = "date-time", description = "Made before that"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 100, description = "Generations in a page, at most; 20 if absent"),
        ("cursor" = Option<String>, Query, min_length = 1, max_length = 128, description = "`next_cursor` of the page before, with the same filters"),
    ),
    responses(
        (status = 200, description = "A page, newest first", body = schemas::GenerationPage),
    ),
    extensions(("x-problems" = json!(["INVALID_CURSOR"]))),
))]
#[worker::send]
pub async fn list(
    Extension(app): Extension<App>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let key = client_key(&headers)?;
    let listing = Listing::parse(query.as_deref().unwrap_or_default()).map_err(Problem::invalid)?;
    let cursor = listing.cursor.as_deref().map(str::parse::<Cursor>).transpose().map_err(|_| foreign())?;
    let Listing { filter, limit, .. } = &listing;
    let after = cursor.as_ref().map(Cursor::position);
    let listed =
        session(&app.env, async |db| store::jobs::list(db, key, filter, *limit, after).await).await?;
    let page = match listed {
        Listed::Page(page) => page,
        Listed::Unauthenticated => return Err(Problem::unauthenticated()),
    };
    let signing = config::job_token_key(&app.env)?;
    if cursor.is_some_and(|cursor| !cursor.belongs_to(page.client, filter, &signing)) {
        return Err(foreign());
    }
    let links = Links::of(&app.env)?;
    let last = page.jobs.last().filter(|_| page.more);
    let next = last
        .map(|job| Position { created_at: job.created_at, id: job.id }.cursor(page.client, filter, &signing));
    let data: Vec<_> = page.jobs.iter().map(|job| view::generation(job, &links)).collect();
    Ok(view::json(&json!({"object": "list", "data": data, "next_cursor": next})))
}

fn foreign() -> Problem {
    let detail = "the cursor is none of this list; take next_cursor as it was given, with the same filters, or begin \
                  without one";
    Problem::new(Code::InvalidCursor, detail)
}
