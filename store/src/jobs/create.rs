use domain::budget::Period;
use domain::callback_url::CallbackUrl;
use domain::canonical::{RequestHash, VERSION};
use domain::generation::{GenerationRequest, Spec};
use domain::idempotency::IdempotencyKey;
use domain::inputs::{Origin, Unusable};
use domain::label::{Label, labels};
use domain::trace::Trace;
use domain::{ClientId, JobId, StyleRunId, Usd};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_postgres::types::{Json, Type};
use uuid::Uuid;

use super::{JOB, Job, MAKER};
use crate::clients::KeyHash;
use crate::db::Param;
use crate::{Db, Error};

/// Who asks for a job.
#[derive(Clone, Copy, Debug)]
pub enum Caller {
    /// A client, by its key.
    Key(KeyHash),
    /// A style run, for its client.
    Run(StyleRunId),
}

/// A request to be recorded under `id`, unless its key was seen before.
pub struct NewJob<'a> {
    pub id: JobId,
    pub caller: Caller,
    pub idempotency_key: &'a IdempotencyKey,
    pub request: &'a GenerationRequest,
    /// The worst case of the first call; `None` if its model has no rate.
    pub first_call: Option<Usd>,
    /// Of the request; a repeat changes nothing of the first one's.
    pub trace: Option<&'a Trace>,
}

/// What a create request, first or repeated, finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Creation {
    /// The row is new, and so is the wish to start it (A8, B9).
    Created(Box<Job>),
    /// The same key and body were here before (A6).
    Replayed(Box<Job>),
    /// The same key was here with another body.
    Conflict {
        standing: JobId,
    },
    /// The client's limits do not allow it; nothing was recorded.
    Denied(Denial),
    /// It is to be made from what the client does not have, or not now.
    Unusable(Vec<(usize, Unusable)>),
    Unauthenticated,
}

/// Why a client may not create another generation now. No replay is denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    TooManyOpen,
    RateLimited {
        retry_after_ms: u64,
    },
    /// The first call does not fit, and will not before the deadline.
    BudgetExceeded {
        period: Period,
    },
    /// There is a budget, and the first model has no rate.
    Unpriceable,
}

/// Inserts or finds the job of (client, key), in one statement and one round trip.
///
/// Safe to repeat: the second call finds the first one's row. Two at once make one row, since the insert does
/// nothing on conflict (A7). The loser of such a race may see neither its own row nor the winner's, which was
/// committed after its snapshot; it then runs the same statement again, which by now finds the row. (A plain SELECT
/// would do too, but a cache in between could answer it with "nothing": F2.)
///
/// A client's limits are asked in the same statement, and only for what is no replay (`admission` in the migrations).
pub async fn create(db: Db<'_>, new: &NewJob<'_>) -> Result<Creation, Error> {
    // The winner is visible to the second run; the third is for a winner that rolled back and another that came.
    for _ in 0..3 {
        if let Some(creation) = attempt(db, new).await? {
            return Ok(creation);
        }
    }
    Err(Error::Unavailable("lost the race for an idempotency key three times".to_owned()))
}

#[derive(Deserialize)]
struct Answer {
    client: Option<ClientId>,
    denied: Option<Denied>,
    fresh: Option<Job>,
    standing: Option<Standing>,
    wrong: Vec<(usize, Unusable)>,
}

#[derive(Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
enum Denied {
    /// The key has a generation by now: the next run finds it.
    Standing,
    TooManyOpen,
    RateLimited {
        retry_after_ms: u64,
    },
    Exceeded {
        period: Period,
    },
    Unpriceable,
}

#[derive(Deserialize)]
struct Standing {
    job: Job,
    hash: String,
    version: i16,
}

async fn attempt(db: Db<'_>, new: &NewJob<'_>) -> Result<Option<Creation>, Error> {
    let named = named(&new.request.spec);
    let sql = format!(
        "/* jobs.create */ with {caller}, {wrong}, admitted as materialized (
            select c.client_id, case when {limited} then
                admission(c.client_id, $3, $14::text::numeric, now() + $13::integer * interval '1 second')
            end as denied
            from caller c join clients k on k.id = c.client_id
            where not exists (select from jobs j where j.client_id = c.client_id and j.idempotency_key = $3)
                and not exists (select from wrong)
        ), fresh as (
            insert into jobs (id, client_id, idempotency_key, request_hash, hash_version, kind, spec, callback_url,
                metadata, project, max_paid_calls, max_cost, deadline_at, trace)
            select $2, c.client_id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::text::numeric,
                now() + $13::integer * interval '1 second', $17
            from admitted c where c.denied is null
            on conflict (client_id, idempotency_key) do nothing
            returning *
        ), wish as (
            insert into outbox (kind, job_id) select 'start_generation', id from fresh
        ), labelled as (
            insert into job_labels (client_id, label, created_at, job_id)
            select f.client_id, l.label, f.created_at, f.id from fresh f, unnest($15::uuid[]) as l (label)
        )
        select json_build_object(
            'client', (select client_id from caller),
            'denied', (select denied from admitted),
            'fresh', (select {JOB} from fresh j),
            'standing', (
                select json_build_object('job', {JOB}, 'hash', encode(j.request_hash, 'hex'), 'version', j.hash_version)
                from jobs j, caller c where j.client_id = c.client_id and j.idempotency_key = $3
            ),
            'wrong', (select coalesce(json_agg(json_build_array(at, why) order by at), '[]') from wrong)
        )",
        caller = match new.caller {
            Caller::Key(_) => MAKER,
            Caller::Run(_) => "caller as (select r.client_id from style_runs r where r.id = $1)",
        },
        wrong = if named.is_empty() { NOTHING_WRONG } else { WRONG },
        limited = match new.caller {
            Caller::Key(_) => {
                "coalesce(k.max_open, k.creates_per_minute) is not null
                    or coalesce(k.budget_day, k.budget_month) is not null"
            }
            // A run goes on with what it was admitted for; budgets hold when its generations call.
            Caller::Run(_) => "false",
        }
    );
    let (hash, run);
    let caller: Param<'_> = match &new.caller {
        Caller::Key(key) => {
            hash = key.bytes();
            (&hash, Type::BYTEA)
        }
        Caller::Run(id) => {
            run = id.uuid();
            (&run, Type::UUID)
        }
    };
    let request = new.request;
    let policy = &request.spec.policy;
    let spec = serde_json::to_value(&request.spec).map_err(|error| Error::Invalid(error.to_string()))?;
    let metadata =
        serde_json::to_value(&request.metadata).map_err(|error| Error::Invalid(error.to_string()))?;
    let labels: Vec<Uuid> = labels(request).into_iter().map(Label::uuid).collect();
    let answer: Answer = db
        .one(
            &sql,
            &[
                caller,
                (&new.id.uuid(), Type::UUID),
                (&new.idempotency_key.as_str(), Type::TEXT),
                (&&request.hash.bytes()[..], Type::BYTEA),
                (&VERSION, Type::INT2),
                (&request.spec.kind.as_str(), Type::TEXT),
                (&Json::<Value>(spec), Type::JSONB),
                (&request.callback_url.as_ref().map(CallbackUrl::as_str), Type::TEXT),
                (&Json::<Value>(metadata), Type::JSONB),
                (&request.project, Type::TEXT),
                (&i32::try_from(policy.max_paid_calls).unwrap_or(i32::MAX), Type::INT4),
                (&policy.max_cost.map(|cost| cost.to_string()), Type::TEXT),
                (&i32::try_from(request.deadline_seconds).unwrap_or(i32::MAX), Type::INT4),
                (&new.first_call.map(|cost| cost.to_string()), Type::TEXT),
                (&labels, Type::UUID_ARRAY),
                (&Json::<Value>(named.into()), Type::JSONB),
                (&new.trace.map(Json), Type::JSONB),
            ],
        )
        .await?;
    Ok(judge(answer, request.hash))
}

/// The hash is compared here, after any race, with what stands (A7). A row written under another version of the hash
/// cannot be compared and is taken for a conflict: a caller is never given another request's result.
fn judge(answer: Answer, hash: RequestHash) -> Option<Creation> {
    match answer {
        Answer { client: None, .. } => Some(Creation::Unauthenticated),
        Answer { fresh: Some(job), .. } => Some(Creation::Created(Box::new(job))),
        Answer { standing: Some(standing), .. }
            if standing.version == VERSION && standing.hash == hash.to_string() =>
        {
            Some(Creation::Replayed(Box::new(standing.job)))
        }
        Answer { standing: Some(standing), .. } => Some(Creation::Conflict { standing: standing.job.id }),
        Answer { denied: Some(denied), .. } => match denied {
            Denied::Standing => None,
            Denied::TooManyOpen => Some(Creation::Denied(Denial::TooManyOpen)),
            Denied::RateLimited { retry_after_ms } => {
                Some(Creation::Denied(Denial::RateLimited { retry_after_ms }))
            }
            Denied::Exceeded { period } => Some(Creation::Denied(Denial::BudgetExceeded { period })),
            Denied::Unpriceable => Some(Creation::Denied(Denial::Unpriceable)),
        },
        // Only a first request is held to it: what was recorded stands, whatever became of its inputs since (A6).
        Answer { wrong, .. } if !wrong.is_empty() => Some(Creation::Unusable(wrong)),
        Answer { .. } => None,
    }
}

/// The media that the client does not have, with their places in the request (`$16`). Somebody else's and nobody's are the
/// same.
const WRONG: &str = "named as (
        select * from jsonb_to_recordset($16) as n(at integer, input uuid, generation uuid, output integer)
    ), wrong as (
        select w.at, w.why from (
            select n.at, case
                when n.input is not null then case
                    when i.id is null then 'unknown_input'
                    when i.expires_at <= now() then 'expired_input'
                end
                when g.id is null then 'unknown_generation'
                when g.status in ('queued', 'running', 'waiting') then 'unfinished_generation'
                when g.status <> 'succeeded' then 'failed_generation'
                when n.output >= jsonb_array_length(g.outputs) then 'unknown_output'
                when g.outputs_state <> 'kept' then 'expired_output'
            end as why
            from named n
            left join inputs i
                on i.id = n.input and i.state = 'stored' and i.client_id = (select client_id from caller)
            left join jobs g on g.id = n.generation and g.client_id = (select client_id from caller)
        ) w
        where w.why is not null
    )";

/// The same of a request that names none: most do, and to plan [`WRONG`] is a quarter of what their create costs.
const NOTHING_WRONG: &str = "wrong as (select null::integer as at, null::text as why where false)";

/// What of the input is the client's own and with us.
fn named(spec: &Spec) -> Vec<Value> {
    let media = spec.input.media.iter().enumerate();
    let named = media.filter_map(|(at, medium)| match &medium.origin {
        Origin::Input { input } => Some(json!({"at": at, "input": input})),
        Origin::Generation { generation, output } => {
            Some(json!({"at": at, "generation": generation, "output": output}))
        }
        Origin::Url { .. } => None,
    });
    named.collect()
}
