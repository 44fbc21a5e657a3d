//! `MiniMax`'s video generation, version 1 (Hailuo): <https://platform.minimax.io/docs/api-reference/video-generation-t2v>.
//!
//! Every answer is a 200; whether it is a success stands in `base_resp`. A finished task names a file, and a second
//! request names that file's URL. There is no idempotency key, no listing and no cancel: a submit of
//! unknown outcome becomes known by its callback only, whose URL has to answer a challenge first. Nothing says what it cost.

use domain::attempt::ErrorClass;
use domain::inputs::Role;
use domain::inputs::limit::BYTES as LARGEST;
use domain::provider::Provider;

use super::description::{
    Billed, Callback, Description, Errors, Field, Fits, Fixed, Form, OnSubmit, Outputs, PLAIN, Place, Poll,
    Recovery, ResultSource, Route, Rule, Source, Status, Submit, Takes, Way, When, field, image, rule,
};

/// Resolutions are in capitals here.
const RESOLUTIONS: &[(&str, Fixed)] = &[
    ("512p", Fixed::Text("512P")),
    ("720p", Fixed::Text("720P")),
    ("768p", Fixed::Text("768P")),
    ("1080p", Fixed::Text("1080P")),
];

/// `MiniMax`, version 1.
pub static MINIMAX_V1: Description = Description {
    provider: Provider::MinimaxV1,
    base_url: "https://api.minimax.io/v1",
    hosts: &[],
    auth: ("authorization", "Bearer {key}"),
    headers: &[],
    submit: Submit {
        routes: &[Route { when: Fits::Always, url: "{base}/video_generation" }],
        fields: &[
            field(Source::Model, "/model"),
            field(Source::Prompt, "/prompt"),
            field(Source::DurationSeconds, "/duration"),
            Field { from: Source::Resolution, to: "/resolution", form: Form::Table(RESOLUTIONS), forms: &[] },
        ],
        media: Takes {
            ways: &[(Way::Url, LARGEST)],
            slots: &[
                image(&[Role::FirstFrame], &[], "/first_frame_image", PLAIN),
                image(&[Role::LastFrame], &[], "/last_frame_image", PLAIN),
                image(
                    &[Role::Reference],
                    &["S2V"],
                    "/subject_reference",
                    r#"[{"type": "character", "image": ["{media}"]}]"#,
                ),
            ],
        },
        options: "",
        reference: None,
        callback: Some(Callback::Body { url: "/callback_url", with: &[] }),
        accepted: &[("/base_resp/status_code", "0")],
        request_id: "/task_id",
        captures: &[],
    },
    recovery: Recovery::None,
    poll: Poll {
        urls: &["{base}/query/video_generation?task_id={id}"],
        status: "/status",
        words: &[
            ("Preparing", Status::Pending),
            ("Queueing", Status::Pending),
            ("Processing", Status::Pending),
            ("Success", Status::Done),
            ("Fail", Status::Failed),
        ],
        absent: None,
        min_interval_ms: 0,
    },
    result: ResultSource::Named {
        name: "file",
        at: "/file_id",
        urls: &["{base}/files/retrieve?file_id={file}"],
    },
    outputs: Outputs::at(&["/file/download_url"]),
    cancel: None,
    usage: None,
    quote: None,
    errors: Errors {
        code: &[Place::Body("/base_resp/status_code"), Place::Body("/status")],
        message: &["/base_resp/status_msg"],
        rules: RULES,
    },
};

/// What a failed task costs is not established. 1000 (unknown), 1001 (timeout) and 1027 (the output was refused) do not
/// say that a submit was not taken.
static RULES: &[Rule] = &[
    turned_down(&["1004", "2049"], ErrorClass::Authentication, Billed::No),
    turned_down(&["1008"], ErrorClass::InsufficientFunds, Billed::No),
    turned_down(&["1002"], ErrorClass::RateLimited, Billed::No),
    turned_down(&["2013"], ErrorClass::InvalidInput, Billed::Unknown),
    turned_down(&["1026"], ErrorClass::Refusal, Billed::Unknown),
    rule(When::Code(&["1027"]), ErrorClass::Refusal, Billed::Unknown),
    rule(When::Code(&["1001"]), ErrorClass::Timeout, Billed::Unknown),
    rule(When::Code(&["1000"]), ErrorClass::Unavailable, Billed::Unknown),
];

/// A code that says no to a submit, in a 200.
const fn turned_down(codes: &'static [&'static str], class: ErrorClass, billed: Billed) -> Rule {
    Rule { when: When::Code(codes), class, billed, on_submit: OnSubmit::Rejected }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::errors::table::holds;
    use super::*;

    #[test]
    fn b7_minimax_v1_errors_are_codes_inside_a_200() {
        let told = |code: u16| json!({"base_resp": {"status_code": code, "status_msg": "words"}});
        let job = |code: u16| json!({"task_id": "t", "status": "Fail", "file_id": "", "base_resp": {"status_code": code, "status_msg": "words"}});
        let (free, unclear) = (Billed::No, Billed::Unknown);
        holds(
            &MINIMAX_V1,
            &[
                (200, told(1004), ErrorClass::Authentication, free, true),
                (200, told(2049), ErrorClass::Authentication, free, true),
                (200, told(1008), ErrorClass::InsufficientFunds, free, true),
                (200, told(1002), ErrorClass::RateLimited, free, true),
                (200, told(2013), ErrorClass::InvalidInput, unclear, true),
                (200, told(1026), ErrorClass::Refusal, unclear, true),
                (200, told(1027), ErrorClass::Refusal, unclear, false),
                (200, told(1001), ErrorClass::Timeout, unclear, false),
                (200, told(1000), ErrorClass::Unavailable, unclear, false),
                (200, told(9999), ErrorClass::Retryable, unclear, false),
                (401, Value::Null, ErrorClass::Authentication, free, true),
                (404, Value::Null, ErrorClass::ModelGone, free, true),
                (429, Value::Null, ErrorClass::RateLimited, free, true),
                (500, Value::Null, ErrorClass::Retryable, unclear, false),
                (503, Value::Null, ErrorClass::Unavailable, unclear, false),
                (504, Value::Null, ErrorClass::Timeout, unclear, false),
                (0, job(1026), ErrorClass::Refusal, unclear, true),
                (0, job(1027), ErrorClass::Refusal, unclear, false),
                (0, job(0), ErrorClass::Retryable, unclear, false),
            ],
        );
    }
}
