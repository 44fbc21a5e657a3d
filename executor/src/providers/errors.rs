//! What an error answer means: the body first, the status second (B7).

use domain::attempt::{AttemptError, ErrorClass};
use domain::error::Failure;

use super::answer::Answer;
use super::description::{Billed, Errors, OnSubmit, Rule, When};

/// Characters kept of a provider's error code.
const CODE_LIMIT: usize = 100;

/// An answer that is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    pub(super) error: AttemptError,
    pub(super) billed: Billed,
    /// As an answer to a submit: the provider surely has not taken the request.
    pub(super) rejects: bool,
    /// Whether anything but the HTTP status said so.
    pub(super) told: bool,
}

/// An error in AFC's own words. `code` is AFC's too.
pub fn fault(class: ErrorClass, code: &str, message: impl AsRef<str>) -> AttemptError {
    let message = clean(message.as_ref(), Failure::MESSAGE_LIMIT);
    AttemptError { class, code: Some(code.to_owned()), message, retry_after_seconds: None }
}

/// Classifies an answer that is no success.
pub(super) fn judge(errors: &Errors, answer: &Answer) -> Judgement {
    // A zero is what a success says.
    let code = errors.code.iter().find_map(|place| answer.at(*place).filter(|code| code != "0"));
    let code = code.map(|code| clean(&code, CODE_LIMIT));
    let message = errors.message.iter().find_map(|pointer| {
        answer.body.pointer(pointer).and_then(|value| value.as_str()).filter(|text| !text.is_empty())
    });
    let rule = errors.rules.iter().find(|rule| applies(rule, answer.status, code.as_deref(), message));
    let (class, billed) = rule.map_or_else(|| by_status(answer.status), |rule| (rule.class, rule.billed));
    let rejects = match rule.map_or(OnSubmit::ByStatus, |rule| rule.on_submit) {
        OnSubmit::Rejected => true,
        OnSubmit::Unclear => false,
        OnSubmit::ByStatus => answer.status.is_some_and(rejected_by_status),
    };
    let told = code.is_some() || message.is_some();
    let words = match (message, answer.status) {
        (Some(message), _) => message.to_owned(),
        (None, Some(status)) if answer.text.is_empty() => format!("the provider answered {status}"),
        (None, Some(status)) => format!("the provider answered {status}: {}", answer.text),
        (None, None) => "the provider reported a failure".to_owned(),
    };
    let error = AttemptError {
        class,
        code: code.or_else(|| answer.status.map(|status| format!("http_{status}"))),
        message: clean(&words, Failure::MESSAGE_LIMIT),
        retry_after_seconds: answer.retry_after(),
    };
    Judgement { error, billed, rejects, told }
}

fn applies(rule: &Rule, status: Option<u16>, code: Option<&str>, message: Option<&str>) -> bool {
    match rule.when {
        When::Code(codes) => code.is_some_and(|code| codes.contains(&code)),
        When::CodePrefix(starts) => {
            code.is_some_and(|code| starts.iter().any(|start| code.starts_with(start)))
        }
        When::CodeSuffix(ends) => code.is_some_and(|code| ends.iter().any(|end| code.ends_with(end))),
        When::MessageHas(parts) => message.is_some_and(|message| {
            let message = message.to_lowercase();
            parts.iter().any(|part| message.contains(part))
        }),
        When::Http(statuses) => status.is_some_and(|status| statuses.contains(&status)),
    }
}

/// Where no rule of the provider's fits, what HTTP says (RFC 9110, RFC 6585): another 4xx is the request's fault,
/// anything else may pass. A refusal at the door is on nobody's bill.
fn by_status(status: Option<u16>) -> (ErrorClass, Billed) {
    match status {
        Some(401 | 403) => (ErrorClass::Authentication, Billed::No),
        Some(402) => (ErrorClass::InsufficientFunds, Billed::No),
        Some(404 | 410) => (ErrorClass::ModelGone, Billed::No),
        Some(429) => (ErrorClass::RateLimited, Billed::No),
        Some(408 | 504) => (ErrorClass::Timeout, Billed::Unknown),
        Some(502 | 503) => (ErrorClass::Unavailable, Billed::Unknown),
        Some(400..500) => (ErrorClass::InvalidInput, Billed::Unknown),
        _ => (ErrorClass::Retryable, Billed::Unknown),
    }
}

/// A complete 4xx is a rejection, except where it says that somebody gave up waiting: the request may have got through.
fn rejected_by_status(status: u16) -> bool {
    (400..500).contains(&status) && !matches!(status, 408 | 499)
}

/// A provider's text as the database takes it.
pub(super) fn clean(text: &str, limit: usize) -> String {
    text.chars().filter(|c| *c != '\0').take(limit).collect()
}

/// For the tests of each provider's table.
#[cfg(test)]
pub(super) mod table {
    use serde_json::Value;

    use super::super::description::Description;
    use super::{Answer, Billed, ErrorClass, judge};

    /// Status (0 inside another answer), body, class, billed, and whether it rejects a submit.
    pub(in crate::providers) type Row = (u16, Value, ErrorClass, Billed, bool);

    pub(in crate::providers) fn holds(description: &Description, rows: &[Row]) {
        for (status, body, class, billed, rejects) in rows {
            let answer =
                Answer { status: (*status != 0).then_some(*status), body: body.clone(), ..Answer::default() };
            let judged = judge(&description.errors, &answer);
            assert_eq!(
                (judged.error.class, judged.billed, judged.rejects),
                (*class, *billed, *rejects),
                "{status} {body}"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
    use serde_json::{Value, json};

    use super::*;
    use crate::providers::FAL;

    fn judged(status: u16, headers: &[(&str, &str)], body: Value) -> Judgement {
        let headers = headers.iter().map(|(name, value)| {
            (name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap())
        });
        let headers: HeaderMap = headers.collect();
        let status = (status != 0).then_some(status);
        judge(&FAL.errors, &Answer { status, headers, body, text: String::new() })
    }

    /// fal's recorded shapes: (a) the model's list, (b) the platform's text and type, (c) inside a `COMPLETED` status.
    #[test]
    fn b7_fal_errors_are_classified_by_the_body_first() {
        let a = |kind: &str| json!({"detail": [{"loc": ["body"], "msg": "words", "type": kind, "ctx": {}}]});
        let b = |words: &str, kind: &str| json!({"detail": words, "error_type": kind});
        let plain = |words: &str| json!({"detail": words});
        for (status, body, class, billed) in [
            (401, plain("Invalid API key"), ErrorClass::Authentication, Billed::No),
            (403, plain("Forbidden"), ErrorClass::Authentication, Billed::No),
            (
                403,
                plain("User is locked. Reason: Exhausted balance."),
                ErrorClass::InsufficientFunds,
                Billed::No,
            ),
            (402, plain("Payment required"), ErrorClass::InsufficientFunds, Billed::No),
            (400, b("words", "bad_request"), ErrorClass::InvalidInput, Billed::Unknown),
            (422, a("image_too_large"), ErrorClass::InvalidInput, Billed::Unknown),
            (422, a("never_seen_before"), ErrorClass::InvalidInput, Billed::Unknown),
            (422, a("content_policy_violation"), ErrorClass::Refusal, Billed::Unknown),
            (422, a("no_media_generated"), ErrorClass::Refusal, Billed::Unknown),
            (429, plain("slow down"), ErrorClass::RateLimited, Billed::No),
            (429, b("words", "concurrent_requests_limit"), ErrorClass::RateLimited, Billed::No),
            (404, plain("Application not found"), ErrorClass::ModelGone, Billed::Unknown),
            (410, Value::Null, ErrorClass::ModelGone, Billed::Unknown),
            (503, b("words", "runner_scheduling_failure"), ErrorClass::Unavailable, Billed::No),
            (503, b("words", "runner_disconnected"), ErrorClass::Unavailable, Billed::No),
            (502, b("words", "runner_incomplete_response"), ErrorClass::Unavailable, Billed::No),
            (500, b("words", "internal_error"), ErrorClass::Retryable, Billed::No),
            (500, a("downstream_service_error"), ErrorClass::Retryable, Billed::No),
            (500, Value::Null, ErrorClass::Retryable, Billed::No),
            (504, b("words", "request_timeout"), ErrorClass::Timeout, Billed::No),
            (504, a("generation_timeout"), ErrorClass::Timeout, Billed::No),
            (499, b("words", "client_cancelled"), ErrorClass::Cancelled, Billed::Unknown),
            // Inside a status answer there is no HTTP status to go by.
            (
                0,
                json!({"error": "words", "error_type": "runner_disconnected"}),
                ErrorClass::Unavailable,
                Billed::No,
            ),
            (0, json!({"error": "words"}), ErrorClass::Retryable, Billed::Unknown),
        ] {
            let judged = judged(status, &[], body.clone());
            assert_eq!((judged.error.class, judged.billed), (class, billed), "{status} {body}");
        }
    }

    #[test]
    fn a_header_names_the_code_before_the_body_does() {
        let judged = judged(
            503,
            &[("x-fal-error-type", "startup_timeout"), ("retry-after", "7")],
            json!({"detail": "x"}),
        );
        assert_eq!(judged.error.class, ErrorClass::Timeout);
        assert_eq!(judged.error.code.as_deref(), Some("startup_timeout"));
        assert_eq!((judged.error.message.as_str(), judged.error.retry_after_seconds), ("x", Some(7)));
    }

    #[test]
    fn b3_only_a_complete_4xx_surely_rejects_a_submit() {
        for (status, rejects) in [
            (400, true),
            (401, true),
            (404, true),
            (422, true),
            (429, true),
            (408, false),
            (499, false),
            (301, false),
            (500, false),
            (502, false),
            (503, false),
            (504, false),
        ] {
            assert_eq!(judged(status, &[], json!({"detail": "x"})).rejects, rejects, "{status}");
        }
    }

    #[test]
    fn what_the_database_cannot_hold_is_taken_out() {
        let judged = judged(422, &[], json!({"detail": [{"msg": "a\u{0}b", "type": "x\u{0}y"}]}));
        assert_eq!((judged.error.message.as_str(), judged.error.code.as_deref()), ("ab", Some("xy")));
        let long = judged_message(&"é".repeat(5000));
        assert_eq!(long.chars().count(), Failure::MESSAGE_LIMIT);
    }

    fn judged_message(words: &str) -> String {
        judged(500, &[], json!({"detail": words})).error.message
    }
}
