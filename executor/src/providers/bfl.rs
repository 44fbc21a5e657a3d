//! Black Forest Labs: <https://docs.bfl.ai/quick_start/generating_images>.
//!
//! A submit is taken by one of several regions, and only the `polling_url` that it names knows the request; the key
//! follows it to BFL's own hosts and nowhere else. Refusals are status words. The price is named at the submit and owed
//! for a result. There is no idempotency key, no list and no cancel: a submit of unknown outcome becomes known by its
//! callback only, and has a polling URL then if that names one: otherwise the base URL may be the wrong region.

use domain::attempt::ErrorClass;
use domain::inputs::Role;
use domain::provider::Provider;

use super::description::{
    Billed, Callback, Currency, Description, Errors, Field, Fits, Fixed, Form, Outputs, PLAIN, Place, Poll,
    Quote, QuoteAt, Recovery, ResultSource, Route, Rule, Source, Status, Submit, Takes, Way, When, field,
    image, rule,
};

/// The models that take pixels instead of an aspect ratio, all sides multiples of 32.
const WIDTHS: &[(&str, Fixed)] = &[
    ("16:9", Fixed::Number(1344)),
    ("9:16", Fixed::Number(768)),
    ("1:1", Fixed::Number(1024)),
    ("4:3", Fixed::Number(1152)),
    ("3:4", Fixed::Number(864)),
    ("3:2", Fixed::Number(1248)),
    ("2:3", Fixed::Number(832)),
];
const HEIGHTS: &[(&str, Fixed)] = &[
    ("16:9", Fixed::Number(768)),
    ("9:16", Fixed::Number(1344)),
    ("1:1", Fixed::Number(1024)),
    ("4:3", Fixed::Number(864)),
    ("3:4", Fixed::Number(1152)),
    ("3:2", Fixed::Number(832)),
    ("2:3", Fixed::Number(1248)),
];

/// Black Forest Labs.
pub static BFL: Description = Description {
    provider: Provider::Bfl,
    base_url: "https://api.bfl.ai/v1",
    hosts: &["api.bfl.ai", "api.*.bfl.ai"],
    auth: ("x-key", "{key}"),
    headers: &[],
    submit: Submit {
        routes: &[Route { when: Fits::Always, url: "{base}/{model}" }],
        fields: &[
            field(Source::Prompt, "/prompt"),
            Field {
                from: Source::AspectRatio,
                to: "/aspect_ratio",
                form: Form::Omit,
                forms: &[("flux-pro-1.1-ultra", Form::Same), ("flux-kontext", Form::Same)],
            },
            Field {
                from: Source::AspectRatio,
                to: "/width",
                form: Form::Table(WIDTHS),
                forms: &[("flux-pro-1.1-ultra", Form::Omit), ("flux-kontext", Form::Omit)],
            },
            Field {
                from: Source::AspectRatio,
                to: "/height",
                form: Form::Table(HEIGHTS),
                forms: &[("flux-pro-1.1-ultra", Form::Omit), ("flux-kontext", Form::Omit)],
            },
            field(Source::Seed, "/seed"),
        ],
        media: Takes {
            ways: &[(Way::Base64, 20_000_000)],
            slots: &[
                image(&[Role::Reference], &["flux-pro-1.1"], "/image_prompt", PLAIN),
                image(&[Role::Source, Role::Reference], &["kontext", "flux-2"], "/input_image", PLAIN),
                image(&[Role::Source, Role::Reference], &["kontext", "flux-2"], "/input_image_2", PLAIN),
                image(&[Role::Source, Role::Reference], &["kontext", "flux-2"], "/input_image_3", PLAIN),
                image(&[Role::Source, Role::Reference], &["kontext", "flux-2"], "/input_image_4", PLAIN),
                image(&[Role::Source, Role::Reference], &["flux-2"], "/input_image_5", PLAIN),
                image(&[Role::Source, Role::Reference], &["flux-2"], "/input_image_6", PLAIN),
                image(&[Role::Source, Role::Reference], &["flux-2"], "/input_image_7", PLAIN),
                image(&[Role::Source, Role::Reference], &["flux-2"], "/input_image_8", PLAIN),
            ],
        },
        options: "",
        reference: None,
        callback: Some(Callback::Body { url: "/webhook_url", with: &[] }),
        accepted: &[],
        request_id: "/id",
        captures: &[("polling_url", "/polling_url"), ("cost", "/cost")],
    },
    recovery: Recovery::None,
    poll: Poll {
        urls: &["{polling_url}", "{base}/get_result?id={id}"],
        status: "/status",
        words: &[
            ("Pending", Status::Pending),
            ("Reasoning", Status::Pending),
            ("Generating", Status::Pending),
            ("Ready", Status::Done),
            ("Error", Status::Failed),
            ("Failed", Status::Failed),
            ("Request Moderated", Status::Failed),
            ("Content Moderated", Status::Failed),
            // Right after a submit, or asked of the wrong region: no failure.
            ("Task not found", Status::Missing),
        ],
        absent: None,
        min_interval_ms: 0,
    },
    result: ResultSource::Poll,
    outputs: Outputs::at(&["/result/sample"]),
    cancel: None,
    usage: None,
    quote: Some(Quote { at: QuoteAt::Captured("cost"), currency: Currency::Credits, only_if: &[] }),
    errors: Errors {
        code: &[Place::Body("/status"), Place::Body("/detail/0/type")],
        message: &["/detail", "/detail/0/msg", "/message", "/result/error", "/details/error"],
        rules: RULES,
    },
};

/// That only a result uses up credits is said by others, not by BFL: what failed stays unpriced.
static RULES: &[Rule] = &[
    rule(When::Code(&["Request Moderated", "Content Moderated"]), ErrorClass::Refusal, Billed::Unknown),
    rule(When::Code(&["Error", "Failed"]), ErrorClass::Retryable, Billed::Unknown),
    rule(When::MessageHas(&["insufficient credits"]), ErrorClass::InsufficientFunds, Billed::No),
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::errors::table::holds;
    use super::*;

    #[test]
    fn b7_bfl_errors_are_classified_by_the_body_first() {
        let http = |words: &str| json!({"detail": words});
        let job = |status: &str| json!({"id": "t", "status": status, "result": null});
        let (free, unclear) = (Billed::No, Billed::Unknown);
        holds(
            &BFL,
            &[
                (401, http("Not authenticated"), ErrorClass::Authentication, free, true),
                (
                    403,
                    json!({"message": "Not authenticated - Invalid Authentication"}),
                    ErrorClass::Authentication,
                    free,
                    true,
                ),
                (402, http("Insufficient credits"), ErrorClass::InsufficientFunds, free, true),
                (400, http("bad"), ErrorClass::InvalidInput, unclear, true),
                (
                    422,
                    json!({"detail": [{"loc": ["body", "width"], "msg": "x", "type": "multiple_of"}]}),
                    ErrorClass::InvalidInput,
                    unclear,
                    true,
                ),
                (404, http("Not Found"), ErrorClass::ModelGone, free, true),
                (429, http("Rate limit exceeded"), ErrorClass::RateLimited, free, true),
                (500, Value::Null, ErrorClass::Retryable, unclear, false),
                (503, Value::Null, ErrorClass::Unavailable, unclear, false),
                (0, job("Request Moderated"), ErrorClass::Refusal, unclear, false),
                (0, job("Content Moderated"), ErrorClass::Refusal, unclear, false),
                (0, job("Error"), ErrorClass::Retryable, unclear, false),
                (0, job("Failed"), ErrorClass::Retryable, unclear, false),
            ],
        );
    }
}
