use std::time::{Duration, Instant};

use reqwest::Method;
use reqwest::header::{ETAG, HeaderValue};
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::Created;
use crate::types::Page;
use crate::{Attempt, Client, Error, Estimate, Generation, GenerationRequest, Id, IdempotencyKey, Lost};

/// The first look comes so soon after a generation was made, each next one half as long again after the last.
const FIRST_LOOK: Duration = Duration::from_millis(500);
const LOOK: Duration = Duration::from_secs(10);

impl Client {
    /// Asks for a generation. The same request under the same key is the same generation, whoever sends it.
    ///
    /// # Errors
    /// A [`crate::Problem`] with `IDEMPOTENCY_CONFLICT` when the key has another body, `BUDGET_EXCEEDED`, `RATE_LIMITED`, …
    pub async fn create_generation(
        &self,
        request: &GenerationRequest,
        key: &IdempotencyKey,
    ) -> Result<Created<Generation>, Error> {
        let answer =
            self.send(self.call(Method::POST, ["v1", "generations"]).json(request)?.key(key)).await?;
        Ok(Created { value: answer.json()?, replayed: answer.replayed })
    }

    /// A generation as it stands.
    pub async fn generation(&self, id: Id<Generation>) -> Result<Generation, Error> {
        self.send(self.call(Method::GET, ["v1", "generations", &id.to_string()])).await?.json()
    }

    /// Waits until it has ended, one way or another, but no longer than `patience`.
    ///
    /// # Errors
    /// [`Error::NotEnded`] with how it stands then.
    pub async fn wait_for_generation(
        &self,
        id: Id<Generation>,
        patience: Duration,
    ) -> Result<Generation, Error> {
        let (begun, mut pause) = (Instant::now(), FIRST_LOOK);
        loop {
            let generation = self.generation(id).await?;
            if generation.status.is_final() {
                return Ok(generation);
            }
            let left = patience.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Err(Error::NotEnded(Box::new(generation)));
            }
            tokio::time::sleep(pause.min(left)).await;
            pause = (pause + pause / 2).min(LOOK);
        }
    }

    /// Ends it unless it has ended; as it stands then.
    pub async fn cancel_generation(&self, id: Id<Generation>) -> Result<Generation, Error> {
        self.send(self.call(Method::POST, ["v1", "generations", &id.to_string(), "cancel"])).await?.json()
    }

    /// Its paid calls.
    pub async fn attempts(&self, id: Id<Generation>) -> Result<Vec<Attempt>, Error> {
        let call = self.call(Method::GET, ["v1", "generations", &id.to_string(), "attempts"]);
        Ok(self.send(call).await?.json::<Page<Attempt>>()?.data)
    }

    /// What it would cost; nothing is made.
    pub async fn estimate(&self, request: &GenerationRequest) -> Result<Estimate, Error> {
        self.send(self.call(Method::POST, ["v1", "estimates"]).json(request)?).await?.json()
    }

    /// Writes an output's bytes to `sink` and returns their number. When the connection breaks, it goes on where it
    /// stopped; each such part is a call of its own to [`crate::Policy`].
    ///
    /// # Errors
    /// `OUTPUT_NOT_READY` before success; [`Error::Sink`] when `sink` fails.
    pub async fn download(
        &self,
        id: Id<Generation>,
        index: u32,
        sink: &mut (impl AsyncWrite + Unpin),
    ) -> Result<u64, Error> {
        let (mut written, mut tag) = (0_u64, None::<HeaderValue>);
        loop {
            let mut call =
                self.call(Method::GET, ["v1", "generations", &id.to_string(), "output", &index.to_string()]);
            if let Some(tag) = tag.clone().filter(|_| written > 0) {
                call = call.beginning_at(written, tag);
            }
            let mut response = self.open(&call).await?;
            let goes_on = response.status() == 206;
            if written > 0 && !goes_on {
                return Err(Error::usage(format!("output {index} of {id} has changed while it was read")));
            }
            tag = response.headers().get(ETAG).cloned();
            let begun = written;
            let lost = loop {
                match tokio::time::timeout(call.per_try(), response.chunk()).await {
                    Ok(Ok(Some(bytes))) => {
                        sink.write_all(&bytes).await.map_err(Error::Sink)?;
                        written = written.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
                    }
                    Ok(Ok(None)) => {
                        sink.flush().await.map_err(Error::Sink)?;
                        return Ok(written);
                    }
                    Ok(Err(error)) => break Lost::Connection(error.without_url()),
                    Err(_) => break Lost::Timeout(call.per_try()),
                }
            };
            // Bytes have come: it is worth another part. Without a tag nobody knows of what it would be a part.
            if written == begun || tag.is_none() {
                return Err(Error::Unanswered { tries: 1, source: lost });
            }
        }
    }
}
