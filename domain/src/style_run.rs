//! Style runs: a look is explored in rounds of candidates, each round is judged by a person, perhaps after days.

mod state;
pub use state::State;

mod request;
pub use request::{OnDeadline, Review, Spec, StyleRunRequest, Variation, limit};

mod candidate;
pub use candidate::{Candidate, Progress, STYLE_RUN, plan};

mod decision;
pub use decision::{Action, DecisionRequest, Mark};

mod next;
pub use next::{Next, Standing, best, decide};

#[cfg(test)]
mod tests;
