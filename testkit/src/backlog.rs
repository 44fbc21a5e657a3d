//! Outboxes and deliveries as tests and benches want them: full, settled, or empty, and what they cost and say.

use std::ops::Range;

use domain::ClientId;
use serde_json::Value;
use tokio_postgres::types::{Json, Type};
use tokio_postgres::{Client, Error};

/// Adds `runs` style runs of `client`, each with a wake-up and a webhook due: two events in two lanes.
pub async fn pending(connection: &Client, client: ClientId, runs: i64) -> Result<(), Error> {
    let sql = "with runs as (
            insert into style_runs (id, client_id, idempotency_key, request_hash, hash_version, spec, max_rounds,
                callback_url)
            select gen_random_uuid(), $1, gen_random_uuid()::text, decode(repeat('00', 32), 'hex'), 1, '{}', 1,
                'https://hooks.example.com/runs'
            from generate_series(1, $2::bigint) returning id
        )
        insert into outbox_events (event_id, run_id, kind, event_type)
        select id || '_wake', id, 'wake', null from runs
        union all select id || '_1_style_run_decided', id, 'webhook', 'style_run.decided' from runs";
    connection.execute(sql, &[&client.uuid(), &runs]).await?;
    connection.batch_execute("analyze outbox_events, style_runs").await
}

/// Adds `count` events that were pending once and are settled, spread over the runs that exist, and cleans up behind them as
/// autovacuum would.
pub async fn settled(connection: &Client, count: i64) -> Result<(), Error> {
    let add = "with runs as (select array_agg(id) as ids from (select id from style_runs limit 1000) r)
        insert into outbox_events (event_id, run_id, kind)
        select gen_random_uuid()::text, ids[1 + n % cardinality(ids)], 'wake'
        from runs, generate_series(1, $1::bigint) n";
    let settle =
        "update outbox_events set status = 'done', tries = 1, settled_at = now() where status = 'pending'";
    let mut left = count;
    while left > 0 {
        let part = left.min(50_000);
        connection.execute(add, &[&part]).await?;
        connection.execute(settle, &[]).await?;
        left -= part;
    }
    connection.batch_execute("vacuum analyze outbox_events").await
}

/// Removes all runs, events and deliveries.
pub async fn clear(connection: &Client) -> Result<(), Error> {
    connection.batch_execute("truncate style_runs, outbox_events, deliveries cascade").await
}

/// The process of this session in the server.
pub async fn backend(connection: &Client) -> Result<i32, Error> {
    connection.query_one("select pg_backend_pid()", &[]).await?.try_get(0)
}

/// What the events' rows say of how they were drained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub settled: i64,
    pub pending: i64,
    /// Claims of all rows, by their own count.
    pub claims: i64,
    /// Pending rows that are under somebody's lease.
    pub leased: i64,
    pub deliveries: i64,
}

/// Reads the record.
pub async fn record(connection: &Client) -> Result<Record, Error> {
    let sql = "select count(*) filter (where status = 'done'), count(*) filter (where status = 'pending'),
            coalesce(sum(tries), 0), count(*) filter (where status = 'pending' and next_attempt_at > now()),
            (select count(*) from deliveries)
        from outbox_events";
    let row = connection.query_one(sql, &[]).await?;
    Ok(Record {
        settled: row.try_get(0)?,
        pending: row.try_get(1)?,
        claims: row.try_get(2)?,
        leased: row.try_get(3)?,
        deliveries: row.try_get(4)?,
    })
}

/// What one claim reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reads {
    /// Pages of the table and its indexes, from memory or disk.
    pub pages: u64,
    /// Rows that scans looked at, kept or not.
    pub rows: u64,
}

/// What the drainer's claim reads now, as the server counts it. It claims what is due.
pub async fn claim_reads(connection: &Client, limit: i64) -> Result<Reads, Error> {
    let sql = format!("explain (analyze, buffers, format json) {}", store::outbox::CLAIM);
    let lease = domain::timing::OUTBOX_LEASE_SECONDS;
    let rows = connection.query_typed(&sql, &[(&limit, Type::INT8), (&lease, Type::INT8)]).await?;
    let plan = rows.first().map(|row| row.try_get::<_, Json<Value>>(0)).transpose()?;
    let plan = plan.map(|Json(plan)| plan).unwrap_or_default();
    let top = plan.pointer("/0/Plan").cloned().unwrap_or_default();
    let pages = count(&top, "Shared Hit Blocks") + count(&top, "Shared Read Blocks");
    Ok(Reads { pages, rows: scanned(&top) })
}

fn scanned(node: &Value) -> u64 {
    let kind = node.get("Node Type").and_then(Value::as_str).unwrap_or_default();
    let reads_a_table = kind.ends_with("Scan") && kind != "CTE Scan";
    let removed = ["Rows Removed by Filter", "Rows Removed by Index Recheck"];
    let own = if reads_a_table {
        count(node, "Actual Rows") + removed.iter().map(|name| count(node, name)).sum::<u64>()
    } else {
        0
    };
    let inner = node.get("Plans").and_then(Value::as_array);
    own * count(node, "Actual Loops").max(1) + inner.into_iter().flatten().map(scanned).sum::<u64>()
}

fn count(node: &Value, name: &str) -> u64 {
    let value = node.get(name);
    // Averages over loops may come with decimals.
    let whole = value.and_then(Value::as_u64);
    whole.or_else(|| value?.to_string().split('.').next()?.parse().ok()).unwrap_or_default()
}

/// The name of a receiver's hook, counted from 0.
pub fn hook(number: u32) -> String {
    format!("receiver-{number:04}")
}

/// Registers `count` endpoints of the one client, each a hook of the receiver.
pub async fn endpoints(connection: &Client, receiver: &str, secret: &str, count: i64) -> Result<(), Error> {
    let sql = "with made as (
            insert into endpoints (id, client_id, url)
            select gen_random_uuid(), c.id, $1 || '/hooks/receiver-' || lpad(n::text, 4, '0')
            from clients c, generate_series(0, $3::bigint - 1) n returning id
        )
        insert into endpoint_secrets (endpoint_id, secret) select id, $2 from made";
    connection.execute(sql, &[&receiver, &secret, &count]).await.map(drop)
}

/// Adds deliveries that are due, one for each of `numbers`, to each endpoint in turn; returns their ids: `name` and the
/// number.
pub async fn deliveries(connection: &Client, name: &str, numbers: Range<i64>) -> Result<Vec<String>, Error> {
    let sql = "with numbered as (
            select id, client_id, url, row_number() over (order by url) - 1 as n, count(*) over () as many
            from endpoints
        )
        insert into deliveries (id, client_id, event_type, url, payload, endpoint_id)
        select $1 || i, client_id, 'generation.succeeded', url, json_build_object('type', 'generation.succeeded',
            'data', json_build_object('id', i, 'prompt', repeat('a lighthouse in fog ', 20)))::text, id
        from generate_series($2::bigint, $3::bigint - 1) i join numbered on n = i % many
        order by i
        returning id";
    let rows = connection.query(sql, &[&name, &numbers.start, &numbers.end]).await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

/// How many of these have been delivered.
pub async fn delivered(connection: &Client, name: &str) -> Result<i64, Error> {
    let sql = "select count(*) from deliveries where starts_with(id, $1) and status = 'delivered'";
    connection.query_one(sql, &[&name]).await?.try_get(0)
}
