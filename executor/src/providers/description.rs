//! How a provider is spoken to, as data. First match wins wherever there is a list.
//!
//! Pointers are JSON Pointers in which a segment `*` stands for every item of a list. Templates name values in
//! braces: `{base}`, `{model}`, `{app}` (the model's first two segments, three in
//! fal's namespaces `workflows` and `comfy`), `{id}` (the provider's request id),
//! `{attempt}` (ours), and whatever the submit captured.

use domain::attempt::ErrorClass;
use domain::provider::Provider;

#[derive(Debug)]
pub struct Description {
    pub provider: Provider,
    pub base_url: &'static str,
    /// Hosts beside the base URL's that URLs named by the provider may lead to, over https. The key goes nowhere else.
    pub hosts: &'static [&'static str],
    /// Header name and template with `{key}`.
    pub auth: (&'static str, &'static str),
    /// Sent with every request.
    pub headers: &'static [(&'static str, &'static str)],
    pub submit: Submit,
    pub recovery: Recovery,
    pub poll: Poll,
    pub result: ResultSource,
    pub outputs: Outputs,
    pub cancel: Option<Cancel>,
    pub usage: Option<Place>,
    pub errors: Errors,
}

/// The one call that can cost money.
#[derive(Debug)]
pub struct Submit {
    pub url: &'static str,
    pub fields: &'static [Field],
    /// Where our attempt id goes in the body, for providers that can find a request by it.
    pub reference: Option<&'static str>,
    /// What an accepted answer has beside a 2xx status: a pointer and the text there.
    pub accepted: &'static [(&'static str, &'static str)],
    pub request_id: &'static str,
    /// Further values that later calls need: name and pointer.
    pub captures: &'static [(&'static str, &'static str)],
}

/// A member of the request body.
#[derive(Debug)]
pub struct Field {
    pub from: Source,
    /// A pointer; objects on the way are made.
    pub to: &'static str,
    pub form: Form,
    /// Other forms for models whose name begins so.
    pub forms: &'static [(&'static str, Form)],
}

/// A member of [`domain::generation::Input`].
#[derive(Clone, Copy, Debug)]
pub enum Source {
    Prompt,
    NegativePrompt,
    DurationSeconds,
    AspectRatio,
    Resolution,
    Seed,
    Audio,
}

#[derive(Clone, Copy, Debug)]
pub enum Form {
    Same,
    /// A number as a string.
    Text,
    /// A number as a string with a unit: `8s`.
    Suffixed(&'static str),
}

/// How to find out whether a submit of unknown outcome was accepted (B3).
#[derive(Debug)]
pub enum Recovery {
    /// There is no way.
    None,
    /// The provider answers a repeated submit with this header, carrying the attempt id, as it answered the first.
    Resend { header: &'static str },
    /// Requests can be found by our attempt id; a 404 proves that there is none.
    Lookup { url: &'static str, request_id: &'static str },
}

#[derive(Debug)]
pub struct Poll {
    /// Tried in order: the first whose names are all known and whose host is allowed.
    pub urls: &'static [&'static str],
    pub status: &'static str,
    /// Texts of the status; booleans read `true` and `false`. What is not listed keeps polling.
    pub words: &'static [(&'static str, Status)],
    /// An answer without a status means this.
    pub absent: Option<Status>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Pending,
    Done,
    /// The same answer says why.
    Failed,
}

#[derive(Debug)]
pub enum ResultSource {
    /// The poll's own answer has it.
    Poll,
    /// A second request, tried like [`Poll::urls`].
    Get(&'static [&'static str]),
}

#[derive(Debug)]
pub struct Outputs {
    /// The first pointer that leads to anything is taken. Values are URLs or `data:` URIs.
    pub pointers: &'static [&'static str],
    /// A list of booleans beside the outputs: `true` marks one that the provider blanked as a refusal.
    pub flagged: Option<&'static str>,
}

#[derive(Debug)]
pub struct Cancel {
    pub method: Method,
    pub urls: &'static [&'static str],
}

#[derive(Clone, Copy, Debug)]
pub enum Method {
    Put,
    Post,
    Delete,
}

#[derive(Clone, Copy, Debug)]
pub enum Place {
    Header(&'static str),
    Body(&'static str),
}

/// How errors are told.
#[derive(Debug)]
pub struct Errors {
    pub code: &'static [Place],
    pub message: &'static [&'static str],
    pub rules: &'static [Rule],
}

/// The body decides before the HTTP status (B7): rules that name codes stand before rules that name statuses.
#[derive(Debug)]
pub struct Rule {
    pub when: When,
    pub class: ErrorClass,
    pub billed: Billed,
    pub on_submit: OnSubmit,
}

#[derive(Debug)]
pub enum When {
    Code(&'static [&'static str]),
    MessageHas(&'static [&'static str]),
    Http(&'static [u16]),
}

/// Whether an accepted request that ended so is on the bill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Billed {
    No,
    Unknown,
}

/// What such an answer to a submit proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnSubmit {
    /// What its status proves: a complete 4xx is a rejection, anything else nothing.
    ByStatus,
    Rejected,
}
