//! One kind of error for every command: what went wrong, and what to do next.

use std::fmt;

/// The result of a command or of one of its parts.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// What went wrong and what a person should do about it. `Display` is the text a terminal gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    what: String,
    next: String,
}

impl Failure {
    /// `what` says what happened, `next` is the instruction that follows from it.
    pub(crate) fn new(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self { what: what.into(), next: next.into() }
    }

    /// What happened, without the instruction.
    pub(crate) fn what(&self) -> &str {
        &self.what
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}\n next: {}", self.what.trim_end(), self.next)
    }
}

/// Turns any error into a [`Failure`].
pub(crate) trait OrFail<T> {
    /// `what` is what was being done (its cause is appended), `next` what to do about it.
    fn or_fail(self, what: impl fmt::Display, next: &str) -> Outcome<T>;
}

impl<T, E: fmt::Display> OrFail<T> for Result<T, E> {
    fn or_fail(self, what: impl fmt::Display, next: &str) -> Outcome<T> {
        self.map_err(|cause| Failure::new(format!("{what}: {cause}"), next))
    }
}

impl<T> OrFail<T> for Option<T> {
    fn or_fail(self, what: impl fmt::Display, next: &str) -> Outcome<T> {
        self.ok_or_else(|| Failure::new(what.to_string(), next))
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, OrFail};

    #[test]
    fn a_failure_says_what_happened_and_what_to_do() {
        let failed: Result<(), _> = Err::<(), _>("no such file").or_fail("cannot read x", "create x");
        assert_eq!(failed, Err(Failure::new("cannot read x: no such file", "create x")));
        let text = failed.unwrap_err().to_string();
        assert_eq!(text, "error: cannot read x: no such file\n next: create x");
    }
}
