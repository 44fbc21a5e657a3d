//! One provider, spoken to as its description says.

use std::collections::BTreeMap;
use std::time::Duration;

use domain::attempt::{Attempt, AttemptError, ErrorClass};
use domain::generation::{ChainStep, Input};
use domain::media::ContentType;
use domain::{AttemptId, Secret};
use reqwest::RequestBuilder;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use url::Url;

use super::answer::{Answer, place};
use super::credential::{Credential, UnusableKey};
use super::description::{Billed, Callback, Description, Fits, Recovery, ResultSource, Way};
use super::endpoint::{Endpoint, Names};
use super::errors::{Judgement, clean, fault, judge};
use super::gateway::Gateway;
use super::request::{self, Asked, Carried, NotTaken};
use super::result::{Bill, Completion};
use crate::journal::Opened;
use crate::net::{self, Client};
use crate::reach::Reach;

/// An answer that has no files in it.
pub(super) const ANSWER_LIMIT: usize = 8 << 20;
/// An answer that may have files in it, as base64. It is held twice for a moment, in a container of 256 MiB.
pub(super) const INLINE_LIMIT: usize = 48 << 20;
/// A request id or a URL longer than this is none.
const CAPTURE_LIMIT: usize = 2048;

/// The clients for one kind of call each.
#[derive(Clone, Debug)]
pub struct ProviderClients {
    /// From [`net::submit_client`].
    pub submit: Client,
    /// From [`net::free_client`].
    pub free: Client,
    /// How long a submit is waited for that is answered with its result.
    pub patience: Duration,
}

/// A provider's description with a base URL and a key.
pub struct Adapter {
    pub(super) description: &'static Description,
    pub(super) endpoint: Endpoint,
    credential: Credential,
    /// What goes along beside it.
    headers: HeaderMap,
    pub(super) clients: ProviderClients,
    /// In front of it.
    gateway: Option<Gateway>,
}

/// The provider has the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// The provider's; never empty, without control characters.
    pub request_id: String,
    /// What the description says to keep, as far as the answer has it.
    pub captured: BTreeMap<String, String>,
}

/// The three outcomes of a submit (B3).
#[derive(Debug)]
pub enum Submission {
    /// The provider has it.
    Accepted(Acceptance),
    /// It is done already: this is its result, or why there is none, and the provider keeps neither.
    Answered(Result<Completion, Failed>),
    /// Surely not taken: nothing was sent, or the provider said no.
    Rejected(AttemptError),
    /// Anything else.
    Unknown(AttemptError),
}

/// An accepted request, as later calls name it.
#[derive(Clone, Debug)]
pub struct Handle {
    pub(super) names: Names,
    pub(super) captured: BTreeMap<String, String>,
}

/// Where a request stands.
#[derive(Debug)]
pub enum Progress {
    /// It works on it, or will: in the provider's word, empty if it said none.
    Pending(String),
    /// A status that the description does not know: keep polling, never take it for an end.
    UnknownStatus(String),
    /// There is a result.
    Completed(Completion),
    /// There will be none.
    Failed(Failed),
    /// The provider does not know the request (any more, or yet).
    NotFound,
    /// No answer, or one that says nothing about the request. If this goes on, `verdict` is what the provider may have
    /// meant by it.
    Trouble { reason: String, retry_after: Option<u32>, verdict: Option<Failed> },
}

/// An accepted request ended without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    pub error: AttemptError,
    pub billed: Billed,
    pub bill: Bill,
}

impl Adapter {
    /// `key` fills the description's header; see [`UnusableKey`].
    pub fn new(
        description: &'static Description,
        base: Url,
        key: &Secret,
        clients: ProviderClients,
    ) -> Result<Self, UnusableKey> {
        let credential = Credential::new(description.auth, key)?;
        let mut headers = HeaderMap::new();
        for (name, value) in description.headers {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let endpoint = Endpoint::new(base, description.hosts);
        Ok(Self { description, endpoint, credential, headers, clients, gateway: None })
    }

    /// The same provider, with the AI Gateway at its base URL.
    pub(super) fn behind_gateway(self, token: Option<&Secret>) -> Result<Self, UnusableKey> {
        Ok(Self { gateway: Some(Gateway::new(self.description, token)?), ..self })
    }

    /// How far results may be fetched from.
    pub fn reach(&self) -> Reach {
        Reach::of_base(self.endpoint.base())
    }

    /// What opens a result's URL, if that leads to one of the provider's own hosts.
    pub fn key_for(&self, url: &Url) -> Option<HeaderMap> {
        self.endpoint.allows(url).then(|| self.headers())
    }

    /// Of one request: some keys are good for a moment only.
    pub(super) fn headers(&self) -> HeaderMap {
        let mut headers = self.headers.clone();
        let (name, value) = self.credential.header();
        headers.insert(name, value);
        headers
    }

    /// The same, and what the gateway wants beside it if the request goes there.
    fn headers_to(&self, url: &Url) -> HeaderMap {
        let mut headers = self.headers();
        if let Some(gateway) = &self.gateway {
            headers.extend(gateway.headers(self.endpoint.base(), url));
        }
        headers
    }

    /// What the gateway says of its own; `None` where there is none, or the answer is the provider's.
    fn gateway_said(&self, answer: &Answer) -> Option<Judgement> {
        self.gateway.as_ref().and_then(|gateway| gateway.said(answer))
    }

    /// The request body for a new attempt; `seen` is what each of the input's media is.
    pub fn request(
        &self,
        step: &ChainStep,
        input: &Input,
        seen: &[ContentType],
        attempt: AttemptId,
    ) -> Result<Asked, NotTaken> {
        request::ask(&self.description.submit, step, input, seen, attempt)
    }

    /// How the provider is given a file of so many bytes; `None` if it takes none of that size.
    pub fn way(&self, bytes: u64) -> Option<Way> {
        let ways = self.description.submit.media.ways.iter();
        ways.copied().find(|(_, limit)| bytes <= *limit).map(|(way, _)| way)
    }

    /// The largest file that it takes, in bytes.
    pub fn largest(&self) -> u64 {
        self.description.submit.media.ways.iter().map(|(_, limit)| *limit).max().unwrap_or(0)
    }

    /// The later calls' name for an accepted attempt; `None` without a request id.
    pub fn handle(attempt: &Attempt) -> Option<Handle> {
        let mut names = Names::default();
        for (name, value) in &attempt.captured {
            names = names.raw(name, value);
        }
        let id = attempt.provider_request_id.as_deref()?;
        let names = names.model(&attempt.model).segment("id", id).path("id_path", id);
        let names = names.segment("attempt", &attempt.id.to_string());
        Some(Handle { names, captured: attempt.captured.clone() })
    }

    /// Whether the provider itself named where this request is asked for, or needs not to.
    pub fn is_located(&self, handle: &Handle) -> bool {
        self.endpoint
            .resolve(self.description.poll.urls.get(..1).unwrap_or_default(), &handle.names)
            .is_some()
    }

    /// The one paid call: what the journal says, with the media in their places. Sends exactly one POST: the client
    /// neither repeats nor redirects, and an [`Opened`] is used up by it.
    pub async fn submit(&self, opened: Opened, carried: &[Carried]) -> Submission {
        let open = opened.open();
        let mut body = open.request.clone();
        request::fill(&mut body, carried);
        self.post(open.attempt, &open.model, body, (opened.callback_url(), opened.traceparent())).await
    }

    /// Whether the provider reports attempts of its own accord.
    pub fn calls_back(&self) -> bool {
        self.description.submit.callback.is_some()
    }

    pub(super) async fn post(
        &self,
        attempt: AttemptId,
        model: &str,
        mut body: Value,
        (callback_url, traceparent): (Option<&str>, Option<&str>),
    ) -> Submission {
        let names = self.credential.names().model(model).segment("attempt", &attempt.to_string());
        let submit = &self.description.submit;
        let route = submit.routes.iter().find(|route| fits(&route.when, model, &body));
        let Some(mut url) = route.and_then(|route| self.endpoint.resolve(&[route.url], &names)) else {
            return Submission::Rejected(fault(ErrorClass::InvalidInput, "no_url", "the model has no URL"));
        };
        match (submit.callback, callback_url) {
            (Some(Callback::Query(name)), Some(callback)) => {
                url.query_pairs_mut().append_pair(name, callback);
            }
            (Some(Callback::Body { url, with }), Some(callback)) => {
                place(&mut body, url, Value::from(callback));
                for (pointer, value) in with {
                    place(&mut body, pointer, request::fixed(*value));
                }
            }
            (Some(Callback::Listed { urls, reference }), Some(callback)) => {
                place(&mut body, urls, json!([callback]));
                place(&mut body, reference, Value::from(attempt.to_string()));
            }
            (None, _) | (_, None) => {}
        }
        let headers = self.headers_to(&url);
        let mut request = self.clients.submit.post(url).headers(headers).json(&body);
        if let Recovery::Resend { header } = self.description.recovery {
            request = request.header(header, attempt.to_string());
        }
        // The trace's id and no more: `tracestate` is other systems' words, and not for third parties.
        if let Some(traceparent) = traceparent {
            request = request.header("traceparent", traceparent);
        }
        let mut limit = ANSWER_LIMIT;
        if let ResultSource::Submit { reference } = self.description.result {
            limit = INLINE_LIMIT;
            request = request.timeout(self.clients.patience);
            if let Some(header) = reference {
                request = request.header(header, attempt.to_string());
            }
        }
        let response = match self.clients.submit.send(request).await {
            Ok(response) => response,
            Err(error) if error.is_surely_not_sent() => {
                return Submission::Rejected(fault(ErrorClass::Unavailable, "not_sent", net::told(error)));
            }
            Err(error) => {
                return Submission::Unknown(fault(ErrorClass::Unknown, "no_answer", net::told(error)));
            }
        };
        match Answer::read(response, limit).await {
            Ok(answer) => self.read_submission(answer),
            Err(error) => {
                Submission::Unknown(fault(ErrorClass::Unknown, "incomplete_answer", error.to_string()))
            }
        }
    }

    fn read_submission(&self, answer: Answer) -> Submission {
        let unreadable =
            |words: &str| Submission::Unknown(fault(ErrorClass::Unknown, "unreadable_answer", words));
        if let Some(judged) = self.gateway_said(&answer) {
            return refused(judged);
        }
        if answer.succeeded() && self.says_accepted(&answer) {
            if matches!(self.description.result, ResultSource::Submit { .. }) {
                return match self.completed(&BTreeMap::new(), answer, None) {
                    Progress::Completed(completion) => Submission::Answered(Ok(completion)),
                    Progress::Failed(failed) => Submission::Answered(Err(failed)),
                    Progress::Pending(_)
                    | Progress::UnknownStatus(_)
                    | Progress::NotFound
                    | Progress::Trouble { .. } => unreadable("the answer is empty or no JSON"),
                };
            }
            let acceptance = self.acceptance(&answer, self.description.submit.request_id);
            return acceptance
                .map_or_else(|| unreadable("the answer names no request id"), Submission::Accepted);
        }
        refused(judge(&self.description.errors, &answer))
    }

    /// Whether an answer has what the description asks of a success beside its status.
    pub(super) fn says_accepted(&self, answer: &Answer) -> bool {
        self.description.submit.accepted.iter().all(|(pointer, expected)| {
            answer.body.pointer(pointer).and_then(super::answer::text).as_deref() == Some(*expected)
        })
    }

    pub(super) fn acceptance(&self, answer: &Answer, request_id: &str) -> Option<Acceptance> {
        let at = |pointer: &str| {
            let text = answer.body.pointer(pointer).and_then(super::answer::text)?;
            let plain =
                !text.is_empty() && text.len() <= CAPTURE_LIMIT && !text.chars().any(char::is_control);
            plain.then_some(text)
        };
        let request_id = at(request_id).filter(|id| id != "." && id != "..")?;
        let wanted = self.description.submit.captures.iter();
        let captured =
            wanted.filter_map(|(name, pointer)| Some(((*name).to_owned(), at(pointer)?))).collect();
        Some(Acceptance { request_id, captured })
    }

    /// How long to wait between two polls, whatever the deployment's own interval is.
    pub fn min_interval(&self) -> Duration {
        Duration::from_millis(self.description.poll.min_interval_ms)
    }

    pub(super) async fn get(&self, urls: &[&str], names: &Names, limit: usize) -> Result<Answer, String> {
        let url = self.endpoint.resolve(urls, names).ok_or_else(|| "no URL on the allow-list".to_owned())?;
        self.send(self.clients.free.get(url), limit).await
    }

    /// A POST that costs nothing.
    pub(super) fn post_free(&self, url: Url) -> RequestBuilder {
        self.clients.free.post(url)
    }

    pub(super) async fn send(&self, request: RequestBuilder, limit: usize) -> Result<Answer, String> {
        let mut request = request.build().map_err(net::told)?;
        let headers = self.headers_to(request.url());
        request.headers_mut().extend(headers);
        let response = self.clients.free.carry(request).await.map_err(net::told)?;
        let answer = Answer::read(response, limit).await.map_err(|error| clean(&error.to_string(), 500))?;
        // It says nothing about the request: a gateway's 404 is not a provider that lost it.
        match self.gateway_said(&answer) {
            Some(judged) => Err(format!("the gateway: {}", judged.error.message)),
            None => Ok(answer),
        }
    }
}

fn refused(judged: Judgement) -> Submission {
    if judged.rejects {
        return Submission::Rejected(judged.error);
    }
    Submission::Unknown(AttemptError { class: ErrorClass::Unknown, ..judged.error })
}

fn fits(when: &Fits, model: &str, body: &Value) -> bool {
    match when {
        Fits::Always => true,
        Fits::ModelHas(part) => model.contains(part),
        Fits::Model(starts) => starts.iter().any(|start| model.starts_with(start)),
        Fits::BodyHas(pointer) => body.pointer(pointer).is_some_and(|value| !value.is_null()),
    }
}
