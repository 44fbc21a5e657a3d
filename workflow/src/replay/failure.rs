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
    /// A name that starts with `NonRetryableError` would end the step at once: use [`Failure::non_retryable`] to say so.
    pub fn new(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self { name: name.into(), message: message.into() }
    }

    /// A failure after which the engine makes no further attempt of the step.
    ///
    /// Its name is the engine's own mark, so only the message is yours. The engine need not checkpoint such a failure
    /// (the local one does not): a run that goes on after catching it may perform the step again when the engine
    /// restarts. Where a run is to go on, let the activity return the outcome as its *result* instead.
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
