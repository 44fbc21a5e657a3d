//! Shapes of style runs and of their events.

use domain::callback_url::CallbackUrl;
use domain::generation::limit;
use domain::job::Status;
use domain::style_run::{Action, OnDeadline, State, limit as limits};
use domain::timing;
use serde_json::{Value, json};

use super::{
    code, count, exact, generation_request, list, nullable, optional, refer, step_request, strict, text,
    time, usd, uuid, with,
};

pub(super) fn request() -> Value {
    let seconds = json!({"type": "integer", "minimum": timing::REVIEW_MIN_SECONDS, "maximum": timing::REVIEW_MAX_SECONDS});
    let review = strict(
        json!({
            "deadline_seconds": optional(with(seconds.clone(), json!({"default": timing::REVIEW_DEFAULT_SECONDS}))),
            "on_deadline": optional(json!({"enum": OnDeadline::ALL.map(OnDeadline::as_str), "default": "remind"})),
            "reminder_seconds": optional(seconds),
        }),
        &[],
    );
    let generation = generation_request();
    let members = generation.get("properties").cloned().unwrap_or_default();
    let url =
        json!({"type": "string", "format": "uri", "minLength": 1, "maxLength": CallbackUrl::MAX_LENGTH});
    let members = json!({
        "brief": text(limits::BRIEF),
        "references": optional(json!({"type": "array", "maxItems": limits::REFERENCES, "items": url})),
        "template": {"type": "object", "required": ["kind", "input"], "properties": {"input": {"type": "object"}},
            "description": "A generation's request without callback_url, metadata and project"},
        "variations": with(variations(), json!({"description": "One candidate each"})),
        "max_rounds": optional(json!({"type": "integer", "minimum": 1, "maximum": limits::ROUNDS, "default": 3})),
        "review": optional(review),
        "budget": optional(json!({"type": "string", "maxLength": 16, "pattern": r"^[0-9]+(\.[0-9]+)?$",
            "description": "US dollars for all candidates of all rounds", "examples": ["5.00"]})),
        "callback_url": members["callback_url"].clone(), "metadata": members["metadata"].clone(),
        "project": members["project"].clone(),
    });
    strict(members, &["brief", "template", "variations"])
}

pub(super) fn decision() -> Value {
    let index = json!({"type": "integer", "minimum": 0, "maximum": limits::VARIATIONS - 1});
    let mark = strict(
        json!({"candidate": index.clone(), "mark": {"type": "integer", "minimum": 1, "maximum": limits::MARK},
            "note": optional(text(limits::NOTES))}),
        &["candidate", "mark"],
    );
    strict(
        json!({
            "action": {"enum": Action::ALL.map(Action::as_str)},
            "reviewer": text(limits::REVIEWER),
            "candidates": optional(json!({"type": "array", "items": index, "description": "For \"approve\": at least one"})),
            "notes": optional(text(limits::NOTES)),
            "marks": optional(json!({"type": "array", "maxItems": limits::VARIATIONS, "items": mark})),
            "variations": optional(variations()),
        }),
        &["action", "reviewer"],
    )
}

pub(super) fn run() -> Value {
    let error =
        exact(json!({"code": code(), "message": {"type": "string"}, "retryable": {"type": "boolean"}}));
    let candidate = exact(json!({
        "index": count(), "generation": uuid(), "status": nullable(json!({"enum": Status::ALL.map(Status::as_str)})),
        "approved": {"type": "boolean"}, "input": {"type": "object"}, "chain": {"type": "array"},
        "outputs": {"type": "array", "items": {"type": "object"}}, "error": nullable(error.clone()),
    }));
    let decision = exact(json!({
        "id": uuid(), "action": {"enum": Action::ALL.map(Action::as_str)}, "reviewer": {"type": ["string", "null"]},
        "candidates": {"type": "array", "items": count()}, "notes": {"type": ["string", "null"]},
        "marks": {"type": "array", "items": {"type": "object"}}, "variations": {"type": ["array", "null"]},
        "created_at": time(),
    }));
    let round = exact(json!({
        "round": count(), "candidates": {"type": "array", "items": candidate}, "decision": nullable(decision),
    }));
    let review = exact(json!({
        "deadline_seconds": count(), "on_deadline": {"enum": OnDeadline::ALL.map(OnDeadline::as_str)},
        "reminder_seconds": nullable(count()), "deadline_at": nullable(time()), "reminders": count(),
        "url": {"type": ["string", "null"], "description": "The review link, while there is something to decide"},
    }));
    exact(json!({
        "id": uuid(), "object": {"const": "style_run"},
        "state": {"enum": State::ALL.map(State::as_str)}, "version": count(), "round": count(),
        "max_rounds": count(), "brief": {"type": "string"}, "references": {"type": "array", "items": {"type": "string"}},
        "template": {"type": "object"}, "variations": {"type": "array", "items": {"type": "object"}}, "review": review,
        "rounds": {"type": "array", "items": round}, "budget": nullable(usd()),
        "cost": exact(json!({"priced": usd(), "unpriced": count(), "unknown": count(), "reserved": usd()})),
        "callback_url": {"type": ["string", "null"]},
        "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
        "project": {"type": ["string", "null"]}, "error": nullable(error), "created_at": time(),
        "finished_at": nullable(time()),
    }))
}

pub(super) fn runs() -> Value {
    exact(json!({
        "object": {"const": "list"}, "data": {"type": "array", "items": refer("StyleRun")}, "has_more": {"type": "boolean"},
    }))
}

pub(super) fn parked_events() -> Value {
    list(&exact(json!({
        "id": {"type": "string"}, "object": {"const": "outbox_event"}, "style_run": uuid(),
        "event_type": {"type": ["string", "null"]}, "tries": count(), "last_error": {"type": ["string", "null"]},
        "created_at": time(),
    })))
}

pub(super) fn revived_event() -> Value {
    exact(json!({
        "id": {"type": "string"}, "object": {"const": "outbox_event"}, "status": {"const": "pending"},
    }))
}

fn variations() -> Value {
    let variation = strict(
        json!({
            "prompt": optional(text(limit::PROMPT - limits::NOTES - 2)),
            "seed": optional(json!({"type": "integer", "minimum": 0, "maximum": (1_u64 << 52) - 1})),
            "chain": optional(json!({"type": "array", "minItems": 1, "maxItems": limit::CHAIN, "items": step_request()})),
        }),
        &[],
    );
    json!({"type": "array", "minItems": 1, "maxItems": limits::VARIATIONS, "items": variation})
}
