//! What a job generates from, besides words: looked at after the look into the bucket and before any attempt is opened
//! (A20), so that a file that cannot be used ends the job before anything is paid.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderStringWriter;
use chrono::{DateTime, Utc};
use domain::AttemptId;
use domain::error::Code;
use domain::execution::Phase;
use domain::generation::ChainStep;
use domain::inputs::limit::TOTAL_BYTES;
use domain::inputs::{Medium, Origin};
use domain::media::ContentType;
use domain::provider::Provider;
use domain::timing::INPUT_LINK_GRACE;
use futures::TryStreamExt;
use serde_json::Value;
use std::io::Write;
use tokio::time::timeout;
use url::Url;

use super::fetch::{Fetched, fetch_once};
use super::submit::failed;
use super::work::Work;
use super::{Halt, store_failed};
use crate::executions::interrupted;
use crate::net::Client;
use crate::providers::description::Way;
use crate::providers::{Adapter, Asked, Carried};
use crate::reach::Reach;
use crate::retry::Backoff;
use crate::spool::Spooled;

/// Files that one request carries inside it, in bytes: with base64 and the body around it they are in memory more than
/// twice, in a container of 256 MiB.
const INLINE_LIMIT: u64 = 24 << 20;

/// The input's media, in their order.
#[derive(Default)]
pub(super) struct Prepared {
    media: Vec<Held>,
    /// What a provider calls a file that it was sent.
    uploaded: BTreeMap<(Provider, usize), String>,
}

/// One medium that was looked at.
struct Held {
    content_type: ContentType,
    bytes: u64,
    place: HeldAt,
    /// Its bytes, as far as an adapter wants them.
    file: Option<Spooled>,
}

enum HeldAt {
    /// The caller's own URL.
    Theirs(String),
    /// A key of the bucket.
    Ours(String),
}

/// Why a file did not come.
enum NotFetched {
    /// Asking again does not help.
    For(Halt),
    /// Its server could not be had, however often it was asked.
    Away(String),
}

/// Whether carrying the media took a provider's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carriage {
    AtOnce,
    Uploaded,
}

impl Work<'_> {
    /// Whether there is something to look at that nobody has looked at yet.
    pub(super) fn unprepared(&self) -> bool {
        self.prepared.media.len() < self.spec().input.media.len()
    }

    /// Looks at every medium, once. Whatever the chain's models would not take is refused here, for all of the chain: a
    /// job does not begin that could only go on in part.
    pub(super) async fn prepare(&mut self) -> Result<(), Halt> {
        self.order.phase(Phase::Preparing);
        let mut media = Vec::new();
        for (index, medium) in self.spec().input.media.iter().enumerate() {
            let looked = match &medium.origin {
                Origin::Url { url } => {
                    self.order.signals.race(self.fetch_theirs(index, url.as_str())).await?
                }
                Origin::Input { .. } | Origin::Generation { .. } => {
                    self.order.signals.race(self.look_at_ours(index, medium)).await?
                }
            };
            media.push(looked?);
            let spooled: u64 =
                media.iter().filter_map(|held| held.file.as_ref()).map(|file| file.bytes).sum();
            if spooled > TOTAL_BYTES {
                let why =
                    format!("with the ones before it, it has more than {TOTAL_BYTES} bytes; upload them");
                return Err(invalid(index, &why));
            }
        }
        let wanted = self.check(&media)?;
        for (index, held) in media.iter_mut().enumerate().filter(|(index, _)| wanted.contains(index)) {
            if let (HeldAt::Ours(key), None) = (&held.place, &held.file) {
                let url = self.parts.storage.link(key, self.link_end());
                let fetched = self.fetch_patiently(index, self.parts.storage.client(), &url);
                let fetched = self.order.signals.race(fetched).await?;
                held.file = Some(fetched.map_err(|away| match away {
                    NotFetched::For(halt) => halt,
                    // Our own bucket: another process will have it.
                    NotFetched::Away(why) => Halt::End(interrupted(Code::StorageFailed, why)),
                })?);
            }
        }
        for (_, held) in media.iter_mut().enumerate().filter(|(index, _)| !wanted.contains(index)) {
            held.file = None;
        }
        tracing::info!(job.id = %self.order.job, media = media.len(), "prepared what the job generates from");
        self.prepared.media = media;
        Ok(())
    }

    /// The body of an attempt, with the media by their names.
    pub(super) fn asked(&self, adapter: &Adapter, step: &ChainStep, id: AttemptId) -> Result<Asked, Halt> {
        let seen = kinds(&self.prepared.media);
        let asked = adapter.request(step, &self.spec().input, &seen, id);
        asked.map_err(|why| failed(Code::InputInvalid, &why.to_string()))
    }

    /// The media as `step`'s provider is to be given them. What it has to be sent beforehand is sent now.
    pub(super) async fn carry(
        &mut self,
        adapter: &Adapter,
        provider: Provider,
        asked: &Asked,
    ) -> Result<(Vec<Carried>, Carriage), Halt> {
        let mut carriage = Carriage::AtOnce;
        let mut carried = Vec::new();
        for place in &asked.places {
            let held = self.prepared.media.get(place.medium);
            let (held, way) = held
                .and_then(|held| Some((held, adapter.way(held.bytes)?)))
                .ok_or_else(|| failed(Code::Internal, "a medium was not prepared"))?;
            let value = match (way, &held.place) {
                (Way::Url, HeldAt::Theirs(url)) => url.clone(),
                (Way::Url, HeldAt::Ours(key)) => self.parts.storage.link(key, self.link_end()).into(),
                (Way::DataUri, _) => format!("data:{};base64,{}", held.content_type, base64(held).await?),
                (Way::Base64, _) => base64(held).await?,
                (Way::Upload(upload), _) => {
                    let key = (provider, place.medium);
                    if let Some(named) = self.prepared.uploaded.get(&key) {
                        named.clone()
                    } else {
                        carriage = Carriage::Uploaded;
                        let named = self.upload(adapter, upload, held).await?;
                        self.prepared.uploaded.insert(key, named.clone());
                        named
                    }
                }
            };
            carried.push(Carried { place: place.clone(), value });
        }
        Ok((carried, carriage))
    }

    /// The body that an attempt was sent with, as far as it can be made again; `Null` if not.
    pub(super) async fn sent(
        &mut self,
        adapter: &Adapter,
        step: &ChainStep,
        id: AttemptId,
    ) -> Result<Value, Halt> {
        if self.unprepared() {
            match self.prepare().await {
                Ok(()) => {}
                Err(halt @ Halt::Stop(_)) => return Err(halt),
                // Its outcome is looked for all the same.
                Err(Halt::End(_) | Halt::Reread) => return Ok(Value::Null),
            }
        }
        let asked = self.asked(adapter, step, id)?;
        let (carried, _) = self.carry(adapter, step.provider, &asked).await?;
        Ok(asked.filled(&carried))
    }

    async fn upload(
        &self,
        adapter: &Adapter,
        upload: &crate::providers::description::Upload,
        held: &Held,
    ) -> Result<String, Halt> {
        let file = held.file.as_ref().ok_or_else(|| failed(Code::Internal, "a medium was not fetched"))?;
        let client = self.parts.media.uploading(adapter.reach());
        let mut backoff = Backoff::new(&self.parts.timing, &self.parts.machine);
        loop {
            let why = match self.order.signals.race(adapter.upload(upload, file, client)).await? {
                Ok(named) => return Ok(named),
                Err(why) => why.to_string(),
            };
            let pause = backoff.pause();
            if backoff.failures() > self.parts.timing.free_retries {
                return Err(Halt::End(interrupted(Code::ProviderUnavailable, why)));
            }
            tracing::warn!(job.id = %self.order.job, upload.error = why, "an input was not uploaded");
            self.order.signals.sleep(pause).await?;
        }
    }

    /// Whether every model of the chain takes all of it; answers with the media whose bytes are needed.
    fn check(&self, media: &[Held]) -> Result<Vec<usize>, Halt> {
        let seen = kinds(media);
        let mut wanted = Vec::new();
        for step in &self.spec().chain {
            // Without a key for it the step ends the job when its turn comes.
            let Some(adapter) = self.parts.adapters.get(step.provider) else { continue };
            adapter
                .request(step, &self.spec().input, &seen, self.parts.machine.mint())
                .map_err(|why| failed(Code::InputInvalid, &why.to_string()))?;
            let mut inline = 0_u64;
            for (index, held) in media.iter().enumerate() {
                let way = adapter.way(held.bytes).ok_or_else(|| {
                    let (provider, most) = (step.provider, adapter.largest());
                    invalid(
                        index,
                        &format!("{provider} takes files of at most {most} bytes, not {}", held.bytes),
                    )
                })?;
                match way {
                    Way::Url => continue,
                    Way::DataUri | Way::Base64 => inline = inline.saturating_add(held.bytes),
                    Way::Upload(_) => {}
                }
                wanted.push(index);
            }
            if inline > INLINE_LIMIT {
                let why = format!(
                    "{} takes files inside the request, where there is room for {INLINE_LIMIT} bytes, not {inline}",
                    step.provider
                );
                return Err(failed(Code::InputInvalid, &why));
            }
        }
        Ok(wanted)
    }

    async fn look_at_ours(&self, index: usize, medium: &Medium) -> Result<Held, Halt> {
        let found = self.parts.storage.input(self.order.client, &medium.origin).await;
        let found = found.map_err(|error| Halt::End(store_failed(&error)))?;
        let found = found.ok_or_else(|| invalid(index, &format!("{} is not stored", medium.origin)))?;
        let content_type = ContentType::from_media_type(&found.content_type)
            .ok_or_else(|| invalid(index, &format!("{:?} is no known video or image", found.content_type)))?;
        Ok(Held { content_type, bytes: found.bytes, place: HeldAt::Ours(found.key), file: None })
    }

    /// Fetches the whole of it, also where the provider will fetch it again: only whole it can be judged.
    async fn fetch_theirs(&self, index: usize, text: &str) -> Result<Held, Halt> {
        let reach = self.reach();
        let url: Url = text.parse().map_err(|_| invalid(index, "the URL is none"))?;
        reach.check(&url).map_err(|why| invalid(index, &format!("the URL {why}")))?;
        let fetched = self.fetch_patiently(index, self.parts.media.of(reach), &url).await;
        let file = fetched.map_err(|away| match away {
            NotFetched::For(halt) => halt,
            NotFetched::Away(why) => failed(Code::InputUnreachable, &why),
        })?;
        let place = HeldAt::Theirs(text.to_owned());
        Ok(Held { content_type: file.content_type, bytes: file.bytes, place, file: Some(file) })
    }

    async fn fetch_patiently(&self, index: usize, client: &Client, url: &Url) -> Result<Spooled, NotFetched> {
        let patience = Duration::from_millis(self.parts.timing.input_fetch_ms);
        let mut backoff = Backoff::new(&self.parts.timing, &self.parts.machine);
        loop {
            let once = fetch_once(client, &self.parts.inputs, url.clone(), "input");
            let why = match timeout(patience, once).await {
                Ok(Ok(file)) => return Ok(file),
                Ok(Err(Fetched::Expired(why) | Fetched::Invalid(why) | Fetched::TooLarge(why))) => {
                    return Err(NotFetched::For(invalid(index, &why)));
                }
                Ok(Err(Fetched::NoSpool(why))) => {
                    return Err(NotFetched::For(Halt::End(interrupted(Code::StorageFailed, why))));
                }
                Ok(Err(Fetched::Away(why))) => why,
                Ok(Err(Fetched::Files(_))) => "it answered with several files".to_owned(),
                Err(_) => format!("it did not arrive within {} seconds", patience.as_secs()),
            };
            let pause = backoff.pause();
            if backoff.failures() > self.parts.timing.free_retries {
                return Err(NotFetched::Away(at(index, &why)));
            }
            tracing::warn!(job.id = %self.order.job, input.index = index, fetch.error = why,
                fetch.failures = backoff.failures(), "an input did not arrive");
            tokio::time::sleep(pause).await;
        }
    }

    /// Callers' URLs lead to this machine only where every provider of the chain is one on it.
    fn reach(&self) -> Reach {
        let mut adapters = self.spec().chain.iter().map(|step| self.parts.adapters.get(step.provider));
        let local = |adapter: Option<&Adapter>| adapter.is_some_and(|a| a.reach() == Reach::Loopback);
        if adapters.all(local) { Reach::Loopback } else { Reach::Public }
    }

    /// Nothing is submitted after the deadline; a provider may fetch a little later.
    fn link_end(&self) -> DateTime<Utc> {
        self.order.deadline_at + INPUT_LINK_GRACE
    }
}

fn kinds(media: &[Held]) -> Vec<ContentType> {
    media.iter().map(|held| held.content_type).collect()
}

/// Encoded piece by piece, so that only the text is in memory whole.
async fn base64(held: &Held) -> Result<String, Halt> {
    let unread =
        |why: &str| Halt::End(interrupted(Code::StorageFailed, format!("an input could not be read: {why}")));
    let file = held.file.as_ref().ok_or_else(|| unread("it was not fetched"))?;
    let mut encoder = EncoderStringWriter::new(&STANDARD);
    let mut chunks = Box::pin(file.stream(0, file.bytes));
    while let Some(chunk) = chunks.try_next().await.map_err(|error| unread(&error.to_string()))? {
        encoder.write_all(&chunk).map_err(|error| unread(&error.to_string()))?;
    }
    Ok(encoder.into_inner())
}

fn invalid(index: usize, why: &str) -> Halt {
    failed(Code::InputInvalid, &at(index, why))
}

fn at(index: usize, why: &str) -> String {
    format!("/input/media/{index}: {why}")
}
