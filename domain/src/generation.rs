//! What a caller asks for: `POST /v1/generations` as a type that cannot be wrong.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::attempt::ErrorClass;
use crate::callback_url::{CallbackUrl, Loopback};
use crate::canonical::RequestHash;
use crate::fields::{Fields, Violation, Violations, kind};
use crate::inputs::{self, Medium};
use crate::provider::Provider;
use crate::{Usd, timing};

/// Limits of a request, each far above honest use and far below what hurts.
pub mod limit {
    /// Bytes of a body.
    pub const BODY_BYTES: usize = 256 * 1024;
    /// Characters of a prompt.
    pub const PROMPT: usize = 10_000;
    /// Entries of a chain.
    pub const CHAIN: usize = 8;
    /// Attempts of one chain entry.
    pub const ATTEMPTS: i64 = 5;
    /// Paid calls of one job.
    pub const PAID_CALLS: i64 = 20;
    /// Members of `metadata`, and characters of a name and a value.
    pub const METADATA: usize = 32;
    pub const METADATA_NAME: usize = 64;
    pub const METADATA_VALUE: usize = 512;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Image,
    Video,
}

impl Kind {
    pub const ALL: [Self; 2] = [Self::Image, Self::Video];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Video => "video",
        }
    }
}

/// What to generate, in AFC's words; an adapter says it in the provider's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    pub prompt: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negative_prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<u32>,
    /// `W:H`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aspect_ratio: Option<String>,
    /// As models name it: `720p`, `1080p`, `4k`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Whether a video has sound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audio: Option<bool>,
    /// Images and videos to generate from, in the caller's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<Medium>,
}

/// One model of the chain (A29).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainStep {
    pub provider: Provider,
    pub model: String,
    pub attempts: u32,
    /// Members laid over the provider's request body as they are.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
}

/// What to do while nobody can tell whether a call was accepted (B3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnUnknown {
    /// Wait for a human or the admin API.
    Hold,
    /// Accept that the work may be paid twice.
    Retry,
}

/// How far AFC may go, and pay, for one job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    pub max_paid_calls: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<Usd>,
    pub on_unknown: OnUnknown,
    /// Reasons that allow the next model of the chain (A33).
    pub fallback_on: Vec<ErrorClass>,
    /// Further tries of a model that refused (A32, B7).
    pub refusal_retries: u32,
    /// How long one attempt is waited for (A34), in seconds.
    pub attempt_window_seconds: u32,
}

/// A request's work: what the executor needs to know of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    pub kind: Kind,
    pub input: Input,
    pub chain: Vec<ChainStep>,
    pub policy: Policy,
}

/// A valid request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenerationRequest {
    pub spec: Spec,
    pub callback_url: Option<CallbackUrl>,
    pub metadata: BTreeMap<String, String>,
    pub project: Option<String>,
    pub deadline_seconds: u32,
    /// Over what the client sent, before any default was filled in (B10).
    pub hash: RequestHash,
}

impl GenerationRequest {
    /// Reads a parsed body; on failure everything that is wrong, each with its JSON Pointer.
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
) -> Option<GenerationRequest> {
    let mut fields = Fields::of(body, "", wrong)?;
    let kind = fields.required_word("kind", &Kind::ALL.map(Kind::as_str), |word| {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == word)
    });
    let input = fields.require("input").and_then(|value| read_input(value, loopback, fields.violations()));
    let chain = fields.require("chain").and_then(|value| read_chain(value, fields.violations()));
    let callback_url = fields.text("callback_url", CallbackUrl::MAX_LENGTH).and_then(|text| {
        CallbackUrl::parse(&text, loopback)
            .map_err(|why| fields.refuse::<()>("callback_url", why.to_string()))
            .ok()
    });
    let metadata = match fields.take("metadata") {
        Some(value) => read_metadata(value, fields.violations()),
        None => Some(BTreeMap::new()),
    };
    let project = fields.text("project", limit::METADATA_NAME);
    let planned = chain.as_deref().map_or(0, |steps| steps.iter().map(|step| step.attempts).sum());
    let policy = read_policy(&mut fields, planned);
    let deadline = fields.integer(
        "deadline_seconds",
        timing::DEADLINE_MIN_SECONDS.into(),
        timing::DEADLINE_MAX_SECONDS.into(),
    );
    fields.finish();
    Some(GenerationRequest {
        spec: Spec { kind: kind?, input: input?, chain: chain?, policy },
        callback_url,
        metadata: metadata?,
        project,
        deadline_seconds: deadline
            .and_then(|s| u32::try_from(s).ok())
            .unwrap_or(timing::DEADLINE_DEFAULT_SECONDS),
        hash,
    })
}

fn read_input(value: Value, loopback: Loopback, wrong: &mut Violations) -> Option<Input> {
    let mut fields = Fields::of(value, "/input", wrong)?;
    let prompt = fields.required_text("prompt", limit::PROMPT).and_then(|prompt| {
        if prompt.trim().is_empty() { fields.refuse("prompt", "must not be blank") } else { Some(prompt) }
    });
    let media = match fields.take("media") {
        None => Some(Vec::new()),
        Some(value) => inputs::read_media(value, "/input/media", loopback, fields.violations()),
    };
    let input = Input {
        prompt: prompt.unwrap_or_default(),
        negative_prompt: fields.text("negative_prompt", limit::PROMPT),
        duration_seconds: fields.integer("duration_seconds", 1, 600).and_then(|s| u32::try_from(s).ok()),
        aspect_ratio: read_aspect_ratio(&mut fields),
        resolution: fields.text("resolution", 32),
        seed: fields.integer("seed", 0, (1 << 53) - 1).and_then(|seed| u64::try_from(seed).ok()),
        audio: fields.flag("audio"),
        media: media.unwrap_or_default(),
    };
    fields.finish();
    Some(input)
}

fn read_aspect_ratio(fields: &mut Fields<'_>) -> Option<String> {
    let text = fields.text("aspect_ratio", 16)?;
    let side = |part: &str| {
        (1..=4).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && part.bytes().any(|byte| byte != b'0')
    };
    match text.split_once(':') {
        Some((width, height)) if side(width) && side(height) => Some(text),
        _ => fields.refuse("aspect_ratio", "must be width:height, for example 16:9"),
    }
}

fn read_chain(value: Value, wrong: &mut Violations) -> Option<Vec<ChainStep>> {
    let Value::Array(items) = value else {
        wrong.add("/chain", format!("must be a list of models, not {}", kind(&value)));
        return None;
    };
    if items.is_empty() || items.len() > limit::CHAIN {
        wrong.add("/chain", format!("must name 1 to {} models, not {}", limit::CHAIN, items.len()));
        return None;
    }
    let steps = items.into_iter().enumerate().map(|(index, item)| read_step(item, index, wrong));
    steps.collect::<Vec<_>>().into_iter().collect()
}

fn read_step(value: Value, index: usize, wrong: &mut Violations) -> Option<ChainStep> {
    let mut fields = Fields::of(value, format!("/chain/{index}"), wrong)?;
    let provider =
        fields.required_word("provider", &Provider::ALL.map(Provider::as_str), Provider::from_word);
    let model = fields.required_text("model", 128).and_then(|model| {
        if is_model_path(&model) {
            return Some(model);
        }
        fields.refuse("model", "must be a model's path: letters, digits and . _ - : between single slashes")
    });
    let attempts = fields.integer("attempts", 1, limit::ATTEMPTS).unwrap_or(2);
    let options = match fields.take("options") {
        None => Some(Map::new()),
        Some(Value::Object(options)) => Some(options),
        Some(other) => fields.refuse("options", format!("must be an object, not {}", kind(&other))),
    };
    fields.finish();
    Some(ChainStep {
        provider: provider?,
        model: model?,
        attempts: u32::try_from(attempts).ok()?,
        options: options?,
    })
}

/// A model's name becomes part of a URL's path, so it can neither climb nor end it.
fn is_model_path(model: &str) -> bool {
    model.split('/').all(|segment| {
        let plain = segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-:".contains(&byte));
        plain && segment.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
    })
}

pub(crate) fn read_metadata(value: Value, wrong: &mut Violations) -> Option<BTreeMap<String, String>> {
    let Value::Object(members) = value else {
        wrong.add("/metadata", format!("must be an object of strings, not {}", kind(&value)));
        return None;
    };
    if members.len() > limit::METADATA {
        wrong.add(
            "/metadata",
            format!("must have at most {} members, not {}", limit::METADATA, members.len()),
        );
        return None;
    }
    let mut metadata = BTreeMap::new();
    for (name, value) in members {
        let pointer = format!("/metadata/{}", name.replace('~', "~0").replace('/', "~1"));
        match value {
            Value::String(text)
                if text.chars().count() <= limit::METADATA_VALUE
                    && name.chars().count() <= limit::METADATA_NAME =>
            {
                metadata.insert(name, text);
            }
            Value::String(_) => wrong.add(
                pointer,
                format!(
                    "a name has at most {} characters, a value {}",
                    limit::METADATA_NAME,
                    limit::METADATA_VALUE
                ),
            ),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                wrong.add(pointer, format!("must be a string, not {}", kind(&value)));
            }
        }
    }
    Some(metadata)
}

fn read_policy(fields: &mut Fields<'_>, planned: u32) -> Policy {
    let max_paid_calls = fields.integer("max_paid_calls", 1, limit::PAID_CALLS);
    let max_cost = fields.text("max_cost", 16).and_then(|text| match text.parse::<Usd>() {
        Ok(amount) if amount > Usd::ZERO => Some(amount),
        Ok(_) => fields.refuse("max_cost", "must be above zero"),
        Err(why) => fields.refuse("max_cost", format!("{why}: write US dollars as a string, \"5.00\"")),
    });
    let on_unknown = fields.word("on_unknown", &["hold", "retry"], |word| match word {
        "hold" => Some(OnUnknown::Hold),
        "retry" => Some(OnUnknown::Retry),
        _ => None,
    });
    Policy {
        max_paid_calls: max_paid_calls.and_then(|n| u32::try_from(n).ok()).unwrap_or(planned),
        max_cost,
        on_unknown: on_unknown.unwrap_or(OnUnknown::Hold),
        fallback_on: read_fallback(fields).unwrap_or_else(default_fallback),
        refusal_retries: fields
            .integer("refusal_retries", 0, 3)
            .and_then(|n| u32::try_from(n).ok())
            .unwrap_or(1),
        attempt_window_seconds: fields
            .integer("attempt_window_seconds", 10, timing::DEADLINE_MAX_SECONDS.into())
            .and_then(|s| u32::try_from(s).ok())
            .unwrap_or(timing::ATTEMPT_WINDOW_DEFAULT_SECONDS),
    }
}

/// By default every reason but a refusal: what one model refuses, another should not be asked for silently, and
/// repeated refusals put the account at risk (B7).
fn default_fallback() -> Vec<ErrorClass> {
    ErrorClass::FALLBACK.into_iter().filter(|class| *class != ErrorClass::Refusal).collect()
}

fn read_fallback(fields: &mut Fields<'_>) -> Option<Vec<ErrorClass>> {
    let value = fields.take("fallback_on")?;
    let words = ErrorClass::FALLBACK.map(ErrorClass::as_str).join(", ");
    let Value::Array(items) = &value else {
        return fields.refuse("fallback_on", format!("must be a list of {words}"));
    };
    let mut classes = Vec::new();
    for item in items {
        match item.as_str().and_then(ErrorClass::fallback_from_word) {
            Some(class) if !classes.contains(&class) => classes.push(class),
            Some(_) => {}
            None => {
                return fields.refuse("fallback_on", format!("must be a list of {words}; {item} is none"));
            }
        }
    }
    Some(classes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn least() -> Value {
        json!({"kind": "video", "input": {"prompt": "a cat"}, "chain": [{"provider": "fal", "model": "fal-ai/veo3.1"}]})
    }

    fn parse(body: Value) -> Result<GenerationRequest, Vec<Violation>> {
        GenerationRequest::parse(body, Loopback::Refused)
    }

    #[test]
    fn b5_the_least_request_gets_its_defaults() {
        let request = parse(least()).unwrap();
        assert_eq!(request.spec.policy.max_paid_calls, 2);
        assert_eq!(request.spec.policy.on_unknown, OnUnknown::Hold);
        assert!(!request.spec.policy.fallback_on.contains(&ErrorClass::Refusal));
        assert_eq!(request.hash, RequestHash::of(&least()).unwrap());
    }

    #[test]
    fn everything_wrong_is_named_at_its_place() {
        let wrong = parse(json!({
            "kind": "sculpture",
            "input": {"promt": "x", "duration_seconds": "8", "aspect_ratio": "wide", "seed": -1},
            "chain": [{"provider": "nobody", "model": "../secrets"}, 7],
            "callback_url": "https://127.0.0.1/", "metadata": {"a/b": 1}, "max_cost": 5, "on_unknown": "pray",
            "deadline_seconds": 1, "fallback_on": ["boredom"], "surprise": true
        }))
        .unwrap_err();
        let pointers: Vec<&str> = wrong.iter().map(|violation| violation.pointer.as_str()).collect();
        assert_eq!(
            pointers,
            [
                "/kind",
                "/input/prompt",
                "/input/duration_seconds",
                "/input/aspect_ratio",
                "/input/seed",
                "/input/promt",
                "/chain/0/provider",
                "/chain/0/model",
                "/chain/1",
                "/callback_url",
                "/metadata/a~1b",
                "/max_cost",
                "/on_unknown",
                "/fallback_on",
                "/deadline_seconds",
                "/surprise",
            ]
        );
        let misspelt = wrong.iter().find(|violation| violation.pointer == "/input/promt").unwrap();
        assert!(misspelt.detail.contains("\"prompt\""), "{}", misspelt.detail);
    }

    #[test]
    fn bodies_that_are_no_object_are_refused() {
        for body in [json!(null), json!([]), json!("x"), json!(1), json!({})] {
            assert!(parse(body.clone()).is_err(), "{body}");
        }
    }

    #[test]
    fn a_model_cannot_leave_its_path() {
        for model in ["", "/x", "x/", "a//b", "..", "a/../b", "a?b", "a#b", "a b", "a%2fb", "-x", "é"] {
            assert!(!is_model_path(model), "{model}");
        }
        for model in ["fal-ai/veo3.1/fast", "black-forest-labs/flux-1.1-pro", "owner/name:5c7d", "kling-v2"] {
            assert!(is_model_path(model), "{model}");
        }
    }

    #[test]
    fn a_spec_survives_storage() {
        let mut body = least();
        body["input"]["media"] = json!([{"role": "first_frame", "url": "https://cdn.studio.com/1.png"}]);
        body["max_cost"] = json!("5.00");
        body["chain"][0]["options"] = json!({"enhance_prompt": true});
        let spec = parse(body).unwrap().spec;
        assert_eq!(serde_json::from_value::<Spec>(serde_json::to_value(&spec).unwrap()).unwrap(), spec);
    }
}
