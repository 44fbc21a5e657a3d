//! The id of a request: the caller's own if it sends one, in the answer, in every problem, in the audit log.

use axum::body::Body;
use axum::response::Response;
use http::header::{HeaderName, HeaderValue};
use uuid::Uuid;

use crate::problem::Told;

pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id that is taken over from a caller, in characters.
const LIMIT: usize = 128;

/// Among a request's extensions.
#[derive(Clone, Debug)]
pub struct RequestId(String);

impl RequestId {
    /// The caller's, if it is one that can be logged as it is: 1 to 128 letters, digits and `-_.:`. Otherwise a fresh one:
    /// a request is not refused for its name.
    pub fn of(sent: Option<&str>) -> Self {
        let plain = |id: &&str| {
            (1..=LIMIT).contains(&id.len())
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
        };
        Self(sent.filter(plain).map_or_else(|| Uuid::now_v7().to_string(), str::to_owned))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Puts the id into an answer's headers, and into its body if that is a problem.
    pub fn stamp(&self, mut answer: Response) -> Response {
        if let Some(Told(mut members)) = answer.extensions_mut().remove::<Told>() {
            members.insert("request_id".to_owned(), self.0.as_str().into());
            *answer.body_mut() = Body::from(serde_json::Value::Object(members).to_string());
        }
        if let Ok(id) = HeaderValue::from_str(&self.0) {
            answer.headers_mut().insert(HEADER, id);
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_s_id_is_taken_over_if_it_is_plain() {
        assert_eq!(RequestId::of(Some("job-7:try_2.a")).as_str(), "job-7:try_2.a");
        for odd in [None, Some(""), Some("a b"), Some("a\"b"), Some("é"), Some(&*"x".repeat(129))] {
            let id = RequestId::of(odd);
            assert!(Uuid::try_parse(id.as_str()).is_ok(), "{odd:?} → {id:?}");
        }
    }
}
