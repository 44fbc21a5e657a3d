//! A control plane's journal for one job, with the store's semantics (`store::journal`).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::extract::{Path, State as Shared};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use chrono::Utc;
use domain::attempt::{Attempt, Looks, State};
use domain::job::Status;
use domain::journal::{Entry, EntryAnswer, LeaseAnswer, Open, OpenAnswer, Refusal};
use domain::{AttemptId, Secret};

use super::gates::Gates;
use super::serve::Server;

pub(crate) const SUBMIT_TOKEN: &str = "submit-token";

pub(crate) struct FakeJournal {
    pub(crate) url: String,
    _server: Server,
    world: Arc<World>,
}

struct World {
    job: Mutex<Job>,
    gates: Gates,
    away: AtomicBool,
}

pub(crate) struct Job {
    pub(crate) status: Status,
    pub(crate) lease: i64,
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) max_paid_calls: usize,
    pub(crate) refuse_open: Option<Refusal>,
    /// How often opening was refused.
    pub(crate) refused: usize,
    pub(crate) fenced: usize,
    pub(crate) requests: Vec<serde_json::Value>,
    pub(crate) token: String,
    /// What stands before the attempt's token in its callback URL; none without one.
    pub(crate) callbacks: Option<String>,
}

impl FakeJournal {
    pub(crate) async fn start(gates: Gates) -> Self {
        let job = Job {
            status: Status::Running,
            lease: 0,
            attempts: Vec::new(),
            max_paid_calls: 20,
            refuse_open: None,
            refused: 0,
            fenced: 0,
            requests: Vec::new(),
            token: SUBMIT_TOKEN.to_owned(),
            callbacks: None,
        };
        let world = Arc::new(World { job: Mutex::new(job), gates, away: AtomicBool::new(false) });
        let router = Router::new()
            .route("/internal/jobs/{job}/lease", post(take_lease))
            .route("/internal/jobs/{job}/attempts", post(open))
            .route("/internal/jobs/{job}/attempts/{attempt}", post(record))
            .with_state(Arc::clone(&world));
        let server = Server::start(router).await;
        Self { url: server.url.clone(), _server: server, world }
    }

    pub(crate) fn attempts(&self) -> Vec<Attempt> {
        self.with(|job| job.attempts.clone())
    }

    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut Job) -> T) -> T {
        look(&mut self.world.job.lock().unwrap())
    }

    /// Every call is answered 503, or no longer.
    pub(crate) fn set_away(&self, away: bool) {
        self.world.away.store(away, Ordering::SeqCst);
    }
}

fn bearer(headers: &HeaderMap) -> String {
    let value = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.strip_prefix("Bearer ").unwrap_or_default().to_owned()
}

/// The lease of a journal token.
fn lease_of(headers: &HeaderMap) -> Option<i64> {
    bearer(headers).strip_prefix("lease-")?.parse().ok()
}

fn refused(status: StatusCode) -> Response {
    status.into_response()
}

async fn take_lease(Shared(world): Shared<Arc<World>>, headers: HeaderMap) -> Response {
    world.gates.pass("journal.lease:before").await;
    if world.away.load(Ordering::SeqCst) {
        return refused(StatusCode::SERVICE_UNAVAILABLE);
    }
    let answer = {
        let mut job = world.job.lock().unwrap();
        if bearer(&headers) != job.token {
            return refused(StatusCode::UNAUTHORIZED);
        }
        let ended = Some(job.status).filter(|status| status.is_terminal());
        let open = job.attempts.iter().any(|attempt| matches!(attempt.state, State::Open | State::Accepted));
        if ended.is_some() && !open {
            LeaseAnswer::Ended { status: job.status }
        } else {
            job.lease += 1;
            let (lease, attempts) = (job.lease, job.attempts.clone());
            LeaseAnswer::Granted { lease, token: Secret::new(format!("lease-{lease}")), attempts, ended }
        }
    };
    world.gates.pass("journal.lease").await;
    Json(answer).into_response()
}

async fn open(Shared(world): Shared<Arc<World>>, headers: HeaderMap, Json(open): Json<Open>) -> Response {
    world.gates.pass("journal.open:before").await;
    if world.away.load(Ordering::SeqCst) {
        return refused(StatusCode::SERVICE_UNAVAILABLE);
    }
    let Some(lease) = lease_of(&headers) else { return refused(StatusCode::UNAUTHORIZED) };
    let answer = world.job.lock().unwrap().open(lease, open);
    world.gates.pass("journal.open").await;
    Json(answer).into_response()
}

async fn record(
    Shared(world): Shared<Arc<World>>,
    Path((_, attempt)): Path<(String, String)>,
    headers: HeaderMap,
    Json(entry): Json<Entry>,
) -> Response {
    let name = serde_json::to_value(&entry).unwrap()["entry"].as_str().unwrap().to_owned();
    world.gates.pass(&format!("journal.{name}:before")).await;
    if world.away.load(Ordering::SeqCst) {
        return refused(StatusCode::SERVICE_UNAVAILABLE);
    }
    let Some(lease) = lease_of(&headers) else { return refused(StatusCode::UNAUTHORIZED) };
    let answer = world.job.lock().unwrap().record(lease, attempt.parse().unwrap(), entry);
    world.gates.pass(&format!("journal.{name}")).await;
    Json(answer).into_response()
}

impl Job {
    fn open(&mut self, lease: i64, open: Open) -> OpenAnswer {
        if lease != self.lease {
            self.fenced += 1;
            return OpenAnswer::Refused { refusal: Refusal::StaleLease };
        }
        if let Some(standing) = self.attempts.iter().find(|attempt| attempt.id == open.attempt) {
            let callback_url = self.callback_url(open.attempt);
            return OpenAnswer::Opened { ordinal: standing.ordinal, callback_url };
        }
        if self.status.is_terminal() {
            return OpenAnswer::Refused { refusal: Refusal::JobEnded { status: self.status } };
        }
        if let Some(refusal) = self.refuse_open {
            self.refused += 1;
            return OpenAnswer::Refused { refusal };
        }
        if self.attempts.len() >= self.max_paid_calls {
            return OpenAnswer::Refused { refusal: Refusal::PaidCallsExhausted };
        }
        let ordinal = u32::try_from(self.attempts.len()).unwrap() + 1;
        let callback_url = self.callback_url(open.attempt);
        self.requests.push(open.request);
        self.attempts.push(Attempt {
            id: open.attempt,
            ordinal,
            chain_index: open.chain_index,
            provider: open.provider,
            model: open.model,
            lease,
            state: State::Open,
            provider_request_id: None,
            captured: std::collections::BTreeMap::default(),
            error: None,
            started_at: Utc::now(),
            accepted_at: None,
            finished_at: None,
            usage: None,
            cost: None,
            reserved: open.reserved,
            looks: Looks::default(),
        });
        OpenAnswer::Opened { ordinal, callback_url }
    }

    fn callback_url(&self, attempt: AttemptId) -> Option<String> {
        self.callbacks.as_ref().map(|base| format!("{base}/{attempt}.mac"))
    }

    fn record(&mut self, lease: i64, attempt: AttemptId, entry: Entry) -> EntryAnswer {
        if lease != self.lease {
            self.fenced += 1;
            return EntryAnswer::StaleLease;
        }
        let Some(row) = self.attempts.iter_mut().find(|row| row.id == attempt) else {
            return EntryAnswer::NoSuchAttempt;
        };
        let ended = State::ENDED.contains(&row.state);
        let (state, error) = match entry {
            Entry::Settled { usage, cost } => {
                row.usage = usage.or(row.usage.take());
                row.cost = cost.or(row.cost.take());
                return EntryAnswer::Written;
            }
            Entry::Accepted { provider_request_id, captured } => {
                if !matches!(row.state, State::Open | State::Unknown) {
                    return EntryAnswer::Unchanged;
                }
                row.provider_request_id = Some(provider_request_id);
                row.captured = captured;
                row.accepted_at = Some(Utc::now());
                (State::Accepted, None)
            }
            Entry::Unknown { error } => (State::Unknown, Some(error)),
            Entry::Succeeded => (State::Succeeded, None),
            Entry::Failed { error } => (State::Failed, Some(error)),
            Entry::Abandoned { error } => (State::Abandoned, Some(error)),
        };
        if ended {
            return EntryAnswer::Unchanged;
        }
        row.state = state;
        row.error = error;
        row.finished_at = State::ENDED.contains(&state).then(Utc::now);
        EntryAnswer::Written
    }
}
