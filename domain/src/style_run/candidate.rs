use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Spec, Variation};
use crate::job::Status;
use crate::{JobId, StyleRunId, Usd};

/// One candidate of the round under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    pub index: u32,
    /// Minted when the round is planned: the generation's id, whether it exists by now or not.
    pub job: JobId,
    /// The generation's status; `None` while it was not created.
    pub status: Option<Status>,
    /// The mark that the candidate of the same index got in the round before.
    pub mark: Option<u8>,
}

/// What a candidate's status means to its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Planned,
    Open,
    Usable,
    Lost,
}

impl Candidate {
    pub const fn progress(&self) -> Progress {
        match self.status {
            None => Progress::Planned,
            Some(Status::Queued | Status::Running | Status::Waiting) => Progress::Open,
            Some(Status::Succeeded) => Progress::Usable,
            Some(Status::Failed | Status::Cancelled) => Progress::Lost,
        }
    }
}

/// The member of a candidate's metadata that names its run.
pub const STYLE_RUN: &str = "style_run";

/// The request bodies of a round's candidates. Written down when the round begins: a repeated step sends the same again.
///
/// `remaining` is what is left of the budget; each candidate may cost its share, rounded down, and never more than the
/// template allows. `None` when a share is nothing.
pub fn plan(
    run: StyleRunId,
    spec: &Spec,
    variations: &[Variation],
    round: u32,
    notes: Option<&str>,
    remaining: Option<Usd>,
) -> Option<Vec<Value>> {
    let count = i64::try_from(variations.len()).ok()?;
    let share = match remaining {
        None => None,
        Some(left) => {
            Some(left.micros().checked_div(count).and_then(Usd::from_micros).filter(|s| *s > Usd::ZERO)?)
        }
    };
    let bodies = variations.iter().enumerate().map(|(index, variation)| {
        let mut body = compose(&spec.template, variation, round, notes);
        if let Some(share) = share {
            let own = body.get("max_cost").and_then(Value::as_str).and_then(|text| text.parse::<Usd>().ok());
            let least = own.map_or(share, |own| own.min(share));
            body.insert("max_cost".to_owned(), json!(least));
        }
        let metadata =
            json!({STYLE_RUN: run, "style_round": round.to_string(), "style_candidate": index.to_string()});
        body.insert("metadata".to_owned(), metadata);
        Value::Object(body)
    });
    Some(bodies.collect())
}

/// The template with a variation laid over it. A later round asks with the reviewer's notes and other seeds, or it would
/// show the same pictures again.
pub(super) fn compose(
    template: &Map<String, Value>,
    variation: &Variation,
    round: u32,
    notes: Option<&str>,
) -> Map<String, Value> {
    let mut body = template.clone();
    if let Some(chain) = &variation.chain {
        body.insert("chain".to_owned(), chain.clone());
    }
    if let Some(Value::Object(input)) = body.get_mut("input") {
        let own = variation.prompt.as_deref().or_else(|| input.get("prompt").and_then(Value::as_str));
        let prompt = own.map(|own| notes.map_or_else(|| own.to_owned(), |notes| format!("{own}\n\n{notes}")));
        if let Some(prompt) = prompt {
            input.insert("prompt".to_owned(), json!(prompt));
        }
        let seed = variation.seed.or_else(|| input.get("seed").and_then(Value::as_u64));
        if let Some(seed) = seed {
            input.insert("seed".to_owned(), json!(seed.saturating_add(u64::from(round.saturating_sub(1)))));
        }
    }
    body
}
