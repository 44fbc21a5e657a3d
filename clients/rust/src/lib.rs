//! A thin client of AFC's API.
//!
//! ```no_run
//! # async fn example() -> Result<(), afc_client::Error> {
//! use std::time::Duration;
//!
//! use afc_client::{ChainStep, Client, GenerationRequest, IdempotencyKey};
//!
//! let afc = Client::new("https://afc.example.com", "afc_…")?;
//! let request = GenerationRequest {
//!     max_cost: Some("8.00".to_owned()),
//!     ..GenerationRequest::video("a lighthouse in fog", [ChainStep::new("fal", "fal-ai/veo3.1")])
//! };
//! let made = afc.create_generation(&request, &IdempotencyKey::new("film-7/shot-42/take-3")?).await?;
//! let ended = afc.wait_for_generation(made.value.id, Duration::from_hours(1)).await?;
//! println!("{:?}, {} US dollars", ended.status, ended.cost.priced);
//! # Ok(())
//! # }
//! ```
//!
//! # Retries
//!
//! - No answer (no connection, a timeout, an answer that was cut off), 429, 502, 503 and 504 are tried again; no other
//!   status is.
//! - A try keeps everything of the one before it, the idempotency key above all: the API makes one job of them, and
//!   [`Created::replayed`] tells whether it had been there.
//! - Between two tries lies a wait that doubles, with jitter, or what `Retry-After` says, and a little jitter.
//! - [`Policy::total`] bounds all tries and waits of a call together. A wait that would pass it is not begun: the
//!   last refusal is returned at once, with its [`Problem::retry_after`].
//! - Two calls cannot be named by a key and make something new each time: [`Client::rotate_secret`] and
//!   [`Client::test_endpoint`]. These are repeated only when the API cannot have acted: no connection, or 429.
//! - A `DELETE` whose answer was lost and that finds nothing when it is repeated has deleted.
//!
//! After [`Error::Unanswered`] it is open whether the call took effect. Make it again with the same key, from another
//! process if need be; so keep a key of your own that names the wish, and use [`IdempotencyKey::random`] only for what
//! nobody would ask for again.
//!
//! # Types
//!
//! They are written by hand and held to `docs/openapi.json` by a test. Words that this version does not know yet are
//! `Other`, members that it does not know are passed over, so that an older client goes on working.

mod client;
mod error;
mod key;
mod retry;
mod send;

mod calls;
mod types;

pub use calls::{Created, Generations, Pages, StyleRuns};
pub use client::{Builder, Client};
pub use error::{Error, Lost};
pub use key::IdempotencyKey;
pub use retry::Policy;
pub use types::{
    Attempt, AttemptUsage, BudgetUse, Candidate, ChainStep, Code, Cost, Decision, DecisionAction,
    DecisionRequest, Endpoint, EndpointChange, EndpointRequest, EndpointState, Estimate, EstimateStep,
    Expired, FieldError, Generation, GenerationError, GenerationFilter, GenerationInput, GenerationRequest,
    Group, Id, Input, Kind, Looks, Mark, Media, OnDeadline, OnUnknown, Output, Problem, PublicKey, Review,
    ReviewRequest, Role, RotatedSecret, Round, RunState, Source, Spend, SpendLine, SpendQuery, SpendTotal,
    Status, StyleRun, StyleRunRequest, Sum, TestDelivery, Variation,
};
