//! Later looks at attempts whose fate or price was not known when they ended.
//!
//! Which attempts want one, and from when on, is the database's to say (`wants_look`), since their ends are written in
//! several places. A look is used up when it is claimed: one that is lost is followed by the next, and there are only so
//! many.

use domain::attempt::{Attempt, Cost, NEVER_ARRIVED, Usage};
use domain::provider::Provider;
use domain::timing::look_delays_ms;
use domain::{AttemptId, JobId};
use serde::Deserialize;
use serde_json::Value;
use tokio_postgres::types::Type;

use crate::attempts::{ATTEMPT, MOVED, columns};
use crate::{Db, Error};

/// A look that its caller has to carry out.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Due {
    pub job: JobId,
    /// As it stood when it was claimed.
    pub attempt: Attempt,
    /// The body of its submit.
    pub request: Value,
    /// The provider's names of the job's other calls.
    pub others: Vec<String>,
}

/// Claims at most `limit` looks that are due, the longest due first. `look_second_ms` is
/// [`domain::timing::Timing::look_second_ms`].
///
/// Two callers beside each other never claim the same one. An attempt that nothing can be asked about (no request id, and
/// its provider cannot be searched) is taken off the list instead.
pub async fn claim(db: Db<'_>, look_second_ms: u64, limit: i64) -> Result<Vec<Due>, Error> {
    let sql = format!(
        "with due as (
            select id, provider_request_id is not null or provider = any ($3) as possible from attempts
            where next_look_at <= now() order by next_look_at limit $1 for update skip locked
        ), claimed as (
            update attempts a
            set looks = a.looks + d.possible::integer,
                looked_at = case when d.possible then now() else a.looked_at end,
                next_look_at = case when d.possible then now() + ($2::bigint[])[a.looks + 1] * interval '1 millisecond' end
            from due d where a.id = d.id
            returning a.*, d.possible
        )
        select coalesce(json_agg(json_build_object('job', a.job_id, 'attempt', {ATTEMPT}, 'request', a.request,
            'others', (select coalesce(json_agg(o.provider_request_id), '[]') from attempts o
                where o.job_id = a.job_id and o.id <> a.id and o.provider_request_id is not null))
            order by a.started_at), '[]')
        from claimed a where a.possible"
    );
    let delays: Vec<i64> = look_delays_ms(look_second_ms).into_iter().map(clamped).collect();
    let searchable: Vec<&str> =
        Provider::ALL.into_iter().filter(|one| one.is_searchable()).map(Provider::as_str).collect();
    db.one(&sql, &[(&limit, Type::INT8), (&delays, Type::INT8_ARRAY), (&searchable, Type::TEXT_ARRAY)]).await
}

fn clamped(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

/// Writes down what an ended attempt used and cost, as the provider says now. Answers whether it was news: a price that
/// stands is not replaced, so the sums that follow from it move once, in the day that the attempt belongs to.
///
/// Not under a lease: like [`crate::unknown::report`] it is the provider's word, and changes no outcome (A44).
pub async fn settle(
    db: Db<'_>,
    attempt: AttemptId,
    usage: Option<&Usage>,
    cost: Option<&Cost>,
) -> Result<bool, Error> {
    let sql = format!(
        "with job as (
            select j.id from jobs j join attempts a on a.job_id = j.id where a.id = $1 for update of j
        ), before as (
            select b.id, coalesce(b.cost, b.reserved, 0) as committed from attempts b, job
            where b.id = $1 for update of b
        ), written as (
            update attempts a
            set usage_units = coalesce($2::text::numeric, a.usage_units), usage_unit = coalesce($3, a.usage_unit),
                cost = $4::text::numeric, cost_source = $5, rates_version = $6
            from before where a.id = before.id and a.state in ('succeeded', 'failed', 'abandoned') and a.cost is null
                and ($4::text is not null or (a.usage_units is null and $2::text is not null))
                and not (a.error_code is not distinct from $7 and a.provider_request_id is null)
            returning a.job_id, coalesce(a.cost, a.reserved, 0) as committed
        ), {MOVED}, event as (
            insert into events (job_id, type, data)
            select job_id, 'attempt.settled', json_build_object('attempt', $1, 'cost', $4, 'source', $5) from written
        )
        select to_json(exists (select from written))"
    );
    let [units, unit, amount, source, rates] = columns(usage, cost);
    db.one(
        &sql,
        &[
            (&attempt.uuid(), Type::UUID),
            (&units, Type::TEXT),
            (&unit, Type::TEXT),
            (&amount, Type::TEXT),
            (&source, Type::TEXT),
            (&rates, Type::TEXT),
            (&NEVER_ARRIVED, Type::TEXT),
        ],
    )
    .await
}
