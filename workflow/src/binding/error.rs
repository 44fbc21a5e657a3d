use js_sys::Reflect;
use wasm_bindgen::JsValue;

use crate::replay::MAX_BYTES;

/// Why a call to the engine did not do what was asked. Texts are the engine's own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no such instance.
    #[error("{0}")]
    NotFound(String),
    /// An instance of that id exists already.
    #[error("{0}")]
    AlreadyExists(String),
    /// The instance has ended.
    #[error("{0}")]
    Finished(String),
    /// Parameters or a payload measure more than 1 MiB; nothing was sent.
    #[error("{bytes} bytes of JSON, more than the {MAX_BYTES} which parameters or a payload may measure")]
    TooLarge {
        /// What they measure.
        bytes: usize,
    },
    /// Anything else, such as an invalid id, or the engine out of reach.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// The engine tells its errors apart by a code inside the message, and by nothing else.
    fn from_message(message: String) -> Self {
        let has = |code: &str| message.contains(code);
        if has("instance.not_found") {
            Error::NotFound(message)
        } else if has("instance.already_exists") {
            Error::AlreadyExists(message)
        } else if has("instance.in_finite_state") || has("instance.cannot_terminate") {
            Error::Finished(message)
        } else {
            Error::Other(message)
        }
    }
}

impl From<JsValue> for Error {
    fn from(thrown: JsValue) -> Self {
        let message = Reflect::get(&thrown, &"message".into()).ok().and_then(|message| message.as_string());
        Error::from_message(message.unwrap_or_else(|| format!("{thrown:?}")))
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Error::Other(error.to_string())
    }
}

impl From<Error> for worker::Error {
    fn from(error: Error) -> Self {
        worker::Error::RustError(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn errors_are_told_apart_by_the_code_in_the_message() {
        let of = |message: &str| Error::from_message(message.into());
        // The wrapped form of the engine, the bare one of `get`, and one with the name folded in.
        let exists = r#"(instance.already_exists) Workflow instance with id "a" already exists"#;
        assert_eq!(of(exists), Error::AlreadyExists(exists.into()));
        assert_eq!(of("instance.not_found"), Error::NotFound("instance.not_found".into()));
        let folded = "WorkflowError: (instance.not_found) Instance does not exist";
        assert_eq!(of(folded), Error::NotFound(folded.into()));
        assert!(matches!(of("(instance.in_finite_state) no"), Error::Finished(_)));
        assert!(matches!(of("(instance.cannot_terminate) no"), Error::Finished(_)));
        assert!(matches!(of("Workflow instance has invalid id"), Error::Other(_)));
    }
}
