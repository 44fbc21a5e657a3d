//! What is over: outputs, payloads, and what a client wants erased. Every pass is bounded, finds by index, and may be
//! repeated or run beside itself: each write is guarded by what it changes.

use domain::JobId;
use domain::retention::Policy;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_postgres::types::Type;

use crate::{Db, Error};

mod erasure;
pub use erasure::{Asked, Erasure, Remaining, ask, close, find, forget};

/// By what a pass is bounded.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// For clients without a word of their own.
    pub policy: Policy,
    /// The length of a day.
    pub day_ms: i64,
    /// How long after a generation's end its files may still be on their way, where an erasure does not wait for days.
    pub settle_ms: i64,
    pub limit: i64,
}

/// `over (id)`: at most `$4` ended rows of `table` for which `kept` still holds and whose time has come. `days` is the
/// client's own word, `$1` the deployment's; `$2` a day, `$3` the settling time.
fn over(table: &str, days: &str, kept: &str) -> String {
    format!(
        "over as (
            select o.id from (
                (select r.id from clients c cross join lateral (
                    select t.id from {table} t
                    where t.client_id = c.id and {kept} and t.finished_at
                        <= now() - coalesce(c.{days}, $1::integer) * $2::bigint * interval '1 millisecond'
                    order by t.finished_at limit $4
                ) r limit $4)
                union
                (select r.id from erasures e cross join lateral (
                    select t.id from {table} t
                    where t.client_id = e.client_id and {kept} and t.created_at <= e.asked_at
                        and t.finished_at <= now() - $3::bigint * interval '1 millisecond'
                    order by t.finished_at limit $4
                ) r where e.completed_at is null limit $4)
            ) o limit $4
        )"
    )
}

async fn pass<T: DeserializeOwned>(
    db: Db<'_>,
    sql: &str,
    days: Option<i32>,
    bounds: &Bounds,
) -> Result<T, Error> {
    let Bounds { day_ms, settle_ms, limit, .. } = bounds;
    db.one(sql, &[(&days, Type::INT4), (day_ms, Type::INT8), (settle_ms, Type::INT8), (limit, Type::INT8)])
        .await
}

/// Generations whose outputs nobody gets any more from now on, and those of earlier passes whose objects were not
/// removed yet. Their objects go next, then [`outputs_removed`] says so; what is lost in between is found again.
pub async fn expire_outputs(db: Db<'_>, bounds: &Bounds) -> Result<Vec<JobId>, Error> {
    let over = over("jobs", "output_days", "t.outputs_state = 'kept' and t.finished_at is not null");
    let sql = format!(
        "with {over}, begun as (
            update jobs set outputs_state = 'expiring', outputs_expired_at = now()
            where id in (select id from over) and outputs_state = 'kept'
            returning id
        )
        select coalesce(json_agg(id), '[]') from (
            select id from begun
            union all
            (select id from jobs where outputs_state = 'expiring' order by outputs_expired_at limit $4)
        ) found"
    );
    let mut found: Vec<JobId> = pass(db, &sql, bounds.policy.output_days, bounds).await?;
    found.truncate(usize::try_from(bounds.limit).unwrap_or(usize::MAX));
    Ok(found)
}

/// Notes that a generation has no objects any more.
pub async fn outputs_removed(db: Db<'_>, jobs: &[JobId]) -> Result<(), Error> {
    let ids: Vec<_> = jobs.iter().map(|job| job.uuid()).collect();
    let sql = "with removed as (
            update jobs set outputs_state = 'expired' where id = any($1) and outputs_state = 'expiring' returning id
        )
        select to_json(count(*)) from removed";
    let _: Value = db.one(sql, &[(&ids, Type::UUID_ARRAY)]).await?;
    Ok(())
}

/// Takes what was asked for out of generations whose time is over: input and options, metadata, the callback's URL; the
/// requests to providers and their words; the payloads of deliveries and receivers' answers. Not while an attempt may
/// still need its request, nor while a delivery is on its way. Returns how many there were.
pub async fn expire_payloads(db: Db<'_>, bounds: &Bounds) -> Result<usize, Error> {
    let over = over(
        "jobs",
        "payload_days",
        "t.payload_expired_at is null and t.finished_at is not null
            and not exists (select from attempts a where a.job_id = t.id and a.state in ('open', 'accepted', 'unknown'))
            and not exists (select from deliveries d where d.job_id = t.id and d.status = 'pending')",
    );
    let sql = format!(
        "with {over}, cleared as (
            update jobs set payload_expired_at = now(), callback_url = null, metadata = '{{}}',
                spec = jsonb_set(spec, '{{input}}', '{{\"prompt\": \"\"}}') || jsonb_build_object('chain', (
                    select coalesce(jsonb_agg(step - 'options' order by n), '[]')
                    from jsonb_array_elements(spec -> 'chain') with ordinality as s (step, n)
                )),
                error = case when error is not null then jsonb_set(error, '{{message}}', '\"\"') end
            where id in (select id from over) and payload_expired_at is null
            returning id
        ), attempted as (
            update attempts a set request = '{{}}', captured = '{{}}',
                error_message = case when a.error_message is not null then '' end
            from cleared c where a.job_id = c.id
        ), happened as (
            update events e set data = '{{}}' from cleared c where e.job_id = c.id and e.data <> '{{}}'
        ), told as (
            update deliveries d set payload = '', url = case when d.endpoint_id is null then '' else d.url end
            from cleared c where d.job_id = c.id
            returning d.id
        ), answered as (
            update delivery_tries t set response = null, error = null from told where t.delivery_id = told.id
        )
        select to_json(count(*)) from cleared"
    );
    pass(db, &sql, bounds.policy.payload_days, bounds).await
}

/// The same of style runs: brief, template, variations, what reviewers said and who they were.
pub async fn expire_runs(db: Db<'_>, bounds: &Bounds) -> Result<usize, Error> {
    let over = over(
        "style_runs",
        "payload_days",
        "t.payload_expired_at is null and t.finished_at is not null
            and not exists (select from outbox_events o where o.run_id = t.id and o.status = 'pending')",
    );
    let sql = format!(
        "with {over}, cleared as (
            update style_runs set payload_expired_at = now(), callback_url = null, metadata = '{{}}',
                spec = spec || '{{\"brief\": \"\", \"references\": [], \"template\": {{}}, \"variations\": []}}',
                error = case when error is not null then jsonb_set(error, '{{message}}', '\"\"') end
            where id in (select id from over) and payload_expired_at is null
            returning id
        ), candidates as (
            update style_candidates s set request = '{{}}' from cleared c where s.run_id = c.id
        ), decisions as (
            update style_decisions d set reviewer = null, notes = null, marks = '[]', variations = null
            from cleared c where d.run_id = c.id
        ), happened as (
            update outbox_events o set payload = '{{}}' from cleared c where o.run_id = c.id
        )
        select to_json(count(*)) from cleared"
    );
    pass(db, &sql, bounds.policy.payload_days, bounds).await
}
