//! What callers see of a job.

use axum::body::Body;
use axum::response::Response;
use chrono::{DateTime, SecondsFormat, Utc};
use domain::JobId;
use domain::attempt::Attempt;
use domain::error::Failure;
use domain::output::StoredOutput;
use domain::timeline::Entry;
use http::header::{CONTENT_TYPE, HeaderValue};
use serde_json::{Value, json};
use store::Job;
use store::jobs::Ending;

use crate::links::Links;

pub fn json(body: &Value) -> Response {
    let mut response = Response::new(Body::from(body.to_string()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A generation.
pub fn generation(job: &Job, links: &Links) -> Value {
    json!({
        "id": job.id,
        "object": "generation",
        "status": job.status,
        "waiting": job.waiting,
        "kind": job.kind,
        "input": if job.expired.payload.is_some() { json!({}) } else { json!(job.spec.input) },
        "chain": job.spec.chain,
        "policy": job.spec.policy,
        "callback_url": job.callback_url,
        "metadata": job.metadata,
        "project": job.project,
        "outputs": outputs(job, &job.outputs, links),
        "error": job.error.as_ref().map(failure),
        "cost": {
            "priced": job.spend.priced,
            "unpriced": job.spend.unpriced,
            "unknown": job.spend.unknown,
            "reserved": job.spend.reserved,
        },
        "created_at": time(job.created_at),
        "started_at": job.started_at.map(time),
        "finished_at": job.finished_at.map(time),
        "deadline_at": time(job.deadline_at),
        "expired": {"outputs": job.expired.outputs.map(time), "payload": job.expired.payload.map(time)},
    })
}

/// The `data` of a terminal event: thin, and complete enough to act on. The job is given as it was before.
pub fn event_data(job: &Job, ending: &Ending, at: DateTime<Utc>, links: &Links) -> Value {
    let (stored, error) = match ending {
        Ending::Succeeded(stored) => (stored.as_slice(), None),
        Ending::Failed(why) => (&[][..], Some(failure(why))),
        Ending::Cancelled => (&[][..], None),
    };
    json!({
        "id": job.id,
        "object": "generation",
        "status": ending.status(),
        "kind": job.kind,
        "metadata": job.metadata,
        "project": job.project,
        "outputs": outputs(job, stored, links),
        "error": error,
        "created_at": time(job.created_at),
        "finished_at": time(at),
    })
}

/// One paid call.
pub fn attempt(attempt: &Attempt) -> Value {
    let error = attempt.error.as_ref();
    json!({
        "id": attempt.id,
        "object": "attempt",
        "ordinal": attempt.ordinal,
        "chain_index": attempt.chain_index,
        "provider": attempt.provider,
        "model": attempt.model,
        "state": attempt.state,
        "class": error.map(|error| error.class),
        "code": error.and_then(|error| error.code.as_deref()),
        "message": error.map(|error| error.message.as_str()),
        "provider_request_id": attempt.provider_request_id,
        "usage": attempt.usage,
        "cost": attempt.cost.as_ref().map(|cost| cost.amount),
        "cost_source": attempt.cost.as_ref().map(|cost| cost.source),
        "rates": attempt.cost.as_ref().and_then(|cost| cost.rates.as_deref()),
        "reserved": attempt.reserved,
        "lease": attempt.lease,
        "started_at": time(attempt.started_at),
        "accepted_at": attempt.accepted_at.map(time),
        "finished_at": attempt.finished_at.map(time),
        "looks": {
            "count": attempt.looks.count,
            "last_at": attempt.looks.last_at.map(time),
            "next_at": attempt.looks.next_at.map(time),
        },
    })
}

/// One thing that happened to a generation.
pub fn entry(job: JobId, entry: &Entry) -> Value {
    json!({
        "id": entry.mark.to_string(),
        "object": "event",
        "type": entry.kind,
        "generation": job,
        "at": time(entry.at),
        "data": entry.data,
    })
}

fn outputs(job: &Job, stored: &[StoredOutput], links: &Links) -> Value {
    outputs_of(job.id, stored, links)
}

/// Stored files, as callers fetch them.
pub fn outputs_of(job: JobId, stored: &[StoredOutput], links: &Links) -> Value {
    stored
        .iter()
        .map(|output| {
            json!({
                "index": output.index,
                "content_type": output.content_type,
                "bytes": output.bytes,
                "sha256": output.sha256,
                "url": links.output(job, output.index),
                "url_expires_at": time(links.expires_at()),
            })
        })
        .collect()
}

pub fn failure(failure: &Failure) -> Value {
    json!({"code": failure.code, "message": failure.message, "retryable": failure.code.retryable()})
}

pub fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
