use chrono::{DateTime, Utc};
use domain::ClientId;
use domain::job::Status;
use domain::listing::{Filter, Position};
use domain::provider::Provider;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_postgres::types::{Json, ToSql, Type};

use super::{CALLER, JOB, Job};
use crate::clients::KeyHash;
use crate::db::Param;
use crate::{Db, Error};

/// Bytes of requests in one page, about: pages of long prompts are shorter, so that none grows beyond what a Worker holds.
const PAGE_BYTES: i64 = 1_000_000;

/// What a client's question about its jobs found.
#[derive(Clone, Debug, PartialEq)]
pub enum Listed {
    Page(Page),
    /// The key is unknown or revoked.
    Unauthenticated,
}

/// A piece of a list, newest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// Whose jobs they are.
    pub client: ClientId,
    pub jobs: Vec<Job>,
    /// Whether more come after the last of them.
    pub more: bool,
}

#[derive(Deserialize)]
struct Answer {
    client: Option<ClientId>,
    found: usize,
    jobs: Vec<Job>,
}

/// A client's own jobs that `filter` lets through, at most `limit`, from behind `after` on.
///
/// An index gives them in order: that of one label, of one status, or of all jobs of the client; the rest of the filter is
/// compared with each job. So a page behind a million others reads what the first one does.
pub async fn list(
    db: Db<'_>,
    key: KeyHash,
    filter: &Filter,
    limit: u32,
    after: Option<Position>,
) -> Result<Listed, Error> {
    let mut question = Question::new(key, filter);
    question.narrow(filter, after);
    let (sql, values) = question.into_statement(limit);
    let params: Vec<Param<'_>> =
        values.iter().map(|(value, r#type)| (value.as_ref(), r#type.clone())).collect();
    let Answer { client, found, mut jobs } = db.one(&sql, &params).await?;
    let Some(client) = client else { return Ok(Listed::Unauthenticated) };
    jobs.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let more = found > jobs.len();
    Ok(Listed::Page(Page { client, jobs, more }))
}

type Values = Vec<(Box<dyn ToSql + Sync>, Type)>;

/// A statement in the making.
struct Question {
    /// What is read in order, and the columns of its order.
    source: &'static str,
    place: [&'static str; 2],
    conditions: Vec<String>,
    values: Values,
}

impl Question {
    fn new(key: KeyHash, filter: &Filter) -> Self {
        // Of open jobs there are few, whatever else they have in common.
        let few = filter.status.is_some_and(|status| Status::OPEN.contains(&status));
        let label = filter.label().filter(|_| !few);
        let mut question = Self {
            source: "jobs j",
            place: ["j.created_at", "j.id"],
            // A subquery and not a join: only then the planner knows it for one value, and the index for sorted.
            conditions: vec!["j.client_id = (select client_id from caller)".to_owned()],
            values: vec![(Box::new(key.bytes().to_vec()), Type::BYTEA)],
        };
        if let Some(label) = label {
            question.source = "job_labels l join jobs j on j.id = l.job_id";
            question.place = ["l.created_at", "l.job_id"];
            question.conditions.push("l.client_id = (select client_id from caller)".to_owned());
            question.require("l.label =", label.uuid(), Type::UUID);
        }
        question
    }

    fn narrow(&mut self, filter: &Filter, after: Option<Position>) {
        let Filter { status, kind, provider, model, project, metadata, created_from, created_before } =
            filter;
        let [created_at, id] = self.place;
        if let Some(status) = status {
            self.require("j.status =", status.as_str(), Type::TEXT);
        }
        if let Some(kind) = kind {
            self.require("j.kind =", kind.as_str(), Type::TEXT);
        }
        if provider.is_some() || model.is_some() {
            let step: Value = [("provider", provider.map(Provider::as_str)), ("model", model.as_deref())]
                .into_iter()
                .filter_map(|(name, word)| Some((name.to_owned(), json!(word?))))
                .collect::<serde_json::Map<_, _>>()
                .into();
            self.require("j.spec -> 'chain' @>", Json(json!([step])), Type::JSONB);
        }
        if let Some(project) = project {
            self.require("j.project =", project.clone(), Type::TEXT);
        }
        if !metadata.is_empty() {
            self.require("j.metadata @>", Json(json!(metadata)), Type::JSONB);
        }
        if let Some(from) = created_from {
            self.require(&format!("{created_at} >="), *from, Type::TIMESTAMPTZ);
        }
        if let Some(before) = created_before {
            self.require(&format!("{created_at} <"), *before, Type::TIMESTAMPTZ);
        }
        if let Some(Position { created_at: at, id: last }) = after {
            let (at, last) =
                (self.bind::<DateTime<Utc>>(at, Type::TIMESTAMPTZ), self.bind(last.uuid(), Type::UUID));
            self.conditions.push(format!("({created_at}, {id}) < ({at}, {last})"));
        }
    }

    fn require(&mut self, what: &str, value: impl ToSql + Sync + 'static, r#type: Type) {
        let value = self.bind(value, r#type);
        self.conditions.push(format!("{what} {value}"));
    }

    /// The spelling of a parameter.
    fn bind<T: ToSql + Sync + 'static>(&mut self, value: T, r#type: Type) -> String {
        self.values.push((Box::new(value), r#type));
        format!("${}", self.values.len())
    }

    /// One more is looked for than is answered: it says whether there are more.
    fn into_statement(mut self, limit: u32) -> (String, Values) {
        let wanted = self.bind(i64::from(limit) + 1, Type::INT8);
        let bytes = self.bind(PAGE_BYTES, Type::INT8);
        let Self { source, place: [created_at, id], conditions, values } = self;
        let conditions = conditions.join(" and ");
        let sql = format!(
            "with {CALLER}, page as (
                select j.* from {source} where {conditions} order by {created_at} desc, {id} desc limit {wanted}
            ), fitting as (
                select page.*, sum(octet_length(spec::text)) over (order by created_at desc, id desc)
                    - octet_length(spec::text) as bytes_before
                from page
            )
            select json_build_object(
                'client', (select client_id from caller),
                'found', (select count(*) from page),
                'jobs', (select coalesce(json_agg({JOB} order by j.created_at desc, j.id desc), '[]')
                    from fitting j where j.bytes_before < {bytes})
            )"
        );
        (sql, values)
    }
}
