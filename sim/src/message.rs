//! A request as a fake sees it, and its answer.

use bytes::Bytes;
use executor::net::SendError;
use http::{HeaderMap, Method};
use http_body_util::BodyExt;
use serde::Serialize;
use url::Url;

/// A whole request.
#[derive(Clone, Debug)]
pub struct Call {
    pub method: Method,
    pub url: Url,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Call {
    /// Reads the body from where it comes: the disk, for an upload.
    pub async fn read(mut request: reqwest::Request) -> Result<Self, SendError> {
        let body = match request.body_mut().take() {
            Some(body) => body.collect().await?.to_bytes(),
            None => Bytes::new(),
        };
        let (method, url) = (request.method().clone(), request.url().clone());
        Ok(Self { method, url, headers: request.headers().clone(), body })
    }

    /// The path's segments.
    pub fn segments(&self) -> Vec<&str> {
        self.url.path().split('/').filter(|segment| !segment.is_empty()).collect()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub fn query(&self, name: &str) -> Option<String> {
        self.url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
    }
}

/// A whole answer.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    pub fn json(status: u16, body: &impl Serialize) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self { status, headers, body: serde_json::to_vec(body).unwrap_or_default() }
    }

    /// As the HTTP library would hand it over.
    pub fn into_response(self) -> Result<reqwest::Response, SendError> {
        let headers = self.headers.into_iter();
        let response = headers
            .fold(http::Response::builder().status(self.status), |response, (name, value)| {
                response.header(name, value)
            });
        let response = response.body(self.body).map_err(|_| SendError::Lost("the fake's answer is none"))?;
        Ok(response.into())
    }
}
