//! What callers see of a style run.

use axum::response::Response;
use domain::style_run::State;
use domain::timing::REVIEW_LINK_GRACE_SECONDS;
use http::header::{ETAG, HeaderValue};
use serde_json::{Value, json};
use store::style_runs::{Decision, Shown, StyleRun};
use worker::{Env, Result};

use super::review_url;
use crate::api::{failure, json as respond, outputs_of, time};
use crate::links::Links;

/// A run as an answer, its version as the `ETag`.
pub fn answer(env: &Env, run: &StyleRun) -> Result<Response> {
    let mut response = respond(&style_run(env, run)?);
    if let Some(etag) = etag(run) {
        response.headers_mut().insert(ETAG, etag);
    }
    Ok(response)
}

pub fn etag(run: &StyleRun) -> Option<HeaderValue> {
    HeaderValue::try_from(format!("\"{}\"", run.version)).ok()
}

pub fn style_run(env: &Env, run: &StyleRun) -> Result<Value> {
    let links = Links::of(env)?;
    // A link for as long as there is something to decide.
    let deadline = run.review_deadline_at.filter(|_| run.state == State::AwaitingReview);
    let expires_at = deadline.map(|at| at.timestamp().saturating_add(REVIEW_LINK_GRACE_SECONDS));
    let url = expires_at.map(|at| review_url(env, run.id, at)).transpose()?;
    Ok(json!({
        "id": run.id,
        "object": "style_run",
        "state": run.state,
        "version": run.version,
        "round": run.round,
        "max_rounds": run.max_rounds,
        "brief": run.spec.brief,
        "references": run.spec.references,
        "template": run.spec.template,
        "variations": run.spec.variations,
        "review": {
            "deadline_seconds": run.spec.review.deadline_seconds,
            "on_deadline": run.spec.review.on_deadline,
            "reminder_seconds": run.spec.review.reminder_seconds,
            "deadline_at": run.review_deadline_at.map(time),
            "reminders": run.reminders,
            "url": url,
        },
        "rounds": (1..=run.round).map(|round| self::round(run, round, &links)).collect::<Vec<_>>(),
        "budget": run.budget,
        "cost": {
            "priced": run.spend.priced,
            "unpriced": run.spend.unpriced,
            "unknown": run.spend.unknown,
            "reserved": run.spend.reserved,
        },
        "callback_url": run.callback_url,
        "metadata": run.metadata,
        "project": run.project,
        "error": run.error.as_ref().map(failure),
        "created_at": time(run.created_at),
        "finished_at": run.finished_at.map(time),
    }))
}

fn round(run: &StyleRun, round: u32, links: &Links) -> Value {
    let candidates = run.candidates.iter().filter(|candidate| candidate.round == round);
    json!({
        "round": round,
        "candidates": candidates.map(|candidate| self::candidate(candidate, links)).collect::<Vec<_>>(),
        "decision": run.decision_of(round).map(decision),
    })
}

fn candidate(candidate: &Shown, links: &Links) -> Value {
    json!({
        "index": candidate.index,
        "generation": candidate.job_id,
        "status": candidate.status,
        "approved": candidate.approved,
        "input": candidate.request.get("input"),
        "chain": candidate.request.get("chain"),
        "outputs": outputs_of(candidate.job_id, &candidate.outputs, links),
        "error": candidate.error.as_ref().map(failure),
    })
}

fn decision(decision: &Decision) -> Value {
    json!({
        "id": decision.id,
        "action": decision.action,
        "reviewer": decision.reviewer,
        "candidates": decision.candidates,
        "notes": decision.notes,
        "marks": decision.marks,
        "variations": decision.variations,
        "created_at": time(decision.created_at),
    })
}
