//! What a Worker exports for the JavaScript loop, `js/loop.mjs`.
//!
//! The loop knows two calls of a class that the Worker declares with `#[wasm_bindgen]`:
//!
//! - `next(event, history) -> command`: what is to be done next? See [`next`].
//! - `perform(activity, attempt) -> Promise<outcome>`: one attempt of one activity. See [`perform`].
//!
//! Both take and return JSON text, so that nothing but strings crosses the border to JavaScript, and both answer bad
//! input with a failure that says so.
//!
//! ```ignore
//! #[wasm_bindgen]
//! pub struct OrderLogic { env: Env }
//!
//! #[wasm_bindgen]
//! impl OrderLogic {
//!     #[wasm_bindgen(constructor)]
//!     pub fn new(env: Env) -> OrderLogic { OrderLogic { env } }
//!
//!     pub fn next(&self, event: &str, history: &str) -> String {
//!         workflow::entry::next(event, history, order)
//!     }
//!
//!     pub async fn perform(&self, activity: String, attempt: u32) -> String {
//!         workflow::entry::perform(&activity, attempt, |activity, attempt| act(&self.env, activity, attempt)).await
//!     }
//! }
//! ```

use std::{collections::VecDeque, future::Future};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::replay::{Command, Failure, Outcome, Recorded, Steps, decide};

/// What started the run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event<P> {
    /// The parameters the instance was created with; an empty object where there were none.
    pub payload: P,
    /// When the instance was created, in ISO 8601. The same in every replay, so a body may use it as its clock.
    pub timestamp: String,
    /// The instance's id.
    pub instance_id: String,
    /// The workflow's name, where the engine tells it.
    #[serde(default)]
    pub workflow_name: Option<String>,
}

/// Decides the next command of a run, as JSON (see [`Command`]).
///
/// `event` is the engine's event as JSON, `history` the JSON array of [`Recorded`] steps. Input which is not what it
/// should be ends the run with the failure `MalformedEventError` or `MalformedHistoryError`.
pub fn next<P, A, O, F>(event: &str, history: &str, body: impl FnOnce(Steps<A>, Event<P>) -> F) -> String
where
    P: DeserializeOwned,
    A: Serialize,
    O: Serialize,
    F: Future<Output = Result<O, Failure>>,
{
    let command = parse::<Event<P>>("MalformedEventError", event).and_then(|event| {
        let history = parse::<VecDeque<Recorded>>("MalformedHistoryError", history)?;
        Ok(decide(history, |steps| body(steps, event)))
    });
    let command = command.unwrap_or_else(|failure| Command::Fail { failure });
    serde_json::to_string(&command).unwrap_or_else(|error| {
        // Only an activity can be the cause: the rest of a command always has a JSON form.
        let failure = Failure::new("MalformedActivityError", error.to_string());
        text(&Command::<()>::Fail { failure })
    })
}

/// Performs one attempt of an activity and returns its [`Outcome`] as JSON.
///
/// `attempt` counts from 1. An activity that cannot be read, or a result that the engine cannot store (more than
/// [`MAX_BYTES`] of JSON), is a non-retryable failure.
///
/// [`MAX_BYTES`]: crate::replay::MAX_BYTES
pub async fn perform<A, T, F>(activity: &str, attempt: u32, act: impl FnOnce(A, u32) -> F) -> String
where
    A: DeserializeOwned,
    T: Serialize,
    F: Future<Output = Result<T, Failure>>,
{
    let outcome = match parse("MalformedActivityError", activity) {
        Ok(activity) => act(activity, attempt).await.map_or_else(Outcome::Err, Outcome::of),
        Err(failure) => Outcome::Err(Failure::non_retryable(failure.to_string())),
    };
    text(&outcome)
}

fn parse<T: DeserializeOwned>(name: &str, json: &str) -> Result<T, Failure> {
    serde_json::from_str(json).map_err(|error| Failure::new(name, error.to_string()))
}

/// JSON text of what always has one. Should that ever be wrong, the loop finds no JSON and fails the step or the run.
fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
