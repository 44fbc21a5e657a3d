//! What happened to a job, in order, and what of it somebody has been told.
//!
//! Read from the rows that stand; nothing is written for it. Rows of two tables cannot be put under one number (an attempt's
//! may be committed after an event that is later), so a [`Mark`] counts each of them for itself: what it covers was told,
//! and nothing else.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::AttemptId;
use crate::attempt::{ErrorClass, State};
use crate::error::Failure;
use crate::provider::Provider;

/// A job's rows, as far as its timeline needs them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct History {
    pub created_at: DateTime<Utc>,
    /// Why it failed, if it did.
    pub error: Option<Failure>,
    /// In the order of their commits.
    pub events: Vec<Event>,
    /// In the order of their opening.
    pub attempts: Vec<Attempt>,
}

/// A change of the job's status.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Event {
    #[serde(rename = "type")]
    pub kind: String,
    pub reason: Option<String>,
    pub at: DateTime<Utc>,
}

/// A paid call.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Attempt {
    pub id: AttemptId,
    pub ordinal: u32,
    pub provider: Provider,
    pub model: String,
    pub state: State,
    pub class: Option<ErrorClass>,
    pub code: Option<String>,
    pub started_at: DateTime<Utc>,
    pub accepted_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What has been told once this has.
    pub mark: Mark,
    pub kind: String,
    pub at: DateTime<Utc>,
    pub data: Value,
}

/// What has been told: so many changes of status, and how far each attempt was. Its text is an event's id:
/// `3.31` is three changes, the first attempt's end and the second one's opening.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    changes: u32,
    /// By attempt: 1 opened, 2 accepted, 3 ended.
    stages: Vec<u8>,
}

/// A job has 20 attempts at most, and what operators add to them; a mark of more is none.
const ATTEMPTS: usize = 64;

const OPENED: u8 = 1;
const ACCEPTED: u8 = 2;
const ENDED: u8 = 3;

/// The text is no mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an id of an event of a generation")]
pub struct NotAMark;

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.", self.changes)?;
        self.stages.iter().try_for_each(|stage| write!(f, "{stage}"))
    }
}

impl FromStr for Mark {
    type Err = NotAMark;

    fn from_str(text: &str) -> Result<Self, NotAMark> {
        let (changes, stages) = text.split_once('.').ok_or(NotAMark)?;
        let changes: u32 = changes.parse().map_err(|_| NotAMark)?;
        if stages.len() > ATTEMPTS || !stages.bytes().all(|stage| matches!(stage, b'0'..=b'3')) {
            return Err(NotAMark);
        }
        let mark = Self { changes, stages: stages.bytes().map(|stage| stage - b'0').collect() };
        // One mark has one spelling.
        if mark.to_string() == text { Ok(mark) } else { Err(NotAMark) }
    }
}

impl Mark {
    fn stage(&self, index: usize) -> u8 {
        self.stages.get(index).copied().unwrap_or(0)
    }

    fn tell(&mut self, what: What) {
        match what {
            What::Change => self.changes = self.changes.saturating_add(1),
            What::Stage { attempt, stage } => {
                if self.stages.len() <= attempt {
                    self.stages.resize(attempt + 1, 0);
                }
                if let Some(told) = self.stages.get_mut(attempt) {
                    *told = stage;
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
enum What {
    Change,
    Stage { attempt: usize, stage: u8 },
}

impl What {
    const fn is_beyond(self, told: u8) -> bool {
        match self {
            Self::Change => true,
            Self::Stage { stage, .. } => stage > told,
        }
    }
}

struct Found {
    what: What,
    kind: String,
    at: DateTime<Utc>,
    data: Value,
}

/// With the place in time that each is told at: never before what its own row order puts first, since a mark counts in
/// that order. (A transaction that began earlier may commit later.)
fn in_order(found: impl Iterator<Item = Found>) -> impl Iterator<Item = (DateTime<Utc>, Found)> {
    let mut latest = DateTime::<Utc>::MIN_UTC;
    found.map(move |found| {
        latest = latest.max(found.at);
        (latest, found)
    })
}

impl History {
    /// What `told` does not cover yet, by time. Told again with the last entry's mark, nothing comes twice, whatever was
    /// committed late.
    pub fn since(&self, told: &Mark) -> Vec<Entry> {
        let mut found = Vec::new();
        let queued = std::iter::once(("generation.queued".to_owned(), self.created_at, json!({})));
        let events = self.events.iter().map(|event| (event.kind.clone(), event.at, self.data(event)));
        let changes =
            queued.chain(events).map(|(kind, at, data)| Found { what: What::Change, kind, at, data });
        let skipped = usize::try_from(told.changes).unwrap_or(usize::MAX);
        found.extend(in_order(changes).skip(skipped));
        for (index, attempt) in self.attempts.iter().take(ATTEMPTS).enumerate() {
            let stages = attempt.stages().into_iter().map(|(stage, word, at)| Found {
                what: What::Stage { attempt: index, stage },
                kind: format!("attempt.{word}"),
                at,
                data: attempt.data(stage),
            });
            let told = told.stage(index);
            found.extend(in_order(stages).filter(|(_, found)| found.what.is_beyond(told)));
        }
        // Stable, so that what is as old keeps its order.
        found.sort_by_key(|(place, _)| *place);
        let mut mark = told.clone();
        let entries = found.into_iter().map(|(_, Found { what, kind, at, data })| {
            mark.tell(what);
            Entry { mark: mark.clone(), kind, at, data }
        });
        entries.collect()
    }

    fn data(&self, event: &Event) -> Value {
        match (&event.reason, &self.error) {
            (Some(reason), _) => json!({"reason": reason}),
            (None, Some(failure)) if event.kind == "generation.failed" => {
                json!({"error": {"code": failure.code, "message": failure.message, "retryable": failure.code.retryable()}})
            }
            (None, _) => json!({}),
        }
    }
}

impl Attempt {
    /// Each with its word and its time. That nobody knows what became of it has no time of its own: the job's `waiting`
    /// says it.
    fn stages(&self) -> Vec<(u8, &'static str, DateTime<Utc>)> {
        let mut stages = vec![(OPENED, "opened", self.started_at)];
        stages.extend(self.accepted_at.map(|at| (ACCEPTED, "accepted", at)));
        stages.extend(self.finished_at.map(|at| (ENDED, self.state.as_str(), at)));
        stages
    }

    fn data(&self, stage: u8) -> Value {
        let mut data = json!({"attempt": self.id, "ordinal": self.ordinal, "provider": self.provider, "model": self.model});
        if let (ENDED, Some(class), Value::Object(members)) = (stage, self.class, &mut data) {
            members.insert("class".to_owned(), json!(class));
            members.insert("code".to_owned(), json!(self.code));
        }
        data
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use proptest::collection::vec;
    use proptest::prelude::{Strategy, any, proptest};

    use super::*;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(second)
    }

    fn event(kind: &str, second: i64) -> Event {
        Event { kind: format!("generation.{kind}"), reason: None, at: at(second) }
    }

    fn attempt(ordinal: u32, started: i64, accepted: Option<i64>, ended: Option<i64>) -> Attempt {
        Attempt {
            id: AttemptId::new(uuid::Uuid::from_u128(ordinal.into())),
            ordinal,
            provider: Provider::Fal,
            model: "fal-ai/veo3.1".to_owned(),
            state: if ended.is_some() { State::Succeeded } else { State::Open },
            class: None,
            code: None,
            started_at: at(started),
            accepted_at: accepted.map(at),
            finished_at: ended.map(at),
        }
    }

    fn history(events: Vec<Event>, attempts: Vec<Attempt>) -> History {
        History { created_at: at(0), error: None, events, attempts }
    }

    fn told(entries: &[Entry]) -> Vec<(String, String)> {
        entries.iter().map(|entry| (entry.mark.to_string(), entry.kind.clone())).collect()
    }

    #[test]
    fn a_job_is_told_from_its_rows() {
        let history =
            history(vec![event("running", 1), event("succeeded", 9)], vec![attempt(1, 2, Some(3), Some(8))]);
        let entries = told(&history.since(&Mark::default()));
        let expected = [
            ("1.", "generation.queued"),
            ("2.", "generation.running"),
            ("2.1", "attempt.opened"),
            ("2.2", "attempt.accepted"),
            ("2.3", "attempt.succeeded"),
            ("3.3", "generation.succeeded"),
        ];
        assert_eq!(entries, expected.map(|(mark, kind)| (mark.to_owned(), kind.to_owned())));
        for (index, (mark, _)) in entries.iter().enumerate() {
            assert_eq!(told(&history.since(&mark.parse().unwrap())), entries[index + 1..]);
        }
    }

    #[test]
    fn what_is_committed_late_is_told_late_and_not_lost() {
        let before = history(vec![event("running", 1), event("waiting", 5)], Vec::new());
        let mark = before.since(&Mark::default()).pop().unwrap().mark;
        // Opened at 2 by its row, committed after the waiting of 5 was told.
        let after = history(before.events, vec![attempt(1, 2, None, None)]);
        assert_eq!(told(&after.since(&mark)), [("3.1".to_owned(), "attempt.opened".to_owned())]);
    }

    #[test]
    fn a_mark_has_one_spelling() {
        for text in ["0.", "3.31", "12.3330"] {
            assert_eq!(text.parse::<Mark>().unwrap().to_string(), text);
        }
        let long = format!("1.{}", "1".repeat(ATTEMPTS + 1));
        for text in
            ["", ".", "1", "x.1", "1.4", "01.", "+1.", "-1.", "1.1.", "1.1 ", "99999999999.", "1.é", &long]
        {
            assert_eq!(text.parse::<Mark>(), Err(NotAMark), "{text}");
        }
    }

    fn histories() -> impl Strategy<Value = History> {
        let events = vec((0_i64..9).prop_map(|second| event("running", second)), 0..6);
        let one = (0_i64..9, proptest::option::of(0_i64..9), proptest::option::of(0_i64..9));
        (events, vec(one, 0..5)).prop_map(|(events, attempts)| {
            let attempts =
                attempts.into_iter().zip(1..).map(|((a, b, c), ordinal)| attempt(ordinal, a, b, c));
            history(events, attempts.collect())
        })
    }

    proptest! {
        #[test]
        fn whatever_is_sent_as_a_mark_is_read_as_it_is_written_or_refused(text in any::<String>()) {
            if let Ok(mark) = text.parse::<Mark>() {
                assert_eq!(mark.to_string(), text);
            }
        }

        #[test]
        fn any_mark_of_ours_is_read_back(changes in any::<u32>(), stages in vec(0_u8..4, 0..ATTEMPTS)) {
            let mark = Mark { changes, stages };
            assert_eq!(mark.to_string().parse(), Ok(mark));
        }

        #[test]
        fn nothing_is_lost_or_told_twice_wherever_it_breaks(history in histories(), cut in any::<proptest::sample::Index>()) {
            let all = history.since(&Mark::default());
            let cut = cut.index(all.len());
            let rest = history.since(&all[cut].mark);
            assert_eq!(rest, all[cut + 1..]);
        }
    }
}
