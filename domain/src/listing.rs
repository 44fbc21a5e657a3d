//! `GET /v1/generations`: which jobs are asked for, and where the next page begins.

use std::collections::BTreeMap;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use hmac::Mac;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::fields::{Fields, Violation, Violations};
use crate::generation::{Kind, limit};
use crate::job::Status;
use crate::label::Label;
use crate::provider::Provider;
use crate::token::{derived, mac};
use crate::{ClientId, JobId, Secret, query};

/// Jobs of one page: enough for a screen …
pub const PAGE_DEFAULT: u32 = 20;
/// … and as many as a client's page is put together in a few milliseconds.
pub const PAGE_MAX: u32 = 100;

/// Longest text that is looked at as a cursor, in characters; real ones are shorter.
pub const CURSOR_LENGTH: usize = 128;

/// What the jobs of a list have in common. All that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Filter {
    pub status: Option<Status>,
    pub kind: Option<Kind>,
    /// Named by an entry of the chain; together with `model`, by one and the same entry.
    pub provider: Option<Provider>,
    pub model: Option<String>,
    pub project: Option<String>,
    pub metadata: BTreeMap<String, String>,
    /// Included.
    pub created_from: Option<DateTime<Utc>>,
    /// Not included.
    pub created_before: Option<DateTime<Utc>>,
}

impl Filter {
    /// The rarest of what is asked for, as far as one can know: by it an index finds the jobs.
    pub fn label(&self) -> Option<Label> {
        let metadata = self.metadata.iter().next().map(|(name, value)| Label::metadata(name, value));
        let project = || self.project.as_deref().map(Label::project);
        let model = || match (self.provider, self.model.as_deref()) {
            (Some(provider), Some(model)) => Some(Label::step(provider, model)),
            (None, Some(model)) => Some(Label::model(model)),
            (Some(provider), None) => Some(Label::provider(provider)),
            (None, None) => None,
        };
        metadata.or_else(project).or_else(model).or_else(|| self.kind.map(Label::kind))
    }
}

/// A valid question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    pub filter: Filter,
    pub limit: u32,
    /// As it was sent: [`Cursor`] reads it.
    pub cursor: Option<String>,
}

impl Listing {
    /// Reads a URL's query; on failure everything that is wrong, each with its parameter's name.
    pub fn parse(query: &str) -> Result<Self, Vec<Violation>> {
        let mut wrong = Violations::default();
        let object = query::object(query, &mut wrong);
        let listing = read(object, &mut wrong);
        wrong.into_result(listing)
    }
}

fn read(object: Value, wrong: &mut Violations) -> Option<Listing> {
    let mut fields = Fields::of(object, "", wrong)?;
    let filter = Filter {
        status: fields.word("status", &Status::ALL.map(Status::as_str), |word| word.parse().ok()),
        kind: fields.word("kind", &Kind::ALL.map(Kind::as_str), |word| {
            Kind::ALL.into_iter().find(|kind| kind.as_str() == word)
        }),
        provider: fields.word("provider", &Provider::ALL.map(Provider::as_str), |word| {
            Provider::ALL.into_iter().find(|provider| provider.as_str() == word)
        }),
        model: fields.text("model", 128),
        project: fields.text("project", limit::METADATA_NAME),
        metadata: metadata(&mut fields),
        created_from: fields.time("created_from"),
        created_before: fields.time("created_before"),
    };
    let limit = match fields.text("limit", 16) {
        None => PAGE_DEFAULT,
        Some(text) => match text.parse() {
            Ok(limit) if (1..=PAGE_MAX).contains(&limit) => limit,
            Ok(_) | Err(_) => {
                fields.refuse::<()>("limit", format!("must be from 1 to {PAGE_MAX}, not {text:?}"));
                PAGE_DEFAULT
            }
        },
    };
    let cursor = fields.text("cursor", CURSOR_LENGTH);
    fields.finish();
    Some(Listing { filter, limit, cursor })
}

fn metadata(fields: &mut Fields<'_>) -> BTreeMap<String, String> {
    let mut wanted = BTreeMap::new();
    match fields.take("metadata") {
        None => {}
        Some(Value::Object(members)) if members.len() <= limit::METADATA => {
            for (name, value) in members {
                let value = value.as_str().unwrap_or_default().to_owned();
                if name.chars().count() > limit::METADATA_NAME
                    || value.chars().count() > limit::METADATA_VALUE
                {
                    fields.refuse::<()>("metadata", "no generation has a name or a value of that length");
                }
                wanted.insert(name, value);
            }
        }
        Some(Value::Object(_)) => {
            fields.refuse::<()>("metadata", format!("at most {} at once", limit::METADATA));
        }
        Some(_) => {
            fields.refuse::<()>("metadata", "must be written metadata[NAME]=VALUE");
        }
    }
    wanted
}

/// A place in a list: the jobs that come after this one, newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub created_at: DateTime<Utc>,
    pub id: JobId,
}

/// The text is none that [`Position::cursor`] could have written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no cursor")]
pub struct NotACursor;

/// A position as its caller carries it. It is good for the client and the filter it was made for, and says nothing that
/// this client was not told; [`Self::belongs_to`] must hold before anything is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    position: Position,
    mac: [u8; MAC_BYTES],
}

/// Half of a SHA-256: as hard to guess as an AES key.
const MAC_BYTES: usize = 16;
/// Eight bytes of time (microseconds), sixteen of id, and the MAC.
const CURSOR_BYTES: usize = 8 + 16 + MAC_BYTES;
/// The end of the year 2999. Times beyond it are nobody's, and some of them Postgres would not take.
const LATEST_MICROS: i64 = 32_503_680_000_000_000;

impl Position {
    /// What the next page is asked for with. `key` is any secret of the deployment's; one of its own is derived.
    pub fn cursor(self, client: ClientId, filter: &Filter, key: &Secret) -> String {
        let mac = self.mac(client, filter, key).finalize().into_bytes();
        let mut bytes = Vec::with_capacity(CURSOR_BYTES);
        bytes.extend(self.created_at.timestamp_micros().to_be_bytes());
        bytes.extend(self.id.uuid().as_bytes());
        bytes.extend(mac.iter().take(MAC_BYTES));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    fn mac(self, client: ClientId, filter: &Filter, key: &Secret) -> hmac::Hmac<sha2::Sha256> {
        let micros = self.created_at.timestamp_micros();
        let claims = format!("cursor.v1.{client}.{micros}.{}.{}", self.id, json!(filter));
        mac(&derived(key, "list cursor"), &claims)
    }
}

impl Cursor {
    /// Where the page begins. Nothing of it is answered before [`Self::belongs_to`] was asked.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// Whether AFC made it for this client and this filter.
    pub fn belongs_to(&self, client: ClientId, filter: &Filter, key: &Secret) -> bool {
        self.position.mac(client, filter, key).verify_truncated_left(&self.mac).is_ok()
    }
}

impl FromStr for Cursor {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Self, NotACursor> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| NotACursor)?;
        let (micros, rest) = bytes.split_first_chunk::<8>().ok_or(NotACursor)?;
        let (id, rest) = rest.split_first_chunk::<16>().ok_or(NotACursor)?;
        let mac = <[u8; MAC_BYTES]>::try_from(rest).map_err(|_| NotACursor)?;
        let micros = Some(i64::from_be_bytes(*micros)).filter(|micros| (0..=LATEST_MICROS).contains(micros));
        let created_at = micros.and_then(DateTime::from_timestamp_micros).ok_or(NotACursor)?;
        Ok(Self { position: Position { created_at, id: JobId::new(Uuid::from_bytes(*id)) }, mac })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(query: &str) -> Vec<String> {
        Listing::parse(query).unwrap_err().into_iter().map(|wrong| wrong.pointer).collect()
    }

    #[test]
    fn a_question_is_read_whole() {
        let query = "status=failed&kind=video&provider=fal&model=fal-ai/veo3.1&project=p&limit=5\
            &metadata[order]=17&created_from=2026-12-01T00:00:00%2B01:00";
        let Listing { filter, limit, cursor } = Listing::parse(query).unwrap();
        assert_eq!((limit, cursor, filter.status), (5, None, Some(Status::Failed)));
        assert_eq!(filter.metadata["order"], "17");
        assert_eq!(filter.created_from.unwrap(), DateTime::from_timestamp_secs(1_796_079_600).unwrap());
        assert_eq!(filter.label(), Some(Label::metadata("order", "17")));
        let filter = Filter { metadata: BTreeMap::new(), project: None, ..filter };
        assert_eq!(filter.label(), Some(Label::step(Provider::Fal, "fal-ai/veo3.1")));
        assert_eq!(Filter::default().label(), None);
        assert_eq!(Listing::parse("").unwrap().limit, PAGE_DEFAULT);
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(wrong("status=done&limit=101"), ["/status", "/limit"]);
        assert_eq!(wrong("limit=0"), ["/limit"]);
        assert_eq!(wrong("metadata=x"), ["/metadata"]);
        assert_eq!(wrong("created_from=yesterday"), ["/created_from"]);
        let unknown = Listing::parse("statsu=failed").unwrap_err();
        assert!(unknown[0].detail.contains("did you mean \"status\"?"), "{unknown:?}");
    }

    #[test]
    fn i11_a_cursor_is_good_for_its_client_and_its_filter_and_as_it_was_made() {
        let key = Secret::new("k");
        let client = |n| ClientId::new(Uuid::from_u128(n));
        let position = Position {
            created_at: DateTime::from_timestamp_micros(1_800_000_000_123_456).unwrap(),
            id: JobId::new(Uuid::from_u128(7)),
        };
        let filter = Filter { kind: Some(Kind::Video), ..Filter::default() };
        let text = position.cursor(client(1), &filter, &key);
        let cursor: Cursor = text.parse().unwrap();
        assert_eq!(cursor.position(), position);
        assert!(cursor.belongs_to(client(1), &filter, &key));
        assert!(!cursor.belongs_to(client(2), &filter, &key));
        assert!(!cursor.belongs_to(client(1), &Filter::default(), &key));
        assert!(!cursor.belongs_to(client(1), &filter, &Secret::new("other")));
        let bytes = URL_SAFE_NO_PAD.decode(&text).unwrap();
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            let changed = URL_SAFE_NO_PAD.encode(changed).parse::<Cursor>();
            assert!(changed.is_err() || !changed.unwrap().belongs_to(client(1), &filter, &key), "{place}");
        }
    }

    #[test]
    fn no_text_that_is_not_a_cursor_reads_as_one() {
        let far = [i64::MIN, -1, LATEST_MICROS + 1, i64::MAX].map(|micros| {
            let bytes: Vec<u8> = micros.to_be_bytes().into_iter().chain([0; 32]).collect();
            URL_SAFE_NO_PAD.encode(bytes)
        });
        for text in ["", "x", "!", &URL_SAFE_NO_PAD.encode([0; 39]), &URL_SAFE_NO_PAD.encode([0; 41])]
            .into_iter()
            .chain(far.iter().map(String::as_str))
        {
            assert_eq!(text.parse::<Cursor>(), Err(NotACursor), "{text}");
        }
    }
}
