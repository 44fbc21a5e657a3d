//! A finished request's answer: what it made and what it used.

use domain::attempt::{AttemptError, ErrorClass};
use serde_json::Value;

use super::answer::{Answer, select, text};
use super::description::{Access, Billed, Currency, Outputs};
use super::errors::{clean, fault};

/// A result that can be fetched.
#[derive(Clone, Debug)]
pub struct Completion {
    /// At least one.
    pub media: Vec<Media>,
    pub bill: Bill,
}

/// What a provider says of an attempt's use and price, as it wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bill {
    /// A count and its unit; `None` for the unit that the rate card has for the model.
    pub units: Option<(String, Option<&'static str>)>,
    /// What else is counted, in its own units.
    pub more: Vec<(String, &'static str)>,
    /// A price of the provider's own.
    pub quoted: Option<(String, Currency)>,
}

/// Where one output file is.
#[derive(Clone, PartialEq, Eq)]
pub enum Media {
    /// To be fetched without the provider's key.
    Url(String),
    /// To be fetched with the provider's key, as far as it leads to one of the provider's hosts.
    Keyed(String),
    /// The file itself, as a `data:` URI.
    Inline(String),
    /// The file itself, in base64.
    Base64(String),
}

impl std::fmt::Debug for Media {
    /// Neither signatures nor megabytes belong into a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Url(_) => f.write_str("Url(..)"),
            Self::Keyed(_) => f.write_str("Keyed(..)"),
            Self::Inline(uri) => write!(f, "Inline({} bytes)", uri.len()),
            Self::Base64(text) => write!(f, "Base64({} bytes)", text.len()),
        }
    }
}

/// The outputs of a successful answer. Done without an error and without an output is a refusal, never a success.
pub(super) fn outputs(
    description: &Outputs,
    answer: &mut Answer,
) -> Result<Vec<Media>, (AttemptError, Billed)> {
    let flags = description.flagged.map(|pointer| select(&answer.body, pointer)).unwrap_or_default();
    let flags: Vec<bool> = flags.into_iter().map(|flag| flag.as_bool() == Some(true)).collect();
    let body = std::mem::take(&mut answer.body);
    let texts = |pointers: &[&str]| -> Vec<String> {
        let found = pointers.iter().map(|pointer| select(&body, pointer)).find(|found| !found.is_empty());
        found.unwrap_or_default().into_iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let found = texts(description.pointers);
    // Flags that do not line up with the outputs say nothing about which.
    let aligned = flags.len() == found.len();
    let kept = found.iter().enumerate().filter(|(index, _)| !(aligned && flags.get(*index) == Some(&true)));
    let media: Vec<Media> = kept.map(|(_, text)| media(text, description.access)).collect();
    if !media.is_empty() {
        return Ok(media);
    }
    let media: Vec<Media> = texts(description.base64).into_iter().map(Media::Base64).collect();
    if !media.is_empty() {
        return Ok(media);
    }
    let withheld = description.withheld.iter().find_map(|pointer| body.pointer(pointer).and_then(text));
    if let Some(why) = withheld {
        let words = format!("the provider withheld every output: {}", clean(&why, 500));
        return Err((fault(ErrorClass::Refusal, "withheld", words), Billed::No));
    }
    if flags.contains(&true) {
        let words = "the provider blanked every output as unsafe";
        return Err((fault(ErrorClass::Refusal, "flagged", words), Billed::Unknown));
    }
    let words =
        ["/description", "/message", "/text"].iter().find_map(|pointer| body.pointer(pointer)?.as_str());
    let words = words.map(|words| format!(": {}", clean(words, 500))).unwrap_or_default();
    let words = format!("the provider finished without an output{words}");
    Err((fault(ErrorClass::Refusal, "no_output", words), Billed::Unknown))
}

fn media(text: &str, access: Access) -> Media {
    let inline = text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"));
    match access {
        _ if inline => Media::Inline(text.to_owned()),
        Access::ByUrl => Media::Url(text.to_owned()),
        Access::WithKey => Media::Keyed(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::providers::FAL;

    fn found(body: Value) -> Result<Vec<Media>, AttemptError> {
        let mut answer = Answer { status: Some(200), body, ..Answer::default() };
        outputs(&FAL.outputs, &mut answer).map_err(|(error, _)| error)
    }

    #[test]
    fn outputs_are_found_where_fal_models_put_them() {
        let url = |text: &str| Media::Url(text.to_owned());
        for (body, expected) in [
            (
                json!({"video": {"url": "https://a/v.mp4", "content_type": "video/mp4"}}),
                vec![url("https://a/v.mp4")],
            ),
            (
                json!({"images": [{"url": "https://a/1"}, {"url": "https://a/2"}]}),
                vec![url("https://a/1"), url("https://a/2")],
            ),
            (json!({"image": {"url": "https://a/1"}, "seed": 1}), vec![url("https://a/1")]),
            (
                json!({"images": [{"url": "data:image/png;base64,AA=="}]}),
                vec![Media::Inline("data:image/png;base64,AA==".into())],
            ),
            (
                json!({"images": [{"url": "https://a/1"}, {"url": "https://a/2"}], "has_nsfw_concepts": [true, false]}),
                vec![url("https://a/2")],
            ),
        ] {
            assert_eq!(found(body.clone()).unwrap(), expected, "{body}");
        }
    }

    #[test]
    fn done_without_an_output_is_a_refusal() {
        for (body, code) in [
            (json!({}), "no_output"),
            (json!({"images": []}), "no_output"),
            (json!({"video": null}), "no_output"),
            (json!({"images": [{"url": "https://a/1"}], "has_nsfw_concepts": [true]}), "flagged"),
        ] {
            let error = found(body.clone()).unwrap_err();
            assert_eq!((error.class, error.code.as_deref()), (ErrorClass::Refusal, Some(code)), "{body}");
        }
    }
}
