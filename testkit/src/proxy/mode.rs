//! What a proxy can be told to do.

use serde::Serialize;

/// What a proxy does, until it is told otherwise. In JSON `"pass"`, `"refuse"`, `"stall"` or `{"cut_after_bytes": n}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Passes everything on, what was held back as well.
    #[default]
    Pass,
    /// Resets new connections at once, and the open ones when it begins.
    Refuse,
    /// Keeps connections open, new ones too, and passes nothing in either direction: no byte and no end.
    Stall,
    /// Passes everything on, but resets each connection that it accepts from now on as soon as so many bytes from the
    /// target have passed; with 0, in place of the first byte. Any mode after it spares them.
    CutAfterBytes(u64),
}
