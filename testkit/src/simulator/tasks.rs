//! What the providers have in common that keep a job under an id of its own: submit, look, cancel, list, and a report to
//! a callback URL. How each says it is in its own file.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use axum::routing::any;
use axum::{Extension, Router};
use bytes::Bytes;
use chrono::Utc;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Method, Uri};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::behaviour::Outcome;
use super::callback::{Callback, Message};
use super::intake::{Arrival, Refusal, Verdict, receive};
use super::job::Phase;
use super::ledger::Call;
use super::media;
use super::provider::reply;
use super::world::World;
use crate::server::Line;

/// A query's names and values, decoded.
pub(super) type Query = [(String, String)];

/// A job as one of its paths shows it.
pub(super) type View = fn(&World, &mut Call, Instant) -> Value;

/// What a request is for.
#[derive(Debug)]
pub(super) enum Target {
    /// With what the path says of the model.
    Submit(String),
    /// A submit that is answered with its result.
    Ask(String),
    /// A job by its id, or by what its sender wrote at a pointer into the body.
    Named(String, &'static str),
    /// The file of a job, which is elsewhere.
    Download(String),
    /// With its result, once it has one.
    Job(String),
    /// Without.
    Status(String),
    /// The result of a job, where that is a request of its own.
    Result(String, View),
    Cancel(String),
    List,
    Nothing,
}

/// An error that every provider has.
#[derive(Clone, Copy, Debug)]
pub(super) enum Told {
    NoKey,
    NotJson,
    NotFound,
    /// With the scripted status.
    Infrastructure(u16),
}

/// One provider's way.
#[derive(Debug)]
pub(super) struct Protocol {
    /// Its name in scripts and in the ledger, and the first part of its paths.
    pub(super) name: &'static str,
    /// The header of the key, and what stands before it.
    pub(super) key: (&'static str, &'static str),
    pub(super) target: fn(&Method, &str, &Query) -> Target,
    /// The model, by what the path says and the body; none is refused as unknown.
    pub(super) model: fn(&str, &Value) -> Option<String>,
    /// The provider's own reason to refuse a submit.
    pub(super) check: fn(&HeaderMap, &Value) -> Option<Refusal>,
    /// Pointer to the callback URL in a submit.
    pub(super) hook: Option<&'static str>,
    /// Whether that URL has to repeat a challenge before anything is reported to it.
    pub(super) challenges: bool,
    /// The report of a job that has ended.
    pub(super) report: fn(&World, &str) -> Option<Message>,
    /// The answer to a submit that was accepted.
    pub(super) accepted: fn(&World, &Call) -> (u16, Value),
    /// A job as it is.
    pub(super) state: View,
    /// The answer to a cancel.
    pub(super) cancel: fn(&World, &mut Call, Instant) -> (u16, Value),
    /// The list of jobs, from those that show in it.
    pub(super) list: fn(&World, Vec<Call>, &Query, Instant) -> Value,
    pub(super) told: fn(Told) -> Refusal,
}

pub(super) fn routes(protocol: &'static Protocol) -> Router<Arc<World>> {
    let handler = move |State(world): State<Arc<World>>,
                        Extension(line): Extension<Line>,
                        method: Method,
                        uri: Uri,
                        RawQuery(query): RawQuery,
                        headers: HeaderMap,
                        body: Bytes| async move {
        let query: Vec<(String, String)> =
            url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect();
        let target = (protocol.target)(&method, uri.path().trim_start_matches('/'), &query);
        if let Target::Submit(model) | Target::Ask(model) = &target {
            let shows = if matches!(target, Target::Ask(_)) { Shows::Result } else { Shows::Status };
            return submit(protocol, &world, &line, (model, shows), headers, query, &body).await;
        }
        if !has_key(protocol, &headers) {
            return refuse(&(protocol.told)(Told::NoKey));
        }
        match target {
            Target::Job(id) => look(protocol, &world, &id, Shows::Result),
            Target::Named(id, pointer) => {
                look(protocol, &world, &by_name(protocol, &world, &id, pointer), Shows::Result)
            }
            Target::Download(id) => download(protocol, &world, &id),
            Target::Status(id) => look(protocol, &world, &id, Shows::Status),
            Target::Result(id, view) => result(protocol, &world, &id, view),
            Target::Cancel(id) => cancel(protocol, &world, &id),
            Target::List => list(protocol, &world, &query),
            Target::Submit(_) | Target::Ask(_) | Target::Nothing => refuse(&(protocol.told)(Told::NotFound)),
        }
    };
    Router::new().route("/{*path}", any(handler))
}

/// Any key will do, as long as it is sent the way the provider wants it.
fn has_key(protocol: &Protocol, headers: &HeaderMap) -> bool {
    let (name, prefix) = protocol.key;
    let key = headers.get(name).and_then(|value| value.to_str().ok());
    key.and_then(|value| value.strip_prefix(prefix)).is_some_and(|key| !key.trim().is_empty())
}

async fn submit(
    protocol: &'static Protocol,
    world: &Arc<World>,
    line: &Line,
    (named, shows): (&str, Shows),
    headers: HeaderMap,
    query: Vec<(String, String)>,
    body: &[u8],
) -> Response {
    let parsed: Option<Value> = serde_json::from_slice(body).ok().filter(Value::is_object);
    let model = parsed.as_ref().and_then(|body| (protocol.model)(named, body));
    let refusal = if !has_key(protocol, &headers) {
        Some((protocol.told)(Told::NoKey))
    } else if parsed.is_none() {
        Some((protocol.told)(Told::NotJson))
    } else if model.is_none() {
        Some((protocol.told)(Told::NotFound))
    } else {
        parsed.as_ref().and_then(|body| (protocol.check)(&headers, body))
    };
    let body = parsed.unwrap_or_else(|| Value::from(String::from_utf8_lossy(body).into_owned()));
    let hook = protocol.hook.and_then(|pointer| body.pointer(pointer)?.as_str().map(str::to_owned));
    let arrival = Arrival {
        provider: protocol.name,
        model: model.unwrap_or_default(),
        start_limit: None,
        callback: hook.map(|url| Callback { url, challenged: protocol.challenges, compose: protocol.report }),
        body,
        headers,
        query,
        refusal,
    };
    match receive(world, arrival).await {
        Verdict::Accepted(call) => {
            if let Some(end) = call.end().filter(|_| shows == Shows::Result) {
                tokio::time::sleep_until(end).await;
            }
            let (status, body) = (protocol.accepted)(world, &call);
            reply(status, &body, &[])
        }
        Verdict::Refused(refusal) => refuse(&refusal),
        Verdict::Broken => line.reset().await,
    }
}

/// Whether a job's state has its result with it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    Result,
    Status,
}

fn look(protocol: &Protocol, world: &World, id: &str, shows: Shows) -> Response {
    let now = Instant::now();
    let seen = world.with_call(protocol.name, id, |call| {
        call.polls += 1;
        let mut scripted = call.behaviour.poll_error(call.polls);
        if shows == Shows::Result && matches!(call.phase(now), Some(Phase::Ended(_))) {
            call.results += 1;
            scripted = scripted.or_else(|| call.behaviour.result_error(call.results));
        }
        match scripted {
            Some(status) => Err((protocol.told)(Told::Infrastructure(status))),
            None => Ok((protocol.state)(world, call, now)),
        }
    });
    shown(protocol, seen)
}

/// The id of the job that its sender gave that name; the name itself where there is none, or it does not show yet.
fn by_name(protocol: &Protocol, world: &World, name: &str, pointer: &str) -> String {
    let calls = world.accepted(protocol.name);
    let mut named = calls
        .iter()
        .filter(|call| call.body.pointer(pointer).and_then(Value::as_str) == Some(name) && is_listed(call));
    named.next().map_or_else(|| name.to_owned(), |call| call.request_id.clone())
}

fn is_listed(call: &Call) -> bool {
    let lag = i64::try_from(call.behaviour.lookup_lag_ms).unwrap_or(i64::MAX);
    (Utc::now() - call.at).num_milliseconds() >= lag
}

fn download(protocol: &Protocol, world: &World, id: &str) -> Response {
    let url = world.with_call(protocol.name, id, |call| urls(world, call, Instant::now()).into_iter().next());
    match url.flatten() {
        None => refuse(&(protocol.told)(Told::NotFound)),
        Some(url) => reply(302, &Value::Null, &[("location", &url)]),
    }
}

fn result(protocol: &Protocol, world: &World, id: &str, view: View) -> Response {
    let now = Instant::now();
    let seen = world.with_call(protocol.name, id, |call| {
        if !matches!(call.phase(now), Some(Phase::Ended(Outcome::Succeed | Outcome::Empty))) {
            return Err((protocol.told)(Told::NotFound));
        }
        call.results += 1;
        match call.behaviour.result_error(call.results) {
            Some(status) => Err((protocol.told)(Told::Infrastructure(status))),
            None => Ok(view(world, call, now)),
        }
    });
    shown(protocol, seen)
}

fn shown(protocol: &Protocol, seen: Option<Result<Value, Refusal>>) -> Response {
    match seen {
        None => refuse(&(protocol.told)(Told::NotFound)),
        Some(Err(refusal)) => refuse(&refusal),
        Some(Ok(state)) => reply(200, &state, &[]),
    }
}

fn cancel(protocol: &Protocol, world: &World, id: &str) -> Response {
    match world.with_call(protocol.name, id, |call| (protocol.cancel)(world, call, Instant::now())) {
        None => refuse(&(protocol.told)(Told::NotFound)),
        Some((status, body)) => reply(status, &body, &[]),
    }
}

/// The newest first, without those whose time to show has not come.
fn list(protocol: &Protocol, world: &World, query: &Query) -> Response {
    let mut calls = world.accepted(protocol.name);
    calls.retain(is_listed);
    calls.reverse();
    reply(200, &(protocol.list)(world, calls, query, Instant::now()), &[])
}

pub(super) fn refuse(refusal: &Refusal) -> Response {
    let headers: Vec<(&str, &str)> =
        refusal.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    reply(refusal.status, &refusal.body, &headers)
}

/// An error without headers.
pub(super) fn plain(status: u16, body: Value) -> Refusal {
    Refusal { status, body, headers: BTreeMap::new() }
}

/// The URLs of a job that ended; none for a success without an output.
pub(super) fn urls(world: &World, call: &mut Call, now: Instant) -> Vec<String> {
    match call.phase(now) {
        Some(Phase::Ended(Outcome::Succeed)) => {
            media::issue(world, call, now).into_iter().map(|output| output.url).collect()
        }
        _ => Vec::new(),
    }
}

/// The files of a job that ended, in base64; none for a success without an output.
pub(super) fn files(world: &World, call: &mut Call, now: Instant) -> Vec<String> {
    call.behaviour.inline = true;
    let uris = urls(world, call, now).into_iter();
    uris.filter_map(|uri| uri.split_once(',').map(|(_, data)| data.to_owned())).collect()
}

/// An object with further members.
pub(super) fn with(mut value: Value, further: Value) -> Value {
    if let (Value::Object(members), Value::Object(further)) = (&mut value, further) {
        members.extend(further);
    }
    value
}

/// A job's state with the script's own words for its failure laid over it.
pub(super) fn scripted(call: &Call, state: Value) -> Value {
    with(state, call.behaviour.fail_body.clone().unwrap_or_default())
}

/// A report that is the job's own state.
pub(super) fn message(protocol: &Protocol, world: &World, id: &str) -> Option<Message> {
    let state = world.with_call(protocol.name, id, |call| (protocol.state)(world, call, Instant::now()))?;
    Some(posted(&state))
}

/// A report of JSON.
pub(super) fn posted(body: &Value) -> Message {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    Message { headers, body: Bytes::from(body.to_string()) }
}

/// What the job costs so far in credits of a cent; null before its end.
pub(super) fn credits(call: &Call, now: Instant) -> Value {
    call.charge(now).map_or(Value::Null, |(_, amount)| cents(amount.millionths()))
}

/// Millionths of a dollar as a number of cents, with a fraction only where there is one.
pub(super) fn cents(millionths: i64) -> Value {
    let (whole, rest) = (millionths / 10_000, millionths % 10_000);
    if rest == 0 { json!(whole) } else { json!(format!("{whole}.{rest:04}").parse::<f64>().ok()) }
}

/// For providers that take whatever is well formed.
pub(super) fn unchecked(_: &HeaderMap, _: &Value) -> Option<Refusal> {
    None
}

/// For providers that do not report.
pub(super) fn silent(_: &World, _: &str) -> Option<Message> {
    None
}

/// For providers whose jobs cannot be listed. Their paths never ask for it.
pub(super) fn unlisted(_: &World, _: Vec<Call>, _: &Query, _: Instant) -> Value {
    Value::Null
}
