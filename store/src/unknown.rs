//! Attempts of which nobody can tell whether they were accepted, and the word that settles them (B3).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::attempt::State;
use domain::resolution::Resolution;
use domain::{AttemptId, JobId, Usd};
use serde::Deserialize;
use serde_json::Value;
use tokio_postgres::types::{Json, Type};

use crate::attempts::MOVED;
use crate::db::Param;
use crate::{Db, Error};

/// What a person needs to look the call up at the provider.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Held {
    pub id: AttemptId,
    pub job_id: JobId,
    pub provider: String,
    pub model: String,
    pub request: Value,
    pub message: Option<String>,
    pub reserved: Option<Usd>,
    pub started_at: DateTime<Utc>,
}

/// The oldest unknown attempts, at most `limit`.
pub async fn list(db: Db<'_>, limit: i64) -> Result<Vec<Held>, Error> {
    let sql = "select coalesce(json_agg(json_build_object(
            'id', id, 'job_id', job_id, 'provider', provider, 'model', model, 'request', request,
            'message', error_message, 'reserved', reserved::text, 'started_at', started_at) order by started_at), '[]')
        from (select * from attempts where state = 'unknown' order by started_at limit $1) a";
    db.one(sql, &[(&limit, Type::INT8)]).await
}

/// What resolving, first or repeated, finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// The word is recorded; this job can go on.
    Recorded(JobId),
    /// The attempt is not unknown; nothing was changed.
    Stands(State),
    Missing,
}

/// What a provider's callback, first or repeated, finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reported {
    /// The attempt's outcome was not known; now it is accepted, and this job can go on.
    Learned(JobId),
    /// Nothing new: the attempt has this request id, or has ended.
    Known,
    /// The attempt has another request id: the provider took one attempt twice.
    Another {
        known: JobId,
    },
    Missing,
}

#[derive(Deserialize)]
struct Report {
    learned: Option<JobId>,
    job: Option<JobId>,
    request_id: Option<String>,
}

/// Records that the provider has `attempt`, under this request id and with what polling needs beside it (B3).
///
/// Not under a lease: it is the provider's word, given to a callback or to a process that has lost its lease meanwhile,
/// and true whoever says it. A process that writes the same acceptance afterwards finds it written; one that writes
/// "unknown" or "it never arrived" is refused. An attempt that was given up keeps its end and gets its name. If it was
/// taken to have cost nothing, that is no longer known: it counts as unpriced, with its reservation (I8). A name that another
/// attempt of the job has is not taken (I3): whoever brings it had looked for this one and found that.
pub async fn report(
    db: Db<'_>,
    attempt: AttemptId,
    request_id: &str,
    captured: &BTreeMap<String, String>,
) -> Result<Reported, Error> {
    let sql = "with job as (
            select j.id from jobs j join attempts a on a.job_id = j.id where a.id = $1 for update of j
        ), before as (
            select coalesce(b.cost, b.reserved, 0) as committed from attempts b, job where b.id = $1
        ), another as (
            select from attempts o, job
            where o.job_id = job.id and o.id <> $1 and o.provider_request_id = $2
        ), written as (
            update attempts a
            set state = 'accepted', provider_request_id = $2, captured = a.captured || $3, accepted_at = now(),
                error_class = null, error_code = null, error_message = null
            where a.id = $1 and a.state in ('open', 'unknown') and exists (select from job)
                and not exists (select from another)
            returning a.job_id
        ), named as (
            update attempts a
            set provider_request_id = $2, captured = a.captured || $3,
                cost = case when a.cost_source = 'local' then null else a.cost end,
                cost_source = nullif(a.cost_source, 'local')
            where a.id = $1 and a.state in ('failed', 'abandoned') and a.provider_request_id is null
                and exists (select from job) and not exists (select from another)
            returning a.job_id, coalesce(a.cost, a.reserved, 0) as committed
        ), moved as (
            update jobs j
            set updated_at = now(), committed = j.committed + coalesce((select n.committed - b.committed from named n, before b), 0)
            from job where j.id = job.id and (exists (select from written) or exists (select from named))
        ), event as (
            insert into events (job_id, type, data)
            select job_id, 'attempt.reported', json_build_object('attempt', $1, 'provider_request_id', $2) from written
        )
        select json_build_object(
            'learned', (select job_id from written),
            'job', (select job_id from attempts where id = $1),
            'request_id', (select provider_request_id from attempts where id = $1)
        )";
    let captured = Json(captured);
    let params: [Param<'_>; 3] =
        [(&attempt.uuid(), Type::UUID), (&request_id, Type::TEXT), (&captured, Type::JSONB)];
    let report: Report = db.one(sql, &params).await?;
    Ok(match report {
        Report { learned: Some(job), .. } => Reported::Learned(job),
        Report { job: None, .. } => Reported::Missing,
        Report { job: Some(known), request_id: Some(standing), .. } if standing != request_id => {
            Reported::Another { known }
        }
        Report { .. } => Reported::Known,
    })
}

#[derive(Deserialize)]
struct Answer {
    job: Option<JobId>,
    state: Option<State>,
}

/// Settles an unknown attempt, once. No process writes an attempt in this state but one that recovers it, under a
/// lease; whichever commits first stands.
pub async fn resolve(db: Db<'_>, attempt: AttemptId, resolution: &Resolution) -> Result<Resolved, Error> {
    let sql = format!(
        "with job as (
            select j.id from jobs j join attempts a on a.job_id = j.id where a.id = $1 for update of j
        ), before as (
            select coalesce(b.cost, b.reserved, 0) as committed from attempts b, job where b.id = $1
        ), written as (
            update attempts a
            set state = $2,
                provider_request_id = coalesce($3, a.provider_request_id),
                accepted_at = case when $2 = 'accepted' then now() else a.accepted_at end,
                finished_at = case when $2 = 'accepted' then null else now() end,
                error_class = case $2 when 'accepted' then null when 'failed' then 'retryable' else 'unknown' end,
                error_code = case when $2 = 'accepted' then null else 'RESOLVED' end,
                error_message = case when $2 = 'accepted' then null else $4 end,
                cost = case when $2 = 'failed' then 0 else a.cost end,
                cost_source = case when $2 = 'failed' then 'local' else a.cost_source end
            where a.id = $1 and a.state = 'unknown' and exists (select from job)
            returning a.job_id, coalesce(a.cost, a.reserved, 0) as committed
        ), {MOVED}, event as (
            insert into events (job_id, type, data)
            select job_id, 'attempt.resolved', json_build_object('attempt', $1, 'resolution', $4) from written
        )
        select json_build_object(
            'job', (select job_id from written), 'state', (select state from attempts where id = $1)
        )"
    );
    let (state, request_id) = match resolution {
        Resolution::Paid { provider_request_id } => (State::Accepted, Some(provider_request_id.as_str())),
        Resolution::NotPaid => (State::Failed, None),
        Resolution::Retry => (State::Abandoned, None),
    };
    let answer: Answer = db
        .one(
            &sql,
            &[
                (&attempt.uuid(), Type::UUID),
                (&state.as_str(), Type::TEXT),
                (&request_id, Type::TEXT),
                (&resolution.as_str(), Type::TEXT),
            ],
        )
        .await?;
    Ok(match answer {
        Answer { job: Some(job), .. } => Resolved::Recorded(job),
        Answer { state: Some(state), .. } => Resolved::Stands(state),
        Answer { .. } => Resolved::Missing,
    })
}
