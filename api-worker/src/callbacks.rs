//! What providers report of their own accord: `POST /v1/callbacks/{provider}/{token}` (B3).
//!
//! The token names the attempt, so a call whose answer was lost is known after all. A report is believed only as far as
//! which request it was: how that stands is asked of the provider, with our key, by the executor that goes on with it.

use std::collections::BTreeMap;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use bytes::Bytes;
use domain::AttemptId;
use domain::error::Code;
use domain::provider::Provider;
use domain::token::AttemptToken;
use platform::{log, session};
use serde_json::{Value, json};
use store::unknown::Reported;
use worker::Env;

use crate::api::{Segments, json as respond};
use crate::config;
use crate::generation::{is_request_id, wake};
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// A URL longer than this is none.
const CAPTURE_LIMIT: usize = 2048;

/// What `docs/openapi.json` says of these routes.
#[cfg(test)]
#[derive(utoipa::OpenApi)]
#[openapi(paths(callback))]
pub struct Documented;

pub fn router() -> Router<App> {
    Router::new().route("/v1/callbacks/{provider}/{token}", post(callback))
}

/// Where `provider` may report `attempt`; `None` if it does not call back.
pub fn url(env: &Env, provider: Provider, attempt: AttemptId) -> Result<Option<String>, Problem> {
    if provider.callback_request_ids().is_empty() {
        return Ok(None);
    }
    let base = config::required(env, config::PUBLIC_URL)?;
    let token = AttemptToken(attempt).sign(&config::job_token_key(env)?);
    Ok(Some(format!("{}/v1/callbacks/{provider}/{token}", base.trim_end_matches('/'))))
}

/// Safe to repeat, and providers do. Whatever the report says beside the request's id and where it is asked for is
/// ignored.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/callbacks/{provider}/{token}", tag = "Providers",
    params(("provider" = String, Path, description = "The provider's name"), ("token" = String, Path, description = "Names the attempt, signed")),
    request_body(content = schemas::Anything, description = "The provider's own report; only its request id is believed"),
    responses((status = 200, description = "Noted", body = schemas::Health)),
    extensions(("x-problems" = json!(["INVALID_REQUEST", "NOT_FOUND", "INTERNAL", "DATABASE_UNAVAILABLE", "DATABASE_TIMEOUT"]))),
))]
#[worker::send]
async fn callback(
    State(app): State<App>,
    Segments((provider, token)): Segments<(String, String)>,
    body: Bytes,
) -> Result<Response, Problem> {
    let unknown = || Problem::new(Code::NotFound, "there is no such callback");
    let provider = Provider::from_word(&provider).ok_or_else(unknown)?;
    let AttemptToken(attempt) =
        AttemptToken::verify(&token, &config::job_token_key(&app.env)?).map_err(|_| unknown())?;
    let report: Value = serde_json::from_slice(&body).unwrap_or_default();
    let request_id = request_id(provider, &report).ok_or_else(|| {
        Problem::new(Code::InvalidRequest, format!("the body names no request of {provider}'s"))
    })?;
    let captured = captured(provider, &report);
    let reported =
        session(&app.env, async |db| store::unknown::report(db, attempt, &request_id, &captured).await)
            .await?;
    log::info(
        "attempt.report",
        json!({"attempt.id": attempt, "provider": provider, "provider.request_id": request_id,
            "report": format!("{reported:?}")}),
    );
    match reported {
        Reported::Learned(job) => wake(&app.env, job).await,
        Reported::Another { known } => log::error(
            "the provider took one attempt twice",
            json!({"job.id": known, "attempt.id": attempt, "provider.request_id": request_id}),
        ),
        Reported::Known => {}
        Reported::Missing => return Err(unknown()),
    }
    Ok(respond(&json!({"status": "ok"})))
}

fn request_id(provider: Provider, body: &Value) -> Option<String> {
    let mut places = provider.callback_request_ids().iter();
    let id = places.find_map(|pointer| body.pointer(pointer)?.as_str())?;
    is_request_id(id).then(|| id.to_owned())
}

/// What polling needs beside the id. A URL is only kept: the executor follows it to that provider's own hosts and nowhere
/// else.
fn captured(provider: Provider, body: &Value) -> BTreeMap<String, String> {
    let places = provider.callback_captures().iter();
    let told = places.filter_map(|(name, pointer)| Some((*name, body.pointer(pointer)?.as_str()?)));
    let plain = |text: &str| text.len() <= CAPTURE_LIMIT && !text.chars().any(char::is_control);
    told.filter(|(_, text)| plain(text)).map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_a_report_names_the_request_and_where_to_ask_for_it() {
        let report = json!({"id": "r-1", "status": "Ready", "polling_url": "https://api.eu.bfl.ai/v1/get_result?id=r-1"});
        assert_eq!(request_id(Provider::Bfl, &report).as_deref(), Some("r-1"));
        let url = BTreeMap::from([(
            "polling_url".to_owned(),
            "https://api.eu.bfl.ai/v1/get_result?id=r-1".to_owned(),
        )]);
        assert_eq!(captured(Provider::Bfl, &report), url);
        assert!(captured(Provider::Fal, &report).is_empty());
        for odd in [json!({"polling_url": 7}), json!({"polling_url": "a\nb"}), json!([]), Value::Null] {
            assert!(captured(Provider::Bfl, &odd).is_empty(), "{odd}");
            assert_eq!(request_id(Provider::Bfl, &odd), None);
        }
    }
}
