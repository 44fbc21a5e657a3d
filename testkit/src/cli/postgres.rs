//! `testkit postgres`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use http::StatusCode;
use serde::Serialize;
use serde_json::json;
use testkit::pooler::{self, Pooler};
use testkit::postgres::{self, Data, Server};
use tokio::sync::Mutex;

use super::Failure;
use super::life::{Life, announce, explain};

/// The database of the local stack.
const DATABASE: &str = "afc";
/// How often a death that nobody ordered is looked for, to log it.
const WATCH: Duration = Duration::from_secs(1);

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The data directory; made when missing, kept afterwards.
    #[arg(long)]
    data: PathBuf,
    /// The port of Postgres itself; a free one below 32768 unless given.
    #[arg(long)]
    port: Option<u16>,
    /// The port of the pooler; a free one below 32768 unless given.
    #[arg(long)]
    pooler_port: Option<u16>,
    /// The port of the HTTP control; any unless given.
    #[arg(long, default_value_t = 0)]
    control_port: u16,
    /// Connections that the pooler has to Postgres.
    #[arg(long, default_value_t = 10)]
    pool_size: usize,
    /// Seconds a client waits for one of them.
    #[arg(long, default_value_t = 15)]
    pool_wait_seconds: u64,
    /// The folder with Postgres's bin, lib and share; the npm package's in `node_modules` unless given.
    #[arg(long)]
    native: Option<PathBuf>,
}

#[derive(Debug, Serialize)]
struct Announcement {
    ready: &'static str,
    url: String,
    pooled_url: String,
    control: String,
    pid: Option<u32>,
    data: PathBuf,
}

#[derive(Clone)]
struct Parts {
    server: Arc<Mutex<Server>>,
    pooler: Arc<Pooler>,
}

pub(crate) async fn run(arguments: Arguments, mut life: Life) -> Result<(), Failure> {
    let Some(started) = life.unless_over(start(&arguments)).await else { return Ok(()) };
    let parts = started?;
    let control = testkit::control::serve(arguments.control_port, router(parts.clone())).await?;
    let ready = {
        let server = parts.server.lock().await;
        Announcement {
            ready: "postgres",
            url: server.url(),
            pooled_url: parts.pooler.url(DATABASE),
            control: control.url(),
            pid: server.pid(),
            data: server.data().to_owned(),
        }
    };
    announce(&ready);
    let watching = tokio::spawn(watch(Arc::clone(&parts.server)));
    life.end().await;
    watching.abort();
    drop(control);
    parts.server.lock().await.stop().await;
    Ok(())
}

async fn start(arguments: &Arguments) -> Result<Parts, Failure> {
    let server = postgres::start(postgres::Options {
        native: arguments.native.clone(),
        data: Data::Kept(arguments.data.clone()),
        port: arguments.port,
        database: DATABASE.to_owned(),
    })
    .await?;
    let pooler = pooler::start(pooler::Options {
        postgres: server.address(),
        port: arguments.pooler_port,
        size: arguments.pool_size,
        wait: Duration::from_secs(arguments.pool_wait_seconds),
    })
    .await?;
    Ok(Parts { server: Arc::new(Mutex::new(server)), pooler: Arc::new(pooler) })
}

/// A server that dies is not started again by itself: a test that killed it decides when it is back.
async fn watch(server: Arc<Mutex<Server>>) {
    let mut ran = true;
    loop {
        tokio::time::sleep(WATCH).await;
        let runs = server.lock().await.is_running();
        if ran && !runs {
            tracing::warn!("Postgres has stopped; POST /_postgres/start on the control port starts it again");
        }
        ran = runs;
    }
}

fn router(parts: Parts) -> Router {
    Router::new()
        .route("/_postgres/health", get(health))
        .route("/_postgres/start", post(start_again))
        .route("/_postgres/stop", post(stop))
        .route("/_postgres/kill", post(kill))
        .route("/_postgres/connections", get(connections))
        .route("/_postgres/forget", post(forget))
        .with_state(parts)
}

async fn health(State(parts): State<Parts>) -> Response {
    describe(&mut *parts.server.lock().await)
}

async fn start_again(State(parts): State<Parts>) -> Response {
    let mut server = parts.server.lock().await;
    match server.start_again().await {
        Ok(()) => describe(&mut server),
        Err(error) => {
            (StatusCode::INTERNAL_SERVER_ERROR, Json(json!({"error": explain(&error)}))).into_response()
        }
    }
}

async fn stop(State(parts): State<Parts>) -> Response {
    let mut server = parts.server.lock().await;
    server.stop().await;
    describe(&mut server)
}

async fn kill(State(parts): State<Parts>) -> Response {
    let mut server = parts.server.lock().await;
    server.kill().await;
    describe(&mut server)
}

async fn connections(State(parts): State<Parts>) -> Response {
    Json(json!({"connections": parts.pooler.connections()})).into_response()
}

async fn forget(State(parts): State<Parts>) -> Response {
    parts.pooler.forget();
    StatusCode::NO_CONTENT.into_response()
}

fn describe(server: &mut Server) -> Response {
    let running = server.is_running();
    Json(json!({"running": running, "pid": server.pid()})).into_response()
}
