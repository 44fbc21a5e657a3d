//! The outputs: what they are, and serving them with every fault a script asks for.

use std::io;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::{Bytes, BytesMut};
use futures::stream;
use http::header::{
    ACCEPT_RANGES, AUTHORIZATION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_RANGE, RANGE,
};
use http::{HeaderMap, Method, StatusCode};
use serde::Deserialize;
use tokio::time::Instant;

use super::behaviour::{Behaviour, Kind};
use super::ledger::Call;
use super::range::{Asked, parse};
use super::world::World;
use crate::server::Line;

static VIDEO: &[u8] = include_bytes!("../../media/video.mp4");
static IMAGE: &[u8] = include_bytes!("../../media/image.png");
/// One street under four lights, for whoever compares pictures: a call with a seed gets one by it.
static LOOKS: [&[u8]; 4] = [
    include_bytes!("../../media/look-0.png"),
    include_bytes!("../../media/look-1.png"),
    include_bytes!("../../media/look-2.png"),
    include_bytes!("../../media/look-3.png"),
];

/// An MP4 box without meaning that reaches to the end of the file: a padded video still plays.
const FREE_BOX: [u8; 8] = *b"\0\0\0\0free";
/// Bytes sent at a time.
const CHUNK: u64 = 64 << 10;
/// The padding behind that box: a count that begins again after [`PERIOD`] bytes.
static PADDING: LazyLock<Vec<u8>> = LazyLock::new(|| (0..=250).cycle().take(PERIOD * 263).collect());
const PERIOD: usize = 251;
/// How often a slow body sends a little.
const TICK: Duration = Duration::from_millis(100);

/// Parts of names by which a model that makes videos is known; they are looked for first.
const VIDEO_NAMES: [&str; 11] =
    ["video", "veo", "kling", "wan", "hailuo", "minimax", "luma", "sora", "ltx", "runway", "gen4"];
/// Parts of names by which a model that makes images is known.
const IMAGE_NAMES: [&str; 9] =
    ["image", "flux", "sdxl", "diffusion", "recraft", "ideogram", "seedream", "banana", "photo"];

/// One output of a job, as a provider describes it.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) url: String,
    pub(super) content_type: &'static str,
    pub(super) file_name: String,
    pub(super) bytes: u64,
}

impl Kind {
    /// What a job makes: what the script says, else what the model's name suggests, else a video.
    pub(super) fn of(call: &Call) -> Self {
        let named = |parts: &[&str]| parts.iter().any(|part| call.model.contains(part));
        call.behaviour.media.unwrap_or_else(|| {
            if named(&IMAGE_NAMES) && !named(&VIDEO_NAMES) { Self::Image } else { Self::Video }
        })
    }

    fn content_type(self) -> &'static str {
        match self {
            Self::Video => "video/mp4",
            Self::Image => "image/png",
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Video => "mp4",
            Self::Image => "png",
        }
    }
}

/// What the outputs of a job hold.
#[derive(Clone, Copy, Debug)]
struct Content {
    kind: Kind,
    sample: &'static [u8],
}

impl Content {
    fn of(call: &Call) -> Self {
        let kind = Kind::of(call);
        let seed = ["/seed", "/input/seed"].iter().find_map(|place| call.body.pointer(place)?.as_u64());
        let look = seed.and_then(|seed| LOOKS.iter().cycle().nth(usize::try_from(seed % 4).ok()?));
        let sample = match kind {
            Kind::Video => VIDEO,
            Kind::Image => look.copied().unwrap_or(IMAGE),
        };
        Self { kind, sample }
    }

    fn size(self, behaviour: &Behaviour) -> u64 {
        behaviour.output_bytes.unwrap_or(u64::try_from(self.sample.len()).unwrap_or_default())
    }

    /// The bytes of the file from `from`, at most [`CHUNK`] and not past `to`: the sample, then padding.
    fn bytes(self, from: u64, to: u64) -> Bytes {
        let wanted = to.min(from.saturating_add(CHUNK)).saturating_sub(from);
        let wanted = usize::try_from(wanted).unwrap_or_default();
        let begin = usize::try_from(from).unwrap_or(usize::MAX);
        let sample = self.sample;
        let behind_sample = begin.saturating_sub(sample.len());
        let behind_box = behind_sample.saturating_sub(FREE_BOX.len());
        // A pattern whose period no chunk size divides: pieces put together wrongly show.
        let padding = PADDING.get(behind_box % PERIOD..).unwrap_or_default();
        let parts = [
            sample.get(begin..).unwrap_or_default(),
            FREE_BOX.get(behind_sample..).unwrap_or_default(),
            padding,
        ];
        let mut out = BytesMut::with_capacity(wanted);
        for part in parts {
            out.extend_from_slice(part.get(..wanted - out.len()).unwrap_or(part));
        }
        out.freeze()
    }
}

/// The outputs of a finished job, each with a URL that is good from `now` on.
pub(super) fn issue(world: &World, call: &mut Call, now: Instant) -> Vec<Output> {
    call.issues.push(now);
    let content = Content::of(call);
    let (kind, bytes) = (content.kind, content.size(&call.behaviour));
    let issue = call.issues.len();
    (0..call.behaviour.outputs)
        .map(|index| {
            let file_name = format!("output-{index}.{}", kind.extension());
            let path = format!("/_media/{}/{}/{index}/{issue}/{file_name}", call.provider, call.request_id);
            let url = if call.behaviour.inline { inline(content, bytes) } else { world.url(&path) };
            Output { url, content_type: kind.content_type(), file_name, bytes }
        })
        .collect()
}

fn inline(content: Content, size: u64) -> String {
    let mut whole = BytesMut::new();
    let mut at = 0;
    while at < size {
        let part = content.bytes(at, size);
        at += u64::try_from(part.len()).unwrap_or(u64::MAX);
        whole.extend_from_slice(&part);
    }
    format!("data:{};base64,{}", content.kind.content_type(), STANDARD.encode(whole))
}

#[derive(Debug, Deserialize)]
pub(super) struct Place {
    provider: String,
    request_id: String,
    index: usize,
    issue: usize,
}

/// How one fetch goes.
#[derive(Debug)]
struct Fetch {
    content: Content,
    behaviour: Behaviour,
    etag: String,
    cut: Option<u64>,
}

/// Serves an output.
pub(super) async fn serve(
    State(world): State<Arc<World>>,
    Path(place): Path<Place>,
    method: Method,
    Extension(line): Extension<Line>,
    headers: HeaderMap,
) -> Response {
    let fetched =
        world.with_call(&place.provider, &place.request_id, |call| begin(call, &place, &method, &headers));
    match fetched {
        None => StatusCode::NOT_FOUND.into_response(),
        Some(Err(status)) => status.into_response(),
        Some(Ok(fetch)) if fetch.cut == Some(0) => line.reset().await,
        Some(Ok(fetch)) => fetch.answer(&headers, &method),
    }
}

fn begin(call: &mut Call, place: &Place, method: &Method, headers: &HeaderMap) -> Result<Fetch, StatusCode> {
    let now = Instant::now();
    let known = place.index < call.behaviour.outputs;
    let issued = place.issue.checked_sub(1).and_then(|index| call.issues.get(index)).copied();
    let Some(issued) = issued.filter(|_| known) else { return Err(StatusCode::NOT_FOUND) };
    // A look at the head is no fetch.
    if method != Method::HEAD {
        call.fetches += 1;
        call.fetches_with_credentials += u32::from(
            [AUTHORIZATION.as_str(), "x-key", "x-goog-api-key"].iter().any(|key| headers.contains_key(*key)),
        );
        if let Some(status) = call.behaviour.fetch_error(call.fetches) {
            return Err(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR));
        }
    }
    let life = call.behaviour.url_ttl_ms.map(Duration::from_millis);
    if life.is_some_and(|life| now.saturating_duration_since(issued) >= life) {
        let gone = StatusCode::from_u16(call.behaviour.result_expired_status);
        return Err(gone.unwrap_or(StatusCode::GONE));
    }
    let content = Content::of(call);
    Ok(Fetch {
        content,
        etag: format!("\"{}-{}-{}\"", call.request_id, place.index, content.size(&call.behaviour)),
        cut: call.behaviour.truncation(call.fetches).filter(|_| method != Method::HEAD),
        behaviour: call.behaviour.clone(),
    })
}

impl Fetch {
    fn answer(self, headers: &HeaderMap, method: &Method) -> Response {
        let size = self.content.size(&self.behaviour);
        let unchanged = headers.get(IF_RANGE).is_none_or(|tag| tag.as_bytes() == self.etag.as_bytes());
        let range = headers.get(RANGE).filter(|_| unchanged && !self.behaviour.no_content_length);
        let asked =
            range.and_then(|range| range.to_str().ok()).map_or(Asked::Whole, |text| parse(text, size));
        let (status, from, to) = match asked {
            Asked::Whole => (StatusCode::OK, 0, size),
            Asked::Part { from, to } => (StatusCode::PARTIAL_CONTENT, from, to),
            Asked::Impossible => {
                let range = format!("bytes */{size}");
                return (StatusCode::RANGE_NOT_SATISFIABLE, [(CONTENT_RANGE, range)]).into_response();
            }
        };
        let mut response = Response::builder()
            .status(status)
            .header(CONTENT_TYPE, self.content.kind.content_type())
            .header(ETAG, &self.etag)
            .header(ACCEPT_RANGES, "bytes");
        if !self.behaviour.no_content_length {
            response = response.header(CONTENT_LENGTH, to - from);
        }
        if status == StatusCode::PARTIAL_CONTENT {
            response = response.header(CONTENT_RANGE, format!("bytes {from}-{}/{size}", to - 1));
        }
        let body = if method == Method::HEAD { Body::empty() } else { self.body(from, to) };
        response.body(body).unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
    }

    fn body(self, from: u64, to: u64) -> Body {
        let Self { content, behaviour, cut, .. } = self;
        let end = cut.map_or(to, |cut| to.min(from + cut));
        let broken = end < to;
        // A tenth of a second's worth at a time.
        let pace = behaviour.slow_body_bytes_per_s.map(|rate| (rate / 10).max(1));
        Body::from_stream(stream::unfold(from, move |at| async move {
            if at > end {
                return None;
            }
            if at == end {
                // While this waits, what was sent before is flushed: an error would throw it away.
                tokio::task::yield_now().await;
                // An error ends the connection in the middle of the body; the position past the end ends the stream.
                return broken.then(|| (Err(io::Error::other("cut on purpose")), end + 1));
            }
            if pace.is_some() {
                tokio::time::sleep(TICK).await;
            }
            let part = content.bytes(at, end.min(at + pace.unwrap_or(CHUNK)));
            let next = at + u64::try_from(part.len()).unwrap_or(u64::MAX);
            Some((Ok::<_, io::Error>(part), next))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, Content, FREE_BOX, Kind, PADDING, VIDEO};

    static FILM: Content = Content { kind: Kind::Video, sample: VIDEO };

    #[test]
    fn a_file_is_the_same_however_it_is_cut() {
        let size = 300_000;
        let whole: Vec<u8> = {
            let mut at = 0;
            let mut all = Vec::new();
            while at < size {
                let part = FILM.bytes(at, size);
                at += u64::try_from(part.len()).unwrap();
                all.extend_from_slice(&part);
            }
            all
        };
        assert_eq!(whole.len(), 300_000);
        assert!(whole.starts_with(VIDEO));
        assert_eq!(whole[VIDEO.len()..][..8], FREE_BOX);
        for (from, to) in
            [(0, 10), (22_270, 22_300), (22_280, 22_290), (100_000, 100_251), (299_999, 300_000)]
        {
            let (a, b) = (usize::try_from(from).unwrap(), usize::try_from(to).unwrap());
            assert_eq!(FILM.bytes(from, to), whole[a..b], "{from}..{to}");
        }
        assert!(PADDING.len() > usize::try_from(CHUNK).unwrap() + 251, "one chunk is padded from one piece");
    }

    #[test]
    fn a_small_output_is_cut() {
        assert_eq!(FILM.bytes(0, 5), VIDEO[..5]);
    }
}
