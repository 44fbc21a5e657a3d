//! `GET /v1/spend`: a client's own spend in its four numbers (B13), as JSON or CSV. `GET /v1/admin/spend` asks the same of
//! all clients.

use axum::body::Body;
use axum::extract::{Extension, RawQuery};
use axum::http::HeaderMap;
use axum::response::Response;
use chrono::{Datelike, NaiveDate};
use domain::ClientId;
use domain::error::Code;
use domain::fields::Violations;
use domain::provider::Provider;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderValue, VARY};
use platform::{now, session};
use serde_json::{Value, json};
use store::spend::{Group, LINES, Line, Numbers, Question, Spend};
use worker::Url;

use super::{client_key, found, view};
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// Days that one question may span: a year, and its last day again.
pub const DAYS: i64 = 367;

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/spend", tag = "Spend", security(("client_key" = [])),
    params(
        ("from" = Option<String>, Query, description = "First day, UTC; the first of the month of `to` if absent", format = "date"),
        ("to" = Option<String>, Query, description = "Last day; today if absent", format = "date"),
        ("group_by" = Option<String>, Query, description = "What to tell apart: any of day, provider, model, project, with commas; day if absent"),
        ("provider" = Option<String>, Query, description = "Only this provider's"),
        ("model" = Option<String>, Query, description = "Only this model's"),
        ("project" = Option<String>, Query, description = "Only this project's; empty: of generations without one"),
    ),
    responses(
        (status = 200, description = "The total, and a line for each group", content(
            (schemas::Spend = "application/json"), (String = "text/csv"))),
    ),
    extensions(("x-problems" = json!([]))),
))]
#[worker::send]
pub async fn own(
    Extension(app): Extension<App>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let key = client_key(&headers)?;
    let Asked { question, client } =
        Asked::parse(query.as_deref(), now().date_naive()).map_err(Problem::invalid)?;
    if client.is_some() || question.groups.contains(&Group::Client) {
        let detail = "a key tells its own client's spend only; operators ask GET /v1/admin/spend";
        return Err(Problem::new(Code::InvalidRequest, detail));
    }
    let spend = found(session(&app.env, async |db| store::spend::own(db, key, &question).await).await?)?;
    Ok(respond(&question, &spend, &headers))
}

/// What was asked for.
pub struct Asked {
    pub question: Question,
    /// Only this client's.
    pub client: Option<ClientId>,
}

impl Asked {
    pub fn parse(query: Option<&str>, today: NaiveDate) -> Result<Self, Vec<domain::fields::Violation>> {
        let mut wrong = Violations::default();
        let (mut from, mut to, mut groups, mut client) = (None, today, vec![Group::Day], None);
        let (mut provider, mut model, mut project) = (None, None, None);
        for (name, value) in pairs(query.unwrap_or_default()) {
            match name.as_str() {
                "from" => from = day(&value, "?from", &mut wrong),
                "to" => to = day(&value, "?to", &mut wrong).unwrap_or(today),
                "group_by" => groups = read_groups(&value, &mut wrong),
                "client" => {
                    client =
                        read(&value, "?client", "must be a client's id", &mut wrong, |id| id.parse().ok());
                }
                "provider" => {
                    provider = read(&value, "?provider", "is no provider", &mut wrong, Provider::from_word);
                }
                "model" => model = Some(value),
                "project" => project = Some(value),
                _ => wrong.add(format!("?{name}"), "is not a known parameter"),
            }
        }
        let from = from.or_else(|| to.with_day(1)).unwrap_or(to);
        if from > to || (to - from).num_days() >= DAYS {
            wrong.add("?from", format!("must not be after to, nor {DAYS} days or more before it"));
        }
        for (name, text) in [("?model", &model), ("?project", &project)] {
            if text.as_ref().is_some_and(|text| text.contains('\0') || text.chars().count() > 128) {
                wrong.add(name, "must have at most 128 characters, none of them U+0000");
            }
        }
        let question = Question { from, to, groups, provider, model, project };
        wrong.into_result(Some(Self { question, client }))
    }
}

/// Percent-decoded, as forms spell them.
fn pairs(query: &str) -> Vec<(String, String)> {
    let url = Url::parse("http://query/").map(|mut url| {
        url.set_query(Some(query));
        url
    });
    let pairs =
        |url: Url| url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
    url.map(pairs).unwrap_or_default()
}

fn read<T>(
    value: &str,
    name: &str,
    detail: &str,
    wrong: &mut Violations,
    read: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let read = read(value);
    if read.is_none() {
        wrong.add(name, detail);
    }
    read
}

/// Within what both the database and a person can mean.
fn day(value: &str, name: &str, wrong: &mut Violations) -> Option<NaiveDate> {
    read(value, name, "must be a day like 2026-12-01", wrong, |text| {
        let day: NaiveDate = text.parse().ok()?;
        (text.len() == 10 && (2000..=2999).contains(&day.year())).then_some(day)
    })
}

fn read_groups(value: &str, wrong: &mut Violations) -> Vec<Group> {
    let words = Group::ALL.map(Group::as_str).join(", ");
    let mut groups = Vec::new();
    for word in value.split(',').filter(|word| !word.is_empty()) {
        match Group::ALL.into_iter().find(|group| group.as_str() == word) {
            Some(group) => groups.push(group),
            None => wrong.add("?group_by", format!("{word:?} is none of {words}")),
        }
    }
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// CSV for who asks for it by name, JSON for everybody else.
pub fn respond(question: &Question, spend: &Spend, headers: &HeaderMap) -> Response {
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let csv = accept.split(',').any(|kind| kind.trim().to_ascii_lowercase().starts_with("text/csv"));
    let mut response = if csv { as_csv(question, spend) } else { view::json(&as_json(question, spend)) };
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    response
}

fn as_json(question: &Question, spend: &Spend) -> Value {
    json!({
        "object": "spend", "from": question.from, "to": question.to, "group_by": question.groups,
        "total": spend.total, "data": spend.lines.iter().map(|line| told(question, line)).collect::<Vec<_>>(),
        "more": spend.more,
    })
}

/// A line with what was told apart and nothing else.
fn told(question: &Question, line: &Line) -> Value {
    let mut told = json!(line.numbers);
    if let Value::Object(members) = &mut told {
        for group in &question.groups {
            members.insert(group.as_str().to_owned(), key(line, *group));
        }
    }
    told
}

fn key(line: &Line, group: Group) -> Value {
    match group {
        Group::Day => json!(line.day),
        Group::Client => json!(line.client),
        Group::Provider => json!(line.provider),
        Group::Model => json!(line.model),
        // Generations without a project.
        Group::Project => json!(line.project.as_deref().filter(|project| !project.is_empty())),
    }
}

/// RFC 4180, with a header line.
fn as_csv(question: &Question, spend: &Spend) -> Response {
    let mut text = String::new();
    let names = ["priced", "unpriced", "unknown", "reserved"];
    let header = question.groups.iter().map(|group| group.as_str().to_owned());
    let header =
        header.chain(names.iter().flat_map(|name| [format!("{name}_count"), format!("{name}_amount")]));
    push_record(&mut text, header);
    for line in &spend.lines {
        let keys = question.groups.iter().map(|group| match key(line, *group) {
            Value::String(text) => text,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                String::new()
            }
        });
        let Numbers { priced, unpriced, unknown, reserved } = &line.numbers;
        let numbers = [priced, unpriced, unknown, reserved];
        push_record(
            &mut text,
            keys.chain(numbers.iter().flat_map(|part| [part.count.to_string(), part.amount.clone()])),
        );
    }
    let mut response = Response::new(Body::from(text));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8; header=present"));
    if spend.more {
        headers.insert("x-more-than-lines", HeaderValue::from(LINES));
    }
    response
}

fn push_record(text: &mut String, fields: impl Iterator<Item = String>) {
    let fields: Vec<String> = fields.map(|field| quoted(&field)).collect();
    text.push_str(&fields.join(","));
    text.push_str("\r\n");
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn today() -> NaiveDate {
        "2026-12-02".parse().unwrap()
    }

    #[test]
    fn nothing_asks_for_the_month_so_far_by_day() {
        let Asked { question, client } = Asked::parse(None, today()).unwrap();
        assert_eq!((question.from.to_string(), question.to), ("2026-12-01".to_owned(), today()));
        assert_eq!((question.groups, client), (vec![Group::Day], None));
    }

    #[test]
    fn parameters_are_read_as_forms_spell_them() {
        let query = "from=2026-11-01&to=2026-11-30&group_by=model,day,day&project=a%2Cb+c&model=";
        let question = Asked::parse(Some(query), today()).unwrap().question;
        assert_eq!(question.groups, [Group::Day, Group::Model]);
        assert_eq!((question.project.as_deref(), question.model.as_deref()), (Some("a,b c"), Some("")));
        assert!(Asked::parse(Some("group_by="), today()).unwrap().question.groups.is_empty());
    }

    #[test]
    fn what_is_no_question_is_named() {
        for (query, name) in [
            ("from=2026-12-03", "?from"),
            ("from=2025-11-30", "?from"),
            ("to=tomorrow", "?to"),
            ("to=99999-01-01", "?to"),
            ("group_by=day,week", "?group_by"),
            ("provider=nobody", "?provider"),
            ("client=me", "?client"),
            ("project=%00", "?project"),
            ("by=day", "?by"),
        ] {
            let wrong = Asked::parse(Some(query), today()).err().unwrap();
            assert_eq!(wrong[0].pointer, name, "{query}");
        }
    }

    #[test]
    fn a_field_with_commas_is_quoted() {
        assert_eq!(["a", "a,b", "a\"b", "a\nb"].map(quoted), ["a", "\"a,b\"", "\"a\"\"b\"", "\"a\nb\""]);
    }
}
