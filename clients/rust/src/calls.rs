//! The calls, by what they are about.

mod endpoints;
mod generations;
mod inputs;
mod pages;
mod spend;
mod style_runs;

pub use pages::{Generations, Pages, StyleRuns};

/// What a keyed call answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created<T> {
    pub value: T,
    /// It had been there before this try; `value` is how it stands now.
    pub replayed: bool,
}

/// A member of a query, as the API's JSON spells its words.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
