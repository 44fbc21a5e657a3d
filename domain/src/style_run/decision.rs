use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::request::{limit, read_variations, refuse_impossible};
use super::{State, Variation};
use crate::canonical::RequestHash;
use crate::fields::{Fields, Violation, Violations, kind};

/// What a reviewer decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Approve,
    Reject,
    Revise,
}

impl Action {
    pub const ALL: [Self; 3] = [Self::Approve, Self::Reject, Self::Revise];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Revise => "revise",
        }
    }

    /// The state that it leads to.
    pub const fn leads_to(self) -> State {
        match self {
            Self::Approve => State::Approved,
            Self::Reject => State::Rejected,
            Self::Revise => State::Revising,
        }
    }
}

/// What a reviewer thinks of one candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub candidate: u32,
    /// 1 to [`limit::MARK`], the higher the better.
    pub mark: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A valid decision.
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionRequest {
    pub action: Action,
    /// Who decided; AFC knows no accounts and writes down what it is told.
    pub reviewer: String,
    /// The approved candidates, by index, each once.
    pub candidates: Vec<u32>,
    pub notes: Option<String>,
    pub marks: Vec<Mark>,
    /// What the next round varies; the run's own variations without it.
    pub variations: Option<Vec<Variation>>,
    pub hash: RequestHash,
}

impl DecisionRequest {
    /// Reads a parsed body. `template` is the run's: the next round's candidates are read as the generations they will be.
    pub fn parse(body: Value, template: &Map<String, Value>) -> Result<Self, Vec<Violation>> {
        let mut wrong = Violations::default();
        let hash = RequestHash::of(&body).map_err(|error| wrong.add("", error.to_string())).ok();
        let request = hash.and_then(|hash| read(body, template, hash, &mut wrong));
        wrong.into_result(request)
    }
}

fn read(
    body: Value,
    template: &Map<String, Value>,
    hash: RequestHash,
    wrong: &mut Violations,
) -> Option<DecisionRequest> {
    let mut fields = Fields::of(body, "", wrong)?;
    let action = fields.required_word("action", &Action::ALL.map(Action::as_str), |word| {
        Action::ALL.into_iter().find(|action| action.as_str() == word)
    });
    let reviewer = fields.required_text("reviewer", limit::REVIEWER);
    let notes = fields.text("notes", limit::NOTES);
    let candidates = match fields.take("candidates") {
        Some(value) => read_candidates(value, fields.violations()),
        None => Some(Vec::new()),
    };
    let marks = match fields.take("marks") {
        Some(value) => read_marks(value, fields.violations()),
        None => Some(Vec::new()),
    };
    let variations = fields
        .take("variations")
        .and_then(|value| read_variations(value, "/variations", fields.violations()));
    match (action?, candidates.as_deref()) {
        (Action::Approve, Some([])) => fields.refuse::<()>("candidates", "name at least one to approve"),
        (Action::Reject | Action::Revise, Some([_, ..])) => {
            fields.refuse("candidates", "only an approval names candidates")
        }
        (Action::Approve | Action::Reject | Action::Revise, _) => None,
    };
    if action == Some(Action::Revise) && notes.is_none() && variations.is_none() {
        fields.refuse::<()>("notes", "say what the next round should do otherwise, or send \"variations\"");
    }
    if action != Some(Action::Revise) && variations.is_some() {
        fields.refuse::<()>("variations", "only \"revise\" asks for another round");
    }
    fields.finish();
    refuse_impossible(template, variations.as_deref().unwrap_or_default(), "", wrong);
    Some(DecisionRequest {
        action: action?,
        reviewer: reviewer?,
        candidates: candidates?,
        notes,
        marks: marks?,
        variations,
        hash,
    })
}

fn read_candidates(value: Value, wrong: &mut Violations) -> Option<Vec<u32>> {
    let Value::Array(items) = value else {
        wrong.add("/candidates", format!("must be a list of indexes, not {}", kind(&value)));
        return None;
    };
    let last = limit::VARIATIONS - 1;
    let read = items.iter().enumerate().map(|(at, item)| {
        let index = item.as_u64().and_then(|index| u32::try_from(index).ok());
        let known = index.filter(|index| usize::try_from(*index).is_ok_and(|index| index <= last));
        if known.is_none() {
            wrong.add(format!("/candidates/{at}"), format!("must be a candidate's index, 0 to {last}"));
        }
        known
    });
    let read: Option<BTreeSet<u32>> = read.collect::<Vec<_>>().into_iter().collect();
    read.map(|indexes| indexes.into_iter().collect())
}

fn read_marks(value: Value, wrong: &mut Violations) -> Option<Vec<Mark>> {
    let Value::Array(items) = value else {
        wrong.add("/marks", format!("must be a list, not {}", kind(&value)));
        return None;
    };
    if items.len() > limit::VARIATIONS {
        wrong.add("/marks", format!("must have at most {} members", limit::VARIATIONS));
        return None;
    }
    let last = i64::try_from(limit::VARIATIONS).unwrap_or(i64::MAX) - 1;
    let mut seen = BTreeSet::new();
    let read = items.into_iter().enumerate().map(|(at, item)| {
        let mut fields = Fields::of(item, format!("/marks/{at}"), wrong)?;
        let candidate = fields.integer("candidate", 0, last).and_then(|index| u32::try_from(index).ok());
        let mark = fields.integer("mark", 1, limit::MARK).and_then(|mark| u8::try_from(mark).ok());
        let note = fields.text("note", limit::NOTES);
        if candidate.is_none() || mark.is_none() {
            fields.refuse::<()>("candidate", "and \"mark\" are both required");
        }
        if candidate.is_some_and(|candidate| !seen.insert(candidate)) {
            fields.refuse::<()>("candidate", "has a mark already");
        }
        fields.finish();
        Some(Mark { candidate: candidate?, mark: mark?, note })
    });
    read.collect::<Vec<_>>().into_iter().collect()
}
