//! A control plane for executors, without Workers: the product's own statements (`store`) on a real Postgres, behind the
//! routes of `domain::journal` and the providers' callbacks, with the tokens of `domain::token`. What the Workers add to
//! that (their HTTP layer, the Workflow, the containers) is not here; whoever starts a plane drives its jobs.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, OnceLock};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Extension, Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, http::HeaderMap, http::StatusCode};
use chrono::Utc;
use domain::execution::Report;
use domain::journal::{Entry, LeaseAnswer, Open, OpenAnswer};
use domain::timing::Timing;
use domain::token::{AttemptToken, Grant};
use domain::{AttemptId, JobId, Secret};
use futures::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde_json::Value;
use store::Db;
use store::journal::{Lease, Opening};
use store::unknown::Reported;
use tokio::sync::Notify;
use tokio_postgres::Client;

use crate::database::{self, Database};
use crate::lock::lock;
use crate::server::{self, Closing, Line, Server};

mod job;
pub use job::{Standing, Told};
pub use store::jobs::{Creation, Finish};

/// Grants of a plane are good for so long: longer than any test.
const TOKEN_SECONDS: i64 = 3600;

/// Stands at the points that requests pass: `NAME:before` a request is carried out, `NAME` before it is answered. The
/// names are `lease`, `open`, each [`Entry`]'s own, and `callback`.
pub type Gate = Arc<dyn Fn(String) -> BoxFuture<'static, Pass> + Send + Sync>;

/// What becomes of a request at a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    On,
    /// Its connection is reset: before the gate nothing was done, after it nothing is answered.
    Lost,
}

/// A running plane with one database.
pub struct Plane {
    server: Server,
    shared: Arc<Shared>,
}

struct Shared {
    client: Client,
    key: Secret,
    timing: Timing,
    gate: Gate,
    /// Where providers reach it; none are given a callback URL before that is told.
    public_url: OnceLock<String>,
    /// Every request that was carried out, so that it can be sent once more.
    requests: Mutex<Vec<Request>>,
    /// A callback made an attempt known.
    learned: Notify,
}

/// One request to the plane, as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub path: String,
    /// The bearer token; none for a callback.
    pub token: Option<String>,
    pub body: Bytes,
}

/// Why there is no plane, or it could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the plane's port: {0}")]
    Port(#[from] io::Error),
    #[error(transparent)]
    Database(#[from] database::Error),
    #[error("the plane's database: {0}")]
    Postgres(#[from] tokio_postgres::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
    /// What was asked of it is wrong.
    #[error("{0}")]
    Asked(String),
}

impl Plane {
    /// Starts a plane on any port, with a tenant of its own in `database`.
    pub async fn start(database: &Database, timing: Timing, gate: Gate) -> Result<Self, Error> {
        let shared = Arc::new(Shared {
            client: database.client().await?,
            key: Secret::new("the plane's own"),
            timing,
            gate,
            public_url: OnceLock::new(),
            requests: Mutex::default(),
            learned: Notify::new(),
        });
        job::add_client(Db::new(&shared.client)).await?;
        let router = Router::new()
            .route("/internal/jobs/{job}/lease", post(lease))
            .route("/internal/jobs/{job}/attempts", post(open))
            .route("/internal/jobs/{job}/attempts/{attempt}", post(record))
            .route("/v1/callbacks/{provider}/{token}", post(callback))
            .with_state(Arc::clone(&shared));
        Ok(Self { server: server::start(0, router, Closing::Ends).await?, shared })
    }

    /// Its own address.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Tells where providers reach it, which may be a proxy in front of it. Told once.
    pub fn publish(&self, url: &str) {
        self.shared.public_url.get_or_init(|| url.to_owned());
    }

    /// The token that goes with a submit of the job to an executor.
    pub fn submit_token(&self, job: JobId) -> Secret {
        self.shared.sign(Grant { job, lease: Grant::TAKE_LEASE })
    }

    /// Until a provider's callback has made an attempt known; one that came before counts.
    pub async fn learned(&self) {
        self.shared.learned.notified().await;
    }

    /// Every request that was carried out, in order.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.shared.requests).clone()
    }

    fn db(&self) -> Db<'_> {
        Db::new(&self.shared.client)
    }
}

impl Shared {
    fn sign(&self, grant: Grant) -> Secret {
        grant.sign(&self.key, Utc::now().timestamp() + TOKEN_SECONDS)
    }

    #[expect(clippy::result_large_err, reason = "the other side of the result is an answer too")]
    fn authorise(&self, headers: &HeaderMap) -> Result<(Grant, String), Refused> {
        let value = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let token = value.strip_prefix("Bearer ").unwrap_or_default();
        let grant = Grant::verify(token, &self.key, Utc::now().timestamp()).map_err(|_| unauthorized())?;
        Ok((grant, token.to_owned()))
    }

    async fn pass(&self, line: &Line, point: String) {
        if (self.gate)(point).await == Pass::Lost {
            line.reset().await;
        }
    }

    fn note(&self, path: String, token: Option<String>, body: Bytes) {
        lock(&self.requests).push(Request { path, token, body });
    }
}

/// An answer that is no answer of the journal's.
type Refused = Response;

fn unauthorized() -> Refused {
    StatusCode::UNAUTHORIZED.into_response()
}

fn broken(error: &store::Error) -> Refused {
    (StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response()
}

#[expect(clippy::result_large_err, reason = "the other side of the result is an answer too")]
fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refused> {
    serde_json::from_slice(body).map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()).into_response())
}

async fn lease(
    State(shared): State<Arc<Shared>>,
    Extension(line): Extension<Line>,
    Path(job): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refused> {
    let (grant, token) = shared.authorise(&headers)?;
    shared.pass(&line, "lease:before".to_owned()).await;
    let lease = store::journal::take_lease(Db::new(&shared.client), grant.job).await;
    let answer = match lease.map_err(|error| broken(&error))? {
        Lease::Granted { lease, attempts, ended } => {
            let token = shared.sign(Grant { job: grant.job, lease });
            LeaseAnswer::Granted { lease, token, attempts, ended }
        }
        Lease::Ended(status) => LeaseAnswer::Ended { status },
        Lease::Missing => return Err(StatusCode::NOT_FOUND.into_response()),
    };
    shared.note(format!("/internal/jobs/{job}/lease"), Some(token), body);
    shared.pass(&line, "lease".to_owned()).await;
    Ok(Json(answer).into_response())
}

async fn open(
    State(shared): State<Arc<Shared>>,
    Extension(line): Extension<Line>,
    Path(job): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refused> {
    let (grant, token) = shared.authorise(&headers)?;
    let open: Open = parse(&body)?;
    shared.pass(&line, "open:before".to_owned()).await;
    let db = Db::new(&shared.client);
    let opening = store::journal::open(db, grant.job, grant.lease, &open, &shared.timing).await;
    let answer = match opening.map_err(|error| broken(&error))? {
        Opening::Opened { ordinal } => {
            let calls_back = !open.provider.callback_request_ids().is_empty();
            let url = shared.public_url.get().filter(|_| calls_back).map(|base| {
                let token = AttemptToken(open.attempt).sign(&shared.key);
                format!("{base}/v1/callbacks/{}/{token}", open.provider)
            });
            OpenAnswer::Opened { ordinal, callback_url: url }
        }
        Opening::Refused(refusal) => OpenAnswer::Refused { refusal },
    };
    shared.note(format!("/internal/jobs/{job}/attempts"), Some(token), body);
    shared.pass(&line, "open".to_owned()).await;
    Ok(Json(answer).into_response())
}

async fn record(
    State(shared): State<Arc<Shared>>,
    Extension(line): Extension<Line>,
    Path((job, attempt)): Path<(String, AttemptId)>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refused> {
    let (grant, token) = shared.authorise(&headers)?;
    let entry: Entry = parse(&body)?;
    let told: Value = parse(&body)?;
    let name = told.pointer("/entry").and_then(Value::as_str).unwrap_or_default().to_owned();
    shared.pass(&line, format!("{name}:before")).await;
    let db = Db::new(&shared.client);
    let written = store::journal::record(db, grant.job, grant.lease, attempt, &entry, &shared.timing).await;
    let answer = written.map_err(|error| broken(&error))?;
    shared.note(format!("/internal/jobs/{job}/attempts/{attempt}"), Some(token), body);
    shared.pass(&line, name).await;
    Ok(Json(answer).into_response())
}

async fn callback(
    State(shared): State<Arc<Shared>>,
    Extension(line): Extension<Line>,
    Path((provider, token)): Path<(String, String)>,
    body: Bytes,
) -> Result<Response, Refused> {
    shared.pass(&line, "callback:before".to_owned()).await;
    let AttemptToken(attempt) = AttemptToken::verify(&token, &shared.key).map_err(|_| unauthorized())?;
    let told: Value = parse(&body)?;
    let known = domain::provider::Provider::from_word(&provider);
    let places = known.map_or(&[][..], |provider| provider.callback_request_ids());
    let id = places.iter().find_map(|pointer| told.pointer(pointer)?.as_str());
    let id = id.ok_or_else(|| StatusCode::BAD_REQUEST.into_response())?;
    let places = known.map_or(&[][..], |provider| provider.callback_captures());
    let captured = places
        .iter()
        .filter_map(|(name, at)| Some(((*name).to_owned(), told.pointer(at)?.as_str()?.to_owned())))
        .collect::<BTreeMap<_, _>>();
    let reported = store::unknown::report(Db::new(&shared.client), attempt, id, &captured).await;
    if let Reported::Learned(_) = reported.map_err(|error| broken(&error))? {
        shared.learned.notify_one();
    }
    shared.note(format!("/v1/callbacks/{provider}/{token}"), None, body);
    shared.pass(&line, "callback".to_owned()).await;
    Ok(StatusCode::OK.into_response())
}

/// How an execution's report ends a job; `None` for one that decides nothing.
pub(crate) fn ending(report: &Report) -> Option<store::jobs::Ending> {
    match report {
        Report::Succeeded { outputs } => Some(store::jobs::Ending::Succeeded(outputs.clone())),
        Report::Failed { failure } => Some(store::jobs::Ending::Failed(failure.clone())),
        Report::Cancelled => Some(store::jobs::Ending::Cancelled),
        Report::Held { .. } | Report::Interrupted { .. } => None,
    }
}
