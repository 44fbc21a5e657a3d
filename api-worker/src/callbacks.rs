//! What providers report of their own accord: `POST /v1/callbacks/{provider}/{token}` (B3).
//!
//! The token names the attempt, so a call whose answer was lost is known after all. A report is believed only as far as
//! which request it was: how that stands is asked of the provider, with our key, by the executor that goes on with it.

use std::collections::BTreeMap;

use axum::Router;
use axum::extract::Extension;
use axum::response::Response;
use axum::routing::post;
use bytes::Bytes;
use domain::AttemptId;
use domain::error::Code;
use domain::provider::Provider;
use domain::resolution::is_request_id;
use domain::token::AttemptToken;
use platform::{log, session};
use serde_json::{Value, json};
use store::unknown::Reported;
use worker::Env;

use crate::api::{Segments, json as respond};
use crate::config;
use crate::generation::wake;
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// What `docs/openapi.json` says of these routes.
#[cfg(test)]
#[derive(utoipa::OpenApi)]
#[openapi(paths(callback))]
pub struct Documented;

pub fn router() -> Router {
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
    Extension(app): Extension<App>,
    Segments((provider, token)): Segments<(String, String)>,
    body: Bytes,
) -> Result<Response, Problem> {
    let unknown = || Problem::new(Code::NotFound, "there is no such callback");
    let provider = Provider::from_word(&provider).ok_or_else(unknown)?;
    let AttemptToken(attempt) =
        AttemptToken::verify(&token, &config::job_token_key(&app.env)?).map_err(|_| unknown())?;
    let report: Value = serde_json::from_slice(&body).unwrap_or_default();
    if let Some(answer) = challenged(provider, &report) {
        return Ok(respond(&answer));
    }
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

/// `MiniMax` asks once, before it reports anything, whether who answers here is who asked for reports: the answer is what it
/// sent. Only a good token gets so far.
fn challenged(provider: Provider, report: &Value) -> Option<Value> {
    let challenge = report.get("challenge").filter(|_| provider.callback_is_challenged())?;
    let plain = challenge.is_number() || challenge.as_str().is_some_and(|text| text.len() <= CHALLENGE_LIMIT);
    plain.then(|| json!({"challenge": challenge}))
}

/// Characters of a challenge that is repeated.
const CHALLENGE_LIMIT: usize = 256;

fn request_id(provider: Provider, report: &Value) -> Option<String> {
    let mut places = provider.callback_request_ids().iter();
    let id = places.find_map(|pointer| report.pointer(pointer)?.as_str())?;
    is_request_id(id).then(|| id.to_owned())
}

/// What later calls need beside the id. The executor follows a URL to the provider's own hosts only, whoever named it.
fn captured(provider: Provider, report: &Value) -> BTreeMap<String, String> {
    let named = provider.callback_captures().iter().filter_map(|(name, pointer)| {
        let text = report.pointer(pointer)?.as_str()?;
        let plain = !text.is_empty() && text.len() <= CAPTURE_LIMIT && !text.chars().any(char::is_control);
        plain.then(|| ((*name).to_owned(), text.to_owned()))
    });
    named.collect()
}

/// A URL that is longer than this is none.
const CAPTURE_LIMIT: usize = 2048;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_a_report_names_its_request_in_the_providers_own_way() {
        let operation = "models/veo-3.1/operations/a1";
        for (provider, report, expected) in [
            (Provider::Bfl, json!({"id": "t", "status": "Ready"}), Some("t")),
            (Provider::KlingV1, json!({"task_id": "t", "task_status": "succeed"}), Some("t")),
            (Provider::Veo, json!({"type": "video.generated", "data": {"id": "op"}}), Some("op")),
            (Provider::Veo, json!({"data": {"id": operation}}), Some(operation)),
            (Provider::Veo, json!({"data": {"id": "../files/x"}}), None),
            (Provider::Veo, json!({"data": {"id": "a//b"}}), None),
            (Provider::Minimax, json!({"task_id": "t"}), Some("t")),
            (Provider::MinimaxV1, json!({"task_id": "t", "status": "success"}), Some("t")),
            (Provider::MinimaxV1, json!({"task_id": 7}), None),
            (Provider::OpenaiImages, json!({"id": "t"}), None),
        ] {
            assert_eq!(request_id(provider, &report).as_deref(), expected, "{provider} {report}");
        }
    }

    #[test]
    fn minimaxs_challenge_is_answered_with_itself_and_nobody_elses_is() {
        let asked = json!({"challenge": "abc"});
        for provider in [Provider::Minimax, Provider::MinimaxV1] {
            assert_eq!(challenged(provider, &asked), Some(json!({"challenge": "abc"})));
            assert_eq!(challenged(provider, &json!({"challenge": 5})), Some(json!({"challenge": 5})));
            for odd in [
                json!({"challenge": {"a": 1}}),
                json!({"challenge": "x".repeat(257)}),
                json!({"task_id": "t"}),
            ] {
                assert_eq!(challenged(provider, &odd), None, "{odd}");
            }
        }
        assert_eq!(challenged(Provider::Kling, &asked), None);
    }

    #[test]
    fn b3_bfls_report_may_say_where_to_ask_for_the_request() {
        let url = "https://api.eu1.bfl.ai/v1/get_result?id=t";
        let found = captured(Provider::Bfl, &json!({"id": "t", "polling_url": url}));
        assert_eq!(found.get("polling_url").map(String::as_str), Some(url));
        for report in [json!({"id": "t"}), json!({"polling_url": 1}), json!({"polling_url": "a\nb"})] {
            assert!(captured(Provider::Bfl, &report).is_empty(), "{report}");
        }
        assert!(captured(Provider::Kling, &json!({"polling_url": url})).is_empty());
    }
}
