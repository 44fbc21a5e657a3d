//! What happens to a submit, whatever the provider: the script decides, the ledger is written, and only then does the
//! provider answer in its own words.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use http::HeaderMap;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::callback::{self, Callback};
use super::job::Job;
use super::ledger::{Call, prompt_of, show_headers};
use super::world::World;

/// A submit as it reached a provider.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) provider: &'static str,
    pub(super) model: String,
    pub(super) headers: HeaderMap,
    pub(super) query: Vec<(String, String)>,
    pub(super) body: Value,
    /// The longest it may wait to be started.
    pub(super) start_limit: Option<Duration>,
    /// Whom to call when it ends.
    pub(super) callback: Option<Callback>,
    /// The provider's own reason not to take it: no key, no such model.
    pub(super) refusal: Option<Refusal>,
}

/// An answer that is not an acceptance.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    /// The body; a JSON string is sent as plain text.
    pub(super) body: Value,
    pub(super) headers: BTreeMap<String, String>,
}

/// What the provider must do now.
#[derive(Debug)]
pub(super) enum Verdict {
    /// Tell the caller of the job it made.
    Accepted(Box<Call>),
    Refused(Refusal),
    /// Reset the connection. The job may have been accepted all the same.
    Broken,
}

/// Takes a submit in. The ledger is complete before this waits or returns, so a caller that leaves changes nothing.
pub(super) async fn receive(world: &Arc<World>, arrival: Arrival) -> Verdict {
    if let Some(refusal) = arrival.refusal.clone() {
        let mut call = enter_call(&arrival, super::behaviour::Behaviour::default());
        call.answered = Some(refusal.status);
        world.enter(vec![call]);
        return Verdict::Refused(refusal);
    }
    let behaviour = world.select(arrival.provider, &arrival.model, prompt_of(&arrival.body));
    let mut call = enter_call(&arrival, behaviour);
    let behaviour = call.behaviour.clone();
    let refusal = behaviour.http_status.map(|status| Refusal {
        status,
        body: behaviour.error_body.clone().unwrap_or_default(),
        headers: behaviour.error_headers.clone(),
    });
    let accepts = !behaviour.drop_before_accept && (refusal.is_none() || behaviour.accept_anyway);
    let broken = behaviour.drop_before_accept || behaviour.drop_response_after_accept;
    call.answered = if broken { None } else { Some(refusal.as_ref().map_or(200, |refusal| refusal.status)) };
    if accepts {
        call.accepted = Some((Instant::now(), Job { start_limit: arrival.start_limit, cancelled: None }));
    }
    if accepts && behaviour.honours_idempotency_key {
        // One step under the ledger's lock: of two at a time one is the first.
        if let Some(first) = world.enter_once(&mut call) {
            return Verdict::Accepted(Box::new(first));
        }
        tokio::time::sleep(Duration::from_millis(behaviour.submit_delay_ms)).await;
        return if broken { Verdict::Broken } else { Verdict::Accepted(Box::new(call)) };
    }
    let mut calls = vec![call.clone()];
    if accepts && behaviour.accept_twice {
        calls.push(Call {
            id: new_id(),
            request_id: new_id(),
            duplicate_of: Some(call.id.clone()),
            ..call.clone()
        });
    }
    world.enter(calls.clone());
    for accepted in calls.iter().filter(|call| call.accepted.is_some()) {
        if let Some(callback) = arrival.callback.clone() {
            callback::schedule(world, accepted, callback);
        }
    }
    tokio::time::sleep(Duration::from_millis(behaviour.submit_delay_ms)).await;
    match refusal {
        _ if broken => Verdict::Broken,
        Some(refusal) => Verdict::Refused(refusal),
        None => Verdict::Accepted(Box::new(call)),
    }
}

fn enter_call(arrival: &Arrival, behaviour: super::behaviour::Behaviour) -> Call {
    Call {
        id: new_id(),
        provider: arrival.provider,
        model: arrival.model.clone(),
        request_id: new_id(),
        at: Utc::now(),
        body: arrival.body.clone(),
        headers: show_headers(&arrival.headers),
        query: arrival
            .query
            .iter()
            .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
            .collect::<Map<_, _>>(),
        behaviour,
        accepted: None,
        answered: None,
        duplicate_of: None,
        deleted: false,
        polls: 0,
        results: 0,
        fetches: 0,
        fetches_with_credentials: 0,
        issues: Vec::new(),
        callbacks: Vec::new(),
    }
}

/// In the order of time, so that logs sort.
fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
