//! Asking a provider to stop.

use super::adapter::{ANSWER_LIMIT, Adapter, Handle, Progress};
use super::description::Method;

/// What a provider says to a cancel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelAnswer {
    /// The provider will try: cancel requested is not cancelled.
    Requested,
    /// It ended before.
    TooLate,
    /// The provider has no cancel, or none that could be reached.
    NotOffered,
    /// No answer, or one that says nothing.
    Trouble,
}

impl Adapter {
    /// Asks the provider to stop, unless that could destroy a finished result after what was seen last. Costs nothing
    /// and may be repeated.
    pub async fn cancel(&self, handle: &Handle, seen: &Progress) -> CancelAnswer {
        let Some(cancel) = &self.description.cancel else {
            return CancelAnswer::NotOffered;
        };
        let safe = match seen {
            Progress::Pending(word) => cancel.only_in.contains(&word.as_str()),
            Progress::UnknownStatus(_)
            | Progress::Completed(_)
            | Progress::Failed(_)
            | Progress::NotFound
            | Progress::Trouble { .. } => false,
        };
        if !safe && !cancel.only_in.is_empty() {
            return CancelAnswer::Trouble;
        }
        let Some(url) = self.endpoint.resolve(cancel.urls, &handle.names) else {
            return CancelAnswer::NotOffered;
        };
        let request = match cancel.method {
            Method::Put => self.clients.free.put(url),
            Method::Post => self.clients.free.post(url),
            Method::Delete => self.clients.free.delete(url),
        };
        match self.send(request, ANSWER_LIMIT).await.map(|answer| answer.status) {
            Ok(Some(200..300)) => CancelAnswer::Requested,
            Ok(Some(400 | 404 | 409 | 410)) => CancelAnswer::TooLate,
            Ok(_) | Err(_) => CancelAnswer::Trouble,
        }
    }
}
