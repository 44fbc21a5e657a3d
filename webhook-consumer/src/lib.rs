//! Queue consumer of AFC: claims a delivery, signs it, posts it, records what came of it.
//!
//! A message names a delivery and promises nothing: what may be done is decided by the delivery's row (A37). So every
//! message may be lost, repeated or late without harm, and each is settled by itself; the handler never throws,
//! because that would bring back what was settled already. A panic would do worse (it resets the wasm instance and
//! every post under way in it), so nothing here may panic; the workspace's lints deny what could.

mod config;

mod message;
mod queue;

mod consume;
mod dead;
mod jitter;
mod lanes;
mod outcome;
mod post;
mod signature;
mod verdict;

use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use worker::Env;

/// The queue handler. workers-rs' own would panic when it returns an error and hides how often a message was tried.
#[wasm_bindgen]
pub async fn queue(batch: JsValue, env: Env, _context: JsValue) {
    queue::settle(batch, &env).await;
}
