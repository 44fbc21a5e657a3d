use reqwest::Method;
use serde_json::json;

use crate::types::Page;
use crate::{Client, Endpoint, EndpointChange, EndpointRequest, Error, Id, RotatedSecret, TestDelivery};

const PATH: [&str; 2] = ["v1", "webhook-endpoints"];

impl Client {
    /// Sends the events of all jobs to a URL. The same URL is the same endpoint; only who makes it sees its secret.
    pub async fn create_endpoint(&self, request: &EndpointRequest) -> Result<Endpoint, Error> {
        self.send(self.call(Method::POST, PATH).json(request)?).await?.json()
    }

    /// All endpoints.
    pub async fn endpoints(&self) -> Result<Vec<Endpoint>, Error> {
        Ok(self.send(self.call(Method::GET, PATH)).await?.json::<Page<Endpoint>>()?.data)
    }

    /// An endpoint as it stands.
    pub async fn endpoint(&self, id: Id<Endpoint>) -> Result<Endpoint, Error> {
        self.send(self.call(Method::GET, ["v1", "webhook-endpoints", &id.to_string()])).await?.json()
    }

    /// Changes what `change` says.
    pub async fn change_endpoint(
        &self,
        id: Id<Endpoint>,
        change: &EndpointChange,
    ) -> Result<Endpoint, Error> {
        let call = self.call(Method::PATCH, ["v1", "webhook-endpoints", &id.to_string()]);
        self.send(call.json(change)?).await?.json()
    }

    /// Sends nothing to it any more.
    pub async fn delete_endpoint(&self, id: Id<Endpoint>) -> Result<(), Error> {
        self.delete(self.call(Method::DELETE, ["v1", "webhook-endpoints", &id.to_string()])).await
    }

    /// A fresh secret; the older ones sign beside it for `overlap_seconds`. Not repeated when its answer is lost: the
    /// secret is lost with it, so rotate again.
    pub async fn rotate_secret(
        &self,
        id: Id<Endpoint>,
        overlap_seconds: u32,
    ) -> Result<RotatedSecret, Error> {
        let path = ["v1", "webhook-endpoints", &id.to_string(), "secret", "rotate"];
        let call = self.call(Method::POST, path).json(&json!({"overlap_seconds": overlap_seconds}))?;
        self.send(call.unless_acted()).await?.json()
    }

    /// Sends `webhook.test` to it. Not repeated when its answer is lost.
    pub async fn test_endpoint(&self, id: Id<Endpoint>) -> Result<TestDelivery, Error> {
        let path = ["v1", "webhook-endpoints", &id.to_string(), "test"];
        self.send(self.call(Method::POST, path).unless_acted()).await?.json()
    }
}
