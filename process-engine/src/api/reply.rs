use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use super::system::API_VERSION;

pub(crate) type Response = hyper::Response<Content>;

type Pending = Pin<Box<dyn Future<Output = Value> + Send>>;

/// What an endpoint answers.
pub(crate) enum Reply {
    Json(StatusCode, Value),
    /// 200 at once, and the JSON when it is known.
    Later(Pending),
    Text(StatusCode, &'static str),
    /// 204, 304, or a 200 without a body.
    Empty(StatusCode),
}

/// An error as the Docker API words it: `{"message": …}`.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    message: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }
}

impl From<Refusal> for Reply {
    fn from(refusal: Refusal) -> Self {
        Self::Json(refusal.status, json!({ "message": refusal.message }))
    }
}

impl Reply {
    pub(crate) fn ok(value: Value) -> Self {
        Self::Json(StatusCode::OK, value)
    }

    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Json(status, _) | Self::Text(status, _) | Self::Empty(status) => *status,
            Self::Later(_) => StatusCode::OK,
        }
    }

    pub(crate) fn into_response(self, method: &Method) -> Response {
        const JSON: HeaderValue = HeaderValue::from_static("application/json");
        const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

        let status = self.status();
        let (kind, content) = match self {
            Self::Json(_, value) => (Some(JSON), Content::now(value.to_string())),
            Self::Later(value) => (Some(JSON), Content::Later(value)),
            Self::Text(_, text) => (Some(TEXT), Content::now(text)),
            Self::Empty(_) => (None, Content::Ended),
        };
        let mut response = Response::new(if method == Method::HEAD { Content::Ended } else { content });
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(HeaderName::from_static("api-version"), HeaderValue::from_static(API_VERSION));
        if let Some(kind) = kind {
            headers.insert(CONTENT_TYPE, kind);
        }
        response
    }
}

/// The body of an answer.
pub(crate) enum Content {
    Now(Bytes),
    Later(Pending),
    Ended,
}

impl Content {
    fn now(text: impl Into<Bytes>) -> Self {
        Self::Now(text.into())
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = match &mut *self {
            Self::Now(bytes) => std::mem::take(bytes),
            Self::Later(value) => match value.as_mut().poll(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(value) => Bytes::from(value.to_string()),
            },
            Self::Ended => return Poll::Ready(None),
        };
        *self = Self::Ended;
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Ended)
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Now(bytes) => SizeHint::with_exact(u64::try_from(bytes.len()).unwrap_or(u64::MAX)),
            Self::Later(_) => SizeHint::default(),
            Self::Ended => SizeHint::with_exact(0),
        }
    }
}
