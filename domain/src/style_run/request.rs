use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::candidate::compose;
use crate::callback_url::{CallbackUrl, Loopback};
use crate::canonical::RequestHash;
use crate::fields::{Fields, Violation, Violations, kind};
use crate::generation::{GenerationRequest, limit as generation, read_metadata};
use crate::{Usd, timing};

/// Limits of a run, each far above honest use and far below what hurts.
pub mod limit {
    /// Characters of the brief, and of a decision's notes.
    pub const BRIEF: usize = 10_000;
    pub const NOTES: usize = 2_000;
    /// Characters of a reviewer's name.
    pub const REVIEWER: usize = 100;
    pub const REFERENCES: usize = 16;
    /// Candidates of one round: what fits side by side.
    pub const VARIATIONS: usize = 12;
    pub const ROUNDS: i64 = 10;
    /// A candidate's mark: 1 to this.
    pub const MARK: i64 = 5;
    /// Reminders of one review. Each costs its Workflow three steps, of which an instance has 1 024.
    pub const REMINDERS: u32 = 100;
}

/// What happens when the review's deadline passes without a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnDeadline {
    /// Remind and wait as long again, up to a year or [`limit::REMINDERS`] reminders in all; then expire.
    Remind,
    Expire,
    /// Approve the candidate that [`super::best`] names.
    ApproveBest,
}

impl OnDeadline {
    pub const ALL: [Self; 3] = [Self::Remind, Self::Expire, Self::ApproveBest];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Remind => "remind",
            Self::Expire => "expire",
            Self::ApproveBest => "approve_best",
        }
    }
}

/// How long a person has, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    pub deadline_seconds: u32,
    pub on_deadline: OnDeadline,
    /// Between two reminders before the deadline, up to [`limit::REMINDERS`]; none without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reminder_seconds: Option<u32>,
}

/// How one candidate differs from the template.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Variation {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Other models than the template's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<Value>,
}

/// A run's work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    pub brief: String,
    pub references: Vec<String>,
    /// A generation's request body, without what the run itself says.
    pub template: Map<String, Value>,
    pub variations: Vec<Variation>,
    pub review: Review,
}

/// A valid request.
#[derive(Clone, Debug, PartialEq)]
pub struct StyleRunRequest {
    pub spec: Spec,
    pub max_rounds: u32,
    /// What all candidates of all rounds may cost together.
    pub budget: Option<Usd>,
    pub callback_url: Option<CallbackUrl>,
    pub metadata: BTreeMap<String, String>,
    pub project: Option<String>,
    pub hash: RequestHash,
}

impl StyleRunRequest {
    /// Reads a parsed body; on failure everything that is wrong, each with its JSON Pointer. Every candidate of the first
    /// round is read as the generation that it will be, so that none can be refused later.
    pub fn parse(body: Value, loopback: Loopback) -> Result<Self, Vec<Violation>> {
        let mut wrong = Violations::default();
        let hash = RequestHash::of(&body).map_err(|error| wrong.add("", error.to_string())).ok();
        let request = hash.and_then(|hash| read(body, loopback, hash, &mut wrong));
        wrong.into_result(request)
    }
}

fn read(
    body: Value,
    loopback: Loopback,
    hash: RequestHash,
    wrong: &mut Violations,
) -> Option<StyleRunRequest> {
    let mut fields = Fields::of(body, "", wrong)?;
    let brief = fields.required_text("brief", limit::BRIEF);
    let references = match fields.take("references") {
        Some(value) => read_references(value, loopback, fields.violations()),
        None => Some(Vec::new()),
    };
    let template = fields.require("template").and_then(|value| read_template(value, fields.violations()));
    let variations = fields
        .require("variations")
        .and_then(|value| read_variations(value, "/variations", fields.violations()));
    let max_rounds = fields.integer("max_rounds", 1, limit::ROUNDS).and_then(|n| u32::try_from(n).ok());
    let review = match fields.take("review") {
        Some(value) => read_review(value, fields.violations()),
        None => read_review(Value::Object(Map::new()), fields.violations()),
    };
    let budget = fields.text("budget", 16).and_then(|text| match text.parse::<Usd>() {
        Ok(amount) if amount > Usd::ZERO => Some(amount),
        Ok(_) => fields.refuse("budget", "must be above zero"),
        Err(why) => fields.refuse("budget", format!("{why}: write US dollars as a string, \"5.00\"")),
    });
    let callback_url = fields.text("callback_url", CallbackUrl::MAX_LENGTH).and_then(|text| {
        CallbackUrl::parse(&text, loopback)
            .map_err(|why| fields.refuse::<()>("callback_url", why.to_string()))
            .ok()
    });
    let metadata = match fields.take("metadata") {
        Some(value) => read_metadata(value, fields.violations()),
        None => Some(BTreeMap::new()),
    };
    let project = fields.text("project", generation::METADATA_NAME);
    fields.finish();
    let (template, variations) = (template?, variations?);
    refuse_impossible(&template, &variations, "", wrong);
    Some(StyleRunRequest {
        spec: Spec { brief: brief?, references: references?, template, variations, review: review? },
        max_rounds: max_rounds.unwrap_or(3),
        budget,
        callback_url,
        metadata: metadata?,
        project,
        hash,
    })
}

fn read_template(value: Value, wrong: &mut Violations) -> Option<Map<String, Value>> {
    let Value::Object(template) = value else {
        wrong.add("/template", format!("must be a generation's request body, not {}", kind(&value)));
        return None;
    };
    for name in
        ["callback_url", "metadata", "project"].into_iter().filter(|name| template.contains_key(*name))
    {
        wrong.add(format!("/template/{name}"), "belongs to the run, not to its candidates");
    }
    if !template.get("input").is_some_and(Value::is_object) {
        wrong.add("/template/input", "is required, and must be an object");
        return None;
    }
    Some(template)
}

/// Variations, of a run or of a decision that asks for another round.
pub(super) fn read_variations(value: Value, at: &str, wrong: &mut Violations) -> Option<Vec<Variation>> {
    let Value::Array(items) = value else {
        wrong.add(at, format!("must be a list of variations, not {}", kind(&value)));
        return None;
    };
    if items.is_empty() || items.len() > limit::VARIATIONS {
        let count = items.len();
        wrong.add(at, format!("must list 1 to {} variations, not {count}", limit::VARIATIONS));
        return None;
    }
    let read = items.into_iter().enumerate().map(|(index, item)| {
        let mut fields = Fields::of(item, format!("{at}/{index}"), wrong)?;
        let variation = Variation {
            prompt: fields.text("prompt", generation::PROMPT - limit::NOTES - 2),
            seed: fields.integer("seed", 0, (1 << 52) - 1).and_then(|seed| u64::try_from(seed).ok()),
            chain: fields.take("chain"),
        };
        fields.finish();
        Some(variation)
    });
    read.collect::<Vec<_>>().into_iter().collect()
}

/// Says of every candidate what its generation would be refused for.
pub(super) fn refuse_impossible(
    template: &Map<String, Value>,
    variations: &[Variation],
    prefix: &str,
    wrong: &mut Violations,
) {
    for (index, variation) in variations.iter().enumerate() {
        // The longest notes that a decision may add must still fit.
        let body = compose(template, variation, 1, Some(&"n".repeat(limit::NOTES)));
        let Err(refusals) = GenerationRequest::parse(Value::Object(body), Loopback::Refused) else {
            continue;
        };
        for refusal in refusals {
            let own =
                ["/chain"].iter().any(|own| refusal.pointer.starts_with(own)) && variation.chain.is_some();
            if own {
                wrong.add(format!("{prefix}/variations/{index}{}", refusal.pointer), refusal.detail);
            } else if index == 0 {
                wrong.add(format!("/template{}", refusal.pointer), refusal.detail);
            }
        }
    }
}

fn read_references(value: Value, loopback: Loopback, wrong: &mut Violations) -> Option<Vec<String>> {
    let Value::Array(items) = value else {
        wrong.add("/references", format!("must be a list of URLs, not {}", kind(&value)));
        return None;
    };
    if items.len() > limit::REFERENCES {
        wrong.add("/references", format!("must list at most {} URLs", limit::REFERENCES));
        return None;
    }
    let read = items.into_iter().enumerate().map(|(index, item)| {
        let at = format!("/references/{index}");
        let Value::String(text) = item else {
            wrong.add(at, format!("must be a URL, not {}", kind(&item)));
            return None;
        };
        match CallbackUrl::parse(&text, loopback) {
            Ok(url) => Some(url.as_str().to_owned()),
            Err(why) => {
                wrong.add(at, why.to_string());
                None
            }
        }
    });
    read.collect::<Vec<_>>().into_iter().collect()
}

fn read_review(value: Value, wrong: &mut Violations) -> Option<Review> {
    let mut fields = Fields::of(value, "/review", wrong)?;
    let (min, max) = (timing::REVIEW_MIN_SECONDS, timing::REVIEW_MAX_SECONDS);
    let mut seconds = |name| fields.integer(name, min.into(), max.into()).and_then(|s| u32::try_from(s).ok());
    let deadline_seconds = seconds("deadline_seconds").unwrap_or(timing::REVIEW_DEFAULT_SECONDS);
    let reminder_seconds = seconds("reminder_seconds");
    let on_deadline = fields.word("on_deadline", &OnDeadline::ALL.map(OnDeadline::as_str), |word| {
        OnDeadline::ALL.into_iter().find(|policy| policy.as_str() == word)
    });
    fields.finish();
    Some(Review {
        deadline_seconds,
        on_deadline: on_deadline.unwrap_or(OnDeadline::Remind),
        reminder_seconds,
    })
}
