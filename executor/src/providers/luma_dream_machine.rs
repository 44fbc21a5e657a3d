//! Luma's Dream Machine: <https://docs.lumalabs.ai/docs/api>.
//!
//! There is no idempotency key. A submit of unknown outcome is found in the list of generations, which shows each one's
//! callback URL. There is no cancel: `DELETE` removes the generation with its result. Nothing is said of cost.

use domain::attempt::ErrorClass;
use domain::inputs::Role;
use domain::inputs::limit::BYTES as LARGEST;
use domain::provider::Provider;

use super::description::{
    Billed, Callback, Description, Errors, Field, Fits, Form, Listing, Outputs, Place, Poll, Recovery,
    ResultSource, Route, Rule, Source, Status, Submit, Takes, Way, When, field, image, rule,
};

/// Luma Dream Machine.
pub static LUMA_DREAM_MACHINE: Description = Description {
    provider: Provider::LumaDreamMachine,
    base_url: "https://api.lumalabs.ai/dream-machine/v1",
    hosts: &[],
    auth: ("authorization", "Bearer {key}"),
    headers: &[],
    submit: Submit {
        routes: &[
            Route { when: Fits::Model(&["photon"]), url: "{base}/generations/image" },
            Route { when: Fits::Always, url: "{base}/generations" },
        ],
        fields: &[
            field(Source::Model, "/model"),
            field(Source::Prompt, "/prompt"),
            Field {
                from: Source::DurationSeconds,
                to: "/duration",
                form: Form::Suffixed("s"),
                forms: &[("photon", Form::Omit)],
            },
            field(Source::AspectRatio, "/aspect_ratio"),
            Field {
                from: Source::Resolution,
                to: "/resolution",
                form: Form::Same,
                forms: &[("photon", Form::Omit)],
            },
        ],
        media: Takes {
            ways: &[(Way::Url, LARGEST)],
            slots: &[
                image(
                    &[Role::FirstFrame],
                    &["ray"],
                    "/keyframes/frame0",
                    r#"{"type": "image", "url": "{media}"}"#,
                ),
                image(
                    &[Role::LastFrame],
                    &["ray"],
                    "/keyframes/frame1",
                    r#"{"type": "image", "url": "{media}"}"#,
                ),
                image(&[Role::Reference], &["photon"], "/image_ref/-", r#"{"url": "{media}"}"#),
                image(&[Role::Source], &["photon"], "/modify_image_ref", r#"{"url": "{media}"}"#),
            ],
        },
        options: "",
        reference: None,
        callback: Some(Callback::Body { url: "/callback_url", with: &[] }),
        accepted: &[],
        request_id: "/id",
        captures: &[],
    },
    recovery: Recovery::Listing(Listing {
        url: "{base}/generations?limit=100&offset=0",
        items: "/generations",
        more: "/has_more",
        request_id: "/id",
        callback: "/request/callback_url",
        likeness: None,
    }),
    poll: Poll {
        urls: &["{base}/generations/{id}"],
        status: "/state",
        words: &[
            ("queued", Status::Pending),
            ("dreaming", Status::Pending),
            ("completed", Status::Done),
            ("failed", Status::Failed),
        ],
        absent: None,
        min_interval_ms: 0,
    },
    result: ResultSource::Poll,
    outputs: Outputs::at(&["/assets/video", "/assets/image"]),
    cancel: None,
    usage: None,
    quote: None,
    errors: Errors {
        code: &[Place::Body("/detail/0/type")],
        message: &["/failure_reason", "/detail", "/detail/0/msg"],
        rules: RULES,
    },
};

/// Luma says why only in words, and nothing of what a failure costs.
static RULES: &[Rule] = &[
    rule(
        When::MessageHas(&["insufficient credits", "not enough credits", "no credits"]),
        ErrorClass::InsufficientFunds,
        Billed::Unknown,
    ),
    rule(
        When::MessageHas(&["moderation", "moderated", "content policy", "blacklisted words", "nsfw"]),
        ErrorClass::Refusal,
        Billed::Unknown,
    ),
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::errors::table::holds;
    use super::*;

    #[test]
    fn b7_luma_dream_machine_errors_are_classified_by_the_body_first() {
        let http = |words: &str| json!({"detail": words});
        let job = |words: Value| json!({"id": "g", "state": "failed", "failure_reason": words});
        let (free, unclear) = (Billed::No, Billed::Unknown);
        holds(
            &LUMA_DREAM_MACHINE,
            &[
                (401, http("Not authenticated"), ErrorClass::Authentication, free, true),
                (403, http("Forbidden"), ErrorClass::Authentication, free, true),
                (400, http("Insufficient credits"), ErrorClass::InsufficientFunds, unclear, true),
                (
                    400,
                    http("Prompt not allowed because advanced moderation failed"),
                    ErrorClass::Refusal,
                    unclear,
                    true,
                ),
                (400, http("Invalid model"), ErrorClass::InvalidInput, unclear, true),
                (
                    422,
                    json!({"detail": [{"loc": ["body"], "msg": "x", "type": "missing"}]}),
                    ErrorClass::InvalidInput,
                    unclear,
                    true,
                ),
                (429, http("Too many requests"), ErrorClass::RateLimited, free, true),
                (500, Value::Null, ErrorClass::Retryable, unclear, false),
                (503, Value::Null, ErrorClass::Unavailable, unclear, false),
                (0, job(json!("Frame moderation failed")), ErrorClass::Refusal, unclear, false),
                (0, job(json!("400: something else")), ErrorClass::Retryable, unclear, false),
                (0, job(Value::Null), ErrorClass::Retryable, unclear, false),
            ],
        );
    }
}
