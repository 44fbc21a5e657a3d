use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

pub(crate) type Response = hyper::Response<Full<Bytes>>;

/// What an endpoint answers.
#[derive(Debug)]
pub(crate) enum Reply {
    Json(StatusCode, Value),
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
        }
    }

    pub(crate) fn into_response(self, method: &Method) -> Response {
        let (status, kind, body) = match self {
            Self::Json(status, value) => (status, Some("application/json"), Bytes::from(value.to_string())),
            Self::Text(status, text) => {
                (status, Some("text/plain; charset=utf-8"), Bytes::from_static(text.as_bytes()))
            }
            Self::Empty(status) => (status, None, Bytes::new()),
        };
        let body = if method == Method::HEAD { Bytes::new() } else { body };
        let mut response = Response::new(Full::new(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(
            HeaderName::from_static("api-version"),
            HeaderValue::from_static(super::system::API_VERSION),
        );
        if let Some(kind) = kind {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        }
        response
    }
}
