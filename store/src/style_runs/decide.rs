use domain::StyleRunId;
use domain::event::EventType;
use domain::idempotency::IdempotencyKey;
use domain::style_run::{Action, DecisionRequest, State};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_postgres::types::{Json, Type};
use uuid::Uuid;

use super::transition::{NO_REVIEW, WOKEN, events};
use super::{Caller, Decision, MAKER, StyleRun, find_to_change};
use crate::jobs::Found;
use crate::{Db, Error};

/// A decision to be recorded under `id`, unless the round has one.
pub struct NewDecision<'a> {
    pub id: Uuid,
    pub run: StyleRunId,
    pub caller: Caller,
    pub idempotency_key: &'a IdempotencyKey,
    /// The version that the reviewer saw (`If-Match`); `None` decides on whatever stands.
    pub version: Option<i64>,
    pub request: &'a DecisionRequest,
}

/// What a decision, first or repeated, finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Decided {
    /// This decision stands; state, decision and events were committed together (A41).
    Won(Box<StyleRun>),
    /// It stood already: the same key and body were here before.
    Replayed(Box<StyleRun>),
    /// The key was here with another body.
    KeyConflict(Box<StyleRun>),
    /// The run has moved on from the version that the reviewer saw.
    Stale(Box<StyleRun>),
    /// The run waits for no review: it is decided, under way, or at its end.
    Late(Box<StyleRun>),
    /// A named candidate is none of the round, or was not made.
    NoSuchCandidate(Box<StyleRun>),
    NoRoundLeft(Box<StyleRun>),
    NotFound,
    Unauthenticated,
}

#[derive(Deserialize)]
struct Repeated {
    hash: String,
}

/// Decides a round, once, in one statement (A41).
///
/// Safe to repeat and to race: under READ COMMITTED a second decision waits for the first one's row and then finds the run
/// elsewhere. The loser is told what stands by a second statement.
pub async fn decide(db: Db<'_>, new: &NewDecision<'_>) -> Result<Decided, Error> {
    let request = new.request;
    let sql = statement(request.action.leads_to());
    let types = told(request.action);
    let candidates: Vec<i32> =
        request.candidates.iter().map(|index| i32::try_from(*index).unwrap_or(i32::MAX)).collect();
    let variations = request.variations.as_ref().map(|variations| Json::<Value>(json!(variations)));
    let moved: Option<StyleRunId> = db
        .one(
            &sql,
            &[
                (&new.caller.key(), Type::BYTEA),
                (&new.run.uuid(), Type::UUID),
                (&types, Type::TEXT_ARRAY),
                (&new.version, Type::INT8),
                (&new.id, Type::UUID),
                (&request.action.as_str(), Type::TEXT),
                (&request.reviewer, Type::TEXT),
                (&new.idempotency_key.as_str(), Type::TEXT),
                (&&request.hash.bytes()[..], Type::BYTEA),
                (&candidates, Type::INT4_ARRAY),
                (&request.notes, Type::TEXT),
                (&Json::<Value>(json!(request.marks)), Type::JSONB),
                (&variations, Type::JSONB),
            ],
        )
        .await?;
    let run = match find_to_change(db, new.caller, new.run).await? {
        Found::Found(run) => Box::new(run),
        Found::NotFound => return Ok(Decided::NotFound),
        Found::Unauthenticated => return Ok(Decided::Unauthenticated),
    };
    if moved.is_some() { Ok(Decided::Won(run)) } else { refused(db, new, run).await }
}

fn told(action: Action) -> Vec<&'static str> {
    let ended = EventType::of_state(action.leads_to());
    [Some(EventType::StyleRunDecided), ended].into_iter().flatten().map(EventType::as_str).collect()
}

fn statement(to: State) -> String {
    let ends = if to.is_terminal() { "finished_at = now()," } else { "" };
    let events = events(
        "$3::text[]",
        "(select jsonb_build_object('id', d.id, 'action', d.action, 'reviewer', d.reviewer,
            'candidates', d.candidates, 'notes', d.notes, 'marks', d.marks) from decided d)",
    );
    let sources = super::transition::words(to.sources());
    format!(
        "with {MAKER}, moved as (
            update style_runs r
            set state = '{to}', version = r.version + 1, told = r.told + cardinality($3::text[]), {ends}
                updated_at = now(), {NO_REVIEW}
            from caller
            where r.id = $2 and r.client_id = caller.client_id and r.state in ({sources})
                and ($4::bigint is null or r.version = $4)
                and ($6 <> 'revise' or r.round < r.max_rounds)
                and not exists (select from style_decisions d where d.run_id = r.id and d.idempotency_key = $8)
                and not exists (
                    select from unnest($10::integer[]) wanted (index)
                    where not exists (
                        select from style_candidates c join jobs j on j.id = c.job_id
                        where c.run_id = r.id and c.round = r.round and c.index = wanted.index
                            and j.status = 'succeeded'
                    )
                )
            returning r.*
        ), decided as (
            insert into style_decisions (id, run_id, round, action, reviewer, idempotency_key, request_hash, candidates,
                notes, marks, variations)
            select $5, m.id, m.round, $6, $7, $8, $9, $10, $11, $12, $13 from moved m
            returning *
        ), approved as (
            update style_candidates c set approved = true from moved m
            where c.run_id = m.id and c.round = m.round and c.index = any ($10)
        ), {WOKEN}, {events}
        select to_json((select id from moved))"
    )
}

async fn refused(db: Db<'_>, new: &NewDecision<'_>, run: Box<StyleRun>) -> Result<Decided, Error> {
    let sql = "select to_json((
            select json_build_object('hash', encode(request_hash, 'hex')) from style_decisions
            where run_id = $1 and idempotency_key = $2
        ))";
    let key = new.idempotency_key.as_str();
    let repeated: Option<Repeated> =
        db.one(sql, &[(&new.run.uuid(), Type::UUID), (&key, Type::TEXT)]).await?;
    let request = new.request;
    Ok(match repeated {
        Some(Repeated { hash }) if hash == request.hash.to_string() => Decided::Replayed(run),
        Some(_) => Decided::KeyConflict(run),
        None if new.version.is_some_and(|seen| seen != run.version) => Decided::Stale(run),
        None if run.state != State::AwaitingReview => Decided::Late(run),
        None if request.action == Action::Revise && run.round >= run.max_rounds => Decided::NoRoundLeft(run),
        None => Decided::NoSuchCandidate(run),
    })
}

/// The decision that made a round, if there is one.
impl StyleRun {
    pub fn decision_of(&self, round: u32) -> Option<&Decision> {
        self.decisions.iter().find(|decision| decision.round == round)
    }
}
