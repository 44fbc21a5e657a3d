//! What happened to a job, from the rows that stand.

use domain::JobId;
use domain::job::Status;
use domain::timeline::History;
use serde::Deserialize;
use tokio_postgres::types::Type;

use crate::clients::KeyHash;
use crate::jobs::{CALLER, Found, Scoped};
use crate::{Db, Error};

/// A job's history and how the job stood in the same moment.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Told {
    pub status: Status,
    #[serde(flatten)]
    pub history: History,
}

/// The history of a client's own job. One statement, so that nothing comes between its parts.
pub async fn read(db: Db<'_>, key: KeyHash, job: JobId) -> Result<Found<Told>, Error> {
    let sql = format!(
        "with {CALLER}
        select json_build_object(
            'client', (select client_id from caller),
            'found', (
                select json_build_object('status', j.status, 'created_at', j.created_at, 'error', j.error,
                    'events', (
                        select coalesce(json_agg(json_build_object('type', e.type, 'reason', e.data ->> 'reason',
                            'at', e.created_at) order by e.id), '[]')
                        from events e where e.job_id = j.id
                    ),
                    'attempts', (
                        select coalesce(json_agg(json_build_object('id', a.id, 'ordinal', a.ordinal,
                            'provider', a.provider, 'model', a.model, 'state', a.state, 'class', a.error_class,
                            'code', a.error_code, 'started_at', a.started_at, 'accepted_at', a.accepted_at,
                            'finished_at', a.finished_at) order by a.ordinal), '[]')
                        from attempts a where a.job_id = j.id
                    ))
                from jobs j, caller c where j.id = $2 and j.client_id = c.client_id
            )
        )"
    );
    let scoped: Scoped<Told> =
        db.one(&sql, &[(&key.bytes(), Type::BYTEA), (&job.uuid(), Type::UUID)]).await?;
    Ok(scoped.into())
}
