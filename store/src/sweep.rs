//! What the sweeper looks for. Every question is bounded and answers by index.

use domain::{DeliveryId, JobId};
use serde::Deserialize;
use tokio_postgres::types::Type;

use crate::{Db, Error};

/// What lies around without an owner (B9).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Findings {
    /// Recorded, never started.
    pub unstarted: Vec<JobId>,
    /// Open and untouched for longer than the idle time. Not those that wait for a human's word: they have an owner, and
    /// waking them would only use up their Workflow's steps (I12).
    pub idle: Vec<JobId>,
    /// Idle, and past its deadline for two idle times: it was looked after, and nothing moved it (I12).
    pub overdue: Vec<JobId>,
    /// Ended, untouched for as long, and an attempt is still open: nobody will say what it cost (B4).
    pub unsettled: Vec<JobId>,
    /// Due for a try, nobody tries, and not put on the queue lately.
    pub due: Vec<DeliveryId>,
}

/// A person's word is waited for, and it is shown. An attempt of unknown outcome alone does not hold a job: the Workflow that
/// was to show it may be lost.
const HELD: &str = "(status = 'waiting' and exists (
                        select from attempts a where a.job_id = jobs.id and a.state = 'unknown'))";

/// Finds at most `limit` of each. `idle_ms` is how long a job may go without a sign of life, `requeue_ms` how long a
/// delivery that was put on the queue is left to it.
///
/// Reading changes nothing, so two sweepers beside each other may find the same; what is done with a finding is safe
/// twice.
pub async fn find(db: Db<'_>, idle_ms: i64, requeue_ms: i64, limit: i64) -> Result<Findings, Error> {
    let sql = format!(
        "select json_build_object(
            'unstarted', (select coalesce(json_agg(job_id), '[]') from (
                select job_id from outbox
                where kind = 'start_generation' and next_attempt_at <= now() - interval '2 seconds'
                order by next_attempt_at limit $2
            ) o),
            'idle', (select coalesce(json_agg(id), '[]') from (
                select id from jobs
                where status in ('queued', 'running', 'waiting') and updated_at < now() - $1::bigint * interval '1 millisecond'
                    and not {HELD}
                order by updated_at limit $2
            ) j),
            'overdue', (select coalesce(json_agg(id), '[]') from (
                select id from jobs
                where status in ('queued', 'running', 'waiting') and updated_at < now() - $1::bigint * interval '1 millisecond'
                    and deadline_at < now() - 2 * $1::bigint * interval '1 millisecond'
                    and not {HELD}
                order by updated_at limit $2
            ) p),
            'unsettled', (select coalesce(json_agg(job_id), '[]') from (
                select distinct a.job_id from attempts a join jobs j on j.id = a.job_id
                where a.state in ('open', 'accepted') and j.status in ('succeeded', 'failed', 'cancelled')
                    and j.updated_at < now() - $1::bigint * interval '1 millisecond'
                limit $2
            ) u),
            'due', (select coalesce(json_agg(id), '[]') from (
                select id from deliveries
                where status = 'pending' and next_attempt_at <= now() - interval '2 seconds'
                    and (claimed_until is null or claimed_until <= now())
                    and (enqueued_at is null or enqueued_at <= now() - $3::bigint * interval '1 millisecond')
                order by next_attempt_at limit $2
            ) d)
        )"
    );
    db.one(&sql, &[(&idle_ms, Type::INT8), (&limit, Type::INT8), (&requeue_ms, Type::INT8)]).await
}

/// Notes that a job was looked after, so that the next sweep leaves it alone for a while.
pub async fn touch(db: Db<'_>, job: JobId) -> Result<(), Error> {
    let sql = "with touched as (
            update jobs set updated_at = now() where id = $1 returning id
        )
        select to_json(exists (select from touched))";
    let _: bool = db.one(sql, &[(&job.uuid(), Type::UUID)]).await?;
    Ok(())
}

/// Notes that a due delivery was put on the queue.
pub async fn enqueued(db: Db<'_>, delivery: &DeliveryId) -> Result<(), Error> {
    let sql = "with noted as (update deliveries set enqueued_at = now() where id = $1 returning id)
        select to_json(exists (select from noted))";
    let _: bool = db.one(sql, &[(&delivery.as_str(), Type::TEXT)]).await?;
    Ok(())
}
