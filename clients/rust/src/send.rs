//! One call: its tries, and how their answers are read.

use std::time::{Duration, Instant};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use reqwest::header::{
    AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_RANGE, RANGE, RETRY_AFTER,
};
use reqwest::{Method, Response, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::retry::{How, Policy, Repeat};
use crate::{Client, Error, IdempotencyKey, Lost, Problem};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// A request as every try sends it.
pub(crate) struct Call {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Bytes,
    repeat: Repeat,
    policy: Policy,
}

/// A success, whole.
pub(crate) struct Answer {
    pub(crate) body: Bytes,
    pub(crate) replayed: bool,
    request_id: Option<String>,
}

/// A try without a success.
struct Failure {
    how: How,
    error: Error,
}

/// A call without one.
struct Failed {
    /// The answer of a try before the last did not come.
    lost: bool,
    error: Error,
}

impl Client {
    /// A call of a path; its segments are escaped.
    pub(crate) fn call<'a>(&self, method: Method, path: impl IntoIterator<Item = &'a str>) -> Call {
        let mut url = self.base.clone();
        // A base of http(s) always has segments.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        let headers = HeaderMap::from_iter([(AUTHORIZATION, self.authorization.clone())]);
        Call { method, url, headers, body: Bytes::new(), repeat: Repeat::Freely, policy: self.policy }
    }

    /// Makes the call, as often as its policy allows.
    pub(crate) async fn send(&self, call: Call) -> Result<Answer, Error> {
        self.whole(&call).await.map_err(|failure| failure.error)
    }

    /// Makes a call that deletes. What is not there after a try without an answer was deleted by that try.
    pub(crate) async fn delete(&self, call: Call) -> Result<(), Error> {
        match self.whole(&call).await {
            Ok(_) => Ok(()),
            Err(Failed { lost: true, error: Error::Problem(problem) }) if problem.status == 404 => Ok(()),
            Err(failure) => Err(failure.error),
        }
    }

    async fn whole(&self, call: &Call) -> Result<Answer, Failed> {
        self.tries(call, async |limit| whole(self.request(call).timeout(limit).send().await).await).await
    }

    /// The same, and nothing of the answer's body is read yet.
    pub(crate) async fn open(&self, call: &Call) -> Result<Response, Error> {
        let tries = self.tries(call, async |limit| {
            let sent = tokio::time::timeout(limit, self.request(call).send()).await;
            let response = sent.map_err(|_| timed_out(limit))?.map_err(lost)?;
            if response.status().is_success() { Ok(response) } else { Err(refused(response).await) }
        });
        tries.await.map_err(|failure| failure.error)
    }

    async fn tries<T>(
        &self,
        call: &Call,
        once: impl AsyncFn(Duration) -> Result<T, Failure>,
    ) -> Result<T, Failed> {
        let (begun, mut tries, mut lost) = (Instant::now(), 0, false);
        loop {
            tries += 1;
            let left = call.policy.total.saturating_sub(begun.elapsed());
            let Failure { how, error } = match once(call.policy.per_try.min(left)).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let next =
                call.policy.next(how, call.repeat, tries, begun.elapsed(), |most| fastrand::u64(0..=most));
            match next {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(Failed { lost, error: counted(error, tries) }),
            }
            lost |= how == How::Unanswered;
        }
    }

    fn request(&self, call: &Call) -> reqwest::RequestBuilder {
        self.http
            .request(call.method.clone(), call.url.clone())
            .headers(call.headers.clone())
            .body(call.body.clone())
    }
}

impl Call {
    /// With a JSON body.
    pub(crate) fn json(self, body: &impl Serialize) -> Result<Self, Error> {
        let body = serde_json::to_vec(body).map_err(|error| Error::usage(format!("no JSON: {error}")))?;
        Ok(self.bytes(body.into(), HeaderValue::from_static("application/json")))
    }

    /// With a body of many bytes.
    pub(crate) fn upload(mut self, body: Bytes, media_type: &str) -> Result<Self, Error> {
        let media_type = HeaderValue::from_str(media_type)
            .map_err(|_| Error::usage(format!("{media_type:?} is no media type")))?;
        self.policy = self.policy.patient();
        Ok(self.bytes(body, media_type))
    }

    fn bytes(mut self, body: Bytes, media_type: HeaderValue) -> Self {
        self.headers.insert(CONTENT_TYPE, media_type);
        self.body = body;
        self
    }

    /// Under a key.
    pub(crate) fn key(mut self, key: &IdempotencyKey) -> Self {
        self.headers.insert(IDEMPOTENCY_KEY, key.header());
        self
    }

    /// Only if what it changes is of this version.
    pub(crate) fn if_version(mut self, version: u64) -> Self {
        if let Ok(tag) = HeaderValue::try_from(format!("\"{version}\"")) {
            self.headers.insert(IF_MATCH, tag);
        }
        self
    }

    /// From this byte of the entity with this tag.
    pub(crate) fn beginning_at(mut self, byte: u64, tag: HeaderValue) -> Self {
        self.headers.insert(RANGE, HeaderValue::try_from(format!("bytes={byte}-")).unwrap_or(tag.clone()));
        self.headers.insert(IF_RANGE, tag);
        self
    }

    /// Makes something new each time.
    pub(crate) fn unless_acted(mut self) -> Self {
        self.repeat = Repeat::UnlessActed;
        self
    }

    /// With one more parameter.
    pub(crate) fn query(mut self, name: &str, value: &str) -> Self {
        self.url.query_pairs_mut().append_pair(name, value);
        self
    }

    pub(crate) const fn per_try(&self) -> Duration {
        self.policy.per_try
    }
}

impl Answer {
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body)
            .map_err(|source| Error::Unreadable { request_id: self.request_id.clone(), source })
    }
}

async fn whole(sent: reqwest::Result<Response>) -> Result<Answer, Failure> {
    let response = sent.map_err(lost)?;
    if !response.status().is_success() {
        return Err(refused(response).await);
    }
    let replayed = response.headers().get(REPLAYED).is_some_and(|value| value == "true");
    let request_id = request_id(&response);
    // A body that breaks off is an answer that did not come.
    let body = response.bytes().await.map_err(lost)?;
    Ok(Answer { body, replayed, request_id })
}

async fn refused(response: Response) -> Failure {
    let (status, request_id) = (response.status(), request_id(&response));
    let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| seconds(value, Utc::now()));
    let body = match response.bytes().await {
        Ok(body) => body,
        Err(error) => return lost(error),
    };
    let how = How::Answered { status: status.as_u16(), retry_after };
    let error = if let Ok(mut problem) = serde_json::from_slice::<Problem>(&body) {
        problem.request_id = problem.request_id.or(request_id);
        problem.retry_after = retry_after;
        Error::Problem(Box::new(problem))
    } else {
        let beginning = String::from_utf8_lossy(&body).chars().take(200).collect();
        Error::Foreign { status: status.as_u16(), request_id, beginning }
    };
    Failure { how, error }
}

/// `Retry-After` in seconds, or as a date.
fn seconds(value: &HeaderValue, now: DateTime<Utc>) -> Option<Duration> {
    let text = value.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = DateTime::parse_from_rfc2822(text).ok()?;
    Some((until.to_utc() - now).to_std().unwrap_or(Duration::ZERO))
}

fn request_id(response: &Response) -> Option<String> {
    response.headers().get(REQUEST_ID)?.to_str().ok().map(str::to_owned)
}

fn lost(error: reqwest::Error) -> Failure {
    let how = if error.is_connect() { How::Unconnected } else { How::Unanswered };
    Failure { how, error: Error::Unanswered { tries: 1, source: Lost::Connection(error.without_url()) } }
}

fn timed_out(limit: Duration) -> Failure {
    let error = Error::Unanswered { tries: 1, source: Lost::Timeout(limit) };
    Failure { how: How::Unanswered, error }
}

/// The last try's error, as that of the whole call.
fn counted(error: Error, tries: u32) -> Error {
    if let Error::Unanswered { source, .. } = error { Error::Unanswered { tries, source } } else { error }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chrono::DateTime;
    use reqwest::header::HeaderValue;

    use super::seconds;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = DateTime::from_timestamp(1_445_412_470, 0).unwrap();
        let read = |text| seconds(&HeaderValue::from_static(text), now);
        assert_eq!(read("7"), Some(Duration::from_secs(7)));
        assert_eq!(read("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::from_secs(10)));
        assert_eq!(read("Wed, 21 Oct 2015 07:20:00 GMT"), Some(Duration::ZERO));
        assert_eq!((read("soon"), read("-1")), (None, None));
    }
}
