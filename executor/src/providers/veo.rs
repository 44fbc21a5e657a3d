//! Veo through the Gemini API: <https://ai.google.dev/gemini-api/docs/video>.
//!
//! A submit makes a long-running operation, whose name is a path. It is done with an error, or with a response, which may
//! hold nothing but why the video was withheld: a refusal, and not charged. Files lie behind the key for two days. There is
//! no idempotency key, no list and no cancel; a submit of unknown outcome becomes known when Google reports it to the
//! attempt's own callback URL. Nothing says what it cost: that is derived from what was asked for.

use domain::attempt::ErrorClass;
use domain::inputs::Role;
use domain::provider::Provider;

use super::description::{
    Access, Billed, Callback, Description, Errors, Fits, Outputs, Place, Poll, Recovery, ResultSource, Route,
    Rule, Source, Status, Submit, Takes, Way, When, field, image, rule,
};

/// An image inside the request.
const IMAGE: &str = r#"{"bytesBase64Encoded": "{media}", "mimeType": "{type}"}"#;

/// Veo, through the Gemini API.
pub static VEO: Description = Description {
    provider: Provider::Veo,
    base_url: "https://generativelanguage.googleapis.com/v1beta",
    hosts: &["generativelanguage.googleapis.com"],
    auth: ("x-goog-api-key", "{key}"),
    headers: &[],
    submit: Submit {
        routes: &[Route { when: Fits::Always, url: "{base}/models/{model}:predictLongRunning" }],
        fields: &[
            field(Source::Prompt, "/instances/0/prompt"),
            field(Source::NegativePrompt, "/parameters/negativePrompt"),
            field(Source::DurationSeconds, "/parameters/durationSeconds"),
            field(Source::AspectRatio, "/parameters/aspectRatio"),
            field(Source::Resolution, "/parameters/resolution"),
            // No seed: Google's own library refuses it here.
        ],
        media: Takes {
            ways: &[(Way::Base64, 20_000_000)],
            slots: &[
                image(&[Role::FirstFrame], &[], "/instances/0/image", IMAGE),
                image(&[Role::LastFrame], &[], "/instances/0/lastFrame", IMAGE),
                image(
                    &[Role::Reference],
                    &[],
                    "/instances/0/referenceImages/-",
                    r#"{"image": {"bytesBase64Encoded": "{media}", "mimeType": "{type}"}, "referenceType": "asset"}"#,
                ),
            ],
        },
        options: "/parameters",
        reference: None,
        callback: Some(Callback::Listed {
            urls: "/webhookConfig/uris",
            reference: "/webhookConfig/userMetadata/attempt",
        }),
        accepted: &[],
        request_id: "/name",
        captures: &[],
    },
    recovery: Recovery::None,
    poll: Poll {
        // A report names the operation without its path.
        urls: &["{base}/{id_path}", "{base}/models/{model}/operations/{id}"],
        status: "/done",
        words: &[("false", Status::Pending), ("true", Status::DoneUnless("/error"))],
        absent: Some(Status::Pending),
        min_interval_ms: 0,
    },
    result: ResultSource::Poll,
    outputs: Outputs {
        access: Access::WithKey,
        withheld: &[
            "/response/generateVideoResponse/raiMediaFilteredReasons/0",
            "/response/generateVideoResponse/raiMediaFilteredCount",
        ],
        ..Outputs::at(&[
            "/response/generateVideoResponse/generatedSamples/*/video/uri",
            "/response/generatedVideos/*/video/uri",
        ])
    },
    cancel: None,
    usage: None,
    quote: None,
    errors: Errors {
        // Inside an operation there is no word, but the word's number.
        code: &[Place::Body("/error/status"), Place::Body("/error/code")],
        message: &["/error/message"],
        rules: RULES,
    },
};

/// An error's code is one of google.rpc's, as a word or as a number. An empty balance and a spent quota come with the code
/// of a rate limit, and a bad key with the one of a bad request. That blocked videos are not charged is documented; of
/// other failures it is not.
static RULES: &[Rule] = &[
    rule(When::MessageHas(&["api key not valid", "api key expired"]), ErrorClass::Authentication, Billed::No),
    rule(
        When::MessageHas(&["credits are depleted", "prepay", "spending cap", "billing account"]),
        ErrorClass::InsufficientFunds,
        Billed::No,
    ),
    rule(When::Http(&[402]), ErrorClass::InsufficientFunds, Billed::No),
    rule(
        When::MessageHas(&[
            "usage guidelines",
            "responsible ai",
            "safety",
            "sensitive words",
            "violate",
            "blocked",
        ]),
        ErrorClass::Refusal,
        Billed::No,
    ),
    rule(
        When::Code(&["UNAUTHENTICATED", "16", "PERMISSION_DENIED", "7"]),
        ErrorClass::Authentication,
        Billed::No,
    ),
    rule(
        When::Code(&["INVALID_ARGUMENT", "3", "FAILED_PRECONDITION", "9", "OUT_OF_RANGE", "11"]),
        ErrorClass::InvalidInput,
        Billed::Unknown,
    ),
    rule(When::Code(&["NOT_FOUND", "5"]), ErrorClass::ModelGone, Billed::Unknown),
    rule(When::Code(&["RESOURCE_EXHAUSTED", "8"]), ErrorClass::RateLimited, Billed::Unknown),
    rule(When::Code(&["UNAVAILABLE", "14"]), ErrorClass::Unavailable, Billed::Unknown),
    rule(When::Code(&["DEADLINE_EXCEEDED", "4"]), ErrorClass::Timeout, Billed::Unknown),
    rule(When::Code(&["CANCELLED", "1"]), ErrorClass::Cancelled, Billed::Unknown),
    rule(When::Code(&["INTERNAL", "13", "UNKNOWN", "2"]), ErrorClass::Retryable, Billed::Unknown),
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::errors::table::holds;
    use super::*;

    #[test]
    fn b7_veo_errors_are_classified_by_the_body_first() {
        let http = |code: u16, status: &str, words: &str| json!({"error": {"code": code, "message": words, "status": status}});
        let job = |code: u16, words: &str| json!({"name": "o", "done": true, "error": {"code": code, "message": words}});
        let (free, unclear) = (Billed::No, Billed::Unknown);
        holds(
            &VEO,
            &[
                (
                    400,
                    http(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
                    ErrorClass::Authentication,
                    free,
                    true,
                ),
                (403, http(403, "PERMISSION_DENIED", "words"), ErrorClass::Authentication, free, true),
                (401, http(401, "UNAUTHENTICATED", "words"), ErrorClass::Authentication, free, true),
                (
                    400,
                    http(400, "INVALID_ARGUMENT", "durationSeconds is out of bound"),
                    ErrorClass::InvalidInput,
                    unclear,
                    true,
                ),
                (400, http(400, "FAILED_PRECONDITION", "words"), ErrorClass::InvalidInput, unclear, true),
                (
                    404,
                    http(404, "NOT_FOUND", "models/veo-1 is not found"),
                    ErrorClass::ModelGone,
                    unclear,
                    true,
                ),
                (402, Value::Null, ErrorClass::InsufficientFunds, free, true),
                (
                    429,
                    http(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
                    ErrorClass::InsufficientFunds,
                    free,
                    true,
                ),
                (
                    429,
                    http(429, "RESOURCE_EXHAUSTED", "Quota exceeded"),
                    ErrorClass::RateLimited,
                    unclear,
                    true,
                ),
                (503, http(503, "UNAVAILABLE", "overloaded"), ErrorClass::Unavailable, unclear, false),
                (500, http(500, "INTERNAL", "words"), ErrorClass::Retryable, unclear, false),
                (504, http(504, "DEADLINE_EXCEEDED", "words"), ErrorClass::Timeout, unclear, false),
                (
                    0,
                    job(3, "The prompt could not be submitted: it may violate our usage guidelines."),
                    ErrorClass::Refusal,
                    free,
                    false,
                ),
                (0, job(13, "Internal error."), ErrorClass::Retryable, unclear, false),
                (0, job(14, "words"), ErrorClass::Unavailable, unclear, false),
                (0, job(4, "words"), ErrorClass::Timeout, unclear, false),
                (0, job(8, "words"), ErrorClass::RateLimited, unclear, false),
            ],
        );
    }
}
