//! Writing the journal (B1), fenced by the lease (B8).
//!
//! Every write locks the job's row and compares the lease under that lock. So a write either commits before a newer
//! process takes the lease, which then reads it, or it finds the newer lease and is refused and counted.

use domain::attempt::{Attempt, AttemptError, NEVER_ARRIVED, State, UNREACHABLE};
use domain::budget::Period;
use domain::job::Status;
use domain::journal::{Entry, EntryAnswer, Open, Refusal};
use domain::timing::Timing;
use domain::{AttemptId, JobId, Usd};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_postgres::types::{Json, Type};

use crate::attempts::{MOVED, columns};
use crate::db::Param;
use crate::{Db, Error, attempts, gates, unknown};

/// What taking the lease finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Lease {
    /// `ended` is set when the job has ended and one of its attempts is still open (B4).
    Granted {
        lease: i64,
        attempts: Vec<Attempt>,
        ended: Option<Status>,
    },
    /// The job has ended and left nothing open.
    Ended(Status),
    Missing,
}

#[derive(Deserialize)]
struct Taken {
    lease: Option<i64>,
    status: Option<Status>,
}

/// Takes the job's lease for a new process and reads the journal.
///
/// Repeating it takes another lease and fences off the first: harmless, since the caller of a lost answer has not
/// begun. Two statements: the journal must be read after the lease is committed, or a write that raced with it would
/// be missed.
pub async fn take_lease(db: Db<'_>, job: JobId) -> Result<Lease, Error> {
    let sql = "with taken as (
            update jobs set lease = lease + 1, updated_at = now()
            where id = $1 and (
                status in ('queued', 'running', 'waiting')
                or exists (select from attempts a where a.job_id = $1 and a.state in ('open', 'accepted'))
            )
            returning lease, status
        )
        select json_build_object(
            'lease', (select lease from taken),
            'status', coalesce((select status from taken), (select status from jobs where id = $1))
        )";
    let taken: Taken = db.one(sql, &[(&job.uuid(), Type::UUID)]).await?;
    match taken {
        Taken { lease: Some(lease), status } => {
            let ended = status.filter(|status| status.is_terminal());
            Ok(Lease::Granted { lease, attempts: attempts::of_job(db, job).await?, ended })
        }
        Taken { status: Some(_), .. } => {
            // Ended, perhaps while the statement waited for the row: what stands is read anew.
            let standing = crate::jobs::get(db, job).await?;
            Ok(standing.map_or(Lease::Missing, |job| Lease::Ended(job.status)))
        }
        Taken { .. } => Ok(Lease::Missing),
    }
}

/// What opening an attempt finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// The row is committed, now or by an earlier sending of the same id.
    Opened {
        ordinal: u32,
    },
    Refused(Refusal),
}

#[derive(Deserialize)]
struct Opened {
    ordinal: Option<u32>,
    job: Option<Bounds>,
    /// The job's own bounds allowed it.
    held: bool,
    /// The client's budgets did not.
    purse: Option<Purse>,
    gate: Option<gates::Shut>,
}

/// What `budget_refusal` says.
#[derive(Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
enum Purse {
    Busy { retry_after_ms: Option<i64> },
    Exceeded { period: Period },
    Unpriceable,
}

impl Purse {
    fn refusal(&self) -> Refusal {
        match self {
            Self::Busy { retry_after_ms } => Refusal::BudgetBusy {
                retry_after_ms: retry_after_ms.and_then(|left| u64::try_from(left).ok()),
            },
            Self::Exceeded { period } => Refusal::BudgetExceeded { period: *period },
            Self::Unpriceable => Refusal::Unpriceable,
        }
    }
}

/// What bounded an open, as the refused statement saw it.
#[derive(Deserialize)]
struct Bounds {
    lease: i64,
    status: Status,
    paid_calls: u32,
    max_paid_calls: u32,
    max_cost: Option<Usd>,
}

/// Commits an attempt before its first byte is sent, if the job's bounds allow one more (B5), it fits into the client's
/// budgets (B13) and the provider's gate lets it pass. A job that only a budget or the gate holds up is shown as waiting
/// for it.
///
/// Safe to repeat with the same attempt id: the row that stands is found and nothing is counted again.
pub async fn open(
    db: Db<'_>,
    job: JobId,
    lease: i64,
    open: &Open,
    timing: &Timing,
) -> Result<Opening, Error> {
    let sql = format!(
        "with standing as (
            select ordinal from attempts where id = $3 and job_id = $1
        ), held as (
            select id, client_id, deadline_at from jobs
            where id = $1 and lease = $2 and status in ('queued', 'running', 'waiting')
                and paid_calls < max_paid_calls
                and (max_cost is null or committed + $8::text::numeric <= max_cost)
                and not exists (select from standing)
            for update
        ), purse as materialized (
            select budget_refusal(h.client_id, $8::text::numeric, h.deadline_at) as refusal from held h
        ), {pass}, slot as (
            update jobs j
            set paid_calls = j.paid_calls + 1, committed = j.committed + coalesce($8::text::numeric, 0),
                status = case j.status when 'waiting' then 'running' else j.status end, waiting = null, updated_at = now()
            from held, gate where j.id = held.id
            returning j.paid_calls
        ), shut as (
            update jobs j
            set status = 'waiting', waiting = coalesce((select 'the budget of the ' || (p.refusal ->> 'period')
                    || ' is used up or reserved' from purse p where p.refusal is not null), (select 'the breaker of ' || $5 || ' is open: ' || g.breaker_cause
                from provider_gates g where g.provider = $5 and g.breaker_cause is not null), $5 || ' is busy'),
                updated_at = now()
            from held where j.id = held.id and not exists (select from gate)
                and not exists (select from purse p where p.refusal ->> 'why' <> 'busy')
        ), tallied as (
            insert into tallies as t (name, label, total)
            select case when p.refusal is null then 'gate_refusals' else 'budget_refusals' end,
                coalesce(p.refusal ->> 'why', $5), 1
            from purse p where not exists (select from gate)
            on conflict (name, label) do update set total = t.total + 1
        ), opened as (
            insert into attempts (id, job_id, ordinal, chain_index, provider, model, request, lease, reserved)
            select $3, $1, paid_calls, $4, $5, $6, $7, $2, $8::text::numeric from slot
            returning ordinal
        )
        select json_build_object(
            'ordinal', coalesce((select ordinal from opened), (select ordinal from standing)),
            'job', (select json_build_object('lease', j.lease, 'status', j.status, 'paid_calls', j.paid_calls,
                'max_paid_calls', j.max_paid_calls, 'max_cost', j.max_cost::text) from jobs j where j.id = $1),
            'held', exists (select from held),
            'purse', (select refusal from purse),
            'gate', {shut}
        )",
        pass = gates::PASS,
        shut = gates::SHUT
    );
    let probe_ms = i64::try_from(timing.breaker_unavailable_ms).unwrap_or(i64::MAX);
    let opened: Opened = db
        .one(
            &sql,
            &[
                (&job.uuid(), Type::UUID),
                (&lease, Type::INT8),
                (&open.attempt.uuid(), Type::UUID),
                (&i32::try_from(open.chain_index).unwrap_or(i32::MAX), Type::INT4),
                (&open.provider.as_str(), Type::TEXT),
                (&open.model, Type::TEXT),
                (&Json(&open.request), Type::JSONB),
                (&open.reserved.map(|reserved| reserved.to_string()), Type::TEXT),
                (&probe_ms, Type::INT8),
            ],
        )
        .await?;
    let refusal = match (opened.ordinal, opened.job) {
        (_, None) => return Err(Error::Invalid(format!("no job {job}"))),
        (Some(ordinal), Some(bounds)) if bounds.lease == lease => return Ok(Opening::Opened { ordinal }),
        (None, Some(_)) if opened.held => {
            opened.purse.map_or_else(|| opened.gate.unwrap_or_default().refusal(), |purse| purse.refusal())
        }
        (_, Some(bounds)) => refusal(&bounds, lease, open),
    };
    if refusal == Refusal::StaleLease {
        count_fenced(db, job).await?;
    }
    Ok(Opening::Refused(refusal))
}

fn refusal(bounds: &Bounds, lease: i64, open: &Open) -> Refusal {
    if bounds.lease != lease {
        Refusal::StaleLease
    } else if bounds.status.is_terminal() {
        Refusal::JobEnded { status: bounds.status }
    } else if bounds.paid_calls >= bounds.max_paid_calls {
        Refusal::PaidCallsExhausted
    } else if bounds.max_cost.is_some() && open.reserved.is_none() {
        Refusal::Unpriceable
    } else if bounds.max_cost.is_some() {
        Refusal::MaxCostReached
    } else {
        // Nothing in the snapshot forbids it, so the row changed while the statement waited for it. The lease is the
        // only bound that another process moves; the caller stops, which is always safe.
        Refusal::StaleLease
    }
}

/// Records a fact about an attempt. Safe to repeat: an outcome that stands is not replaced (A44).
pub async fn record(
    db: Db<'_>,
    job: JobId,
    lease: i64,
    attempt: AttemptId,
    entry: &Entry,
    timing: &Timing,
) -> Result<EntryAnswer, Error> {
    let answer: Written = match entry {
        Entry::Accepted { provider_request_id, captured } => {
            let captured = Json::<Value>(json!(captured));
            let set = "state = 'accepted', provider_request_id = $4, captured = $5,
                accepted_at = coalesce(a.accepted_at, now()), error_class = null, error_code = null, error_message = null
                where (a.state in ('open', 'unknown') or (a.state = 'accepted' and a.provider_request_id = $4))
                    and not exists (select from attempts o
                        where o.job_id = a.job_id and o.id <> a.id and o.provider_request_id = $4)";
            write(
                db,
                timing,
                set,
                job,
                lease,
                attempt,
                &[(provider_request_id, Type::TEXT), (&captured, Type::JSONB)],
            )
            .await?
        }
        Entry::Succeeded => end(db, timing, job, lease, attempt, State::Succeeded, None).await?,
        Entry::Unknown { error } => end(db, timing, job, lease, attempt, State::Unknown, Some(error)).await?,
        Entry::Failed { error } => end(db, timing, job, lease, attempt, State::Failed, Some(error)).await?,
        Entry::Abandoned { error } => {
            end(db, timing, job, lease, attempt, State::Abandoned, Some(error)).await?
        }
        Entry::Settled { usage, cost } => {
            let [units, unit, amount, source, rates] = columns(usage.as_ref(), cost.as_ref());
            let set = "usage_units = coalesce($4::text::numeric, a.usage_units), usage_unit = coalesce($5, a.usage_unit),
                cost = coalesce($6::text::numeric, a.cost), cost_source = coalesce($7, a.cost_source),
                rates_version = case when $7::text is null then a.rates_version else $8 end
                where not ($7::text is not distinct from 'local' and a.error_code is not distinct from $9
                    and a.provider_request_id is not null)";
            let params: [Param<'_>; 6] = [
                (&units, Type::TEXT),
                (&unit, Type::TEXT),
                (&amount, Type::TEXT),
                (&source, Type::TEXT),
                (&rates, Type::TEXT),
                (&NEVER_ARRIVED, Type::TEXT),
            ];
            write(db, timing, set, job, lease, attempt, &params).await?
        }
    };
    match answer {
        Written { changed: true, .. } => Ok(EntryAnswer::Written),
        Written { exists: false, .. } => Ok(EntryAnswer::NoSuchAttempt),
        Written { held: true, .. } => Ok(EntryAnswer::Unchanged),
        Written { .. } => {
            // The process must stop, and what the provider told it is true all the same: without it the call would be
            // paid and stand nowhere (B4).
            if let Entry::Accepted { provider_request_id, captured } = entry {
                unknown::report(db, attempt, provider_request_id, captured).await?;
            }
            count_fenced(db, job).await?;
            Ok(EntryAnswer::StaleLease)
        }
    }
}

#[derive(Deserialize)]
struct Written {
    /// The caller's lease is the current one.
    held: bool,
    exists: bool,
    changed: bool,
}

async fn end(
    db: Db<'_>,
    timing: &Timing,
    job: JobId,
    lease: i64,
    attempt: AttemptId,
    state: State,
    error: Option<&AttemptError>,
) -> Result<Written, Error> {
    // What is not known of an attempt does not replace what has been made known meanwhile, unless it is where to ask; and
    // that a provider did not know it does not replace its acceptance.
    let set = "state = $4, error_class = $5, error_code = $6, error_message = $7, retry_after_seconds = $8,
        finished_at = case when $4 = 'unknown' then null else now() end
        where (a.state in ('open', 'unknown') or (a.state = 'accepted' and ($5::text is distinct from 'unknown' or $6 = $10)
            and $6::text is distinct from $9))";
    let retry_after =
        error.and_then(|error| error.retry_after_seconds).and_then(|seconds| i32::try_from(seconds).ok());
    let params: [Param<'_>; 7] = [
        (&state.as_str(), Type::TEXT),
        (&error.map(|error| error.class.as_str()), Type::TEXT),
        (&error.and_then(|error| error.code.as_deref()), Type::TEXT),
        (&error.map(|error| error.message.as_str()), Type::TEXT),
        (&retry_after, Type::INT4),
        (&NEVER_ARRIVED, Type::TEXT),
        (&UNREACHABLE, Type::TEXT),
    ];
    write(db, timing, set, job, lease, attempt, &params).await
}

/// One fenced write. What the attempt may still cost (its price, else its reservation) moves the job's `committed`
/// along in the same statement, so the sum is right after any number of repeats.
async fn write(
    db: Db<'_>,
    timing: &Timing,
    set: &str,
    job: JobId,
    lease: i64,
    attempt: AttemptId,
    more: &[Param<'_>],
) -> Result<Written, Error> {
    let sql = format!(
        "with held as (
            select id from jobs where id = $1 and lease = $2 for update
        ), before as (
            select b.id, b.state, coalesce(b.cost, b.reserved, 0) as committed
            from attempts b, held where b.id = $3 and b.job_id = held.id for update of b
        ), written as (
            update attempts a set {set} and a.id = (select id from before)
            returning a.id, a.job_id, a.provider, a.state, a.error_class, coalesce(a.cost, a.reserved, 0) as committed
        ), {feed}, {MOVED}
        select json_build_object(
            'held', exists (select from held),
            'exists', exists (select from attempts where id = $3 and job_id = $1),
            'changed', exists (select from written)
        )",
        feed = gates::feed(timing)
    );
    let (job, attempt) = (job.uuid(), attempt.uuid());
    let mut params: Vec<Param<'_>> = vec![(&job, Type::UUID), (&lease, Type::INT8), (&attempt, Type::UUID)];
    params.extend(more.iter().cloned());
    db.one(&sql, &params).await
}

async fn count_fenced(db: Db<'_>, job: JobId) -> Result<(), Error> {
    let sql =
        "with counted as (update jobs set fenced_writes = fenced_writes + 1 where id = $1 returning id),
        tallied as (
            insert into tallies as t (name, label, total) select 'fenced_writes', '', 1 from counted
            on conflict (name, label) do update set total = t.total + 1
        )
        select to_json(exists (select from counted))";
    let _: bool = db.one(sql, &[(&job.uuid(), Type::UUID)]).await?;
    Ok(())
}
