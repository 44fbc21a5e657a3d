use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use reqwest::header::HeaderMap;
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use crate::eventually;
use crate::wait::fail;

/// A client of the public API.
#[derive(Clone)]
pub struct Api {
    http: Client,
    base: String,
    key: String,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Answer {
    /// A member of the body as text; empty if there is none.
    pub fn text(&self, pointer: &str) -> &str {
        self.body.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// A generation as the API shows it.
pub type Job = Value;

/// The keys of all clients that the scenarios of this process have used.
static KEYS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

fn keys() -> MutexGuard<'static, BTreeSet<String>> {
    KEYS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn known(key: &str) -> String {
    keys().insert(key.to_owned());
    key.to_owned()
}

impl Api {
    pub fn new(base: &str, key: &str) -> Self {
        Self { http: Client::new(), base: base.to_owned(), key: known(key) }
    }

    /// The same API under another client key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: known(key), ..self.clone() }
    }

    /// Whether a client of these scenarios has this job: one of a key that an [`Api`] was ever made with.
    pub async fn is_anybodys(&self, id: &str) -> bool {
        let keys: Vec<String> = keys().iter().cloned().collect();
        for key in keys {
            if self.with_key(&key).get(id).await.get("id").and_then(Value::as_str) == Some(id) {
                return true;
            }
        }
        false
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base)).bearer_auth(&self.key)
    }

    /// # Panics
    /// When there is no answer.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        self.try_send(request).await.unwrap_or_else(|error| fail(&format!("no answer: {error}")))
    }

    /// For who expects that nobody may be there.
    pub async fn try_send(&self, request: RequestBuilder) -> reqwest::Result<Answer> {
        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.unwrap_or_default();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Ok(Answer { status, headers, body })
    }

    pub async fn create(&self, key: &str, body: &Value) -> Answer {
        self.send(self.request(Method::POST, "/v1/generations").header("idempotency-key", key).json(body))
            .await
    }

    /// Creates and expects to have been the first.
    ///
    /// # Panics
    /// When the answer is not 201.
    pub async fn created(&self, key: &str, body: &Value) -> String {
        let answer = self.create(key, body).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.text("/id").to_owned()
    }

    pub async fn get(&self, id: &str) -> Job {
        self.send(self.request(Method::GET, &format!("/v1/generations/{id}"))).await.body
    }

    pub async fn attempts(&self, id: &str) -> Vec<Value> {
        let answer = self.send(self.request(Method::GET, &format!("/v1/generations/{id}/attempts"))).await;
        answer.body.pointer("/data").and_then(Value::as_array).cloned().unwrap_or_default()
    }

    pub async fn cancel(&self, id: &str) -> Answer {
        self.send(self.request(Method::POST, &format!("/v1/generations/{id}/cancel"))).await
    }

    /// Waits until the generation's status is one of `statuses`.
    pub async fn until(&self, id: &str, statuses: &[&str]) -> Job {
        eventually(&format!("generation {id} to be {}", statuses.join(" or ")), async || {
            let job = self.get(id).await;
            let status = job.pointer("/status").and_then(Value::as_str).unwrap_or_default();
            statuses.contains(&status).then_some(job.clone())
        })
        .await
    }

    /// Waits for the end, whatever it is.
    pub async fn ended(&self, id: &str) -> Job {
        self.until(id, &["succeeded", "failed", "cancelled"]).await
    }

    /// The stored bytes of the first output.
    ///
    /// # Panics
    /// When they cannot be read.
    pub async fn output(&self, id: &str) -> Vec<u8> {
        let request = self.request(Method::GET, &format!("/v1/generations/{id}/output"));
        let response = request.send().await.unwrap_or_else(|error| fail(&format!("no output: {error}")));
        assert_eq!(response.status(), StatusCode::OK);
        response.bytes().await.unwrap_or_else(|error| fail(&format!("no output: {error}"))).to_vec()
    }

    /// The least request to one provider's model, with `prompt`.
    pub fn of_model(prompt: &str, (provider, model, kind): (&str, &str, &str)) -> Value {
        json!({
            "kind": kind,
            "input": {"prompt": prompt, "duration_seconds": 5},
            "chain": [{"provider": provider, "model": model}]
        })
    }

    /// The least request, with `prompt`.
    pub fn video(prompt: &str) -> Value {
        json!({
            "kind": "video",
            "input": {"prompt": prompt, "duration_seconds": 8},
            "chain": [{"provider": "fal", "model": "fal-ai/veo3.1"}]
        })
    }
}
