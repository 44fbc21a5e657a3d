//! Cloudflare's AI Gateway as the way to a provider: <https://developers.cloudflare.com/ai-gateway/>.
//!
//! Not a provider: the provider's own protocol, with another base URL, headers of the gateway's own beside the provider's,
//! and answers that are the gateway's and not the provider's. Its conveniences would each pay twice or hide a payment, so
//! every request turns them off: a retry of its own is a second paid call under one journal row, and a cached answer to a
//! submit names somebody else's request.

use domain::Secret;
use domain::attempt::ErrorClass;
use domain::provider::Provider;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use url::Url;

use super::answer::Answer;
use super::credential::{UnusableKey, sensitive};
use super::description::{Billed, Description, Errors, OnSubmit, Place, Rule, When, rule};
use super::errors::{Judgement, fault, judge};

/// A gateway in front of one provider.
pub(super) struct Gateway {
    headers: HeaderMap,
    /// The header that says where a request goes on to, where the gateway's own choice is another host than ours.
    target: Option<HeaderName>,
    /// The provider's own base URL.
    behind: &'static str,
    provider: Provider,
}

/// Header and value that switch a convenience off.
const OFF: [(&str, &str); 2] = [("cf-aig-max-attempts", "1"), ("cf-aig-skip-cache", "true")];

impl Gateway {
    /// `token` opens a gateway that asks for one.
    pub(super) fn new(
        description: &'static Description,
        token: Option<&Secret>,
    ) -> Result<Self, UnusableKey> {
        let mut headers = HeaderMap::new();
        for (name, value) in OFF {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if let Some(token) = token {
            let value = sensitive(&format!("Bearer {}", token.expose()))?;
            headers.insert(HeaderName::from_static("cf-aig-authorization"), value);
        }
        let target = match description.provider {
            // Left to itself the gateway goes to fal's synchronous host.
            Provider::Fal => Some(HeaderName::from_static("x-fal-target-url")),
            Provider::Replicate
            | Provider::Runway
            | Provider::LumaDreamMachine
            | Provider::Bfl
            | Provider::LumaAgents
            | Provider::Minimax
            | Provider::MinimaxV1
            | Provider::Kling
            | Provider::KlingV1
            | Provider::Veo
            | Provider::OpenaiImages
            | Provider::WorkersAi => None,
        };
        Ok(Self { headers, target, behind: description.base_url, provider: description.provider })
    }

    /// What a request to `url` carries; nothing if that leads past the gateway, as URLs that a provider names do.
    pub(super) fn headers(&self, base: &Url, url: &Url) -> HeaderMap {
        let rest = url.as_str().strip_prefix(base.as_str().trim_end_matches('/'));
        let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with(['/', '?'])) else {
            return HeaderMap::new();
        };
        let mut headers = self.headers.clone();
        if let Some(name) = &self.target
            && let Ok(value) = sensitive(&format!("{}{rest}", self.behind))
        {
            headers.insert(name, value);
        }
        headers
    }

    /// What the gateway itself says in an answer; `None` if the answer is the provider's.
    pub(super) fn said(&self, answer: &Answer) -> Option<Judgement> {
        if answer.headers.get("cf-aig-cache-status").is_some_and(|status| status == "HIT") {
            let error =
                fault(ErrorClass::Retryable, "gateway_cache", "the gateway answered out of its cache");
            return Some(Judgement { error, billed: Billed::No, rejects: true, told: true });
        }
        if answer.body.get("success") != Some(&Value::Bool(false)) {
            return None;
        }
        let own = answer.body.pointer("/error/0/code").is_some_and(Value::is_number);
        // Cloudflare's usual envelope, which is Workers AI's own too.
        let usual = answer.body.pointer("/errors/0/code").is_some_and(Value::is_number);
        (own || (usual && self.provider != Provider::WorkersAi)).then(|| judge(&ERRORS, answer))
    }
}

/// The codes of its guardrails and of its authentication are documented; the rest is told by status. What it refuses before
/// the provider was asked is free.
static ERRORS: Errors = Errors {
    code: &[Place::Body("/error/0/code"), Place::Body("/errors/0/code")],
    message: &["/error/0/message", "/errors/0/message"],
    rules: &[
        // The prompt is blocked.
        rejected(When::Code(&["2016"]), ErrorClass::Refusal),
        // The response is blocked: the provider has worked, and is paid.
        Rule {
            when: When::Code(&["2017"]),
            class: ErrorClass::Refusal,
            billed: Billed::Unknown,
            on_submit: OnSubmit::Unclear,
        },
        rejected(When::Code(&["2009"]), ErrorClass::Authentication),
        rule(When::Http(&[401, 403]), ErrorClass::Authentication, Billed::No),
        rule(When::Http(&[429]), ErrorClass::RateLimited, Billed::No),
        // Its own path is wrong, not the model's name.
        rule(When::Http(&[404, 405]), ErrorClass::InvalidInput, Billed::No),
        rule(
            When::Http(&[500, 502, 503, 504, 520, 521, 522, 523, 524]),
            ErrorClass::Unavailable,
            Billed::Unknown,
        ),
    ],
};

const fn rejected(when: When, class: ErrorClass) -> Rule {
    Rule { when, class, billed: Billed::No, on_submit: OnSubmit::Rejected }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::providers::{FAL, OPENAI_IMAGES, RUNWAY, WORKERS_AI};

    fn gateway(description: &'static Description) -> Gateway {
        Gateway::new(description, Some(&Secret::new("t0ken"))).unwrap()
    }

    fn said(description: &'static Description, status: u16, body: Value) -> Option<Judgement> {
        gateway(description).said(&Answer { status: Some(status), body, ..Answer::default() })
    }

    #[test]
    fn b7_the_gateways_errors_are_told_apart_from_the_providers() {
        let own = |code: u16| json!({"success": false, "result": [], "messages": [], "error": [{"code": code, "message": "words"}]});
        let usual = |code: u16| json!({"success": false, "errors": [{"code": code, "message": "words"}]});
        for (status, body, class, billed, rejects) in [
            (401, own(2009), ErrorClass::Authentication, Billed::No, true),
            (400, own(2016), ErrorClass::Refusal, Billed::No, true),
            // Rejected by its status, if it were the provider's.
            (400, own(2017), ErrorClass::Refusal, Billed::Unknown, false),
            (429, own(2003), ErrorClass::RateLimited, Billed::No, true),
            (502, own(2000), ErrorClass::Unavailable, Billed::Unknown, false),
            (404, usual(7003), ErrorClass::InvalidInput, Billed::No, true),
        ] {
            let judged = said(&RUNWAY, status, body.clone()).unwrap();
            assert_eq!(
                (judged.error.class, judged.billed, judged.rejects),
                (class, billed, rejects),
                "{status} {body}"
            );
        }
        let openai = json!({"error": {"message": "words", "type": "invalid_request_error", "code": null}});
        assert!(said(&OPENAI_IMAGES, 400, openai).is_none());
        assert!(said(&RUNWAY, 400, json!({"error": "words", "issues": []})).is_none());
        assert!(said(&WORKERS_AI, 400, usual(5004)).is_none(), "it is the provider's own envelope there");
    }

    #[test]
    fn an_answer_out_of_the_cache_is_no_acceptance() {
        let mut answer = Answer { status: Some(200), body: json!({"id": "r"}), ..Answer::default() };
        assert!(gateway(&RUNWAY).said(&answer).is_none());
        answer.headers.insert("cf-aig-cache-status", HeaderValue::from_static("HIT"));
        assert!(gateway(&RUNWAY).said(&answer).unwrap().rejects);
    }

    #[test]
    fn its_token_goes_to_the_gateway_only_and_every_request_there_turns_retries_and_cache_off() {
        let base: Url = "https://gateway.ai.cloudflare.com/v1/account/gateway/fal".parse().unwrap();
        let gateway = gateway(&FAL);
        let headers = |url: &str| gateway.headers(&base, &url.parse().unwrap());
        let inside = headers("https://gateway.ai.cloudflare.com/v1/account/gateway/fal/a/b?fal_webhook=x");
        assert_eq!(inside["cf-aig-authorization"], "Bearer t0ken");
        assert!(inside["cf-aig-authorization"].is_sensitive());
        assert_eq!(
            (&inside["cf-aig-max-attempts"], &inside["cf-aig-skip-cache"]),
            (&"1".parse().unwrap(), &"true".parse().unwrap())
        );
        assert_eq!(inside["x-fal-target-url"], "https://queue.fal.run/a/b?fal_webhook=x");
        for past in [
            "https://queue.fal.run/a/requests/r/status",
            "https://gateway.ai.cloudflare.com/v1/another/gateway/fal/a",
            "https://gateway.ai.cloudflare.com/v1/account/gateway/fal-else/a",
        ] {
            assert!(headers(past).is_empty(), "{past}");
        }
    }
}
