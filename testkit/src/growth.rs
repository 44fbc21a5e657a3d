//! A record as long use leaves it, and what the server counts of a statement on it.

use domain::ClientId;
use domain::generation::GenerationRequest;
use domain::label::labels;
use serde_json::Value;
use tokio_postgres::types::Json;
use tokio_postgres::{Client, Error};
use uuid::Uuid;

/// The tables that grow with the jobs. A scan of a whole one would grow with them.
pub const GROWING: [&str; 4] = ["jobs", "job_labels", "attempts", "spend"];

/// What the server has counted in a schema so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Pages of tables and indexes that were read, from memory or disk.
    pub pages: i64,
    /// Scans of a whole table among [`GROWING`].
    pub whole_scans: i64,
}

impl Counted {
    /// What has come since.
    #[must_use]
    pub const fn since(self, before: Self) -> Self {
        Self { pages: self.pages - before.pages, whole_scans: self.whole_scans - before.whole_scans }
    }
}

/// The id of the `n`-th job that [`fill`] adds, from 1 on. Ids and times rise together, as those of version 7 do.
pub fn past(n: i64) -> Uuid {
    Uuid::from_u128(u128::try_from(n).unwrap_or_default() << 80 | 0x7000_8000_0000_0000_0000)
}

/// Adds `jobs` ended jobs like `request`, each with its labels and one paid attempt: every second one is `client`'s, the
/// others are those of a hundred clients. And `days` days of spend in ten projects for all of them.
///
/// Rows are written past the triggers and foreign keys, as a restore writes them; then vacuumed and analysed.
pub async fn fill(
    connection: &Client,
    client: ClientId,
    request: &GenerationRequest,
    jobs: i64,
    days: i32,
) -> Result<(), Error> {
    let owner = "case when n % 2 = 0 then $1::uuid else md5((n / 2 % 100)::text)::uuid end";
    let add_jobs = format!(
        "insert into jobs (id, client_id, idempotency_key, request_hash, hash_version, kind, spec, metadata, project,
            status, outputs, max_paid_calls, paid_calls, deadline_at, created_at, started_at, finished_at)
        select (lpad(to_hex(n), 12, '0') || '70008000000000000000')::uuid, {owner}, 'past-' || n,
            decode(repeat('00', 32), 'hex'), 1, $2, $3, $4, $5, 'succeeded', $7,
            4, 1, t, t, t, t
        from generate_series(1, $6::bigint) n, lateral (select now() - ($6 - n + 1) * interval '30 seconds') made (t)"
    );
    let add_labels = "insert into job_labels (client_id, label, created_at, job_id)
        select j.client_id, l.label, j.created_at, j.id from jobs j, unnest($1::uuid[]) as l (label)
        where j.idempotency_key like 'past-%' order by 1, 2, 3";
    let add_attempts = "insert into attempts (id, job_id, ordinal, chain_index, provider, model, request, lease, state,
            started_at, finished_at, cost, cost_source)
        select j.id, j.id, 1, 0, 'fal', 'fal-ai/veo3.1', '{}', 1, 'succeeded', j.created_at, j.created_at, 0.4, 'local'
        from jobs j where j.idempotency_key like 'past-%'";
    let add_spend = format!(
        "insert into spend select {owner}, (now() at time zone 'UTC')::date - d, 'fal', 'fal-ai/veo3.1', 'project-' || p,
            40, 16, 0, 0, 0, 0, 0, 0
        from generate_series(0, $2::integer - 1) d, generate_series(1, 10) p,
            (select 2 as n union all select 2 * c + 1 from generate_series(0, 99) c) owners"
    );
    let spec = Json(serde_json::to_value(&request.spec).unwrap_or_default());
    let output = Json(serde_json::json!([
        {"index": 0, "key": "generations/0", "content_type": "video/mp4", "bytes": 3, "sha256": "00"}
    ]));
    let metadata = Json::<Value>(serde_json::json!(request.metadata));
    let labels: Vec<Uuid> = labels(request).into_iter().map(domain::label::Label::uuid).collect();
    connection.batch_execute("set session_replication_role = replica").await?;
    let kind = request.spec.kind.as_str();
    connection
        .execute(&add_jobs, &[&client.uuid(), &kind, &spec, &metadata, &request.project, &jobs, &output])
        .await?;
    connection.execute(add_labels, &[&labels]).await?;
    connection.execute(add_attempts, &[]).await?;
    connection.execute(&add_spend, &[&client.uuid(), &days]).await?;
    connection.batch_execute("set session_replication_role = origin").await?;
    for table in GROWING {
        connection.batch_execute(&format!("vacuum analyze {table}")).await?;
    }
    Ok(())
}

/// What has been counted in the connection's schema, this session's last statement included.
pub async fn counted(connection: &Client) -> Result<Counted, Error> {
    connection.execute("select pg_stat_force_next_flush()", &[]).await?;
    let sql = "select
            (select coalesce(sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0)), 0)::bigint
                from pg_statio_user_tables where schemaname = current_schema()),
            (select coalesce(sum(seq_scan), 0)::bigint
                from pg_stat_user_tables where schemaname = current_schema() and relname = any($1))";
    let row = connection.query_one(sql, &[&GROWING.as_slice()]).await?;
    Ok(Counted { pages: row.try_get(0)?, whole_scans: row.try_get(1)? })
}
