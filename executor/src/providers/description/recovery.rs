//! How a lost call is found.

/// How to find out whether a submit of unknown outcome was accepted (B3).
#[derive(Debug)]
pub enum Recovery {
    /// There is no way.
    None,
    /// The provider answers a repeated submit with this header, carrying the attempt id, as it answered the first.
    Resend { header: &'static str },
    /// Requests can be found by our attempt id; `urls` are tried like [`super::Poll::urls`].
    Lookup { urls: &'static [&'static str], request_id: &'static str, absence: Absence },
    /// Recent requests can be listed. A single match is ours; none proves nothing.
    Listing(Listing),
}

/// What it means when a look-up finds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// A 404 proves that there is no such request.
    Proven,
    /// Nobody says how soon a request can be found.
    Unproven,
}

/// How a lost request is told from the others in a listing.
#[derive(Debug)]
pub struct Listing {
    /// Template; `{after}` and `{before}` are times around the attempt's start, RFC 3339.
    pub url: &'static str,
    /// Pointer to the list.
    pub items: &'static str,
    /// Pointer to what is there if the list goes on, or is `true`.
    pub more: &'static str,
    /// In an item: the request's id.
    pub request_id: &'static str,
    /// In an item: the callback URL of its submit. Ours names the attempt, so this is exact.
    pub callback: &'static str,
    /// How to know an item that shows no callback URL.
    pub likeness: Option<Likeness>,
}

/// A match by what was asked, for items without a callback URL. Another job's call for the very same thing at the same
/// time looks like ours: then there are two and nothing is taken, or ours never arrived and its result is the one that
/// was asked for. Either way nothing is paid again.
#[derive(Debug)]
pub struct Likeness {
    /// In an item: the model's name, without a version.
    pub model: &'static str,
    /// In an item: when it was made, RFC 3339.
    pub created: &'static str,
    /// A member that is the same in the item and in the body of our submit.
    pub same: &'static str,
}
