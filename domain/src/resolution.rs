//! A human's word on an attempt that nobody could tell about (B3).

use serde_json::Value;

use crate::fields::{Violation, read};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// The provider accepted it, under this request id: the job goes on by waiting for it.
    Paid { provider_request_id: String },
    /// The provider never accepted it: it cost nothing and the job may try again.
    NotPaid,
    /// Still nobody knows; the risk of paying twice is accepted.
    Retry,
}

impl Resolution {
    const WORDS: [&str; 3] = ["paid", "not_paid", "retry"];

    pub fn parse(body: Value) -> Result<Self, Vec<Violation>> {
        read(body, |fields| {
            let known = |word: &str| Self::WORDS.into_iter().find(|known| *known == word);
            let word = fields.required_word("resolution", &Self::WORDS, known);
            let id = fields.text("provider_request_id", REQUEST_ID);
            match (word?, id) {
                ("paid", Some(id)) if is_request_id(&id) => Some(Self::Paid { provider_request_id: id }),
                ("paid", Some(_)) => fields.refuse(
                    "provider_request_id",
                    "must be letters, digits and . _ - : between single slashes",
                ),
                ("paid", None) => {
                    fields.refuse("provider_request_id", "is required: under which id it was paid")
                }
                (_, Some(_)) => fields.refuse("provider_request_id", "goes with \"paid\""),
                ("retry", None) => Some(Self::Retry),
                (_, None) => Some(Self::NotPaid),
            }
        })
    }

    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Paid { .. } => "paid",
            Self::NotPaid => "not_paid",
            Self::Retry => "retry",
        }
    }
}

/// Characters of a provider's request id.
pub const REQUEST_ID: usize = 200;

/// Whether a text can be a provider's request id, which may be a path. It becomes part of a URL's path at the provider.
pub fn is_request_id(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-:".contains(&byte);
    let segment = |text: &str| !text.is_empty() && !text.starts_with('.') && text.bytes().all(allowed);
    text.len() <= REQUEST_ID && text.split('/').all(segment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn b3_a_word_is_read_with_what_belongs_to_it_and_nothing_else() {
        let paid = Resolution::Paid { provider_request_id: "models/veo/operations/r.7".to_owned() };
        for (body, word) in [
            (json!({"resolution": "paid", "provider_request_id": "models/veo/operations/r.7"}), paid),
            (json!({"resolution": "not_paid"}), Resolution::NotPaid),
            (json!({"resolution": "retry", "provider_request_id": null}), Resolution::Retry),
        ] {
            assert_eq!(Resolution::parse(body.clone()), Ok(word), "{body}");
        }
        for body in [
            json!({}),
            json!(["not_paid"]),
            json!({"resolution": "maybe"}),
            json!({"resolution": "paid"}),
            json!({"resolution": "paid", "provider_request_id": "a//b"}),
            json!({"resolution": "paid", "provider_request_id": "../b"}),
            json!({"resolution": "retry", "provider_request_id": "r7"}),
            json!({"resolution": "not_paid", "sure": true}),
        ] {
            assert!(Resolution::parse(body.clone()).is_err(), "{body}");
        }
    }
}
