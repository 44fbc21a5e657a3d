//! A turn: what the row asks for is done. Each case says why doing it twice is harmless.

use ::workflow::replay::Failure as StepFailure;
use bodies::style_run::{Turn, Turned};
use domain::error::{Code, Failure};
use domain::generation::GenerationRequest;
use domain::idempotency::IdempotencyKey;
use domain::job::Status;
use domain::style_run::{self, Next, Progress};
use domain::{JobId, Usd};
use platform::{log, session};
use serde_json::{Value, json};
use store::jobs::{self, Creation, NewJob};
use store::style_runs::{self, Moved, Shown, StyleRun};
use uuid::Uuid;
use worker::Env;

use super::drain;
use crate::api::stop;
use crate::config;
use crate::start::start;

/// Looks at the run by the database's clock, decides, and does it.
pub async fn turn(env: &Env, turn: Turn) -> Result<Turned, StepFailure> {
    let timing = config::timing(env).map_err(retry)?;
    let run = turn.run;
    let look = session(env, async |db| style_runs::look(db, run).await).await.map_err(retry)?;
    let Some(look) = look else {
        return Err(StepFailure::non_retryable(format!("there is no style run {run}")));
    };
    let standing = look.run;
    let next = style_run::decide(&standing.standing(), &standing.current(), look.now, &timing);
    log::info(
        "style_run.turn",
        json!({"style_run.id": run, "style_run.state": standing.state, "style_run.round": standing.round,
            "next": format!("{next:?}")}),
    );
    let second_ms = i64::try_from(timing.review_second_ms).unwrap_or(i64::MAX);
    let moved = match next {
        Next::Wait { ms } => return Ok(Turned::Wait { ms }),
        Next::Over => return Ok(Turned::Over { state: standing.state }),
        Next::Start => return begin(env, &standing).await,
        Next::WindDown => return wind_down(env, &standing).await,
        Next::Plan { round } => plan(env, &standing, round).await,
        Next::OpenReview => session(env, async |db| style_runs::open_review(db, run, second_ms).await).await,
        Next::Remind => session(env, async |db| style_runs::remind(db, run, second_ms).await).await,
        Next::Prolong => session(env, async |db| style_runs::prolong(db, run, second_ms).await).await,
        Next::Expire => session(env, async |db| style_runs::end(db, run, None).await).await,
        Next::Fail(failure) => session(env, async |db| style_runs::end(db, run, Some(&failure)).await).await,
        Next::ApproveBest { candidate } => {
            session(env, async |db| style_runs::approve_best(db, run, candidate).await).await
        }
    };
    // Twice: every one of these is guarded by the state that it leaves; the second finds what stands.
    moved.map_err(retry)?;
    drain(env).await;
    Ok(Turned::Again)
}

/// Twice: the second plan finds the round begun, and the first one's candidates stand.
async fn plan(env: &Env, run: &StyleRun, round: u32) -> Result<Moved, store::Error> {
    let decision = run.decision_of(run.round);
    let variations = decision.and_then(|decision| decision.variations.as_deref());
    let variations = variations.unwrap_or(&run.spec.variations);
    let notes = decision.and_then(|decision| decision.notes.as_deref());
    let remaining = run.budget.map(|budget| left(budget, run.committed));
    let Some(bodies) = style_run::plan(run.id, &run.spec, variations, round, notes, remaining) else {
        let failure = Failure::new(Code::MaxCostReached, "the run's budget does not reach for another round");
        return session(env, async |db| style_runs::end(db, run.id, Some(&failure)).await).await;
    };
    let jobs: Vec<JobId> = bodies.iter().map(|_| JobId::new(Uuid::now_v7())).collect();
    session(env, async |db| style_runs::plan(db, run.id, round, &jobs, &bodies).await).await
}

fn left(budget: Usd, committed: Usd) -> Usd {
    Usd::from_micros(budget.micros().saturating_sub(committed.micros()).max(0)).unwrap_or(Usd::ZERO)
}

/// Twice: each candidate has a key of its own, made of run, round and index, and the id that the plan gave it.
async fn begin(env: &Env, run: &StyleRun) -> Result<Turned, StepFailure> {
    let planned = run.candidates.iter().filter(|one| one.round == run.round && one.status.is_none());
    for candidate in planned {
        if let Err(failure) = create(env, run, candidate).await? {
            session(env, async |db| style_runs::end(db, run.id, Some(&failure)).await)
                .await
                .map_err(retry)?;
            drain(env).await;
            return Ok(Turned::Again);
        }
    }
    Ok(Turned::Again)
}

/// The inner error ends the run: trying again would find the same.
async fn create(env: &Env, run: &StyleRun, candidate: &Shown) -> Result<Result<(), Failure>, StepFailure> {
    let hopeless = |why: String| {
        Failure::new(Code::Internal, format!("candidate {} cannot be made: {why}", candidate.index))
    };
    let request = match GenerationRequest::parse(candidate.request.clone(), config::loopback(env)) {
        Ok(request) => request,
        Err(violations) => return Ok(Err(hopeless(listed(&json!(violations))))),
    };
    let key = format!("style-run/{}/{}/{}", run.id, candidate.round, candidate.index);
    let key = match IdempotencyKey::parse(key.as_bytes()) {
        Ok(key) => key,
        Err(why) => return Ok(Err(hopeless(why.to_string()))),
    };
    let new = NewJob {
        id: candidate.job_id,
        caller: jobs::Caller::Run(run.id),
        idempotency_key: &key,
        request: &request,
        first_call: None,
        trace: run.trace.as_ref(),
    };
    let creation = session(env, async |db| jobs::create(db, &new).await).await.map_err(retry)?;
    let job = match creation {
        Creation::Created(job) | Creation::Replayed(job) if job.id == candidate.job_id => job,
        Creation::Created(_) | Creation::Replayed(_) | Creation::Conflict { .. } => {
            return Ok(Err(hopeless(format!(
                "the client has used the key {key} for a generation of its own"
            ))));
        }
        // A run is asked for no limits here; should it be, it comes again.
        Creation::Denied(denial) => return Err(retry(format!("denied: {denial:?}"))),
        Creation::Unusable(wrong) => {
            let (at, why) =
                (wrong.first().map_or(0, |(at, _)| *at), wrong.first().map(|(_, why)| why.detail()));
            return Ok(Err(hopeless(format!("/input/media/{at}: {}", why.unwrap_or("it cannot be used")))));
        }
        Creation::Unauthenticated => return Ok(Err(hopeless("the run's client is gone".to_owned()))),
    };
    if job.status == Status::Queued {
        // Should it fail, the wish stands in the outbox and the sweeper starts it (B9).
        start(env, job.id).await;
    }
    Ok(Ok(()))
}

/// Twice: a cancelled generation stays cancelled.
async fn wind_down(env: &Env, run: &StyleRun) -> Result<Turned, StepFailure> {
    for candidate in run.current().iter().filter(|one| one.progress() == Progress::Open) {
        stop(env, candidate.job).await.map_err(retry)?;
    }
    Ok(Turned::Again)
}

fn listed(violations: &Value) -> String {
    violations.to_string()
}

/// A failure that the engine retries.
fn retry(error: impl std::fmt::Display) -> StepFailure {
    StepFailure::new(Code::Internal.as_str(), error.to_string())
}
