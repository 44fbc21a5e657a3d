//! The attempt journal, for the executor (B1). A job token opens the journal of its job and nothing else.

use axum::Router;
use axum::extract::Extension;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::post;
use bytes::Bytes;
use domain::error::Code;
use domain::job::Status;
use domain::journal::{Entry, EntryAnswer, LeaseAnswer, Open, OpenAnswer};
use domain::timing::JOB_TOKEN_SECONDS;
use domain::token::Grant;
use domain::{AttemptId, JobId};
use http::header::AUTHORIZATION;
use platform::{log, now, session};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use store::journal::{Lease, Opening};
use worker::Env;

use crate::api::Segments;
use crate::http::App;
use crate::problem::Problem;
use crate::{callbacks, config};

pub fn router() -> Router {
    Router::new()
        .route("/internal/jobs/{job}/lease", post(lease))
        .route("/internal/jobs/{job}/attempts", post(open))
        .route("/internal/jobs/{job}/attempts/{attempt}", post(record))
}

/// Takes the lease for a new process.
#[worker::send]
async fn lease(
    Extension(app): Extension<App>,
    Segments(job): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let grant = authorise(&app.env, &job, &headers)?;
    let lease = session(&app.env, async |db| store::journal::take_lease(db, grant.job).await).await?;
    let answer = match lease {
        Lease::Granted { lease, attempts, ended } => {
            let token = Grant { job: grant.job, lease };
            let expires_at = now().timestamp() + JOB_TOKEN_SECONDS;
            let token = token.sign(&config::job_token_key(&app.env)?, expires_at);
            LeaseAnswer::Granted { lease, token, attempts, ended }
        }
        Lease::Ended(status) => LeaseAnswer::Ended { status },
        Lease::Missing => LeaseAnswer::Ended { status: Status::Failed },
    };
    let granted = if let LeaseAnswer::Granted { lease, .. } = &answer { Some(lease) } else { None };
    log::info("journal.lease", json!({"job.id": grant.job, "lease": granted}));
    respond(&answer)
}

/// Commits an attempt before its first byte is sent.
#[worker::send]
async fn open(
    Extension(app): Extension<App>,
    Segments(job): Segments<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let grant = writer(&app.env, &job, &headers)?;
    let open: Open = parse(&body)?;
    let timing = config::timing(&app.env)?;
    let opening =
        session(&app.env, async |db| store::journal::open(db, grant.job, grant.lease, &open, &timing).await)
            .await?;
    let answer = match opening {
        Opening::Opened { ordinal } => {
            log::info(
                "attempt.open",
                json!({"job.id": grant.job, "attempt.id": open.attempt, "attempt.ordinal": ordinal,
                    "provider": open.provider, "model": open.model, "lease": grant.lease}),
            );
            OpenAnswer::Opened {
                ordinal,
                callback_url: callbacks::url(&app.env, open.provider, open.attempt)?,
            }
        }
        Opening::Refused(refusal) => {
            let refused = json!({"job.id": grant.job, "lease": grant.lease, "refusal": refusal});
            log::info("attempt.refused", refused);
            OpenAnswer::Refused { refusal }
        }
    };
    respond(&answer)
}

/// Records a fact about an attempt.
#[worker::send]
async fn record(
    Extension(app): Extension<App>,
    Segments((job, attempt)): Segments<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let grant = writer(&app.env, &job, &headers)?;
    let attempt: AttemptId = attempt.parse().map_err(|_| invalid("the attempt's id is malformed"))?;
    let entry: Entry = parse(&body)?;
    let timing = config::timing(&app.env)?;
    let write = async |db: store::Db<'_>| {
        store::journal::record(db, grant.job, grant.lease, attempt, &entry, &timing).await
    };
    let answer: EntryAnswer = session(&app.env, write).await?;
    log::info(
        "attempt.record",
        json!({"job.id": grant.job, "attempt.id": attempt, "lease": grant.lease, "entry": name(&entry), "answer": answer}),
    );
    respond(&answer)
}

fn name(entry: &Entry) -> &'static str {
    match entry {
        Entry::Accepted { .. } => "accepted",
        Entry::Unknown { .. } => "unknown",
        Entry::Succeeded => "succeeded",
        Entry::Failed { .. } => "failed",
        Entry::Abandoned { .. } => "abandoned",
        Entry::Settled { .. } => "settled",
    }
}

fn authorise(env: &Env, job: &str, headers: &HeaderMap) -> Result<Grant, Problem> {
    let refuse = |why: &str| Problem::new(Code::TokenInvalid, why.to_owned());
    let value = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token =
        value.and_then(|value| value.strip_prefix("Bearer ")).ok_or_else(|| refuse("no job token"))?;
    let key = config::job_token_key(env)?;
    let grant = Grant::verify(token, &key, now().timestamp()).map_err(|why| refuse(&why.to_string()))?;
    let job: JobId = job.parse().map_err(|_| refuse("the job's id is malformed"))?;
    if grant.job == job { Ok(grant) } else { Err(refuse("the token is another job's")) }
}

/// A token that came with a lease.
fn writer(env: &Env, job: &str, headers: &HeaderMap) -> Result<Grant, Problem> {
    let grant = authorise(env, job, headers)?;
    if grant.lease == Grant::TAKE_LEASE {
        return Err(Problem::new(Code::TokenInvalid, "this token may only take a lease"));
    }
    Ok(grant)
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|why| invalid(&format!("the body: {why}")))
}

fn invalid(detail: &str) -> Problem {
    Problem::new(Code::InvalidRequest, detail)
}

fn respond(answer: &impl Serialize) -> Result<Response, Problem> {
    let body = serde_json::to_value(answer).map_err(|error| worker::Error::RustError(error.to_string()))?;
    Ok(crate::api::json(&body))
}
