//! `MiniMax`'s video generation, version 2 (H3): <https://platform.minimax.io/docs/api-reference/video-generation-v2-create>.
//!
//! There is no idempotency key, and a listing has nothing to know a task by: a submit of unknown outcome becomes known by its
//! callback only, whose URL has to answer a challenge first (`api-worker/src/callbacks.rs`). `DELETE` cancels a task in the queue, is refused
//! for one that runs, and removes the record of one that ended.

use domain::attempt::ErrorClass;
use domain::inputs::Role;
use domain::inputs::limit::BYTES as LARGEST;
use domain::provider::Provider;

use super::description::{
    Billed, Callback, Cancel, Description, Errors, Field, Fits, Fixed, Form, Method, Outputs, Place, Poll,
    Recovery, ResultSource, Route, Rule, Source, Status, Submit, Takes, Usage, Way, When, field, image, rule,
    video,
};

/// Resolutions are in capitals here.
const RESOLUTIONS: &[(&str, Fixed)] = &[
    ("480p", Fixed::Text("480P")),
    ("768p", Fixed::Text("768P")),
    ("1080p", Fixed::Text("1080P")),
    ("2k", Fixed::Text("2K")),
];

/// `MiniMax`.
pub static MINIMAX: Description = Description {
    provider: Provider::Minimax,
    base_url: "https://api.minimax.io/v2",
    hosts: &[],
    auth: ("authorization", "Bearer {key}"),
    headers: &[],
    submit: Submit {
        routes: &[Route { when: Fits::Always, url: "{base}/video_generation" }],
        fields: &[
            field(Source::Model, "/model"),
            Field { from: Source::Prompt, to: "/content", form: Form::Item("text"), forms: &[] },
            field(Source::DurationSeconds, "/duration"),
            field(Source::AspectRatio, "/ratio"),
            Field { from: Source::Resolution, to: "/resolution", form: Form::Table(RESOLUTIONS), forms: &[] },
        ],
        media: Takes {
            ways: &[(Way::Url, LARGEST)],
            slots: &[
                image(
                    &[Role::FirstFrame],
                    &[],
                    "/content/-",
                    r#"{"type": "image_url", "image_url": {"url": "{media}"}, "role": "first_frame"}"#,
                ),
                image(
                    &[Role::LastFrame],
                    &[],
                    "/content/-",
                    r#"{"type": "image_url", "image_url": {"url": "{media}"}, "role": "last_frame"}"#,
                ),
                image(
                    &[Role::Reference],
                    &[],
                    "/content/-",
                    r#"{"type": "image_url", "image_url": {"url": "{media}"}, "role": "reference_image"}"#,
                ),
                video(
                    &[Role::Reference],
                    &[],
                    "/content/-",
                    r#"{"type": "video_url", "video_url": {"url": "{media}"}, "role": "reference_video"}"#,
                ),
            ],
        },
        options: "",
        reference: None,
        callback: Some(Callback::Body { url: "/callback_url", with: &[] }),
        accepted: &[],
        request_id: "/task_id",
        captures: &[],
    },
    recovery: Recovery::None,
    poll: Poll {
        urls: &["{base}/query/video_generation/{id}"],
        status: "/task/status",
        words: &[
            ("queued", Status::Pending),
            ("running", Status::Pending),
            ("succeeded", Status::Done),
            ("failed", Status::Failed),
            ("cancelled", Status::Failed),
        ],
        absent: None,
        min_interval_ms: 0,
    },
    result: ResultSource::Poll,
    outputs: Outputs::at(&["/task/content/url"]),
    cancel: Some(Cancel {
        method: Method::Delete,
        urls: &["{base}/video_generation/{id}"],
        only_in: &["queued"],
    }),
    // Seconds put in and seconds made: what they cost differs, so neither is the rate card's second.
    usage: Some(Usage {
        at: Place::Body("/task/usage/total_seconds"),
        unit: Some("total_second"),
        more: &[],
    }),
    quote: None,
    errors: Errors {
        code: &[Place::Body("/task/error/code"), Place::Body("/error/type"), Place::Body("/task/status")],
        message: &["/task/error/message", "/error/message"],
        rules: RULES,
    },
};

/// What a failed task costs, and how it says that it refused, is not established: 1026 and 1027 are version 1's words.
static RULES: &[Rule] = &[
    rule(When::Code(&["1026", "1027"]), ErrorClass::Refusal, Billed::Unknown),
    rule(When::Code(&["authorized_error"]), ErrorClass::Authentication, Billed::No),
    rule(
        When::MessageHas(&["insufficient balance", "balance not enough"]),
        ErrorClass::InsufficientFunds,
        Billed::No,
    ),
    rule(When::Code(&["cancelled"]), ErrorClass::Cancelled, Billed::Unknown),
    rule(When::Code(&["bad_request_error"]), ErrorClass::InvalidInput, Billed::Unknown),
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::errors::table::holds;
    use super::*;

    #[test]
    fn b7_minimax_errors_are_classified_by_the_body_first() {
        let http = |kind: &str, status: u16| json!({"type": "error", "error": {"type": kind, "message": "words", "http_code": status.to_string()}, "request_id": "r"});
        let job = |status: &str, error: Value| json!({"task": {"id": "t", "status": status, "error": error}});
        let poor = json!({"type": "error", "error": {"type": "x", "message": "insufficient balance"}});
        let (free, unclear) = (Billed::No, Billed::Unknown);
        holds(
            &MINIMAX,
            &[
                (401, http("authorized_error", 401), ErrorClass::Authentication, free, true),
                (400, http("bad_request_error", 400), ErrorClass::InvalidInput, unclear, true),
                (402, poor, ErrorClass::InsufficientFunds, free, true),
                (429, http("rate_limit_error", 429), ErrorClass::RateLimited, free, true),
                (500, Value::Null, ErrorClass::Retryable, unclear, false),
                (503, Value::Null, ErrorClass::Unavailable, unclear, false),
                (
                    0,
                    job("failed", json!({"code": "1027", "message": "x"})),
                    ErrorClass::Refusal,
                    unclear,
                    false,
                ),
                (
                    0,
                    job("failed", json!({"code": "9999", "message": "x"})),
                    ErrorClass::Retryable,
                    unclear,
                    false,
                ),
                (0, job("cancelled", Value::Null), ErrorClass::Cancelled, unclear, false),
            ],
        );
    }
}
