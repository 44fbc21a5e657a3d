//! One bounded piece of an execution: submit or attach, then long-poll (A16 to A19).

use bodies::generation::Round;
use domain::attempt::Attempt;
use domain::error::{Code, Failure};
use domain::execution::{Answer, Look, Looked, Report, Submit};
use domain::runner::{Decision, decide};
use domain::timing::{EXECUTION_POLL_SECONDS, JOB_TOKEN_SECONDS, Timing};
use domain::token::Grant;
use domain::{AttemptId, JobId};
use platform::{log, now, session};
use serde::de::DeserializeOwned;
use serde_json::json;
use store::jobs::Begun;
use store::{Db, Job};
use worker::{Env, Method, Request, RequestInit, Response, Stub};

use ::workflow::replay::Failure as StepFailure;

use crate::config;

/// Twice, or beside itself: a second submit attaches to the execution that runs (A16); if the container was replaced,
/// the new execution goes on from the output key and the journal (A20, B2).
pub async fn execute(env: &Env, job: JobId) -> Result<Round, StepFailure> {
    let timing = config::timing(env).map_err(unavailable)?;
    let job = match session(env, async |db| go_on(db, job, &timing).await).await.map_err(unavailable)? {
        GoingOn::Yes(job) => job,
        GoingOn::No(round) => return Ok(round),
        GoingOn::Missing => return Err(StepFailure::non_retryable(format!("there is no job {job}"))),
    };
    match poll_until_told(env, &job, &timing).await {
        Ok(round) => Ok(round),
        Err(failure) => {
            // What keeps the job from going on is there to see while the engine waits for the next try.
            let reason = format!("{}: {}", failure.code, failure.message);
            let noted = session(env, async |db| store::jobs::wait(db, job.id, &reason).await).await;
            log::error(
                "execute",
                json!({"job.id": job.id, "error.code": failure.code, "error": failure.message, "noted": noted.is_ok(),
                    "trace.id": job.trace_id()}),
            );
            Err(StepFailure::new(failure.code.as_str(), failure.message))
        }
    }
}

/// Has an ended job's open attempt wound down: an executor takes the lease, asks the provider to stop where that saves
/// money, and writes down what it cost (B4). Safe to repeat.
pub async fn settle(env: &Env, job: &Job) -> Result<(), Failure> {
    let executor = config::executor(env, job.id).map_err(|error| away(&error))?;
    submit(env, &executor, job).await.map(drop)
}

/// Has an executor look again at attempts of a job, and lets its container go. Costs nothing; safe to repeat.
pub async fn ask_to_look(env: &Env, look: &Look) -> Result<Looked, Failure> {
    let executor = config::executor(env, look.job).map_err(|error| away(&error))?;
    let body =
        serde_json::to_string(look).map_err(|error| Failure::new(Code::Internal, error.to_string()))?;
    let request = put(&url(look.job, "/looks"), body).map_err(|error| away(&error))?;
    let response = executor.fetch_with_request(request).await.map_err(|error| away(&error))?;
    let looked = read(response).await;
    if let Err(failure) = super::release(env, look.job).await {
        log::error("look", json!({"job.id": look.job, "error": failure.message}));
    }
    looked?
        .ok_or_else(|| Failure::new(Code::ExecutorUnavailable, "the executor does not know what it was sent"))
}

enum GoingOn {
    Yes(Box<Job>),
    No(Round),
    Missing,
}

/// Marks the job running, unless it waits for a human's word: that needs no container to find out.
async fn go_on(db: Db<'_>, job: JobId, timing: &Timing) -> Result<GoingOn, store::Error> {
    let Some(standing) = store::jobs::get(db, job).await? else { return Ok(GoingOn::Missing) };
    if !standing.status.is_terminal()
        && let Some(held) = held(&standing, &store::attempts::of_job(db, job).await?, timing)
    {
        return Ok(GoingOn::No(held));
    }
    Ok(match store::jobs::run(db, job).await? {
        Begun::Open(job) => GoingOn::Yes(job),
        Begun::Ended(_) => GoingOn::No(Round::Over),
        Begun::Missing => GoingOn::Missing,
    })
}

fn held(job: &Job, attempts: &[Attempt], timing: &Timing) -> Option<Round> {
    match decide(&job.spec, attempts, timing, 0) {
        Decision::Hold(id) => {
            let error =
                attempts.iter().find(|attempt| attempt.id == id).and_then(|attempt| attempt.error.as_ref());
            Some(unknown(id, error.map_or("no reason is known", |error| &error.message)))
        }
        Decision::Submit { .. }
        | Decision::Resume(_)
        | Decision::Recover(_)
        | Decision::Abandon(_)
        | Decision::Fail(_) => None,
    }
}

fn unknown(attempt: AttemptId, why: &str) -> Round {
    let reason = format!("whether the provider accepted attempt {attempt} could not be found out: {why}");
    Round::Held { reason }
}

async fn poll_until_told(env: &Env, job: &Job, timing: &Timing) -> Result<Round, Failure> {
    let executor = config::executor(env, job.id).map_err(|error| away(&error))?;
    let until = now().timestamp_millis()
        + i64::try_from(timing.execute_step_ms.saturating_sub(timing.execute_margin_ms)).unwrap_or(i64::MAX);
    let mut answer = submit(env, &executor, job).await?;
    loop {
        match answer {
            Answer::Ended { report: Report::Held { attempt, reason } } => {
                return Ok(unknown(attempt, &reason));
            }
            Answer::Ended { report: Report::Interrupted { failure } } => return Err(failure),
            Answer::Ended { report } => return Ok(Round::Ended { report }),
            Answer::Running { .. } if now().timestamp_millis() >= until => {
                return Ok(Round::Running);
            }
            Answer::Running { .. } => {}
        }
        answer = match poll(&executor, job.id).await? {
            Some(answer) => answer,
            // A replaced process never heard of the job (A19).
            None => submit(env, &executor, job).await?,
        };
    }
}

async fn submit(env: &Env, executor: &Stub, job: &Job) -> Result<Answer, Failure> {
    let key = config::job_token_key(env).map_err(|error| away(&error))?;
    let grant = Grant { job: job.id, lease: Grant::TAKE_LEASE };
    let submit = Submit {
        job: job.id,
        client: job.client_id,
        token: grant.sign(&key, now().timestamp() + JOB_TOKEN_SECONDS),
        spec: job.spec.clone(),
        deadline_at: job.deadline_at,
        trace: job.trace.clone(),
    };
    let body =
        serde_json::to_string(&submit).map_err(|error| Failure::new(Code::Internal, error.to_string()))?;
    let request = put(&url(job.id, ""), body).map_err(|error| away(&error))?;
    let response = executor.fetch_with_request(request).await;
    let answer = read(response.map_err(|error| away(&error))?).await?;
    answer
        .ok_or_else(|| Failure::new(Code::ExecutorUnavailable, "the executor does not know what it was sent"))
}

fn put(url: &str, body: String) -> worker::Result<Request> {
    let mut init = RequestInit::new();
    init.with_method(Method::Put).with_body(Some(body.into()));
    let request = Request::new_with_init(url, &init)?;
    request.headers().set("content-type", "application/json")?;
    Ok(request)
}

async fn poll(executor: &Stub, job: JobId) -> Result<Option<Answer>, Failure> {
    let response = executor.fetch_with_str(&url(job, &format!("?wait={EXECUTION_POLL_SECONDS}"))).await;
    read(response.map_err(|error| away(&error))?).await
}

/// `None` for 404.
async fn read<T: DeserializeOwned>(mut response: Response) -> Result<Option<T>, Failure> {
    match response.status_code() {
        200 | 202 => response.json().await.map(Some).map_err(|error| away(&error)),
        404 => Ok(None),
        status => {
            let text = response.text().await.unwrap_or_default();
            Err(Failure::new(Code::ExecutorUnavailable, format!("{status}: {text}")))
        }
    }
}

fn url(job: JobId, query: &str) -> String {
    format!("http://executor/executions/{job}{query}")
}

fn away(error: &worker::Error) -> Failure {
    Failure::new(Code::ExecutorUnavailable, error.to_string())
}

fn unavailable(error: impl std::fmt::Display) -> StepFailure {
    StepFailure::new(Code::DatabaseUnavailable.as_str(), error.to_string())
}
