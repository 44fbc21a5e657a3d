//! Reading the journal.

use domain::JobId;
use domain::attempt::{Attempt, Cost, Usage};
use tokio_postgres::types::Type;

use crate::clients::KeyHash;
use crate::jobs::{CALLER, Found, Scoped};
use crate::{Db, Error};

/// `a` as [`Attempt`].
pub(crate) const ATTEMPT: &str = "json_build_object(
    'id', a.id, 'ordinal', a.ordinal, 'chain_index', a.chain_index, 'provider', a.provider, 'model', a.model,
    'lease', a.lease, 'state', a.state, 'provider_request_id', a.provider_request_id, 'captured', a.captured,
    'error', case when a.error_class is not null then json_build_object(
        'class', a.error_class, 'code', a.error_code, 'message', coalesce(a.error_message, ''),
        'retry_after_seconds', a.retry_after_seconds) end,
    'started_at', a.started_at, 'accepted_at', a.accepted_at, 'finished_at', a.finished_at,
    'usage', case when a.usage_units is not null then json_build_object(
        'units', a.usage_units::text, 'unit', a.usage_unit) end,
    'cost', case when a.cost is not null then json_build_object(
        'amount', a.cost::text, 'source', a.cost_source, 'rates', a.rates_version) end,
    'reserved', a.reserved::text,
    'looks', json_build_object('count', a.looks, 'last_at', a.looked_at, 'next_at', a.next_look_at)
)";

/// What attempts `written` may still cost, against `before`, moves their jobs' `committed` along; for a `with` list.
pub(crate) const MOVED: &str = "moved as (
    update jobs j set updated_at = now(), committed = j.committed + w.committed - b.committed
    from written w, before b where j.id = w.job_id
)";

/// What was used and what it cost, as the columns have it: units, unit, amount, source, version of the rates.
pub(crate) fn columns(usage: Option<&Usage>, cost: Option<&Cost>) -> [Option<String>; 5] {
    [
        usage.map(|usage| usage.units.to_string()),
        usage.map(|usage| usage.unit.as_str().to_owned()),
        cost.map(|cost| cost.amount.to_string()),
        cost.map(|cost| cost.source.as_str().to_owned()),
        cost.and_then(|cost| cost.rates.clone()),
    ]
}

/// All attempts of a client's own job, of whichever process and whoever won (B4), in the order they were opened.
pub async fn list(db: Db<'_>, key: KeyHash, job: JobId) -> Result<Found<Vec<Attempt>>, Error> {
    let sql = format!(
        "with {CALLER}
        select json_build_object(
            'client', (select client_id from caller),
            'found', (
                select coalesce((select json_agg({ATTEMPT} order by a.ordinal) from attempts a where a.job_id = j.id), '[]')
                from jobs j, caller c where j.id = $2 and j.client_id = c.client_id
            )
        )"
    );
    let scoped: Scoped<Vec<Attempt>> =
        db.one(&sql, &[(&key.bytes(), Type::BYTEA), (&job.uuid(), Type::UUID)]).await?;
    Ok(scoped.into())
}

/// All attempts of any job, for AFC itself.
pub async fn of_job(db: Db<'_>, job: JobId) -> Result<Vec<Attempt>, Error> {
    let sql = format!(
        "select coalesce(json_agg({ATTEMPT} order by a.ordinal), '[]') from attempts a where a.job_id = $1"
    );
    db.one(&sql, &[(&job.uuid(), Type::UUID)]).await
}
