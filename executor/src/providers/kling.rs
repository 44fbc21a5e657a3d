//! Kling, the API of the 3.x models: <https://kling.ai/document-api>.
//!
//! A task is found again by our attempt id, its `external_task_id`: exact, though nobody says how soon, so that finding
//! nothing proves nothing. There is no cancel. What was paid in cash is named in the end; what was taken from a package
//! has no price of its own.

use domain::attempt::ErrorClass;
use domain::inputs::Role;
use domain::inputs::limit::BYTES as LARGEST;
use domain::provider::Provider;

use super::description::{
    Absence, Billed, Callback, Currency, Description, Errors, Field, Fits, Form, Outputs, Place, Poll, Quote,
    QuoteAt, Recovery, ResultSource, Route, Rule, Source, Status, Submit, Takes, Way, When, field, image,
    rule,
};

/// Kling 3.x.
pub static KLING: Description = Description {
    provider: Provider::Kling,
    base_url: "https://api-singapore.klingai.com",
    hosts: &[],
    auth: ("authorization", "Bearer {key}"),
    headers: &[],
    submit: Submit {
        routes: &[
            // `image-to-video/kling-3.0`, for instance.
            Route { when: Fits::ModelHas("/"), url: "{base}/{model}" },
            Route { when: Fits::Always, url: "{base}/text-to-video/{model}" },
        ],
        fields: &[
            Field {
                from: Source::Prompt,
                to: "/prompt",
                form: Form::Same,
                forms: &[("image-to-video/", Form::Omit)],
            },
            Field {
                from: Source::Prompt,
                to: "/contents",
                form: Form::Omit,
                forms: &[("image-to-video/", Form::Item("prompt"))],
            },
            field(Source::DurationSeconds, "/settings/duration"),
            field(Source::AspectRatio, "/settings/aspect_ratio"),
            field(Source::Resolution, "/settings/resolution"),
        ],
        media: Takes {
            ways: &[(Way::Url, LARGEST)],
            slots: &[
                image(
                    &[Role::FirstFrame],
                    &["image-to-video/"],
                    "/contents/-",
                    r#"{"type": "first_frame", "url": "{media}"}"#,
                ),
                image(
                    &[Role::LastFrame],
                    &["image-to-video/"],
                    "/contents/-",
                    r#"{"type": "last_frame", "url": "{media}"}"#,
                ),
            ],
        },
        options: "",
        reference: Some("/options/external_task_id"),
        callback: Some(Callback::Body { url: "/options/callback_url", with: &[] }),
        accepted: &[("/code", "0")],
        request_id: "/data/id",
        captures: &[],
    },
    recovery: Recovery::Lookup {
        urls: &["{base}/tasks?external_task_ids={attempt}"],
        request_id: "/data/0/id",
        absence: Absence::Unproven,
    },
    poll: Poll {
        urls: &["{base}/tasks?task_ids={id}"],
        status: "/data/0/status",
        words: &[
            ("submitted", Status::Pending),
            ("processing", Status::Pending),
            ("succeeded", Status::Done),
            // The older API's word.
            ("succeed", Status::Done),
            ("failed", Status::Failed),
        ],
        // An empty list.
        absent: Some(Status::Missing),
        min_interval_ms: 0,
    },
    result: ResultSource::Poll,
    outputs: Outputs::at(&["/data/0/outputs/*/url"]),
    cancel: None,
    usage: None,
    quote: Some(Quote {
        at: QuoteAt::End(Place::Body("/data/0/billing/0/amount")),
        currency: Currency::Usd,
        only_if: &[
            ("/data/0/billing/0/charge_type", Some("cash")),
            ("/data/0/billing/0/currency", Some("USD")),
            ("/data/0/billing/1/charge_type", None),
        ],
    }),
    errors: Errors {
        code: &[Place::Body("/code")],
        message: &["/data/0/message", "/data/0/task_status_msg", "/message"],
        rules: RULES,
    },
};

/// Kling's codes are the same in both of its APIs.
pub(super) static RULES: &[Rule] = &[
    rule(When::Code(&["1101", "1102"]), ErrorClass::InsufficientFunds, Billed::No),
    rule(
        When::Code(&["1000", "1001", "1002", "1003", "1004", "1103", "1304"]),
        ErrorClass::Authentication,
        Billed::No,
    ),
    rule(When::Code(&["1200", "1201"]), ErrorClass::InvalidInput, Billed::No),
    rule(When::Code(&["1202", "1203"]), ErrorClass::ModelGone, Billed::No),
    rule(When::Code(&["1300", "1301"]), ErrorClass::Refusal, Billed::Unknown),
    // 1303: too many at a time, and no task was made.
    rule(When::Code(&["1302", "1303"]), ErrorClass::RateLimited, Billed::No),
    rule(When::Code(&["5000"]), ErrorClass::Retryable, Billed::Unknown),
    rule(When::Code(&["5001"]), ErrorClass::Unavailable, Billed::Unknown),
    rule(When::Code(&["5002"]), ErrorClass::Timeout, Billed::Unknown),
    rule(
        When::MessageHas(&["risk control", "content policy", "sensitive content", "moderation"]),
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
    fn b7_kling_errors_are_classified_by_the_body_first() {
        let http = |code: u16| json!({"code": code, "message": "words", "request_id": "r", "data": null});
        let job = |words: &str| json!({"code": 0, "message": "SUCCEED", "data": [{"id": "t", "status": "failed", "message": words}]});
        let (free, unclear) = (Billed::No, Billed::Unknown);
        holds(
            &KLING,
            &[
                (401, http(1000), ErrorClass::Authentication, free, true),
                (401, http(1004), ErrorClass::Authentication, free, true),
                (403, http(1103), ErrorClass::Authentication, free, true),
                (429, http(1304), ErrorClass::Authentication, free, true),
                (429, http(1101), ErrorClass::InsufficientFunds, free, true),
                (429, http(1102), ErrorClass::InsufficientFunds, free, true),
                (400, http(1201), ErrorClass::InvalidInput, free, true),
                (404, http(1202), ErrorClass::ModelGone, free, true),
                (404, http(1203), ErrorClass::ModelGone, free, true),
                (400, http(1301), ErrorClass::Refusal, unclear, true),
                (429, http(1302), ErrorClass::RateLimited, free, true),
                (429, http(1303), ErrorClass::RateLimited, free, true),
                (500, http(5000), ErrorClass::Retryable, unclear, false),
                (503, http(5001), ErrorClass::Unavailable, unclear, false),
                (504, http(5002), ErrorClass::Timeout, unclear, false),
                (500, Value::Null, ErrorClass::Retryable, unclear, false),
                (0, job("Failure to pass the risk control system"), ErrorClass::Refusal, unclear, false),
                (0, job("something broke"), ErrorClass::Retryable, unclear, false),
            ],
        );
    }
}
