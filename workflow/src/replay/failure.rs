use serde::{Deserialize, Serialize};

/// Why a step, or a whole run, did not succeed.
///
/// This is all that crosses the border of a step: a name and a message, no cause and no fields. Put the details into
/// your own record and a code in here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{name}: {message}")]
pub struct Failure {
    /// The error's class, in the manner of JavaScript's `Error.name`.
    pub name: String,
    /// What happened.
    pub message: String,
}

impl Failure {
    const NON_RETRYABLE: &'static str = "NonRetryableError";
    const TIMEOUT: &'static str = "WorkflowTimeoutError";

    /// A failure which the engine answers with a retry, as far as the step's policy has any left.
    ///
    /// Names should be words that end in `Error`: where an engine folds the name into the message (see the README), only
    /// such a name is found again. The names that begin with `NonRetryableError` are the engine's.
    pub fn new(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self { name: name.into(), message: message.into() }
    }

    /// A failure after which no further attempt of the step is made; it is kept like any other outcome of a step.
    ///
    /// Its name is the mark by which it is known, so only the message is yours: put a code there.
    pub fn non_retryable(message: impl Into<String>) -> Self {
        Self::new(Self::NON_RETRYABLE, message)
    }

    /// Is this the failure of that name?
    pub fn is(&self, name: &str) -> bool {
        self.name == name
    }

    /// Did the step end without using up its retries, because its activity said so?
    pub fn is_non_retryable(&self) -> bool {
        self.is(Self::NON_RETRYABLE)
    }

    /// Did the last attempt run into its policy's timeout? Such an attempt is not cancelled: it may still be running.
    pub fn is_timeout(&self) -> bool {
        self.is(Self::TIMEOUT)
    }
}
