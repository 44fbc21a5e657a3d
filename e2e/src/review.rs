use domain::review_link::ReviewToken;
use domain::signed::Keys;
use reqwest::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};
use serde_json::Value;

use crate::wait::fail;
use crate::{Answer, Run, Stack};

/// The review page as a browser without JavaScript has it. It follows no redirect.
#[derive(Clone)]
pub struct Review {
    http: Client,
    /// The review link.
    pub url: String,
}

impl Review {
    /// # Panics
    /// When there is no client to be had.
    pub fn at(url: &str) -> Self {
        let http = Client::builder().redirect(Policy::none()).build();
        let http = http.unwrap_or_else(|error| fail(&format!("no HTTP client: {error}")));
        Self { http, url: url.to_owned() }
    }

    /// By the link that the run's owner sees.
    ///
    /// # Panics
    /// When there is no link.
    pub fn of(run: &Run) -> Self {
        let url = run.pointer("/review/url").and_then(Value::as_str);
        Self::at(url.unwrap_or_else(|| fail(&format!("no review link: {run}"))))
    }

    /// Gets what lies at `below` the link.
    pub fn get(&self, below: &str) -> RequestBuilder {
        self.http.get(format!("{}{below}", self.url))
    }

    pub async fn page(&self) -> Answer {
        answer(self.get("")).await
    }

    /// Sends the form, with what `fields` says beside the page's own hidden fields.
    pub async fn decide(&self, page: &Answer, fields: &str) -> Answer {
        let (key, version) = (hidden(page, "key"), hidden(page, "version"));
        self.send_form(&format!("key={key}&version={version}&{fields}")).await
    }

    pub async fn send_form(&self, form: &str) -> Answer {
        let request = self.http.post(format!("{}/decisions", self.url)).body(form.to_owned());
        answer(request.header(CONTENT_TYPE, "application/x-www-form-urlencoded")).await
    }
}

/// Sends; the body, whatever it is, is its text.
///
/// # Panics
/// When there is no answer.
pub async fn answer(request: RequestBuilder) -> Answer {
    let response = request.send().await.unwrap_or_else(|error| fail(&format!("no answer: {error}")));
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    Answer { status, headers, body: Value::String(response.text().await.unwrap_or_default()) }
}

/// The value of a hidden field; empty if the page has none.
fn hidden(page: &Answer, name: &str) -> String {
    let text = page.body.as_str().unwrap_or_default();
    let field = text.split_once(&format!("name=\"{name}\" value=\"")).map(|(_, rest)| rest);
    field.and_then(|rest| rest.split_once('"')).map(|(value, _)| value.to_owned()).unwrap_or_default()
}

impl Stack {
    /// A link to `run` as the stack would sign it, good until `expires_at` in seconds since the epoch.
    ///
    /// # Panics
    /// When the run has no id or the stack no key.
    pub fn review_link(&self, run: &Run, expires_at: i64) -> Review {
        let id = run.pointer("/id").and_then(Value::as_str).and_then(|id| id.parse().ok());
        let token = id.and_then(|run| ReviewToken { run, expires_at }.sign(&Keys::parse(&self.link_keys)));
        let Some(token) = token else { fail("nothing to sign a review link with") };
        Review::at(&format!("{}/review/{token}", self.api))
    }
}
