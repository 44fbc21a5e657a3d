//! What operators watch. Every number is a count by an index, bounded, or a sum that somebody keeps.

use domain::gate::Cause;
use domain::provider::Provider;
use serde::Deserialize;
use tokio_postgres::types::{Json, Type};

use crate::{Db, Error};

/// More of one kind are not counted: it is as bad as it can get.
pub const COUNTED: i64 = 100_000;

/// How things stand.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Standing {
    /// Open jobs by status.
    pub jobs: Vec<Count>,
    /// Wishes to start a Workflow that were not carried out yet.
    pub unstarted: i64,
    /// Attempts that ended within the hour, by error class; `none` is success.
    pub attempts: Vec<Count>,
    /// Attempts of unknown outcome.
    pub unknown: i64,
    /// Later looks at attempts that are due.
    pub looks_due: i64,
    pub deliveries_due: i64,
    pub deliveries_dead: i64,
    pub gates: Vec<Gate>,
    /// Of the day, UTC.
    pub spend: Vec<Spent>,
    pub tallies: Vec<Total>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Count {
    pub of: String,
    pub count: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Gate {
    pub provider: Provider,
    pub in_flight: i64,
    /// Why its breaker is open.
    pub cause: Option<Cause>,
}

/// What the attempts of one provider cost, US dollars as decimals.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Spent {
    pub provider: String,
    pub priced: String,
    pub reserved: String,
    pub priced_count: i64,
    pub unpriced_count: i64,
    pub unknown_count: i64,
    pub open_count: i64,
}

/// A count that only grows.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Total {
    pub name: String,
    pub label: String,
    pub total: i64,
}

/// Reads all of it.
pub async fn standing(db: Db<'_>) -> Result<Standing, Error> {
    let sql = format!(
        "select json_build_object(
            'jobs', (select coalesce(json_agg(json_build_object('of', status, 'count', n) order by status), '[]') from (
                select status, count(*) as n from (
                    select status from jobs where status in ('queued', 'running', 'waiting') limit {COUNTED}
                ) j group by status
            ) c),
            'unstarted', (select count(*) from (select from outbox where kind = 'start_generation' and next_attempt_at <= now() limit {COUNTED}) o),
            'attempts', (select coalesce(json_agg(json_build_object('of', class, 'count', n) order by class), '[]') from (
                select coalesce(error_class, 'none') as class, count(*) as n from (
                    select error_class from attempts where finished_at > now() - interval '1 hour' limit {COUNTED}
                ) a group by 1
            ) c),
            'unknown', (select count(*) from (select from attempts where state = 'unknown' limit {COUNTED}) a),
            'looks_due', (select count(*) from (select from attempts where next_look_at <= now() limit {COUNTED}) a),
            'deliveries_due', (select count(*) from (
                select from deliveries where status = 'pending' and next_attempt_at <= now() limit {COUNTED}) d),
            'deliveries_dead', (select count(*) from (select from deliveries where status = 'dead' limit {COUNTED}) d),
            'gates', (select coalesce(json_agg(json_build_object('provider', provider, 'in_flight', in_flight,
                'cause', breaker_cause) order by provider), '[]') from provider_gates),
            'spend', (select coalesce(json_agg(s order by s.provider), '[]') from (
                select provider, sum(priced)::numeric(30, 6)::text as priced,
                    sum(unpriced_reserved + unknown_reserved + open_reserved)::numeric(30, 6)::text as reserved,
                    sum(priced_count)::bigint as priced_count, sum(unpriced_count)::bigint as unpriced_count,
                    sum(unknown_count)::bigint as unknown_count, sum(open_count)::bigint as open_count
                from spend where day = (now() at time zone 'UTC')::date group by provider
            ) s),
            'tallies', (select coalesce(json_agg(t order by t.name, t.label), '[]') from tallies t)
        )"
    );
    db.one(&sql, &[]).await
}

/// Adds to counts of one name. Not idempotent: a repeat counts again, which a count of findings may.
pub async fn tally(db: Db<'_>, name: &str, counts: &[(&str, usize)]) -> Result<(), Error> {
    let counts: serde_json::Map<String, serde_json::Value> = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(label, count)| ((*label).to_owned(), (*count).into()))
        .collect();
    if counts.is_empty() {
        return Ok(());
    }
    let sql = "with added as (
            insert into tallies as t (name, label, total)
            select $1, key, value::bigint from jsonb_each_text($2) order by key
            on conflict (name, label) do update set total = t.total + excluded.total
        )
        select to_json(true)";
    let counts = Json(serde_json::Value::Object(counts));
    let _: bool = db.one(sql, &[(&name, Type::TEXT), (&counts, Type::JSONB)]).await?;
    Ok(())
}
