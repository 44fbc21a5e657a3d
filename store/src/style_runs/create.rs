use domain::callback_url::CallbackUrl;
use domain::canonical::VERSION;
use domain::idempotency::IdempotencyKey;
use domain::style_run::StyleRunRequest;
use domain::trace::Trace;
use domain::{ClientId, StyleRunId};
use serde::Deserialize;
use serde_json::Value;
use tokio_postgres::types::{Json, Type};

use super::{MAKER, RUN, StyleRun};
use crate::clients::KeyHash;
use crate::{Db, Error};

/// A run to be recorded under `id`, unless its key was seen before.
pub struct NewRun<'a> {
    pub id: StyleRunId,
    pub client_key: KeyHash,
    pub idempotency_key: &'a IdempotencyKey,
    pub request: &'a StyleRunRequest,
    pub trace: Option<&'a Trace>,
}

/// What a create request, first or repeated, finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Creation {
    /// The row is new, and so is the event that starts it.
    Created(Box<StyleRun>),
    Replayed(Box<StyleRun>),
    /// The same key was here with another body.
    Conflict {
        standing: StyleRunId,
    },
    Unauthenticated,
}

#[derive(Deserialize)]
struct Answer {
    client: Option<ClientId>,
    fresh: Option<StyleRun>,
    standing: Option<Recorded>,
}

#[derive(Deserialize)]
struct Recorded {
    run: StyleRun,
    hash: String,
    version: i16,
}

/// Inserts or finds the run of (client, key), like [`crate::jobs::create`]: one statement, safe to repeat and to race.
pub async fn create(db: Db<'_>, new: &NewRun<'_>) -> Result<Creation, Error> {
    for _ in 0..3 {
        if let Some(creation) = attempt(db, new).await? {
            return Ok(creation);
        }
    }
    Err(Error::Unavailable("lost the race for an idempotency key three times".to_owned()))
}

async fn attempt(db: Db<'_>, new: &NewRun<'_>) -> Result<Option<Creation>, Error> {
    let sql = format!(
        "with {MAKER}, fresh as (
            insert into style_runs (id, client_id, idempotency_key, request_hash, hash_version, spec, callback_url,
                metadata, project, max_rounds, budget, trace)
            select $2, c.client_id, $3, $4, $5, $6, $7, $8, $9, $10, $11::text::numeric, $12
            from caller c
            on conflict (client_id, idempotency_key) do nothing
            returning *
        ), wake as (
            insert into outbox_events (event_id, run_id, kind) select id || '_start', id, 'wake' from fresh
        )
        select json_build_object(
            'client', (select client_id from caller),
            'fresh', (select {RUN} from fresh r),
            'standing', (
                select json_build_object('run', {RUN}, 'hash', encode(r.request_hash, 'hex'), 'version', r.hash_version)
                from style_runs r, caller c where r.client_id = c.client_id and r.idempotency_key = $3
            )
        )"
    );
    let request = new.request;
    let json =
        |value: serde_json::Result<Value>| value.map(Json).map_err(|error| Error::Invalid(error.to_string()));
    let answer: Answer = db
        .one(
            &sql,
            &[
                (&Some(new.client_key.bytes()), Type::BYTEA),
                (&new.id.uuid(), Type::UUID),
                (&new.idempotency_key.as_str(), Type::TEXT),
                (&&request.hash.bytes()[..], Type::BYTEA),
                (&VERSION, Type::INT2),
                (&json(serde_json::to_value(&request.spec))?, Type::JSONB),
                (&request.callback_url.as_ref().map(CallbackUrl::as_str), Type::TEXT),
                (&json(serde_json::to_value(&request.metadata))?, Type::JSONB),
                (&request.project, Type::TEXT),
                (&i32::try_from(request.max_rounds).unwrap_or(i32::MAX), Type::INT4),
                (&request.budget.map(|budget| budget.to_string()), Type::TEXT),
                (&new.trace.map(Json), Type::JSONB),
            ],
        )
        .await?;
    let hash = request.hash.to_string();
    Ok(match answer {
        Answer { client: None, .. } => Some(Creation::Unauthenticated),
        Answer { fresh: Some(run), .. } => Some(Creation::Created(Box::new(run))),
        Answer { standing: Some(standing), .. } if standing.version == VERSION && standing.hash == hash => {
            Some(Creation::Replayed(Box::new(standing.run)))
        }
        Answer { standing: Some(standing), .. } => Some(Creation::Conflict { standing: standing.run.id }),
        Answer { .. } => None,
    })
}
