//! The gates of the providers: how many attempts pass, and the breaker (B7).
//!
//! Passing is a part of the statement that opens an attempt, feeding the breaker a part of the one that writes what came
//! of it; both are here as common table expressions. The row is updated, never only read, so its lock orders all opens of
//! a provider and the guard is evaluated on what the last one left: a limit holds however many race.

use chrono::{DateTime, Utc};
use domain::AttemptId;
use domain::client::Bound;
use domain::gate::Cause;
use domain::journal::Refusal;
use domain::provider::Provider;
use domain::timing::{BREAKER_UNAVAILABLE_LIMIT, Timing};
use serde::{Deserialize, Serialize};
use tokio_postgres::types::Type;

use crate::{Db, Error};

/// `gate`: a row for each row of `purse` that has no refusal and passes. $3 is the attempt, $5 the provider, $9 what a probe has, in
/// milliseconds, until another may follow it.
pub(crate) const PASS: &str = "gate as (
        insert into provider_gates as g (provider, in_flight, minute_submits) select $5, 1, 1 from purse where refusal is null
        on conflict (provider) do update set
            in_flight = g.in_flight + 1,
            minute_at = case when g.minute_at > now() - interval '1 minute' then g.minute_at else now() end,
            minute_submits = case when g.minute_at > now() - interval '1 minute' then g.minute_submits + 1 else 1 end,
            probe = case when g.breaker_cause is null then g.probe else $3 end,
            breaker_until = case when g.breaker_cause is null then null else now() + $9::bigint * interval '1 millisecond' end,
            updated_at = now()
        where (g.max_concurrent is null or g.in_flight < g.max_concurrent)
            and (g.submits_per_minute is null or g.minute_submits < g.submits_per_minute
                or g.minute_at <= now() - interval '1 minute')
            and (g.breaker_cause is null or g.breaker_until <= now())
        returning g.provider
    )";

/// `shut`: the gate as the statement's snapshot shows it, with the time until it may pass somebody.
pub(crate) const SHUT: &str = "(select json_build_object('cause', g.breaker_cause,
        'retry_after_ms', case
            when g.breaker_cause is not null then ceil(extract(epoch from g.breaker_until - now()) * 1000)::bigint
            when g.minute_submits >= g.submits_per_minute
                then ceil(extract(epoch from g.minute_at + interval '1 minute' - now()) * 1000)::bigint
        end) from provider_gates g where g.provider = $5)";

/// Why nothing passed. The gate may have opened between the snapshot and the lock; then asking again is right as well.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Shut {
    cause: Option<Cause>,
    retry_after_ms: Option<i64>,
}

impl Shut {
    pub(crate) fn refusal(&self) -> Refusal {
        let retry_after_ms = self.retry_after_ms.and_then(|left| u64::try_from(left).ok());
        self.cause.map_or(Refusal::ProviderBusy { retry_after_ms }, |cause| Refusal::BreakerOpen {
            cause,
            retry_after_ms,
        })
    }
}

/// `fed`: what an outcome says of its provider. Needs `before` (id, state) and `written` (id, provider, state,
/// `error_class`). Only a change of state says something: a repeat or a later price does not count twice. What an
/// operator opened stays as it is; a cause of money is not replaced by a lesser one.
pub(crate) fn feed(timing: &Timing) -> String {
    let (money, unavailable) = (timing.breaker_money_ms, timing.breaker_unavailable_ms);
    format!(
        "said as (
            select w.id, w.provider, w.state in ('accepted', 'succeeded') as good,
                w.error_class in ('insufficient_funds', 'authentication') as money,
                w.error_class = 'unavailable' as away, w.error_class as class
            from written w, before b
            where w.state <> b.state and w.state <> 'unknown'
                and (w.state in ('accepted', 'succeeded')
                    or w.error_class in ('insufficient_funds', 'authentication', 'unavailable'))
        ), fed as (
            update provider_gates g set
                consecutive_unavailable = case when s.away then g.consecutive_unavailable + 1
                    when s.good then 0 else g.consecutive_unavailable end,
                breaker_cause = case when s.good and g.probe = s.id then null
                    when s.money then s.class
                    when s.away and g.consecutive_unavailable + 1 >= {BREAKER_UNAVAILABLE_LIMIT}
                        then coalesce(g.breaker_cause, 'unavailable')
                    else g.breaker_cause end,
                breaker_since = case when s.good and g.probe = s.id then null
                    when s.money or (s.away and g.consecutive_unavailable + 1 >= {BREAKER_UNAVAILABLE_LIMIT})
                        then coalesce(g.breaker_since, now())
                    else g.breaker_since end,
                breaker_until = case when s.good and g.probe = s.id then null
                    when s.money then now() + {money} * interval '1 millisecond'
                    when s.away and g.consecutive_unavailable + 1 >= {BREAKER_UNAVAILABLE_LIMIT}
                        then greatest(g.breaker_until, now() + {unavailable} * interval '1 millisecond')
                    else g.breaker_until end,
                updated_at = now()
            from said s
            where g.provider = s.provider and g.breaker_cause is distinct from 'operator'
        )"
    )
}

/// A gate as an operator sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    pub provider: Provider,
    /// `None` is no limit.
    pub max_concurrent: Option<i32>,
    pub submits_per_minute: Option<i32>,
    /// Attempts that are open or accepted.
    pub in_flight: i32,
    /// `None` while the breaker is closed.
    pub breaker: Option<Breaker>,
    pub consecutive_unavailable: i32,
}

/// An open breaker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breaker {
    pub cause: Cause,
    pub since: DateTime<Utc>,
    /// When one attempt may probe; `None`: not before an operator closes it.
    pub until: Option<DateTime<Utc>>,
    /// The attempt that probes, or probed last.
    pub probe: Option<AttemptId>,
}

const GATE: &str = "json_build_object('provider', g.provider, 'max_concurrent', g.max_concurrent,
    'submits_per_minute', g.submits_per_minute, 'in_flight', g.in_flight,
    'consecutive_unavailable', g.consecutive_unavailable,
    'breaker', case when g.breaker_cause is not null then json_build_object('cause', g.breaker_cause,
        'since', g.breaker_since, 'until', g.breaker_until, 'probe', g.probe) end)";

/// All gates that have a row; a provider without one has no limits and was never called.
pub async fn list(db: Db<'_>) -> Result<Vec<Gate>, Error> {
    let sql = format!("select coalesce(json_agg({GATE} order by g.provider), '[]') from provider_gates g");
    db.one(&sql, &[]).await
}

/// An operator's word on a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hand {
    Keep,
    Open,
    Close,
}

/// What an operator changes; repeating it changes nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    pub max_concurrent: Bound<i32>,
    pub submits_per_minute: Bound<i32>,
    pub breaker: Hand,
}

/// Changes a provider's gate and shows it.
pub async fn change(db: Db<'_>, provider: Provider, change: &Change) -> Result<Gate, Error> {
    let sql = format!(
        "with g as (
            insert into provider_gates as g (provider, max_concurrent, submits_per_minute, breaker_cause, breaker_since)
            values ($1, $3, $5, case when $6 = 'open' then 'operator' end, case when $6 = 'open' then now() end)
            on conflict (provider) do update set
                max_concurrent = case when $2 then $3 else g.max_concurrent end,
                submits_per_minute = case when $4 then $5 else g.submits_per_minute end,
                breaker_cause = case $6 when 'open' then 'operator' when 'close' then null else g.breaker_cause end,
                breaker_since = case $6 when 'open' then coalesce(g.breaker_since, now()) when 'close' then null
                    else g.breaker_since end,
                breaker_until = case when $6 = 'keep' then g.breaker_until end,
                consecutive_unavailable = case when $6 = 'close' then 0 else g.consecutive_unavailable end,
                updated_at = now()
            returning *
        )
        select {GATE} from g"
    );
    let (concurrent_said, concurrent) = change.max_concurrent.said();
    let (minute_said, minute) = change.submits_per_minute.said();
    let hand = match change.breaker {
        Hand::Keep => "keep",
        Hand::Open => "open",
        Hand::Close => "close",
    };
    db.one(
        &sql,
        &[
            (&provider.as_str(), Type::TEXT),
            (&concurrent_said, Type::BOOL),
            (&concurrent, Type::INT4),
            (&minute_said, Type::BOOL),
            (&minute, Type::INT4),
            (&hand, Type::TEXT),
        ],
    )
    .await
}
