//! Spend in its four numbers (B13), from the sums that triggers keep: no attempt is read, however many there are.

use chrono::NaiveDate;
use domain::provider::Provider;
use domain::{ClientId, Usd};
use serde::{Deserialize, Serialize};
use tokio_postgres::types::Type;

use crate::clients::KeyHash;
use crate::db::Param;
use crate::jobs::{CALLER, Found, MAKER, Scoped};
use crate::{Db, Error};

/// More lines than this are not told; [`Spend::more`] says so.
pub const LINES: usize = 10_000;

/// What spend may be told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    Day,
    Client,
    Provider,
    Model,
    Project,
}

impl Group {
    pub const ALL: [Self; 5] = [Self::Day, Self::Client, Self::Provider, Self::Model, Self::Project];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Client => "client",
            Self::Provider => "provider",
            Self::Model => "model",
            Self::Project => "project",
        }
    }

    const fn column(self) -> &'static str {
        match self {
            Self::Day => "s.day",
            Self::Client => "s.client_id",
            Self::Provider => "s.provider",
            Self::Model => "s.model",
            Self::Project => "s.project",
        }
    }
}

/// Whose spend, of which days, told apart by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Days in UTC, both included; an attempt counts for the day that it was opened on.
    pub from: NaiveDate,
    pub to: NaiveDate,
    pub groups: Vec<Group>,
    pub provider: Option<Provider>,
    pub model: Option<String>,
    /// The empty one is that of generations without a project.
    pub project: Option<String>,
}

/// Attempts, and the US dollars that go with them: a decimal with six digits, which may be greater than a [`Usd`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub count: u64,
    pub amount: String,
}

/// The four numbers. `reserved` is the worst case of all attempts without a price, as far as a rate is known; those that
/// have ended unpriced and those of unknown outcome are parts of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    pub priced: Part,
    pub unpriced: Part,
    pub unknown: Part,
    pub reserved: Part,
}

/// One line; what was not asked for apart is `None`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub day: Option<NaiveDate>,
    pub client: Option<ClientId>,
    pub provider: Option<String>,
    pub model: Option<String>,
    pub project: Option<String>,
    #[serde(flatten)]
    pub numbers: Numbers,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Spend {
    pub total: Numbers,
    /// In the order of their groups.
    pub lines: Vec<Line>,
    /// There are more lines than are told; the total has them.
    pub more: bool,
}

/// Sums over rows of `s` as [`Numbers`]' members.
const NUMBERS: &str = "'priced', json_build_object('count', coalesce(sum(s.priced_count), 0),
        'amount', coalesce(sum(s.priced), 0)::numeric(30, 6)::text),
    'unpriced', json_build_object('count', coalesce(sum(s.unpriced_count), 0),
        'amount', coalesce(sum(s.unpriced_reserved), 0)::numeric(30, 6)::text),
    'unknown', json_build_object('count', coalesce(sum(s.unknown_count), 0),
        'amount', coalesce(sum(s.unknown_reserved), 0)::numeric(30, 6)::text),
    'reserved', json_build_object('count', coalesce(sum(s.unpriced_count + s.unknown_count + s.open_count), 0),
        'amount', coalesce(sum(s.unpriced_reserved + s.unknown_reserved + s.open_reserved), 0)::numeric(30, 6)::text)";

/// A client's own spend.
pub async fn own(db: Db<'_>, key: KeyHash, question: &Question) -> Result<Found<Spend>, Error> {
    let told = told(question, "spend s join caller c on c.client_id = s.client_id");
    let sql = format!(
        "with {CALLER}, {told}
        select json_build_object('client', (select client_id from caller), 'found', {SPEND})"
    );
    let hash = key.bytes();
    let scoped: Scoped<Spend> = db.one(&sql, &params(&hash, Type::BYTEA, &Columns::of(question))).await?;
    Ok(scoped.into())
}

/// Everybody's, or one client's, for operators.
pub async fn of_clients(db: Db<'_>, client: Option<ClientId>, question: &Question) -> Result<Spend, Error> {
    let told = told(question, "(select * from spend where $1::uuid is null or client_id = $1) s");
    let sql = format!("with {told} select {SPEND}");
    let client = client.map(ClientId::uuid);
    db.one(&sql, &params(&client, Type::UUID, &Columns::of(question))).await
}

const SPEND: &str = "json_build_object(
        'total', (select numbers from total),
        'more', (select count(*) from lines) > $7::bigint,
        'lines', (select coalesce(json_agg(line order by day, client_id, provider, model, project), '[]')
            from (select * from lines order by day, client_id, provider, model, project limit $7) l)
    )";

/// `lines` and `total`, for a `with` list. What is not told apart is null everywhere, and so makes no groups.
fn told(question: &Question, from: &str) -> String {
    let columns = Group::ALL.map(|group| {
        let name = group.column().trim_start_matches("s.");
        let shown = if question.groups.contains(&group) { group.column() } else { "null" };
        let kind = match group {
            Group::Day => "date",
            Group::Client => "uuid",
            Group::Provider | Group::Model | Group::Project => "text",
        };
        format!("{shown}::{kind} as {name}")
    });
    format!(
        "chosen as materialized (
            select s.* from {from}
            where s.day between $2 and $3 and ($4::text is null or s.provider = $4)
                and ($5::text is null or s.model = $5) and ($6::text is null or s.project = $6)
        ), keyed as (
            select {columns}, s.priced_count, s.priced, s.unpriced_count, s.unpriced_reserved, s.unknown_count,
                s.unknown_reserved, s.open_count, s.open_reserved
            from chosen s
        ), lines as (
            select s.day, s.client_id, s.provider, s.model, s.project, json_build_object('day', s.day,
                'client', s.client_id, 'provider', s.provider, 'model', s.model, 'project', s.project, {NUMBERS}) as line
            from keyed s group by s.day, s.client_id, s.provider, s.model, s.project
            order by s.day, s.client_id, s.provider, s.model, s.project limit $7 + 1
        ), total as (
            select json_build_object({NUMBERS}) as numbers from chosen s
        )",
        columns = columns.join(", ")
    )
}

struct Columns<'q> {
    question: &'q Question,
    provider: Option<&'static str>,
    lines: i64,
}

impl<'q> Columns<'q> {
    fn of(question: &'q Question) -> Self {
        Self {
            question,
            provider: question.provider.map(Provider::as_str),
            lines: i64::try_from(LINES).unwrap_or(i64::MAX),
        }
    }
}

fn params<'p>(
    whose: &'p (dyn tokio_postgres::types::ToSql + Sync),
    kind: Type,
    columns: &'p Columns<'p>,
) -> [Param<'p>; 7] {
    let question = columns.question;
    [
        (whose, kind),
        (&question.from, Type::DATE),
        (&question.to, Type::DATE),
        (&columns.provider, Type::TEXT),
        (&question.model, Type::TEXT),
        (&question.project, Type::TEXT),
        (&columns.lines, Type::INT8),
    ]
}

/// A budget and what is used of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    pub budget: Usd,
    /// Prices, and the worst case of what has none.
    pub committed: String,
    /// Below zero if bills were higher than the rate card knows.
    pub left: String,
}

/// How a client's budgets stand.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Allowance {
    /// `None` is no budget.
    pub day: Option<Budget>,
    pub month: Option<Budget>,
    /// Whether the first call fits right now; one that nobody can price fits under no budget.
    pub first_fits: bool,
    /// Whether all calls would.
    pub all_fit: bool,
}

/// Asks a client's budgets, and changes nothing: `first` is the worst case of the first call, `all` that of all.
pub async fn allowance(
    db: Db<'_>,
    key: KeyHash,
    first: Option<Usd>,
    all: Option<Usd>,
) -> Result<Found<Allowance>, Error> {
    let sql = format!(
        "with {MAKER}, used as (
            select k.budget_day, k.budget_month,
                coalesce(sum(s.amount) filter (where s.day = (now() at time zone 'UTC')::date), 0) as day,
                coalesce(sum(s.amount), 0) as month
            from caller c join clients k on k.id = c.client_id left join lateral (
                select day, priced + unpriced_reserved + unknown_reserved + open_reserved as amount from spend
                where client_id = c.client_id and day between date_trunc('month', now() at time zone 'UTC')::date
                    and (now() at time zone 'UTC')::date
            ) s on true
            group by k.budget_day, k.budget_month
        )
        select json_build_object('client', (select client_id from caller), 'found', (
            select json_build_object(
                'day', case when u.budget_day is not null then json_build_object('budget', u.budget_day::text,
                    'committed', u.day::numeric(30, 6)::text, 'left', (u.budget_day - u.day)::numeric(30, 6)::text) end,
                'month', case when u.budget_month is not null then json_build_object('budget', u.budget_month::text,
                    'committed', u.month::numeric(30, 6)::text, 'left', (u.budget_month - u.month)::numeric(30, 6)::text) end,
                'first_fits', (u.budget_day is null or coalesce(u.day + $2::text::numeric <= u.budget_day, false))
                    and (u.budget_month is null or coalesce(u.month + $2::text::numeric <= u.budget_month, false)),
                'all_fit', (u.budget_day is null or coalesce(u.day + $3::text::numeric <= u.budget_day, false))
                    and (u.budget_month is null or coalesce(u.month + $3::text::numeric <= u.budget_month, false))
            ) from used u
        ))"
    );
    let text = |cost: Option<Usd>| cost.map(|cost| cost.to_string());
    let (first, all) = (text(first), text(all));
    let scoped: Scoped<Allowance> =
        db.one(&sql, &[(&key.bytes(), Type::BYTEA), (&first, Type::TEXT), (&all, Type::TEXT)]).await?;
    Ok(scoped.into())
}
