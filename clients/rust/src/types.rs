//! What the API takes and gives. Amounts are US dollars as exact decimals in text, times are UTC.

mod endpoint;
mod generation;
mod id;
mod problem;
mod spend;
mod style_run;
#[cfg(test)]
mod tests;

pub use endpoint::{
    Endpoint, EndpointChange, EndpointRequest, EndpointState, PublicKey, RotatedSecret, TestDelivery,
};
pub use generation::{
    Attempt, AttemptUsage, ChainStep, Cost, Expired, Generation, GenerationError, GenerationFilter,
    GenerationInput, GenerationRequest, Input, Kind, Looks, Media, OnUnknown, Output, Role, Source, Status,
};
pub use id::Id;
pub use problem::{Code, FieldError, Problem};
pub use spend::{BudgetUse, Estimate, EstimateStep, Group, Spend, SpendLine, SpendQuery, SpendTotal, Sum};
pub use style_run::{
    Candidate, Decision, DecisionAction, DecisionRequest, Mark, OnDeadline, Review, ReviewRequest, Round,
    RunState, StyleRun, StyleRunRequest, Variation,
};

/// A page of a list.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Page<T> {
    pub(crate) data: Vec<T>,
    #[serde(default)]
    pub(crate) next_cursor: Option<String>,
    #[serde(default)]
    pub(crate) has_more: bool,
}
