//! Fetching files into the spool: a result's, and those that a job generates from. Free, so each file is tried again until
//! its tries are used up.

use std::io::Read;

use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::read::DecoderReader;
use domain::attempt::Attempt;
use domain::media::judge;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use url::Url;

use super::Halt;
use super::work::Work;
use crate::net::{self, Client};
use crate::providers::{Adapter, Completion, Media};
use crate::reach::{self, Reach};
use crate::retry::Backoff;
use crate::spool::{Spool, SpoolError, Spooled};

/// Base64 with or without its padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
const DECODED_CHUNK: usize = 64 * 1024;

/// What came of a fetch.
pub(super) enum Fetched {
    Files(Vec<Spooled>),
    /// The URL leads nowhere (any more); a fresh one may.
    Expired(String),
    /// It is no acceptable file.
    Invalid(String),
    TooLarge(String),
    /// The server could not be made to send it whole, for now.
    Away(String),
    /// Our own disk refuses.
    NoSpool(String),
}

impl Work<'_> {
    /// All files or none: what is stored of one result is stored together.
    pub(super) async fn fetch(
        &self,
        attempt: &Attempt,
        completion: &Completion,
        adapter: &Adapter,
    ) -> Result<Fetched, Halt> {
        let mut files = Vec::new();
        for media in &completion.media {
            let fetched = match media {
                Media::Url(url) => {
                    self.order.signals.race(self.fetch_url(attempt, url, adapter, None)).await?
                }
                Media::Keyed(url) => {
                    let key = url.parse().ok().and_then(|url| adapter.key_for(&url));
                    self.order.signals.race(self.fetch_url(attempt, url, adapter, key)).await?
                }
                Media::Inline(uri) => self.order.signals.race(decode_uri(&self.parts.spool, uri)).await?,
                Media::Base64(text) => self.order.signals.race(decode(&self.parts.spool, None, text)).await?,
            };
            match fetched {
                Ok(file) => files.push(file),
                Err(failure) => return Ok(failure),
            }
        }
        Ok(Fetched::Files(files))
    }

    /// `key` opens the URL itself, and is not sent to where that leads.
    async fn fetch_url(
        &self,
        attempt: &Attempt,
        url: &str,
        adapter: &Adapter,
        key: Option<HeaderMap>,
    ) -> Result<Spooled, Fetched> {
        let reach = adapter.reach();
        let url: Url = url.parse().map_err(|_| Fetched::Invalid("the result's URL is none".to_owned()))?;
        reach.check(&url).map_err(|why| Fetched::Invalid(format!("the result's URL {why}")))?;
        let client = self.parts.media.of(reach);
        let mut backoff = Backoff::new(&self.parts.timing, &self.parts.machine);
        loop {
            let once = match &key {
                None => fetch_once(client, &self.parts.spool, url.clone(), "result").await,
                Some(key) => self.fetch_with_key(&url, key, reach).await,
            };
            let reason = match once {
                Err(Fetched::Away(reason)) => reason,
                settled => return settled,
            };
            let pause = backoff.pause();
            if backoff.failures() > self.parts.timing.free_retries {
                return Err(Fetched::Away(reason));
            }
            tracing::warn!(job.id = %self.order.job, attempt.id = %attempt.id, fetch.error = reason,
                fetch.failures = backoff.failures(), "the result did not arrive whole");
            tokio::time::sleep(pause).await;
        }
    }

    /// The first answer is asked for with the key and not followed of itself: where it leads is checked like any
    /// result's URL, and fetched without the key.
    async fn fetch_with_key(&self, url: &Url, key: &HeaderMap, reach: Reach) -> Result<Spooled, Fetched> {
        let client = self.parts.media.keyed();
        let request = client.get(url.clone()).headers(key.clone());
        let response = client.send(request).await.map_err(|error| Fetched::Away(net::told(error)))?;
        if !response.status().is_redirection() {
            return receive(response, &self.parts.spool, "result").await;
        }
        let led = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let led = led.and_then(|text| url.join(text).ok());
        let led = led.ok_or_else(|| Fetched::Invalid("the result's URL leads nowhere".to_owned()))?;
        reach.check(&led).map_err(|why| Fetched::Invalid(format!("the result's URL leads on and {why}")))?;
        fetch_once(self.parts.media.of(reach), &self.parts.spool, led, "result").await
    }
}

/// One try. `what` the file is, in words, for whoever reads the failure.
pub(super) async fn fetch_once(
    client: &Client,
    spool: &Spool,
    url: Url,
    what: &str,
) -> Result<Spooled, Fetched> {
    let response = client.send(client.get(url)).await.map_err(|error| match reach::refusal(&error) {
        Some(why) => Fetched::Invalid(format!("the {what}'s URL {why}")),
        None => Fetched::Away(net::told(error)),
    })?;
    receive(response, spool, what).await
}

async fn receive(response: Response, spool: &Spool, what: &str) -> Result<Spooled, Fetched> {
    match response.status().as_u16() {
        200 => {}
        status @ (401 | 403 | 404 | 410) => {
            return Err(Fetched::Expired(format!("the {what}'s URL answers {status}")));
        }
        status => return Err(Fetched::Away(format!("the {what}'s server answers {status}"))),
    }
    let promised = response.content_length();
    if promised.is_some_and(|bytes| bytes > spool.limit()) {
        return Err(too_large(spool.limit(), what));
    }
    take_in(response, spool, promised, what).await
}

/// Streams a body to the disk. Without a promised length its end is believed (F16).
async fn take_in(
    mut response: Response,
    spool: &Spool,
    promised: Option<u64>,
    what: &str,
) -> Result<Spooled, Fetched> {
    let spool_failed = |error| spool_failed(error, what);
    let declared =
        response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut intake = spool.begin().map_err(spool_failed)?;
    while let Some(chunk) = response.chunk().await.map_err(|error| Fetched::Away(net::told(error)))? {
        intake.write(&chunk).await.map_err(spool_failed)?;
    }
    if promised.is_some_and(|bytes| bytes != intake.bytes()) {
        return Err(Fetched::Away("the body ended before its promised length".to_owned()));
    }
    let judged = judge(declared.as_deref(), intake.head());
    let content_type = judged.map_err(|why| Fetched::Invalid(format!("the {what} is no file: {why}")))?;
    intake.finish(content_type).await.map_err(spool_failed)
}

async fn decode_uri(spool: &Spool, uri: &str) -> Result<Spooled, Fetched> {
    let invalid = |why: &str| Fetched::Invalid(format!("the inline result {why}"));
    let (head, data) = uri.split_once(',').ok_or_else(|| invalid("has no data"))?;
    let head = head.get(5..).unwrap_or_default();
    let declared = head.strip_suffix(";base64").ok_or_else(|| invalid("is not base64"))?;
    decode(spool, Some(declared), data).await
}

/// Decodes base64 piece by piece: the text is in memory already, the bytes need not be (F7).
async fn decode(spool: &Spool, declared: Option<&str>, data: &str) -> Result<Spooled, Fetched> {
    let spool_failed = |error| spool_failed(error, "result");
    let invalid = |why: &str| Fetched::Invalid(format!("the inline result {why}"));
    let mut intake = spool.begin().map_err(spool_failed)?;
    let mut decoder = DecoderReader::new(data.as_bytes(), &BASE64);
    let mut chunk = vec![0; DECODED_CHUNK];
    loop {
        let read = decoder.read(&mut chunk).map_err(|_| invalid("is not base64"))?;
        if read == 0 {
            break;
        }
        intake.write(chunk.get(..read).unwrap_or_default()).await.map_err(spool_failed)?;
    }
    let content_type =
        judge(declared, intake.head()).map_err(|why| invalid(&format!("is no file: {why}")))?;
    intake.finish(content_type).await.map_err(spool_failed)
}

fn too_large(limit: u64, what: &str) -> Fetched {
    Fetched::TooLarge(format!("the {what} is larger than {limit} bytes"))
}

fn spool_failed(error: SpoolError, what: &str) -> Fetched {
    match error {
        SpoolError::TooLarge(limit) => too_large(limit, what),
        SpoolError::Disk(error) => Fetched::NoSpool(format!("the disk refuses: {error}")),
    }
}
