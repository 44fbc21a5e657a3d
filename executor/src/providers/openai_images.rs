//! `OpenAI`'s images: <https://platform.openai.com/docs/api-reference/images/create>.
//!
//! The answer to the submit is the result, files in base64 and all; there is no id, no poll, no list, no callback and no
//! cancel. `X-Client-Request-Id` is for the provider's support and finds nothing. So an answer that is lost stays unknown,
//! and whether it was billed is not said. What it cost is derived from the tokens that the answer counts.

use domain::attempt::ErrorClass;
use domain::provider::Provider;

use super::description::{
    Billed, Description, Errors, Field, Fits, Fixed, Form, Outputs, Place, Poll, Recovery, ResultSource,
    Route, Rule, Source, Submit, Takes, Usage, When, field, rule,
};

/// Sizes in pixels stand for ratios; others are refused by the provider in better words than ours.
const SIZES: &[(&str, Fixed)] = &[
    ("1:1", Fixed::Text("1024x1024")),
    ("3:2", Fixed::Text("1536x1024")),
    ("16:9", Fixed::Text("1536x1024")),
    ("2:3", Fixed::Text("1024x1536")),
    ("9:16", Fixed::Text("1024x1536")),
];

/// `OpenAI`, images.
pub static OPENAI_IMAGES: Description = Description {
    provider: Provider::OpenaiImages,
    base_url: "https://api.openai.com/v1",
    hosts: &[],
    auth: ("authorization", "Bearer {key}"),
    headers: &[],
    submit: Submit {
        routes: &[Route { when: Fits::Always, url: "{base}/images/generations" }],
        fields: &[
            field(Source::Model, "/model"),
            field(Source::Prompt, "/prompt"),
            Field { from: Source::AspectRatio, to: "/size", form: Form::Table(SIZES), forms: &[] },
            // The older models answer with a URL unless they are asked for the file.
            Field {
                from: Source::Fixed(Fixed::Text("b64_json")),
                to: "/response_format",
                form: Form::Omit,
                forms: &[("dall-e", Form::Same)],
            },
        ],
        // Editing is a form of its own there.
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
    result: ResultSource::Submit { reference: Some("x-client-request-id") },
    outputs: Outputs { base64: &["/data/*/b64_json"], ..Outputs::at(&["/data/*/url"]) },
    cancel: None,
    usage: Some(Usage {
        at: Place::Body("/usage/output_tokens"),
        unit: Some("output_token"),
        more: &[
            (Place::Body("/usage/input_tokens_details/text_tokens"), "text_input_token"),
            (Place::Body("/usage/input_tokens_details/image_tokens"), "image_input_token"),
        ],
    }),
    quote: None,
    errors: Errors {
        code: &[Place::Body("/error/code"), Place::Body("/error/type")],
        message: &["/error/message"],
        rules: RULES,
    },
};

/// A lack of money has the status of a rate limit, and several codes.
static RULES: &[Rule] = &[
    rule(
        When::Code(&["insufficient_quota", "billing_hard_limit_reached", "billing_not_active"]),
        ErrorClass::InsufficientFunds,
        Billed::No,
    ),
    rule(When::CodeSuffix(&["_spend_limit_exceeded"]), ErrorClass::InsufficientFunds, Billed::No),
    rule(
        When::Code(&["moderation_blocked", "content_policy_violation", "image_generation_user_error"]),
        ErrorClass::Refusal,
        Billed::Unknown,
    ),
    rule(
        When::Code(&["invalid_api_key", "account_deactivated", "organization_must_be_verified"]),
        ErrorClass::Authentication,
        Billed::No,
    ),
    rule(When::Code(&["model_not_found"]), ErrorClass::ModelGone, Billed::No),
    rule(When::Code(&["rate_limit_exceeded"]), ErrorClass::RateLimited, Billed::No),
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::errors::table::holds;
    use super::*;

    #[test]
    fn b7_openai_errors_are_classified_by_the_body_first() {
        let told = |kind: &str, code: Value| json!({"error": {"message": "words", "type": kind, "param": null, "code": code}});
        let (free, unclear) = (Billed::No, Billed::Unknown);
        holds(
            &OPENAI_IMAGES,
            &[
                (
                    401,
                    told("invalid_request_error", json!("invalid_api_key")),
                    ErrorClass::Authentication,
                    free,
                    true,
                ),
                (
                    400,
                    told("invalid_request_error", json!("unknown_parameter")),
                    ErrorClass::InvalidInput,
                    unclear,
                    true,
                ),
                (400, told("invalid_request_error", Value::Null), ErrorClass::InvalidInput, unclear, true),
                (
                    400,
                    told("image_generation_user_error", json!("moderation_blocked")),
                    ErrorClass::Refusal,
                    unclear,
                    true,
                ),
                (400, told("image_generation_user_error", Value::Null), ErrorClass::Refusal, unclear, true),
                (
                    400,
                    told("invalid_request_error", json!("content_policy_violation")),
                    ErrorClass::Refusal,
                    unclear,
                    true,
                ),
                (429, told("requests", json!("rate_limit_exceeded")), ErrorClass::RateLimited, free, true),
                (
                    429,
                    told("insufficient_quota", json!("insufficient_quota")),
                    ErrorClass::InsufficientFunds,
                    free,
                    true,
                ),
                (429, told("insufficient_quota", Value::Null), ErrorClass::InsufficientFunds, free, true),
                (
                    429,
                    told("limit", json!("project_spend_limit_exceeded")),
                    ErrorClass::InsufficientFunds,
                    free,
                    true,
                ),
                (
                    404,
                    told("invalid_request_error", json!("model_not_found")),
                    ErrorClass::ModelGone,
                    free,
                    true,
                ),
                (408, Value::Null, ErrorClass::Timeout, unclear, false),
                (500, told("server_error", Value::Null), ErrorClass::Retryable, unclear, false),
                (503, told("server_error", json!("overloaded")), ErrorClass::Unavailable, unclear, false),
            ],
        );
    }
}
