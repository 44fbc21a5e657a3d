//! What the page's form says, as the API's own body of a decision.

use std::collections::{BTreeMap, BTreeSet};

use domain::fields::Violation;
use domain::idempotency::IdempotencyKey;
use serde_json::{Map, Value, json};
use url::form_urlencoded;
use uuid::Uuid;

use super::page::letter;

/// Before what the browser sends as the name of its decision: it never meets a key of the API's callers.
const KEY: &str = "review-page/";

/// What a reviewer has filled in so far. It is shown again when it could not stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// Names the decision: each page that is shown has a name of its own, so a double click sends one name twice.
    pub key: String,
    /// The run's version that the page showed.
    pub version: Option<i64>,
    pub action: Option<String>,
    pub reviewer: String,
    pub notes: String,
    pub picks: BTreeSet<u32>,
    pub marks: BTreeMap<u32, u8>,
    pub remarks: BTreeMap<u32, String>,
}

impl Draft {
    /// An empty form.
    pub fn new() -> Self {
        Self {
            key: Uuid::now_v7().simple().to_string(),
            version: None,
            action: None,
            reviewer: String::new(),
            notes: String::new(),
            picks: BTreeSet::new(),
            marks: BTreeMap::new(),
            remarks: BTreeMap::new(),
        }
    }

    /// Reads `application/x-www-form-urlencoded`. Fields that the page does not have are ignored.
    pub fn read(body: &[u8]) -> Self {
        let mut draft = Self { key: String::new(), ..Self::new() };
        for (name, value) in form_urlencoded::parse(body) {
            // Browsers send CR LF; ends of lines and white space around a text say nothing.
            let value = value.replace("\r\n", "\n").trim().to_owned();
            match name.as_ref() {
                "key" => draft.key = value,
                "version" => draft.version = value.parse().ok(),
                "action" => draft.action = Some(value),
                "reviewer" => draft.reviewer = value,
                "notes" => draft.notes = value,
                "pick" => draft.picks.extend(value.parse::<u32>()),
                _ => draft.judge(&name, value),
            }
        }
        draft
    }

    fn judge(&mut self, name: &str, value: String) {
        let Some((kind, Ok(index))) = name.split_once('-').map(|(kind, index)| (kind, index.parse())) else {
            return;
        };
        match kind {
            "mark" => self.marks.extend(value.parse().map(|mark| (index, mark))),
            "note" if !value.is_empty() => {
                self.remarks.insert(index, value);
            }
            _ => {}
        }
    }

    /// What the decision is named by; `None` if the form is not the page's own.
    pub fn idempotency_key(&self) -> Option<IdempotencyKey> {
        let own = !self.key.is_empty();
        IdempotencyKey::parse(format!("{KEY}{}", self.key).as_bytes()).ok().filter(|_| own)
    }

    /// The body that the API takes for the same decision.
    pub fn body(&self) -> Value {
        let mut body = Map::new();
        let texts = [("reviewer", &self.reviewer), ("notes", &self.notes)];
        body.extend(self.action.iter().map(|action| ("action".to_owned(), json!(action))));
        let filled = texts.into_iter().filter(|(_, text)| !text.is_empty());
        body.extend(filled.map(|(name, text)| (name.to_owned(), json!(text))));
        // Picks are for an approval; a reviewer who then wants another round need not take them back.
        if self.action.as_deref() == Some("approve") {
            body.insert("candidates".to_owned(), json!(self.picks));
        }
        let marks: Vec<Value> = self.judged().into_iter().map(|index| self.mark(index)).collect();
        body.insert("marks".to_owned(), Value::Array(marks));
        Value::Object(body)
    }

    fn mark(&self, index: u32) -> Value {
        let mut members = Map::from_iter([("candidate".to_owned(), json!(index))]);
        members.extend(self.marks.get(&index).map(|mark| ("mark".to_owned(), json!(mark))));
        members.extend(self.remarks.get(&index).map(|note| ("note".to_owned(), json!(note))));
        Value::Object(members)
    }

    /// The candidates that have a mark or a note, in the order of the body's marks.
    fn judged(&self) -> BTreeSet<u32> {
        self.marks.keys().chain(self.remarks.keys()).copied().collect()
    }

    /// What is wrong with the body, in a reviewer's words.
    pub fn complaints(&self, wrong: &[Violation]) -> Vec<Complaint> {
        let mut complaints: Vec<Complaint> = wrong.iter().map(|one| self.complaint(one)).collect();
        complaints.dedup_by(|next, one| next.field == one.field);
        complaints
    }

    fn complaint(&self, wrong: &Violation) -> Complaint {
        let text = |text: &str| text.to_owned();
        let judged = wrong.pointer.strip_prefix("/marks/").and_then(|rest| rest.split('/').next());
        let judged = judged.and_then(|at| self.judged().into_iter().nth(at.parse().ok()?));
        let (field, text) = match wrong.pointer.as_str() {
            "/reviewer" if self.reviewer.is_empty() => {
                (text("reviewer"), text("Write your name, so that everybody knows who decided."))
            }
            "/reviewer" => (text("reviewer"), format!("Your name {}.", wrong.detail)),
            "/notes" if self.notes.is_empty() => {
                (text("notes"), text("Say in the notes what the next round should do differently."))
            }
            "/notes" => (text("notes"), format!("The notes: {}.", wrong.detail)),
            "/candidates" => (text("candidates"), text("Pick at least one candidate to approve.")),
            "/action" => (text("decision"), text("Choose: approve, ask for another round, or reject.")),
            _ => match judged {
                Some(index) if !self.marks.contains_key(&index) => (
                    format!("mark-{index}"),
                    format!("Candidate {0} has a note but no mark: give {0} one from 1 to 5.", letter(index)),
                ),
                Some(index) => {
                    (format!("mark-{index}"), format!("Candidate {}: {}.", letter(index), wrong.detail))
                }
                None => (text("decision"), format!("{}: {}.", wrong.pointer, wrong.detail)),
            },
        };
        Complaint { field, text }
    }
}

/// Something that is wrong, and the id of what on the page it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    pub field: String,
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::style_run::DecisionRequest;

    fn read(form: &str) -> Draft {
        Draft::read(form.as_bytes())
    }

    fn complaints(form: &str) -> Vec<String> {
        let draft = read(form);
        let wrong = DecisionRequest::parse(draft.body(), &Map::new()).unwrap_err();
        draft.complaints(&wrong).into_iter().map(|one| one.text).collect()
    }

    #[test]
    fn a_form_says_what_the_api_s_body_says() {
        let form = "key=k&version=3&action=approve&reviewer=+Director+&notes=a%0D%0Ab&pick=2&pick=0&mark-0=5&mark-1=&mark-2=3\
            &note-2=light%21&note-1=&other=x";
        let draft = read(form);
        assert_eq!((draft.version, draft.key.as_str()), (Some(3), "k"));
        assert_eq!(
            draft.body(),
            json!({"action": "approve", "reviewer": "Director", "notes": "a\nb", "candidates": [0, 2],
                "marks": [{"candidate": 0, "mark": 5}, {"candidate": 2, "mark": 3, "note": "light!"}]})
        );
        assert!(DecisionRequest::parse(draft.body(), &Map::new()).is_ok());
    }

    #[test]
    fn picks_are_for_approvals() {
        let draft = read("action=revise&reviewer=Director&notes=warmer&pick=1");
        assert_eq!(draft.body()["candidates"], Value::Null);
        assert!(DecisionRequest::parse(draft.body(), &Map::new()).is_ok());
        assert!(draft.picks.contains(&1), "and stay picked on the page");
    }

    #[test]
    fn a_reviewer_is_told_in_plain_words() {
        assert_eq!(
            complaints("action=approve&note-1=odd&reviewer="),
            [
                "Write your name, so that everybody knows who decided.",
                "Candidate B has a note but no mark: give B one from 1 to 5.",
                "Pick at least one candidate to approve."
            ]
        );
        let [notes] = complaints("action=revise&reviewer=Director").try_into().unwrap();
        assert_eq!(notes, "Say in the notes what the next round should do differently.");
        let [action] = complaints("reviewer=Director").try_into().unwrap();
        assert!(action.starts_with("Choose"));
        let [mark] = complaints("action=reject&reviewer=Director&mark-0=9").try_into().unwrap();
        assert!(mark.starts_with("Candidate A: "), "{mark}");
    }

    #[test]
    fn a_form_without_a_name_of_its_own_names_nothing() {
        assert_eq!(read("action=reject").idempotency_key(), None);
        assert_eq!(read("key=%C3%A9").idempotency_key(), None);
        assert_eq!(read("key=k").idempotency_key().unwrap().as_str(), "review-page/k");
        assert_ne!(Draft::new().key, Draft::new().key);
    }
}
