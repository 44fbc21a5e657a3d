//! What a generation is made from beside its words: images and videos, and the uploads that hold them.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::callback_url::{CallbackUrl, Loopback};
use crate::fields::{Fields, Violations, kind};
use crate::{ClientId, InputId, JobId};

/// Limits, each far above honest use.
pub mod limit {
    /// Media of one request.
    pub const MEDIA: usize = 16;
    /// Bytes of one file: what Cloudflare lets into a Worker on every plan.
    pub const BYTES: u64 = 100_000_000;
    /// Bytes of all files of one request that AFC has to hold at once: a container's disk has 2 GB for results too.
    pub const TOTAL_BYTES: u64 = 400_000_000;
    /// The index of an earlier generation's output.
    pub const OUTPUT: i64 = 63;
}

/// What a medium is to the generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The image that a video begins with.
    FirstFrame,
    /// The image that it ends with.
    LastFrame,
    /// A subject, a style, a motion to go by.
    Reference,
    /// What is edited or continued.
    Source,
}

impl Role {
    pub const ALL: [Self; 4] = [Self::FirstFrame, Self::LastFrame, Self::Reference, Self::Source];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FirstFrame => "first_frame",
            Self::LastFrame => "last_frame",
            Self::Reference => "reference",
            Self::Source => "source",
        }
    }
}

/// One image or video, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Medium {
    pub role: Role,
    #[serde(flatten)]
    pub origin: Origin,
}

/// Where a medium comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Origin {
    /// An upload of the same client.
    Input { input: InputId },
    /// An output of an earlier generation of the same client.
    Generation { generation: JobId, output: u32 },
    /// The caller's own place, guarded as receivers are: <https>, a public name.
    Url { url: CallbackUrl },
}

impl fmt::Display for Origin {
    /// How a journal names it: short, and without what opens it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input { input } => write!(f, "input:{input}"),
            Self::Generation { generation, output } => write!(f, "generation:{generation}/{output}"),
            Self::Url { url } => url.fmt(f),
        }
    }
}

/// Why a client cannot generate from what it names. Somebody else's is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unusable {
    UnknownInput,
    ExpiredInput,
    UnknownGeneration,
    /// Its outputs may still come.
    UnfinishedGeneration,
    /// It failed or was cancelled: there will be none.
    FailedGeneration,
    UnknownOutput,
    /// It was kept for a time that is over.
    ExpiredOutput,
}

impl Unusable {
    /// The member of the medium that is wrong.
    pub const fn member(self) -> &'static str {
        match self {
            Self::UnknownInput | Self::ExpiredInput => "input",
            Self::UnknownGeneration | Self::UnfinishedGeneration | Self::FailedGeneration => "generation",
            Self::UnknownOutput | Self::ExpiredOutput => "output",
        }
    }

    /// What is wrong, for the caller.
    pub const fn detail(self) -> &'static str {
        match self {
            Self::UnknownInput => "there is no such input, or it belongs to another client",
            Self::ExpiredInput => "the input has expired; upload the file again",
            Self::UnknownGeneration => "there is no such generation, or it belongs to another client",
            Self::UnfinishedGeneration => "the generation has not finished; ask again when it has succeeded",
            Self::FailedGeneration => "the generation failed or was cancelled and has no output",
            Self::UnknownOutput => "the generation has no output of that index; they count from 0",
            Self::ExpiredOutput => {
                "the generation's output is no longer kept; upload the file, or generate it again"
            }
        }
    }
}

/// The key of an uploaded file: a client's files lie under its own name.
pub fn key(client: ClientId, input: InputId) -> String {
    format!("inputs/{client}/{input}")
}

/// Reads `media`; `pointer` is where it stands. `None`, and a violation, where it cannot be read.
pub fn read_media(
    value: Value,
    pointer: &str,
    loopback: Loopback,
    wrong: &mut Violations,
) -> Option<Vec<Medium>> {
    let Value::Array(items) = value else {
        wrong.add(pointer, format!("must be a list of images and videos, not {}", kind(&value)));
        return None;
    };
    if items.len() > limit::MEDIA {
        wrong.add(pointer, format!("may name {} images and videos, not {}", limit::MEDIA, items.len()));
        return None;
    }
    let media =
        items.into_iter().enumerate().map(|(at, item)| read_medium(item, pointer, at, loopback, wrong));
    media.collect::<Vec<_>>().into_iter().collect()
}

fn read_medium(
    value: Value,
    pointer: &str,
    at: usize,
    loopback: Loopback,
    wrong: &mut Violations,
) -> Option<Medium> {
    let mut fields = Fields::of(value, format!("{pointer}/{at}"), wrong)?;
    let role = fields.required_word("role", &Role::ALL.map(Role::as_str), |word| {
        Role::ALL.into_iter().find(|role| role.as_str() == word)
    });
    let origin = read_origin(&mut fields, loopback);
    fields.finish();
    Some(Medium { role: role?, origin: origin? })
}

fn read_origin(fields: &mut Fields<'_>, loopback: Loopback) -> Option<Origin> {
    let (url, input, generation) = (fields.take("url"), fields.take("input"), fields.take("generation"));
    let output = fields.integer("output", 0, limit::OUTPUT);
    if output.is_some() && generation.is_none() {
        return fields.refuse("output", "goes with generation: the index of one of its outputs");
    }
    match (url, input, generation) {
        (Some(url), None, None) => {
            let Value::String(text) = url else {
                return fields.refuse("url", format!("must be a string, not {}", kind(&url)));
            };
            let read = CallbackUrl::parse(&text, loopback);
            let url = read.map_err(|why| fields.refuse::<()>("url", why.to_string())).ok()?;
            Some(Origin::Url { url })
        }
        (None, Some(input), None) => {
            let input = input.as_str().and_then(|text| text.parse().ok());
            let input = input.or_else(|| fields.refuse("input", "must be the id of an input"))?;
            Some(Origin::Input { input })
        }
        (None, None, Some(generation)) => {
            let generation = generation.as_str().and_then(|text| text.parse().ok());
            let generation =
                generation.or_else(|| fields.refuse("generation", "must be the id of a generation"))?;
            let output = u32::try_from(output.unwrap_or(0)).unwrap_or(0);
            Some(Origin::Generation { generation, output })
        }
        _ => fields.refuse("url", "name exactly one of url, input and generation"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ID: &str = "0198c0de-0000-7000-8000-000000000001";

    fn read(value: Value) -> Result<Vec<Medium>, Vec<(String, String)>> {
        let mut wrong = Violations::default();
        let media = read_media(value, "/input/media", Loopback::Refused, &mut wrong);
        wrong.into_result(media).map_err(|wrong| {
            wrong.into_iter().map(|violation| (violation.pointer, violation.detail)).collect()
        })
    }

    #[test]
    fn a_medium_is_a_url_an_upload_or_an_earlier_output() {
        let media = read(json!([
            {"role": "first_frame", "url": "https://cdn.studio.com/1.png"},
            {"role": "last_frame", "input": ID},
            {"role": "source", "generation": ID},
            {"role": "reference", "generation": ID, "output": 2},
        ]))
        .unwrap();
        let named: Vec<String> = media.iter().map(|medium| medium.origin.to_string()).collect();
        assert_eq!(named[0], "https://cdn.studio.com/1.png");
        assert_eq!(named[1], format!("input:{ID}"));
        assert_eq!(named[2..], [format!("generation:{ID}/0"), format!("generation:{ID}/2")]);
        let stored = serde_json::to_value(&media).unwrap();
        assert_eq!(stored[3], json!({"role": "reference", "generation": ID, "output": 2}));
        assert_eq!(serde_json::from_value::<Vec<Medium>>(stored).unwrap(), media);
        assert_eq!(read(json!([])), Ok(Vec::new()));
    }

    #[test]
    fn f24_whatever_is_no_medium_is_named_at_its_place() {
        let one = |value: Value| read(json!([value])).unwrap_err().remove(0);
        let url = "https://cdn.studio.com/1.png";
        for (value, member) in [
            (json!("x"), ""),
            (json!({"role": "cover", "url": url}), "/role"),
            (json!({"url": url}), "/role"),
            (json!({"role": "source"}), "/url"),
            (json!({"role": "source", "url": url, "input": ID}), "/url"),
            (json!({"role": "source", "url": "http://cdn.studio.com/1.png"}), "/url"),
            (json!({"role": "source", "url": "https://127.0.0.1/1.png"}), "/url"),
            (json!({"role": "source", "url": 7}), "/url"),
            (json!({"role": "source", "input": "x"}), "/input"),
            (json!({"role": "source", "input": {"id": ID}}), "/input"),
            (json!({"role": "source", "generation": ID.to_uppercase()}), "/generation"),
            (json!({"role": "source", "generation": ID, "output": -1}), "/output"),
            (json!({"role": "source", "input": ID, "output": 0}), "/output"),
            (json!({"role": "source", "input": ID, "weight": 1}), "/weight"),
        ] {
            assert_eq!(one(value.clone()).0, format!("/input/media/0{member}"), "{value}");
        }
        assert_eq!(read(json!({})).unwrap_err()[0].0, "/input/media");
        let many = vec![json!({"role": "source", "url": url}); limit::MEDIA + 1];
        assert_eq!(read(json!(many)).unwrap_err()[0].0, "/input/media");
    }

    #[test]
    fn a_clients_uploads_lie_under_its_name() {
        let (client, input) = (ID.parse().unwrap(), ID.parse().unwrap());
        assert_eq!(key(client, input), format!("inputs/{ID}/{ID}"));
    }
}
