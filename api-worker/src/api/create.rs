//! `POST /v1/generations`: record a wish once, however often it is sent (A4 to A12).

use axum::extract::{Extension, RawQuery};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use domain::error::Code;
use domain::fields::Violation;
use domain::generation::{GenerationRequest, Spec};
use domain::idempotency::IdempotencyKey;
use domain::inputs::Unusable;
use domain::job::Status;
use domain::rates::card;
use domain::timing::OPEN_RETRY_AFTER_SECONDS;
use domain::trace::Trace;
use domain::{JobId, Usd, json};
use http::StatusCode;
use http::header::{
    CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER,
};
use platform::{log, session};
use serde_json::{Value, json};
use store::Job;
use store::jobs::{Caller, Creation, Denial, NewJob};
use uuid::Uuid;

use super::{client_key, elsewhere, view};
use crate::config;
use crate::http::App;
use crate::links::Links;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;
use crate::start::{Start, start};

pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// 201 with a fresh job, 202 with the one that the key made before, 409 if that had another body.
///
/// Between the insert and the start lies the one gap of this path. A crash there leaves a `queued` row and its wish to
/// be started: the caller's repeat starts the same name (A10), and the sweeper does if no repeat comes (B9).
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/generations", tag = "Generations", security(("client_key" = [])),
    params(("Idempotency-Key" = String, Header, min_length = 1, max_length = 255, pattern = "^[!-~]+$",
        description = "Your name for this wish: the same on every retry of it, and never another body under it",
        example = "order-1017-cover")),
    request_body = schemas::GenerationRequest,
    responses(
        (status = 201, description = "A new generation", body = schemas::Generation, headers(
            ("Location" = String, description = "Its path"))),
        (status = 202, description = "The same key and body were here before: the generation as it stands now",
            body = schemas::Generation, headers(
            ("Location" = String, description = "Its path"),
            ("Idempotent-Replayed" = String, description = "`true`"))),
    ),
    extensions(("x-problems" = json!(["IDEMPOTENCY_KEY_MISSING", "IDEMPOTENCY_KEY_INVALID", "INVALID_JSON", "INVALID_REQUEST", "IDEMPOTENCY_CONFLICT", "OUTPUT_NOT_READY", "UNSUPPORTED_MEDIA_TYPE", "BUDGET_EXCEEDED", "RATE_LIMITED", "TOO_MANY_OPEN", "START_UNCONFIRMED"]))),
))]
#[worker::send]
pub async fn create(
    Extension(app): Extension<App>,
    Extension(trace): Extension<Trace>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let client_key = client_key(&headers)?;
    let idempotency_key = idempotency_key(&headers)?;
    refuse_query(query.as_deref())?;
    let request = GenerationRequest::parse(json_body(&headers, &body)?, config::loopback(&app.env))
        .map_err(Problem::invalid)?;
    elsewhere(&app.env, request.callback_url.as_ref(), "/callback_url")?;
    let new = NewJob {
        id: JobId::new(Uuid::now_v7()),
        caller: Caller::Key(client_key),
        idempotency_key: &idempotency_key,
        request: &request,
        first_call: first_call(&request.spec),
        trace: Some(&trace),
    };
    let creation = session(&app.env, async |db| store::jobs::create(db, &new).await).await?;
    match creation {
        Creation::Created(job) => answer(&app, StatusCode::CREATED, &job).await,
        Creation::Replayed(job) => answer(&app, StatusCode::ACCEPTED, &job).await,
        Creation::Conflict { standing } => Err(conflict(standing)),
        Creation::Denied(denial) => Err(denied(denial)),
        Creation::Unusable(wrong) => Err(unusable(&wrong)),
        Creation::Unauthenticated => Err(Problem::unauthenticated()),
    }
}

/// Starts what is still queued (A12) and answers with the row that stands.
async fn answer(app: &App, status: StatusCode, job: &Job) -> Result<Response, Problem> {
    let id = job.id.to_string();
    if job.status == Status::Queued && start(&app.env, job.id).await == Start::Unconfirmed {
        let detail = "the generation is recorded, but its start could not be confirmed; send the same request again \
                      with the same Idempotency-Key (it starts by itself otherwise)";
        return Err(Problem::new(Code::StartUnconfirmed, detail));
    }
    let fresh = status == StatusCode::CREATED;
    log::info(
        "generation.create",
        json!({"job.id": id, "client.id": job.client_id, "idempotency.replayed": !fresh, "trace.id": job.trace_id()}),
    );
    let body = view::generation(job, &Links::of(&app.env)?);
    let mut response = (status, axum::body::Body::from(body.to_string())).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Ok(location) = HeaderValue::try_from(format!("/v1/generations/{id}")) {
        headers.insert(LOCATION, location);
    }
    if !fresh {
        headers.insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// The most that the first call can cost; `None` if nobody knows.
pub fn first_call(spec: &Spec) -> Option<Usd> {
    card()?.worst_case(spec.chain.first()?, &spec.input)
}

/// Nothing was recorded, so the same request may come again; a replay is never denied.
fn denied(denial: Denial) -> Problem {
    match denial {
        Denial::TooManyOpen => {
            let detail = "your client has as many open generations as it may have; send the same request again later, or \
                          cancel one";
            retry_after(Problem::new(Code::TooManyOpen, detail), OPEN_RETRY_AFTER_SECONDS.into())
        }
        Denial::RateLimited { retry_after_ms } => {
            let detail = "your client creates more generations in a minute than it may; send the same request again later";
            retry_after(Problem::new(Code::RateLimited, detail), retry_after_ms.div_ceil(1000))
        }
        Denial::BudgetExceeded { period } => Problem::new(
            Code::BudgetExceeded,
            format!("the first call could cost more than is left of your client's budget of the {period}"),
        ),
        Denial::Unpriceable => Problem::new(
            Code::BudgetExceeded,
            "your client has a budget, and the first model of the chain has no rate to reserve by",
        ),
    }
}

fn retry_after(problem: Problem, seconds: u64) -> Problem {
    problem.with_header(RETRY_AFTER, HeaderValue::from(seconds))
}

fn conflict(standing: JobId) -> Problem {
    let detail = format!(
        "this Idempotency-Key belongs to generation {standing}, which was asked for with another body; send that body \
         to get it again, or a new key for a new generation"
    );
    Problem::new(Code::IdempotencyConflict, detail)
}

pub fn idempotency_key(headers: &HeaderMap) -> Result<IdempotencyKey, Problem> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let value = values.next().ok_or_else(|| {
        let detail = "send an Idempotency-Key header: any text that names this wish, the same on every retry";
        Problem::new(Code::IdempotencyKeyMissing, detail)
    })?;
    IdempotencyKey::parse(value.as_bytes())
        .map_err(|why| Problem::new(Code::IdempotencyKeyInvalid, format!("Idempotency-Key: {why}")))
}

/// No parameter changes what is asked for, so any would be a misunderstanding, and two requests that differ in one
/// must not pass for the same (F27).
pub fn refuse_query(query: Option<&str>) -> Result<(), Problem> {
    match query {
        None | Some("") => Ok(()),
        Some(_) => {
            let detail = "this endpoint takes no query parameters; everything belongs in the body";
            Err(Problem::new(Code::InvalidRequest, detail))
        }
    }
}

/// Of what will only be there later the caller is told to come back; anything else has to be asked for otherwise.
fn unusable(wrong: &[(usize, Unusable)]) -> Problem {
    if wrong.iter().all(|(_, why)| *why == Unusable::UnfinishedGeneration) {
        let detail = Unusable::UnfinishedGeneration.detail();
        let places: Vec<String> = wrong.iter().map(|(at, _)| format!("/input/media/{at}")).collect();
        return Problem::new(Code::OutputNotReady, format!("{}: {detail}", places.join(", ")));
    }
    let violation = |(at, why): &(usize, Unusable)| Violation {
        pointer: format!("/input/media/{at}/{}", why.member()),
        detail: why.detail().to_owned(),
    };
    Problem::invalid(wrong.iter().map(violation).collect())
}

/// A body that is sent as JSON and is JSON.
pub fn json_body(headers: &HeaderMap, body: &[u8]) -> Result<Value, Problem> {
    let content_type = headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    let media_type = content_type.map(|value| value.split(';').next().unwrap_or_default().trim());
    if media_type.is_some_and(|media_type| !media_type.eq_ignore_ascii_case("application/json")) {
        let detail = "send the body as Content-Type: application/json";
        return Err(Problem::new(Code::UnsupportedMediaType, detail));
    }
    if headers.get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        let detail = "send the body without Content-Encoding";
        return Err(Problem::new(Code::UnsupportedMediaType, detail));
    }
    json::parse(body).map_err(|why| Problem::new(Code::InvalidJson, format!("the body: {why}")))
}
