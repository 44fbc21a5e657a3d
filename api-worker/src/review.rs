//! The review page, for whoever holds a review link: the candidates side by side, and the form that decides on them.
//!
//! It is plain HTML that works without JavaScript. The link's token is the only key: no cookie and no account, so there is
//! nothing that another site could borrow. What is decided goes the API's own way (`store::style_runs::decide`).

mod show;

mod decide;
mod form;

mod media;

mod page;
mod refusal;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use axum::routing::{get, post};
use domain::StyleRunId;
use domain::review_link::ReviewToken;
use http::StatusCode;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use maud::Markup;
use platform::{now, session};
use store::jobs::Found;
use store::style_runs::{Caller, StyleRun};
use worker::Env;

use crate::config;
use refusal::Refusal;

/// What `docs/openapi.json` says of these routes.
#[cfg(test)]
#[derive(utoipa::OpenApi)]
#[openapi(paths(show::show, decide::decide, media::media))]
pub struct Documented;

pub fn router() -> Router {
    Router::new()
        .route("/review/{token}", get(show::show))
        .route("/review/{token}/decisions", post(decide::decide))
        .route("/review/{token}/media/{round}/{candidate}/{output}", get(media::media))
}

/// Where review links begin. Their second segment is a secret.
const PLACE: &str = "/review/";

/// A path as the log may have it: without the token of a review link.
pub fn without_token(path: &str) -> String {
    let Some(rest) = path.strip_prefix(PLACE) else { return path.to_owned() };
    let below = rest.split_once('/').map(|(_, below)| format!("/{below}")).unwrap_or_default();
    format!("{PLACE}{{token}}{below}")
}

/// A link that was found good: it opens `run` and nothing else.
pub struct Link {
    token: String,
    run: StyleRunId,
}

impl Link {
    fn open(env: &Env, token: &str) -> Result<Self, Refusal> {
        let opened = ReviewToken::verify(token, &config::link_keys(env)?, now().timestamp())?;
        Ok(Self { token: token.to_owned(), run: opened.run })
    }

    fn path(&self) -> String {
        format!("{PLACE}{}", self.token)
    }

    fn media(&self, round: u32, candidate: u32, output: u32) -> String {
        format!("{}/media/{round}/{candidate}/{output}", self.path())
    }

    /// The run as it stands.
    async fn run(&self, env: &Env) -> Result<StyleRun, Refusal> {
        let found =
            session(env, async |db| store::style_runs::find(db, Caller::Link, self.run).await).await?;
        match found {
            Found::Found(run) => Ok(run),
            Found::NotFound | Found::Unauthenticated => Err(Refusal::NoSuchRun),
        }
    }
}

/// Nothing but what comes from here, nothing inline, in no frame. A form may only be sent back.
const POLICY: &str = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'self'; script-src 'self'; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The headers of every page. The token is in the address: it goes into no `Referer`, no shared cache and no search index.
const HEADERS: [(HeaderName, &str); 6] = [
    (CONTENT_TYPE, "text/html; charset=utf-8"),
    (CACHE_CONTROL, "no-store"),
    (CONTENT_SECURITY_POLICY, POLICY),
    (REFERRER_POLICY, "no-referrer"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
];

fn html(status: StatusCode, page: Markup) -> Response {
    let mut response = Response::new(Body::from(page.into_string()));
    *response.status_mut() = status;
    let headers = HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value)));
    response.headers_mut().extend(headers);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_link_s_token_is_not_logged() {
        for (path, logged) in [
            ("/review/a.1.b", "/review/{token}"),
            ("/review/a.1.b/media/1/0/0", "/review/{token}/media/1/0/0"),
            ("/review/", "/review/{token}"),
            ("/v1/style-runs/x", "/v1/style-runs/x"),
        ] {
            assert_eq!(without_token(path), logged);
        }
    }

    #[test]
    fn nothing_inline_and_nothing_from_elsewhere_is_allowed() {
        assert!(!POLICY.contains("unsafe") && !POLICY.contains("http") && !POLICY.contains('*'));
        assert!(POLICY.starts_with("default-src 'none'; "));
    }
}
