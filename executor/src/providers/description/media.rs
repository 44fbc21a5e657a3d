//! Images and videos in a description: how a provider is given them, and where in the body they go.

use domain::generation::Kind;
use domain::inputs::Role;

/// The images and videos that a provider takes.
#[derive(Debug)]
pub struct Takes {
    /// How it is given a file, each up to so many bytes; the first that a file fits is taken.
    pub ways: &'static [(Way, u64)],
    /// A medium goes to the first slot that is for its role, kind and model and is not taken yet.
    pub slots: &'static [Slot],
}

/// How a provider is given a file.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// A URL that it fetches: the caller's own, or a signed one into the bucket, good for GET only.
    Url,
    /// `data:image/png;base64,…`
    DataUri,
    /// Base64 alone.
    Base64,
    /// Sent to the provider beforehand, at no cost; it says how the body names it.
    Upload(&'static Upload),
}

/// Two requests: one asks for a place, the other sends the file there as a form, without the key.
#[derive(Debug)]
pub struct Upload {
    /// Template.
    pub url: &'static str,
    /// The first request's body as JSON; `{name}` is a file name.
    pub body: &'static str,
    /// In its answer: where the file goes, the form's other fields, and what the submit calls it.
    pub to: &'static str,
    pub fields: &'static str,
    pub named: &'static str,
}

/// A place for a medium.
#[derive(Debug)]
pub struct Slot {
    pub roles: &'static [Role],
    pub kind: Kind,
    /// Models whose name has one of these in it; empty: models that no other slot of this role and kind is for.
    pub models: &'static [&'static str],
    /// A pointer. A last segment `-` is a further item of the list there (RFC 6901), so that the slot is never full.
    pub to: &'static str,
    /// What is put there, as JSON, in which `{media}` is the medium and `{type}` its media type.
    pub item: &'static str,
}

impl Takes {
    /// For a provider that takes none.
    pub const NOTHING: Self = Self { ways: &[], slots: &[] };
}

/// The medium by itself.
pub(in crate::providers) const PLAIN: &str = r#""{media}""#;

/// A slot for images.
pub(in crate::providers) const fn image(
    roles: &'static [Role],
    models: &'static [&'static str],
    to: &'static str,
    item: &'static str,
) -> Slot {
    Slot { roles, kind: Kind::Image, models, to, item }
}

/// A slot for videos.
pub(in crate::providers) const fn video(
    roles: &'static [Role],
    models: &'static [&'static str],
    to: &'static str,
    item: &'static str,
) -> Slot {
    Slot { roles, kind: Kind::Video, models, to, item }
}
