use serde::Deserialize;
use serde_json::{Value, json};

use crate::eventually;
use crate::wait::fail;

/// The webhook receiver.
pub struct Receiver {
    http: reqwest::Client,
    base: String,
}

/// One request that reached a hook.
#[derive(Clone, Debug, Deserialize)]
pub struct Delivery {
    /// The body, byte for byte.
    pub body: String,
    /// In order, names in lower case.
    pub headers: Vec<(String, String)>,
}

impl Delivery {
    /// # Panics
    /// When the header is absent.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map_or_else(|| fail(&format!("the delivery has no {name}")), |(_, value)| value)
    }

    /// # Panics
    /// When the body is no JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| fail(&format!("{}: {error}", self.body)))
    }
}

#[derive(Deserialize)]
struct Deliveries {
    deliveries: Vec<Delivery>,
}

impl Receiver {
    pub(crate) fn new(base: &str) -> Self {
        Self { http: reqwest::Client::new(), base: base.to_owned() }
    }

    /// The URL of a hook of one's own.
    pub fn hook(&self, name: &str) -> String {
        format!("{}/hooks/{name}", self.base)
    }

    /// # Panics
    /// When the receiver refuses.
    pub async fn script(&self, name: &str, behaviour: &Value) {
        let script = json!({"name": name, "behaviour": behaviour});
        let sent = self.http.post(format!("{}/_receiver/script", self.base)).json(&script).send().await;
        let answer = sent.unwrap_or_else(|error| fail(&format!("the receiver: {error}")));
        assert!(answer.status().is_success(), "the receiver answered {}", answer.status());
    }

    /// # Panics
    /// When the receiver does not answer.
    pub async fn deliveries(&self, name: &str) -> Vec<Delivery> {
        let url = format!("{}/_receiver/deliveries?name={name}", self.base);
        let read = async { self.http.get(url).send().await?.json::<Deliveries>().await };
        read.await.unwrap_or_else(|error| fail(&format!("the receiver: {error}"))).deliveries
    }

    /// Waits for the hook's `count`-th delivery and returns all.
    pub async fn until(&self, name: &str, count: usize) -> Vec<Delivery> {
        eventually(&format!("{count} deliveries to {name}"), async || {
            let deliveries = self.deliveries(name).await;
            (deliveries.len() >= count).then_some(deliveries)
        })
        .await
    }
}
