//! The body of an answer: of any length, fast or slow, whole or broken off.

use std::convert::Infallible;
use std::num::NonZeroU64;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures::stream;

use super::log::Ticket;
use crate::server::Line;

/// The most that is sent at a time.
static FILL: [u8; 16 << 10] = [b'x'; 16 << 10];
/// How many times a second a slow body sends a little; less often where that would be less than a byte.
const BEATS: u64 = 10;

struct Rest {
    bytes: u64,
    /// Bytes a second.
    pace: Option<NonZeroU64>,
    cut: Option<Line>,
    /// Given back with the last byte: a sender that has the whole answer is no longer in flight.
    ticket: Option<Ticket>,
}

/// A body of `size` bytes, `pace` of them a second.
pub(super) fn send(size: u64, pace: Option<NonZeroU64>, ticket: Ticket) -> Body {
    stream(Rest { bytes: size, pace, cut: None, ticket: Some(ticket) })
}

/// The first half of a body of `size` bytes, after which `line` is reset.
pub(super) fn send_half(size: u64, pace: Option<NonZeroU64>, line: Line, ticket: Ticket) -> Body {
    stream(Rest { bytes: size / 2, pace, cut: Some(line), ticket: Some(ticket) })
}

fn stream(rest: Rest) -> Body {
    Body::from_stream(stream::unfold(rest, next))
}

async fn next(mut rest: Rest) -> Option<(Result<Bytes, Infallible>, Rest)> {
    if rest.bytes == 0 {
        let line = rest.cut.as_ref()?;
        // The server sends what it has before it waits for more, so the half is on its way by now.
        drop(line.reset().await);
        return None;
    }
    let most = rest.pace.map_or(rest.bytes, |pace| (pace.get() / BEATS).max(1));
    let wanted = usize::try_from(rest.bytes.min(most)).unwrap_or(usize::MAX);
    let part = FILL.get(..wanted).unwrap_or(&FILL);
    let length = u64::try_from(part.len()).unwrap_or(rest.bytes);
    if let Some(pace) = rest.pace {
        tokio::time::sleep(Duration::from_micros(length.saturating_mul(1_000_000) / pace)).await;
    }
    rest.bytes -= length;
    if rest.bytes == 0 && rest.cut.is_none() {
        rest.ticket = None;
    }
    Some((Ok(Bytes::from_static(part)), rest))
}
