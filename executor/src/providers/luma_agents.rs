//! Luma's Agents API (ray-3.2, uni-1): <https://agents.lumalabs.ai/docs>.
//!
//! There is no idempotency key, no list, no callback and no cancel: a submit of unknown outcome stays unknown, and a
//! generation runs to its end. Result URLs live for an hour; asking again gives fresh ones. Nothing is said of cost.

use domain::attempt::ErrorClass;
use domain::inputs::Role;
use domain::inputs::limit::BYTES as LARGEST;
use domain::provider::Provider;

use super::description::{
    Billed, Description, Errors, Field, Fits, Fixed, Form, Outputs, Place, Poll, Recovery, ResultSource,
    Route, Rule, Source, Status, Submit, Takes, Way, When, field, image, rule, video,
};

/// Luma Agents.
pub static LUMA_AGENTS: Description = Description {
    provider: Provider::LumaAgents,
    base_url: "https://agents.lumalabs.ai/v1",
    hosts: &[],
    auth: ("authorization", "Bearer {key}"),
    headers: &[],
    submit: Submit {
        routes: &[Route { when: Fits::Always, url: "{base}/generations" }],
        fields: &[
            Field {
                from: Source::Fixed(Fixed::Text("video")),
                to: "/type",
                form: Form::Same,
                forms: &[("uni", Form::Instead(Fixed::Text("image")))],
            },
            field(Source::Model, "/model"),
            field(Source::Prompt, "/prompt"),
            field(Source::AspectRatio, "/aspect_ratio"),
            Field {
                from: Source::DurationSeconds,
                to: "/video/duration",
                form: Form::Suffixed("s"),
                forms: &[("uni", Form::Omit)],
            },
            Field {
                from: Source::Resolution,
                to: "/video/resolution",
                form: Form::Same,
                forms: &[("uni", Form::Omit)],
            },
        ],
        media: Takes {
            ways: &[(Way::Url, LARGEST)],
            slots: &[
                image(&[Role::FirstFrame], &["ray"], "/video/start_frame", r#"{"url": "{media}"}"#),
                image(&[Role::LastFrame], &["ray"], "/video/end_frame", r#"{"url": "{media}"}"#),
                image(&[Role::Reference], &["uni"], "/image_ref/-", r#"{"url": "{media}"}"#),
                image(&[Role::Source], &["uni"], "/source", r#"{"url": "{media}"}"#),
                video(&[Role::Source], &["ray"], "/source", r#"{"url": "{media}", "media_type": "{type}"}"#),
            ],
        },
        options: "",
        reference: None,
        callback: None,
        accepted: &[],
        request_id: "/id",
        captures: &[],
    },
    recovery: Recovery::None,
    poll: Poll {
        urls: &["{base}/generations/{id}"],
        status: "/state",
        words: &[
            ("queued", Status::Pending),
            ("processing", Status::Pending),
            ("completed", Status::Done),
            ("failed", Status::Failed),
        ],
        absent: None,
        min_interval_ms: 0,
    },
    result: ResultSource::Poll,
    outputs: Outputs::at(&["/output/*/url"]),
    cancel: None,
    usage: None,
    quote: None,
    errors: Errors {
        code: &[Place::Body("/failure_code"), Place::Body("/detail/0/type")],
        message: &["/failure_reason", "/detail", "/detail/0/msg"],
        rules: RULES,
    },
};

/// What a failure costs is nowhere said, except that a lack of budget stops it before it begins.
static RULES: &[Rule] = &[
    rule(When::Code(&["content_moderated"]), ErrorClass::Refusal, Billed::Unknown),
    rule(When::Code(&["budget_exhausted"]), ErrorClass::InsufficientFunds, Billed::Unknown),
    rule(When::Code(&["rate_limited"]), ErrorClass::RateLimited, Billed::Unknown),
    rule(When::Code(&["generation_failed", "output_not_found"]), ErrorClass::Retryable, Billed::Unknown),
    rule(
        When::Code(&["image_too_large", "unsupported_format", "corrupt_input", "invalid_request"]),
        ErrorClass::InvalidInput,
        Billed::Unknown,
    ),
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::errors::table::holds;
    use super::*;

    #[test]
    fn b7_luma_agents_errors_are_classified_by_the_body_first() {
        let http = |words: &str| json!({"detail": words});
        let job = |code: &str| json!({"id": "g", "state": "failed", "failure_code": code, "failure_reason": "words"});
        let (free, unclear) = (Billed::No, Billed::Unknown);
        holds(
            &LUMA_AGENTS,
            &[
                (401, http("Invalid API key"), ErrorClass::Authentication, free, true),
                (403, http("Account suspended"), ErrorClass::Authentication, free, true),
                (402, http("Insufficient balance"), ErrorClass::InsufficientFunds, free, true),
                (400, http("bad"), ErrorClass::InvalidInput, unclear, true),
                (413, http("too large"), ErrorClass::InvalidInput, unclear, true),
                (
                    422,
                    json!({"detail": [{"loc": ["body"], "msg": "x", "type": "missing"}]}),
                    ErrorClass::InvalidInput,
                    unclear,
                    true,
                ),
                (429, http("Concurrent generations limit"), ErrorClass::RateLimited, free, true),
                (500, Value::Null, ErrorClass::Retryable, unclear, false),
                (502, Value::Null, ErrorClass::Unavailable, unclear, false),
                (503, Value::Null, ErrorClass::Unavailable, unclear, false),
                (0, job("content_moderated"), ErrorClass::Refusal, unclear, false),
                (0, job("budget_exhausted"), ErrorClass::InsufficientFunds, unclear, false),
                (0, job("rate_limited"), ErrorClass::RateLimited, unclear, false),
                (0, job("generation_failed"), ErrorClass::Retryable, unclear, false),
                (0, job("output_not_found"), ErrorClass::Retryable, unclear, false),
                (0, job("image_too_large"), ErrorClass::InvalidInput, unclear, false),
                (0, job("corrupt_input"), ErrorClass::InvalidInput, unclear, false),
                (0, job("never_seen"), ErrorClass::Retryable, unclear, false),
            ],
        );
    }
}
