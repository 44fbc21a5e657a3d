//! Cloudflare Workers AI: <https://developers.cloudflare.com/workers-ai/models/>.
//!
//! The answer to the submit is the result: in base64 inside the usual envelope, or the file itself. There is no id, no
//! poll, no list, no callback and no cancel: an answer that is lost stays unknown. The key is `account id:token`. A model is
//! named without its `@`: `cf/black-forest-labs/flux-1-schnell`. What it cost in neurons is not said: that is derived from
//! what was asked for, where the rate card can.

use domain::attempt::ErrorClass;
use domain::provider::Provider;

use super::description::{
    Billed, Description, Errors, Fits, OnSubmit, Outputs, Place, Poll, Recovery, ResultSource, Route, Rule,
    Source, Submit, Takes, When, field, rule,
};

/// Cloudflare Workers AI.
pub static WORKERS_AI: Description = Description {
    provider: Provider::WorkersAi,
    base_url: "https://api.cloudflare.com/client/v4",
    hosts: &[],
    auth: ("authorization", "Bearer {token}"),
    headers: &[],
    submit: Submit {
        routes: &[Route { when: Fits::Always, url: "{base}/accounts/{account}/ai/run/@{model}" }],
        fields: &[
            field(Source::Prompt, "/prompt"),
            field(Source::NegativePrompt, "/negative_prompt"),
            field(Source::Seed, "/seed"),
        ],
        media: Takes::NOTHING,
        options: "",
        reference: None,
        callback: None,
        accepted: &[],
        request_id: "",
        captures: &[],
    },
    recovery: Recovery::None,
    poll: Poll::NEVER,
    result: ResultSource::Submit { reference: None },
    // An answer that is a file is the whole of it.
    outputs: Outputs {
        base64: &["/result/image", "/image"],
        ..Outputs::at(&["/result/video", "/result/url", ""])
    },
    cancel: None,
    usage: None,
    quote: None,
    errors: Errors { code: &[Place::Body("/errors/0/code")], message: &["/errors/0/message"], rules: RULES },
};

/// The day's allocation being used up is a matter of money; being out of capacity is not, and nothing was run.
static RULES: &[Rule] = &[
    rule(When::Code(&["3036"]), ErrorClass::InsufficientFunds, Billed::No),
    Rule {
        when: When::Code(&["3040"]),
        class: ErrorClass::Unavailable,
        billed: Billed::No,
        on_submit: OnSubmit::Rejected,
    },
    rule(When::Code(&["3023", "3041", "5018", "10000"]), ErrorClass::Authentication, Billed::No),
    rule(When::Code(&["3003", "3006", "5004", "5007"]), ErrorClass::InvalidInput, Billed::Unknown),
    rule(When::Code(&["3042"]), ErrorClass::ModelGone, Billed::No),
    rule(When::Code(&["3007", "3008"]), ErrorClass::Timeout, Billed::Unknown),
    rule(
        When::MessageHas(&["nsfw", "content policy", "safety", "flagged"]),
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
    fn b7_workers_ai_errors_are_classified_by_the_body_first() {
        let told = |code: u16, words: &str| json!({"success": false, "result": null, "messages": [], "errors": [{"code": code, "message": words}]});
        let (free, unclear) = (Billed::No, Billed::Unknown);
        holds(
            &WORKERS_AI,
            &[
                (403, told(3023, "words"), ErrorClass::Authentication, free, true),
                (403, told(3041, "words"), ErrorClass::Authentication, free, true),
                (403, told(5018, "words"), ErrorClass::Authentication, free, true),
                (401, told(10000, "Authentication error"), ErrorClass::Authentication, free, true),
                (400, told(5004, "words"), ErrorClass::InvalidInput, unclear, true),
                (400, told(3003, "words"), ErrorClass::InvalidInput, unclear, true),
                (413, told(3006, "words"), ErrorClass::InvalidInput, unclear, true),
                (400, told(5007, "No such model"), ErrorClass::InvalidInput, unclear, true),
                (404, told(3042, "words"), ErrorClass::ModelGone, free, true),
                (400, told(3030, "Input prompt contains NSFW content."), ErrorClass::Refusal, unclear, true),
                (429, told(3036, "words"), ErrorClass::InsufficientFunds, free, true),
                (429, told(3040, "Out of capacity"), ErrorClass::Unavailable, free, true),
                (429, Value::Null, ErrorClass::RateLimited, free, true),
                (408, told(3007, "words"), ErrorClass::Timeout, unclear, false),
                (408, told(3008, "words"), ErrorClass::Timeout, unclear, false),
                (500, Value::Null, ErrorClass::Retryable, unclear, false),
            ],
        );
    }
}
