//! Kling's older API, version 1: <https://app.klingai.com/global/dev/document-api>.
//!
//! The key is a pair that each request's token is signed with. A model is named as it is (`kling-v2-1`, text to video), or
//! behind what it is to do (`image2video/kling-v2-1`), which is a path of its own for submit, poll and look-up. A task is
//! found again by our attempt id, its `external_task_id`: exact, though nobody says how soon. There is no cancel. What a
//! task took is told in units of a package, whose worth differs by package: counted, and not priced.

use domain::inputs::Role;
use domain::inputs::limit::BYTES as LARGEST;
use domain::provider::Provider;

use super::description::{
    Absence, Callback, Description, Errors, Field, Fits, Form, Outputs, PLAIN, Place, Poll, Recovery,
    ResultSource, Route, Source, Status, Submit, Takes, Usage, Way, field, image,
};
use super::kling::RULES;

/// Kling, version 1.
pub static KLING_V1: Description = Description {
    provider: Provider::KlingV1,
    base_url: "https://api-singapore.klingai.com/v1",
    hosts: &[],
    auth: ("authorization", "Bearer {jwt_hs256}"),
    headers: &[],
    submit: Submit {
        routes: &[
            Route { when: Fits::ModelHas("/"), url: "{base}/videos/{task}" },
            Route { when: Fits::Always, url: "{base}/videos/text2video" },
        ],
        fields: &[
            Field { from: Source::Model, to: "/model_name", form: Form::Last('/'), forms: &[] },
            field(Source::Prompt, "/prompt"),
            field(Source::NegativePrompt, "/negative_prompt"),
            Field { from: Source::DurationSeconds, to: "/duration", form: Form::Text, forms: &[] },
            Field {
                from: Source::AspectRatio,
                to: "/aspect_ratio",
                form: Form::Same,
                // The image's.
                forms: &[("image2video/", Form::Omit)],
            },
        ],
        media: Takes {
            ways: &[(Way::Url, LARGEST)],
            slots: &[
                image(&[Role::FirstFrame], &["image2video/"], "/image", PLAIN),
                image(&[Role::LastFrame], &["image2video/"], "/image_tail", PLAIN),
            ],
        },
        options: "",
        reference: Some("/external_task_id"),
        callback: Some(Callback::Body { url: "/callback_url", with: &[] }),
        accepted: &[("/code", "0")],
        request_id: "/data/task_id",
        captures: &[],
    },
    recovery: Recovery::Lookup {
        urls: &["{base}/videos/{task}/{attempt}", "{base}/videos/text2video/{attempt}"],
        request_id: "/data/task_id",
        absence: Absence::Unproven,
    },
    poll: Poll {
        urls: &["{base}/videos/{task}/{id}", "{base}/videos/text2video/{id}"],
        status: "/data/task_status",
        words: &[
            ("submitted", Status::Pending),
            ("processing", Status::Pending),
            ("succeed", Status::Done),
            // The newer API's word.
            ("succeeded", Status::Done),
            ("failed", Status::Failed),
        ],
        absent: None,
        min_interval_ms: 0,
    },
    result: ResultSource::Poll,
    outputs: Outputs::at(&["/data/task_result/videos/*/url", "/data/task_result/images/*/url"]),
    cancel: None,
    usage: Some(Usage { at: Place::Body("/data/final_unit_deduction"), unit: Some("kling_unit"), more: &[] }),
    quote: None,
    errors: Errors {
        code: &[Place::Body("/code")],
        message: &["/data/task_status_msg", "/message"],
        rules: RULES,
    },
};

#[cfg(test)]
mod tests {
    use domain::attempt::ErrorClass;
    use serde_json::json;

    use super::super::description::Billed;
    use super::super::errors::table::holds;
    use super::*;

    #[test]
    fn b7_kling_v1_errors_are_classified_by_the_body_first() {
        let http = |code: u16| json!({"code": code, "message": "words", "request_id": "r"});
        let job = |words: &str| json!({"code": 0, "message": "SUCCEED", "data": {"task_id": "t", "task_status": "failed", "task_status_msg": words}});
        let (free, unclear) = (Billed::No, Billed::Unknown);
        holds(
            &KLING_V1,
            &[
                // Each request is signed anew: what is wrong with a token is the key, or our clock.
                (401, http(1003), ErrorClass::Authentication, free, true),
                (401, http(1004), ErrorClass::Authentication, free, true),
                (429, http(1102), ErrorClass::InsufficientFunds, free, true),
                (429, http(1303), ErrorClass::RateLimited, free, true),
                (400, http(1301), ErrorClass::Refusal, unclear, true),
                (404, http(1203), ErrorClass::ModelGone, free, true),
                (503, http(5001), ErrorClass::Unavailable, unclear, false),
                (0, job("Failure to pass the risk control system"), ErrorClass::Refusal, unclear, false),
                (0, job("something broke"), ErrorClass::Retryable, unclear, false),
            ],
        );
    }
}
