//! The control plane of AFC: HTTP API, job Workflow, the Durable Object in front of the executor, the sweeper.
//!
//! A panic resets the wasm instance and with it every request that lives in it, so nothing here may panic; the
//! workspace's lints deny what could.

mod config;

mod problem;
mod request_id;

mod access;

mod admin;
mod api;
mod callbacks;
mod http;
mod internal;

mod inputs;
mod links;
mod retention;

mod container;
mod generation;
mod looks;
mod review;
mod start;
mod style_runs;
mod sweeper;

#[cfg(test)]
mod openapi;

use worker::{Context, Env, Request, Response, Result, ScheduleContext, ScheduledEvent, event};

#[event(fetch)]
async fn fetch(request: Request, env: Env, context: Context) -> Result<Response> {
    http::serve(request, env, context).await
}

#[event(scheduled)]
async fn scheduled(_event: ScheduledEvent, env: Env, _context: ScheduleContext) {
    sweeper::sweep(&env).await;
}
