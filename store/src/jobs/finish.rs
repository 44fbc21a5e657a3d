use chrono::{DateTime, Utc};
use domain::job::Ending;
use domain::{DeliveryId, JobId};
use serde_json::{Value, json};
use tokio_postgres::types::{Json, Type};

use super::{JOB, Job, get};
use crate::deliveries::tell;
use crate::{Db, Error};

/// What a terminal write, first or repeated, finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Finish {
    /// This write ended the job; its event and its delivery row were committed with it.
    Won(Box<Job>),
    /// Someone ended it first, perhaps this very write before its answer was lost; this is what stands (A25).
    Stands(Box<Job>),
    Missing,
}

/// Ends a job, once (A25, I6).
///
/// Safe to repeat and to race: the guard matches open states only, and under READ COMMITTED a second writer waits for
/// the first one's row and then finds it ended. The winner costs one statement. The loser's own statement still shows
/// the state from before the winner, so what stands is read by a second one.
///
/// `payload` is the exact text that the job's receivers get: its own, if it named one, and its client's endpoints.
pub async fn finish(
    db: Db<'_>,
    job: JobId,
    ending: &Ending,
    at: DateTime<Utc>,
    payload: &str,
) -> Result<Finish, Error> {
    let sql = format!(
        "with won as (
            update jobs
            set status = $2, outputs = $3, error = $4, waiting = null, finished_at = $5, updated_at = now()
            where id = $1 and status in ('queued', 'running', 'waiting')
            returning *
        ), event as (
            insert into events (job_id, type) select id, $6 from won
        ), subject as (
            select client_id, id as job_id, callback_url, trace, null::uuid as about from won
        ), told as (
            {tell}
        ), unstarted as (
            delete from outbox o using won where o.kind = 'start_generation' and o.job_id = won.id
        ), woken as (
            -- A candidate's end wakes its run.
            insert into outbox_events (event_id, run_id, kind)
            select c.job_id || '_wake', c.run_id, 'wake' from won join style_candidates c on c.job_id = won.id
        )
        select to_json((select {JOB} from won j))",
        tell = tell("subject", "$6", "$7", "$8")
    );
    let (outputs, error) = match ending {
        Ending::Succeeded(outputs) => (json!(outputs), None),
        Ending::Failed(failure) => (json!([]), Some(Json::<Value>(json!(failure)))),
        Ending::Cancelled => (json!([]), None),
    };
    let won: Option<Job> = db
        .one(
            &sql,
            &[
                (&job.uuid(), Type::UUID),
                (&ending.status().as_str(), Type::TEXT),
                (&Json::<Value>(outputs), Type::JSONB),
                (&error, Type::JSONB),
                (&at, Type::TIMESTAMPTZ),
                (&ending.event().as_str(), Type::TEXT),
                (&DeliveryId::of(job, ending.event()).as_str(), Type::TEXT),
                (&payload, Type::TEXT),
            ],
        )
        .await?;
    Ok(match won {
        Some(job) => Finish::Won(Box::new(job)),
        None => get(db, job).await?.map_or(Finish::Missing, |job| Finish::Stands(Box::new(job))),
    })
}
