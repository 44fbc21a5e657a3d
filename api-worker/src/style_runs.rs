//! Style runs: their API, the Workflow of each, and the drainer of their events (A40 to A42).

mod turn;
use turn::turn;

mod wake;
pub use wake::rearm;

mod drain;
pub use drain::{drain, kick};

mod create;
mod decide;
mod read;

mod view;

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::{get, post};
use bodies::style_run::style_run;
use domain::StyleRunId;
use domain::error::Code;
use domain::review_link::ReviewToken;
use http::header::AUTHORIZATION;
use platform::now;
use store::jobs::Found;
use store::style_runs::Caller;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;
use workflow::entry;

use crate::api::client_key;
use crate::config;
use crate::problem::Problem;

/// What `docs/openapi.json` says of these routes.
#[cfg(test)]
#[derive(utoipa::OpenApi)]
#[openapi(paths(create::create, read::list, read::read, decide::decide, decide::cancel))]
pub struct Documented;

pub fn router() -> Router {
    Router::new()
        .route("/v1/style-runs", get(read::list).post(create::create))
        .route("/v1/style-runs/{id}", get(read::read))
        .route("/v1/style-runs/{id}/decisions", post(decide::decide))
        .route("/v1/style-runs/{id}/cancel", post(decide::cancel))
}

/// What the JavaScript loop calls, once a decision and once an attempt of a step.
#[wasm_bindgen]
pub struct StyleRunLogic {
    env: Env,
}

#[wasm_bindgen]
impl StyleRunLogic {
    #[wasm_bindgen(constructor)]
    pub fn new(env: Env) -> Self {
        Self { env }
    }

    pub fn next(&self, event: &str, history: &str) -> String {
        let timing = config::timing(&self.env).unwrap_or_default();
        entry::next(event, history, |steps, event| style_run(steps, event, timing))
    }

    pub async fn perform(&self, activity: String, attempt: u32) -> String {
        entry::perform(&activity, attempt, |activity, _| turn(&self.env, activity)).await
    }
}

/// Where a person decides on `run`; good until `expires_at`, in seconds since the epoch.
pub fn review_url(env: &Env, run: StyleRunId, expires_at: i64) -> worker::Result<String> {
    let base = config::required(env, config::PUBLIC_URL)?;
    let token = ReviewToken { run, expires_at }.sign(&config::link_keys(env)?).unwrap_or_default();
    Ok(format!("{}/review/{token}", base.trim_end_matches('/')))
}

/// Who asks: a client by its key, or the holder of the run's review link, who sends its last part as
/// `Authorization: Review <token>`. A link opens its own run and no other.
fn caller(env: &Env, headers: &HeaderMap, run: StyleRunId) -> Result<Caller, Problem> {
    let value = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some(token) = value.and_then(|value| value.strip_prefix("Review ")) else {
        return client_key(headers).map(Caller::Key);
    };
    let now = now().timestamp();
    match ReviewToken::verify(token.trim(), &config::link_keys(env)?, now) {
        Ok(opened) if opened.run == run => Ok(Caller::Link),
        Ok(_) => Err(missing()),
        Err(why) => Err(Problem::new(Code::TokenInvalid, format!("the review link: {why}"))),
    }
}

fn run_id(segment: &str) -> Result<StyleRunId, Problem> {
    segment.parse().map_err(|_| missing())
}

fn missing() -> Problem {
    Problem::new(Code::NotFound, "there is no such style run, or it belongs to another client")
}

fn found<T>(found: Found<T>) -> Result<T, Problem> {
    match found {
        Found::Found(value) => Ok(value),
        Found::NotFound => Err(missing()),
        Found::Unauthenticated => Err(Problem::unauthenticated()),
    }
}
