use bytes::Bytes;
use reqwest::Method;

use super::Created;
use crate::{Client, Error, Id, IdempotencyKey, Input};

impl Client {
    /// Uploads an image or a video, under its media type. The same bytes are the same input, under a key or without.
    ///
    /// # Errors
    /// `INPUT_INVALID` when its bytes are no image or video, `IDEMPOTENCY_CONFLICT` when the key has another file.
    pub async fn upload(
        &self,
        file: impl Into<Bytes>,
        media_type: &str,
        key: Option<&IdempotencyKey>,
    ) -> Result<Created<Input>, Error> {
        let call = self.call(Method::POST, ["v1", "inputs"]).upload(file.into(), media_type)?;
        let answer = self.send(if let Some(key) = key { call.key(key) } else { call }).await?;
        Ok(Created { value: answer.json()?, replayed: answer.replayed })
    }

    /// An upload as it stands.
    pub async fn input(&self, id: Id<Input>) -> Result<Input, Error> {
        self.send(self.call(Method::GET, ["v1", "inputs", &id.to_string()])).await?.json()
    }

    /// Removes an upload.
    pub async fn delete_input(&self, id: Id<Input>) -> Result<(), Error> {
        self.delete(self.call(Method::DELETE, ["v1", "inputs", &id.to_string()])).await
    }
}
