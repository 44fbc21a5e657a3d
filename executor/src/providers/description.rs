//! How a provider is spoken to, as data. First match wins wherever there is a list.
//!
//! Pointers are JSON Pointers in which a segment `*` stands for every item of a list. Templates name values in
//! braces: `{base}`, `{model}`, `{app}` (the model's first two segments, three in fal's namespaces `workflows` and
//! `comfy`), `{task}` (what stands before the model's first slash, if it has one), `{id}` (the provider's request id),
//! `{id_path}` (the same where it is a path of several segments), `{attempt}` (ours), `{account}` (see
//! [`Description::auth`]), and whatever the submit captured.

use domain::provider::Provider;

mod errors;
mod media;
mod recovery;

pub(super) use errors::rule;
pub use errors::{Billed, Errors, OnSubmit, Rule, When};
pub(super) use media::{PLAIN, image, video};
pub use media::{Slot, Takes, Upload, Way};
pub use recovery::{Absence, Likeness, Listing, Recovery};

/// One provider.
#[derive(Debug)]
pub struct Description {
    pub provider: Provider,
    /// Without a slash at its end; `PROVIDER_URLS` replaces it.
    pub base_url: &'static str,
    /// Hosts beside the base URL's that URLs named by the provider may lead to, over https. The key goes nowhere else.
    /// A label `*` stands for exactly one label of the host.
    pub hosts: &'static [&'static str],
    /// Header name and template. `{key}` is the whole key; `{jwt_hs256}` a token signed with a key that is
    /// `access key:secret key`, anew for each request; `{token}` what stands behind the colon in a key that is
    /// `account:token`.
    pub auth: (&'static str, &'static str),
    /// Sent with every request.
    pub headers: &'static [(&'static str, &'static str)],
    pub submit: Submit,
    /// For submits of unknown outcome (B3).
    pub recovery: Recovery,
    pub poll: Poll,
    pub result: ResultSource,
    pub outputs: Outputs,
    /// `None` where a cancel does not exist, or would destroy a finished result.
    pub cancel: Option<Cancel>,
    /// The count of billed units, in the answer that has the result.
    pub usage: Option<Usage>,
    /// A price of the provider's own. A maximum that it names beforehand is none.
    pub quote: Option<Quote>,
    pub errors: Errors,
}

/// The one call that can cost money.
#[derive(Debug)]
pub struct Submit {
    /// Always called with POST and a JSON body; the first route that fits is taken.
    pub routes: &'static [Route],
    /// The body's members. The chain step's options are laid over them, except over the model: it is what was priced.
    pub fields: &'static [Field],
    /// Images and videos, and where in the body they go.
    pub media: Takes,
    /// Where the chain step's options belong; empty for the whole body.
    pub options: &'static str,
    /// Where our attempt id goes in the body, for providers that can find a request by it.
    pub reference: Option<&'static str>,
    /// Where the URL goes that the provider reports this attempt to (B3).
    pub callback: Option<Callback>,
    /// What an accepted answer has beside a 2xx status: a pointer and the text there.
    pub accepted: &'static [(&'static str, &'static str)],
    /// Pointer to the id under which the provider keeps the request.
    pub request_id: &'static str,
    /// Further values that later calls need: name and pointer.
    pub captures: &'static [(&'static str, &'static str)],
}

/// How a provider is told where to report. The URL is not part of the journaled request: it is a secret.
#[derive(Clone, Copy, Debug)]
pub enum Callback {
    /// A query parameter of the submit.
    Query(&'static str),
    /// A pointer into the submit's body to a list of URLs, and one to where our attempt id goes, to be echoed.
    Listed { urls: &'static str, reference: &'static str },
    /// A pointer into the submit's body, and what has to stand beside it: a filter of events, for instance.
    Body { url: &'static str, with: &'static [(&'static str, Fixed)] },
}

/// One URL that a submit may go to.
#[derive(Debug)]
pub struct Route {
    pub when: Fits,
    /// Template.
    pub url: &'static str,
}

/// Which submits a route is for.
#[derive(Debug)]
pub enum Fits {
    Always,
    /// The model's name has this in it.
    ModelHas(&'static str),
    /// The model's name begins with one of these.
    Model(&'static [&'static str]),
    /// The body has something at this pointer.
    BodyHas(&'static str),
}

/// A value that is part of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    Text(&'static str),
    Number(u32),
    Texts(&'static [&'static str]),
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

/// A member of [`domain::generation::Input`], or what else a body is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The description's own word.
    Fixed(Fixed),
    /// The chain step's model.
    Model,
    /// Aspect ratio and resolution as one text, `16:9 720p`; the ratio alone if there is no resolution.
    Frame,
    Prompt,
    NegativePrompt,
    DurationSeconds,
    AspectRatio,
    Resolution,
    Seed,
    Audio,
}

/// How a value is written.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// As it is.
    Same,
    /// A number as a string.
    Text,
    /// A number as a string with a unit: `8s`.
    Suffixed(&'static str),
    /// What stands after this character; without it the member is left out.
    After(char),
    /// What stands after the last of this character; the whole without it.
    Last(char),
    /// Looked up, with the first word alone if the whole is not listed. What is not listed at all is sent as it is: the
    /// provider's refusal says more than a guess would.
    Table(&'static [(&'static str, Fixed)]),
    /// A list with one item of this type that has the value as its `text`.
    Item(&'static str),
    /// Whatever the value is: this.
    Instead(Fixed),
    /// The model has no such member.
    Omit,
}

/// How to ask where a request stands.
#[derive(Debug)]
pub struct Poll {
    /// Tried in order: the first whose names are all known and whose host is allowed.
    pub urls: &'static [&'static str],
    /// Pointer to the status.
    pub status: &'static str,
    /// Texts of the status; booleans read `true` and `false`. What is not listed keeps polling.
    pub words: &'static [(&'static str, Status)],
    /// An answer without a status means this.
    pub absent: Option<Status>,
    /// The provider asks not to be asked more often.
    pub min_interval_ms: u64,
}

impl Poll {
    /// For a provider that keeps no request.
    pub const NEVER: Self = Self { urls: &[], status: "", words: &[], absent: None, min_interval_ms: 0 };
}

/// What a status word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Not done yet.
    Pending,
    /// Ended; the result says with what.
    Done,
    /// Ended: [`Self::Failed`] if something is at this pointer, [`Self::Done`] otherwise.
    DoneUnless(&'static str),
    /// The same answer says why.
    Failed,
    /// The provider does not know the request (yet): said by status where others answer 404.
    Missing,
}

/// Where a finished request's result is.
#[derive(Debug)]
pub enum ResultSource {
    /// The poll's own answer has it.
    Poll,
    /// A second request, tried like [`Poll::urls`].
    Get(&'static [&'static str]),
    /// A second request for what the poll's answer names at this pointer; `urls` are tried like [`Poll::urls`] and know
    /// it by this name.
    Named { name: &'static str, at: &'static str, urls: &'static [&'static str] },
    /// The submit's own answer has it, and nothing else ever will: there is no request to ask about. `reference` is a
    /// header that takes our attempt id, for the provider's support.
    Submit { reference: Option<&'static str> },
}

/// Where a result's files are.
#[derive(Clone, Copy, Debug)]
pub struct Outputs {
    /// The first pointer that leads to anything is taken. Values are URLs or `data:` URIs.
    pub pointers: &'static [&'static str],
    /// Tried after those. Values are files in base64.
    pub base64: &'static [&'static str],
    /// A list of booleans beside the outputs: `true` marks one that the provider blanked as a refusal.
    pub flagged: Option<&'static str>,
    /// Pointers to why outputs were withheld as a refusal. What was withheld is not on the bill.
    pub withheld: &'static [&'static str],
    pub access: Access,
}

/// Who may fetch an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Whoever has its URL.
    ByUrl,
    /// Whoever has the key: it is sent along, as far as the URL leads to an allowed host.
    WithKey,
}

impl Outputs {
    /// Outputs by URL at these pointers, and nothing peculiar about them.
    pub const fn at(pointers: &'static [&'static str]) -> Self {
        Self { pointers, base64: &[], flagged: None, withheld: &[], access: Access::ByUrl }
    }
}

/// How to ask for an end.
#[derive(Debug)]
pub struct Cancel {
    pub method: Method,
    /// Tried like [`Poll::urls`].
    pub urls: &'static [&'static str],
    /// Status words of the poll right before, in which it may be sent: for a provider whose cancel destroys what is
    /// finished. Empty where it never does harm.
    pub only_in: &'static [&'static str],
}

/// The method of a cancel.
#[derive(Clone, Copy, Debug)]
pub enum Method {
    Put,
    Post,
    Delete,
}

/// Where in an answer a value is.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// A header's name, lower case.
    Header(&'static str),
    /// A pointer.
    Body(&'static str),
}

/// What a provider counts.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    pub at: Place,
    /// The unit's name; `None` if it differs by model and the rate card has it.
    pub unit: Option<&'static str>,
    /// What else is counted, and priced beside it.
    pub more: &'static [(Place, &'static str)],
}

/// A price that the provider names.
#[derive(Clone, Copy, Debug)]
pub struct Quote {
    pub at: QuoteAt,
    pub currency: Currency,
    /// Pointers into the same answer, and the text that each must have there for the price to be this; `None` if
    /// nothing may be there.
    pub only_if: &'static [(&'static str, Option<&'static str>)],
}

/// Where a price is named.
#[derive(Clone, Copy, Debug)]
pub enum QuoteAt {
    /// In the answer that ends the request, whatever that end is.
    End(Place),
    /// In the submit's answer, captured under this name: owed only if there is a result.
    Captured(&'static str),
}

/// What a price is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Currency {
    Usd,
    /// The provider's own; the rate card says what one is worth, or nobody does.
    Credits,
}

/// A member that is written as it is, whatever the model.
pub(super) const fn field(from: Source, to: &'static str) -> Field {
    Field { from, to, form: Form::Same, forms: &[] }
}
