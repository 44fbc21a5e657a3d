//! Runway's tasks: <https://docs.dev.runwayml.com/api/>.
//!
//! The endpoint follows from the model and from what the body has. There is no idempotency key, no list of tasks and no
//! callback: a submit of unknown outcome stays unknown. A task that waits for the account's concurrency is `THROTTLED`,
//! which is no error. `DELETE` cancels a live task and destroys a finished one.

use domain::attempt::ErrorClass;
use domain::inputs::Role;
use domain::provider::Provider;

use super::description::{
    Billed, Cancel, Currency, Description, Errors, Field, Fits, Fixed, Form, Method, OnSubmit, Outputs,
    PLAIN, Place, Poll, Quote, QuoteAt, Recovery, ResultSource, Route, Rule, Source, Status, Submit, Takes,
    Upload, Way, When, field, image, rule, video,
};

/// Aspect ratio and resolution are one value here, in pixels.
const RATIOS: &[(&str, Fixed)] = &[
    ("16:9 1080p", Fixed::Text("1920:1080")),
    ("9:16 1080p", Fixed::Text("1080:1920")),
    ("16:9", Fixed::Text("1280:720")),
    ("9:16", Fixed::Text("720:1280")),
    ("1:1", Fixed::Text("960:960")),
    ("4:3", Fixed::Text("1104:832")),
    ("3:4", Fixed::Text("832:1104")),
    ("21:9", Fixed::Text("1584:672")),
];

/// A `data:` URI may have 5 MB, of which three quarters are the file's. Runway looks at a URL with HEAD before it fetches
/// it, which a signed URL does not allow, so larger files are uploaded.
const INLINE: u64 = 3_700_000;

/// <https://docs.dev.runwayml.com/assets/uploads/>
static UPLOAD: Upload = Upload {
    url: "{base}/uploads",
    body: r#"{"filename": "{name}", "type": "ephemeral"}"#,
    to: "/uploadUrl",
    fields: "/fields",
    named: "/runwayUri",
};

/// Runway.
pub static RUNWAY: Description = Description {
    provider: Provider::Runway,
    base_url: "https://api.dev.runwayml.com/v1",
    hosts: &[],
    auth: ("authorization", "Bearer {key}"),
    headers: &[("x-runway-version", "2024-11-06")],
    submit: Submit {
        routes: &[
            Route {
                when: Fits::Model(&["gen4_image", "gemini_2.5_flash", "gemini_image3_pro"]),
                url: "{base}/text_to_image",
            },
            Route { when: Fits::BodyHas("/videoUri"), url: "{base}/video_to_video" },
            Route { when: Fits::BodyHas("/promptImage"), url: "{base}/image_to_video" },
            Route { when: Fits::Always, url: "{base}/text_to_video" },
        ],
        fields: &[
            field(Source::Model, "/model"),
            field(Source::Prompt, "/promptText"),
            field(Source::DurationSeconds, "/duration"),
            Field { from: Source::Frame, to: "/ratio", form: Form::Table(RATIOS), forms: &[] },
            field(Source::Seed, "/seed"),
            field(Source::Audio, "/audio"),
        ],
        media: Takes {
            ways: &[(Way::DataUri, INLINE), (Way::Upload(&UPLOAD), 200_000_000)],
            slots: &[
                image(
                    &[Role::Reference, Role::Source],
                    &["_image", "gemini_2.5_flash"],
                    "/referenceImages/-",
                    r#"{"uri": "{media}"}"#,
                ),
                image(
                    &[Role::FirstFrame],
                    &["gen4.5", "gen4_turbo", "veo", "kling", "seedance", "gen3a"],
                    "/promptImage/-",
                    r#"{"uri": "{media}", "position": "first"}"#,
                ),
                image(
                    &[Role::LastFrame],
                    &["gen4.5", "gen4_turbo", "veo", "kling", "seedance", "gen3a"],
                    "/promptImage/-",
                    r#"{"uri": "{media}", "position": "last"}"#,
                ),
                image(
                    &[Role::Reference],
                    &["gen4_aleph", "seedance"],
                    "/references/-",
                    r#"{"type": "image", "uri": "{media}"}"#,
                ),
                video(&[Role::Source], &[], "/videoUri", PLAIN),
            ],
        },
        options: "",
        reference: None,
        callback: None,
        accepted: &[],
        request_id: "/id",
        // `estimatedCost` is a maximum, so it is nobody's price.
        captures: &[],
    },
    recovery: Recovery::None,
    poll: Poll {
        urls: &["{base}/tasks/{id}"],
        status: "/status",
        words: &[
            ("PENDING", Status::Pending),
            ("THROTTLED", Status::Pending),
            ("RUNNING", Status::Pending),
            ("SUCCEEDED", Status::Done),
            ("FAILED", Status::Failed),
            ("CANCELLED", Status::Failed),
        ],
        absent: None,
        min_interval_ms: 5_000,
    },
    result: ResultSource::Poll,
    outputs: Outputs::at(&["/output/*"]),
    cancel: Some(Cancel {
        method: Method::Delete,
        urls: &["{base}/tasks/{id}"],
        only_in: &["PENDING", "THROTTLED", "RUNNING"],
    }),
    usage: None,
    // Final, and zero where Runway gave the credits back.
    quote: Some(Quote {
        at: QuoteAt::End(Place::Body("/cost/credits")),
        currency: Currency::Credits,
        only_if: &[],
    }),
    errors: Errors {
        code: &[Place::Body("/failureCode"), Place::Body("/issues/0/code"), Place::Body("/status")],
        message: &["/failure", "/issues/0/message", "/error"],
        rules: RULES,
    },
};

/// What a failed task cost is what its `cost` says; without that nobody knows.
static RULES: &[Rule] = &[
    rule(When::CodePrefix(&["SAFETY.", "INPUT_PREPROCESSING.SAFETY."]), ErrorClass::Refusal, Billed::Unknown),
    rule(
        When::CodePrefix(&["ASSET.INVALID", "THIRD_PARTY.INPUT_VALIDATION"]),
        ErrorClass::InvalidInput,
        Billed::Unknown,
    ),
    rule(When::CodePrefix(&["THIRD_PARTY.UNAVAILABLE"]), ErrorClass::Unavailable, Billed::Unknown),
    rule(
        When::CodePrefix(&["INTERNAL", "INPUT_PREPROCESSING.INTERNAL"]),
        ErrorClass::Retryable,
        Billed::Unknown,
    ),
    rule(When::Code(&["CANCELLED"]), ErrorClass::Cancelled, Billed::Unknown),
    rule(When::MessageHas(&["not have enough credits"]), ErrorClass::InsufficientFunds, Billed::No),
    // Load shedding: documented as safe to send again.
    Rule {
        when: When::Http(&[502, 503]),
        class: ErrorClass::Unavailable,
        billed: Billed::No,
        on_submit: OnSubmit::Rejected,
    },
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::errors::table::holds;
    use super::*;

    #[test]
    fn b7_runway_errors_are_classified_by_the_body_first() {
        let http = |words: &str| json!({"error": words});
        let job =
            |code: &str| json!({"id": "t", "status": "FAILED", "failure": "words", "failureCode": code});
        let (free, unclear) = (Billed::No, Billed::Unknown);
        let invalid = json!({"error": "Validation of body failed", "issues": [{"code": "invalid_enum_value", "path": ["ratio"], "message": "x"}]});
        holds(
            &RUNWAY,
            &[
                (401, http("Unauthorized"), ErrorClass::Authentication, free, true),
                (400, invalid, ErrorClass::InvalidInput, unclear, true),
                (
                    400,
                    http("You do not have enough credits to run this task."),
                    ErrorClass::InsufficientFunds,
                    free,
                    true,
                ),
                (429, http("daily limit"), ErrorClass::RateLimited, free, true),
                (502, Value::Null, ErrorClass::Unavailable, free, true),
                (503, Value::Null, ErrorClass::Unavailable, free, true),
                (504, Value::Null, ErrorClass::Timeout, unclear, false),
                (500, Value::Null, ErrorClass::Retryable, unclear, false),
                (0, job("SAFETY.INPUT.TEXT"), ErrorClass::Refusal, unclear, false),
                (0, job("SAFETY.OUTPUT.VIDEO"), ErrorClass::Refusal, unclear, false),
                (0, job("INPUT_PREPROCESSING.SAFETY.TEXT"), ErrorClass::Refusal, unclear, false),
                (0, job("ASSET.INVALID"), ErrorClass::InvalidInput, unclear, false),
                (0, job("THIRD_PARTY.INPUT_VALIDATION"), ErrorClass::InvalidInput, unclear, false),
                (0, job("THIRD_PARTY.UNAVAILABLE"), ErrorClass::Unavailable, unclear, false),
                (0, job("INTERNAL"), ErrorClass::Retryable, unclear, false),
                (0, job("INTERNAL.BAD_OUTPUT.CODE01"), ErrorClass::Retryable, unclear, false),
                (0, job("INPUT_PREPROCESSING.INTERNAL"), ErrorClass::Retryable, unclear, false),
                (0, job("NEVER.SEEN.BEFORE"), ErrorClass::Retryable, unclear, false),
                (0, json!({"status": "CANCELLED"}), ErrorClass::Cancelled, unclear, false),
            ],
        );
    }
}
