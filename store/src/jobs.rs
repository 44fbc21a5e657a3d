//! Jobs: creation, reading, and the guarded transitions of their status.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::error::Failure;
use domain::generation::{Kind, Spec};
use domain::job::Status;
use domain::output::StoredOutput;
use domain::trace::{Trace, TraceId};
use domain::{ClientId, JobId, Usd};
use serde::Deserialize;
use tokio_postgres::types::Type;

use crate::clients::KeyHash;
use crate::{Db, Error};

mod create;
pub use create::{Caller, Creation, Denial, NewJob, create};
mod list;
pub use list::{Listed, Page, list};
mod finish;
pub use domain::job::Ending;
pub use finish::{Finish, finish};
mod progress;
pub use progress::{Begun, run, wait};

/// A job as it stands.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Job {
    pub id: JobId,
    pub client_id: ClientId,
    pub kind: Kind,
    pub spec: Spec,
    pub callback_url: Option<String>,
    pub metadata: BTreeMap<String, String>,
    pub project: Option<String>,
    pub trace: Option<Trace>,
    pub status: Status,
    pub waiting: Option<String>,
    pub outputs: Vec<StoredOutput>,
    pub error: Option<Failure>,
    pub lease: i64,
    pub fenced_writes: i64,
    pub deadline_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
    pub expired: Expired,
    pub spend: Spend,
}

impl Job {
    /// Of the request that made it, for the log.
    pub fn trace_id(&self) -> Option<TraceId> {
        self.trace.as_ref().map(Trace::id)
    }
}

/// Since when what a job made, and what it was asked with, is not kept any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Expired {
    pub outputs: Option<DateTime<Utc>>,
    pub payload: Option<DateTime<Utc>>,
}

/// The four numbers of a job's spend (B13).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Spend {
    /// Sum of what is known.
    pub priced: Usd,
    /// Ended attempts that nobody could price.
    pub unpriced: u32,
    /// Attempts of which nobody can tell whether they were accepted.
    pub unknown: u32,
    /// What attempts without a price may cost at worst, as far as a rate is known.
    pub reserved: Usd,
}

/// `j` as [`Job`]. Money leaves as text, so that no reader makes a float of it.
pub(crate) const JOB: &str = "json_build_object(
    'id', j.id, 'client_id', j.client_id, 'kind', j.kind, 'spec', j.spec, 'callback_url', j.callback_url,
    'metadata', j.metadata, 'project', j.project, 'trace', j.trace, 'status', j.status, 'waiting', j.waiting, 'outputs', j.outputs,
    'error', j.error, 'lease', j.lease, 'fenced_writes', j.fenced_writes, 'deadline_at', j.deadline_at,
    'created_at', j.created_at, 'started_at', j.started_at, 'finished_at', j.finished_at,
    'expired', json_build_object('outputs', j.outputs_expired_at, 'payload', j.payload_expired_at),
    'spend', (
        select json_build_object(
            'priced', coalesce(sum(a.cost), 0)::text,
            'unpriced', count(*) filter (where a.cost is null and a.state in ('succeeded', 'failed', 'abandoned')),
            'unknown', count(*) filter (where a.cost is null and a.state = 'unknown'),
            'reserved', coalesce(sum(a.reserved) filter (where a.cost is null), 0)::text
        )
        from attempts a where a.job_id = j.id
    )
)";

/// What a client's question about one of its jobs found.
#[derive(Clone, Debug, PartialEq)]
pub enum Found<T> {
    Found(T),
    /// No such job, or another client's: the answer is the same.
    NotFound,
    /// The key is unknown, has ended, or lacks the scope; [`crate::clients::standing`] tells which.
    Unauthenticated,
}

#[derive(Deserialize)]
pub(crate) struct Scoped<T> {
    client: Option<ClientId>,
    found: Option<T>,
}

impl<T> From<Scoped<T>> for Found<T> {
    fn from(scoped: Scoped<T>) -> Self {
        match (scoped.client, scoped.found) {
            (None, _) => Self::Unauthenticated,
            (Some(_), None) => Self::NotFound,
            (Some(_), Some(found)) => Self::Found(found),
        }
    }
}

/// The client behind a key that is good for a scope: live, and of a client that is not disabled; `$1` is the key's hash.
macro_rules! key_holder {
    ($scope:literal) => {
        concat!(
            "select k.client_id from client_keys k join clients c on c.id = k.client_id
            where k.hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
                and c.disabled_at is null and '",
            $scope,
            "' = any (k.scopes)"
        )
    };
}
pub(crate) use key_holder;

/// The first CTE of every statement that a caller's request leads to.
macro_rules! caller {
    ($scope:literal) => {
        concat!("caller as (", key_holder!($scope), ")")
    };
}

/// Who may read what is its own.
pub(crate) const CALLER: &str = caller!("read");

/// Who may change what is its own.
pub(crate) const MAKER: &str = caller!("generate");

/// A client's own job, to be read.
pub async fn find(db: Db<'_>, key: KeyHash, job: JobId) -> Result<Found<Job>, Error> {
    own(db, CALLER, key, job).await
}

/// How a client's own job stands, and nothing else of it.
pub async fn status(db: Db<'_>, key: KeyHash, job: JobId) -> Result<Found<Status>, Error> {
    let sql = format!(
        "with {CALLER}
        select json_build_object(
            'client', (select client_id from caller),
            'found', (select j.status from jobs j, caller c where j.id = $2 and j.client_id = c.client_id)
        )"
    );
    let scoped: Scoped<Status> =
        db.one(&sql, &[(&key.bytes(), Type::BYTEA), (&job.uuid(), Type::UUID)]).await?;
    Ok(scoped.into())
}

/// A client's own job, to be changed.
pub async fn find_to_change(db: Db<'_>, key: KeyHash, job: JobId) -> Result<Found<Job>, Error> {
    own(db, MAKER, key, job).await
}

async fn own(db: Db<'_>, caller: &str, key: KeyHash, job: JobId) -> Result<Found<Job>, Error> {
    let sql = format!(
        "with {caller}
        select json_build_object(
            'client', (select client_id from caller),
            'found', (select {JOB} from jobs j, caller c where j.id = $2 and j.client_id = c.client_id)
        )"
    );
    let scoped: Scoped<Job> = db.one(&sql, &[(&key.bytes(), Type::BYTEA), (&job.uuid(), Type::UUID)]).await?;
    Ok(scoped.into())
}

/// Any job, for AFC itself; `None` if there is none.
pub async fn get(db: Db<'_>, job: JobId) -> Result<Option<Job>, Error> {
    let sql = format!("select to_json((select {JOB} from jobs j where j.id = $1))");
    db.one(&sql, &[(&job.uuid(), Type::UUID)]).await
}
