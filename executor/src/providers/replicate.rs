//! Replicate's predictions: <https://replicate.com/docs/reference/http>.
//!
//! A model is called by its name, or by `owner/name:version`. The model's input is a member of the body. Everything of a
//! prediction is removed an hour after its end, so there is no late second look at a result. There is no idempotency
//! key; a submit of unknown outcome is looked for among the recent predictions, and reported to its callback URL.

use domain::attempt::ErrorClass;
use domain::inputs::Role;
use domain::inputs::limit::BYTES as LARGEST;
use domain::provider::Provider;

use super::description::{
    Billed, Callback, Cancel, Description, Errors, Field, Fits, Fixed, Form, Likeness, Listing, Method,
    Outputs, PLAIN, Place, Poll, Recovery, ResultSource, Route, Rule, Source, Status, Submit, Takes, Usage,
    Way, When, field, image, rule, video,
};

/// Replicate.
pub static REPLICATE: Description = Description {
    provider: Provider::Replicate,
    base_url: "https://api.replicate.com/v1",
    hosts: &[],
    auth: ("authorization", "Bearer {key}"),
    headers: &[],
    submit: Submit {
        routes: &[
            Route { when: Fits::ModelHas(":"), url: "{base}/predictions" },
            Route { when: Fits::Always, url: "{base}/models/{model}/predictions" },
        ],
        fields: &[
            Field { from: Source::Model, to: "/version", form: Form::After(':'), forms: &[] },
            field(Source::Prompt, "/input/prompt"),
            field(Source::NegativePrompt, "/input/negative_prompt"),
            field(Source::DurationSeconds, "/input/duration"),
            field(Source::AspectRatio, "/input/aspect_ratio"),
            field(Source::Resolution, "/input/resolution"),
            field(Source::Seed, "/input/seed"),
            field(Source::Audio, "/input/generate_audio"),
        ],
        media: Takes {
            ways: &[(Way::Url, LARGEST)],
            slots: &[
                image(&[Role::FirstFrame], &["kling", "luma/"], "/input/start_image", PLAIN),
                image(&[Role::FirstFrame], &["minimax/"], "/input/first_frame_image", PLAIN),
                image(&[Role::Source], &["kontext"], "/input/input_image", PLAIN),
                image(&[Role::Source], &["nano-banana"], "/input/image_input/-", PLAIN),
                image(&[Role::FirstFrame, Role::Source], &[], "/input/image", PLAIN),
                image(&[Role::LastFrame], &["kling", "luma/"], "/input/end_image", PLAIN),
                image(&[Role::LastFrame], &["minimax/", "seedance"], "/input/last_frame_image", PLAIN),
                image(&[Role::LastFrame], &[], "/input/last_frame", PLAIN),
                image(&[Role::Reference], &["nano-banana"], "/input/image_input/-", PLAIN),
                image(&[Role::Reference], &["flux-2"], "/input/input_images/-", PLAIN),
                image(&[Role::Reference], &[], "/input/reference_images/-", PLAIN),
                video(&[Role::Source], &[], "/input/video", PLAIN),
            ],
        },
        options: "/input",
        reference: None,
        callback: Some(Callback::Body {
            url: "/webhook",
            with: &[("/webhook_events_filter", Fixed::Texts(&["completed"]))],
        }),
        accepted: &[],
        request_id: "/id",
        captures: &[],
    },
    recovery: Recovery::Listing(Listing {
        url: "{base}/predictions?created_after={after}&created_before={before}",
        items: "/results",
        more: "/next",
        request_id: "/id",
        callback: "/webhook",
        likeness: Some(Likeness { model: "/model", created: "/created_at", same: "/input" }),
    }),
    poll: Poll {
        urls: &["{base}/predictions/{id}"],
        status: "/status",
        words: &[
            ("starting", Status::Pending),
            ("processing", Status::Pending),
            ("succeeded", Status::Done),
            ("failed", Status::Failed),
            ("canceled", Status::Failed),
            ("aborted", Status::Failed),
        ],
        absent: None,
        min_interval_ms: 0,
    },
    result: ResultSource::Poll,
    outputs: Outputs::at(&["/output/*", "/output"]),
    cancel: Some(Cancel { method: Method::Post, urls: &["{base}/predictions/{id}/cancel"], only_in: &[] }),
    // Time on the hardware, not seconds of video.
    usage: Some(Usage { at: Place::Body("/metrics/predict_time"), unit: Some("predict_second"), more: &[] }),
    quote: None,
    errors: Errors {
        // A prediction's status word; in an HTTP error the status as a number.
        code: &[Place::Body("/status")],
        message: &["/error", "/detail", "/title"],
        rules: RULES,
    },
};

/// A prediction that was aborted never ran and is free. One that was cancelled is billed for the time it ran; whether a
/// failed one is, depends on the model.
static RULES: &[Rule] = &[
    rule(When::Code(&["aborted"]), ErrorClass::Timeout, Billed::No),
    rule(When::Code(&["canceled"]), ErrorClass::Cancelled, Billed::Unknown),
    rule(
        When::MessageHas(&["insufficient credit", "insufficient balance", "spend limit"]),
        ErrorClass::InsufficientFunds,
        Billed::No,
    ),
    rule(
        When::MessageHas(&["flagged as sensitive", "(e005)", "nsfw", "content moderation", "safety filter"]),
        ErrorClass::Refusal,
        Billed::Unknown,
    ),
    rule(When::MessageHas(&["(e6716)", "timed out"]), ErrorClass::Timeout, Billed::Unknown),
    rule(When::MessageHas(&["(e1000)", "(e8765)", "(e9243)"]), ErrorClass::Unavailable, Billed::Unknown),
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::errors::table::holds;
    use super::*;

    #[test]
    fn b7_replicate_errors_are_classified_by_the_body_first() {
        let http = |status: u16, words: &str| json!({"title": "x", "detail": words, "status": status});
        let job = |status: &str, words: Value| json!({"id": "p", "status": status, "error": words});
        let (free, unclear) = (Billed::No, Billed::Unknown);
        holds(
            &REPLICATE,
            &[
                (401, http(401, "Invalid token."), ErrorClass::Authentication, free, true),
                (402, http(402, "Insufficient credit"), ErrorClass::InsufficientFunds, free, true),
                (404, http(404, "Not found"), ErrorClass::ModelGone, free, true),
                (422, http(422, "- input.prompt is required"), ErrorClass::InvalidInput, unclear, true),
                (
                    429,
                    json!({"detail": "Request was throttled. resets in ~30s"}),
                    ErrorClass::RateLimited,
                    free,
                    true,
                ),
                (500, Value::Null, ErrorClass::Retryable, unclear, false),
                (503, Value::Null, ErrorClass::Unavailable, unclear, false),
                (504, Value::Null, ErrorClass::Timeout, unclear, false),
                (
                    0,
                    job(
                        "failed",
                        json!(
                            "The input or output was flagged as sensitive. Please try again with different inputs. (E005)"
                        ),
                    ),
                    ErrorClass::Refusal,
                    unclear,
                    false,
                ),
                (0, job("failed", json!("NSFW content detected")), ErrorClass::Refusal, unclear, false),
                (
                    0,
                    job("failed", json!("Prediction failed (E1000)")),
                    ErrorClass::Unavailable,
                    unclear,
                    false,
                ),
                (
                    0,
                    job("failed", json!("Prediction interrupted; please retry (code: PA)")),
                    ErrorClass::Retryable,
                    unclear,
                    false,
                ),
                (0, job("failed", Value::Null), ErrorClass::Retryable, unclear, false),
                (0, job("canceled", Value::Null), ErrorClass::Cancelled, unclear, false),
                (0, job("aborted", Value::Null), ErrorClass::Timeout, free, false),
            ],
        );
    }
}
