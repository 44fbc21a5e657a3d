use domain::JobId;
use tokio_postgres::types::Type;

use super::{JOB, Job, get};
use crate::{Db, Error};

/// What a step that wants to go on with a job finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Begun {
    /// The job is open and marked as asked.
    Open(Box<Job>),
    /// It has ended; there is nothing to go on with.
    Ended(Box<Job>),
    Missing,
}

/// Marks a job running, from whichever open state, and settles the wish to start it. Safe to repeat; also the sign
/// of life that keeps the sweeper off, since `updated_at` moves.
pub async fn run(db: Db<'_>, job: JobId) -> Result<Begun, Error> {
    transition(db, job, "running", None).await
}

/// Marks a job waiting and says what for. Safe to repeat.
pub async fn wait(db: Db<'_>, job: JobId, reason: &str) -> Result<Begun, Error> {
    transition(db, job, "waiting", Some(reason)).await
}

async fn transition(db: Db<'_>, job: JobId, status: &str, waiting: Option<&str>) -> Result<Begun, Error> {
    let sql = format!(
        "with moved as (
            update jobs
            set status = $2, waiting = $3, started_at = coalesce(started_at, now()), updated_at = now()
            where id = $1 and status in ('queued', 'running', 'waiting')
            returning *
        ), event as (
            insert into events (job_id, type, data)
            select m.id, 'generation.' || $2, json_strip_nulls(json_build_object('reason', $3::text))
            from moved m join jobs before on before.id = m.id
            where before.status <> m.status or before.waiting is distinct from m.waiting
        ), started as (
            delete from outbox o using moved m where o.job_id = m.id and o.kind = 'start_generation'
        )
        select to_json((select {JOB} from moved j))"
    );
    let moved: Option<Job> =
        db.one(&sql, &[(&job.uuid(), Type::UUID), (&status, Type::TEXT), (&waiting, Type::TEXT)]).await?;
    Ok(match moved {
        Some(job) => Begun::Open(Box::new(job)),
        None => get(db, job).await?.map_or(Begun::Missing, |job| Begun::Ended(Box::new(job))),
    })
}
