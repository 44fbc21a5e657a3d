//! AFC's protocols as models, every interleaving of them searched.
//!
//! Each model moves what outlives a process (rows, calls, objects, messages) by the effects that the real parts have on
//! it, one at a time, with faults between any two. What is decided is decided by the real functions of [`domain`].

pub mod payment;
pub mod table;

use domain::callback_url::Loopback;
use domain::generation::{GenerationRequest, Spec};
use serde_json::json;

/// A job of one model with so many attempts.
///
/// # Panics
/// Where the request is none that the API would take.
#[expect(clippy::expect_used, reason = "the request is a constant; a model without one searches nothing")]
fn spec(attempts: u32) -> Spec {
    let body = json!({
        "kind": "video",
        "input": {"prompt": "a cat"},
        "chain": [{"provider": "fal", "model": "a", "attempts": attempts}],
    });
    GenerationRequest::parse(body, Loopback::Refused).expect("a plain request").spec
}
