//! How a hook answers.

use std::collections::HashMap;
use std::num::NonZeroU64;

use http::{HeaderValue, StatusCode};
use serde::Deserialize;

/// The length of a body that was given none but must have one.
const SOME_BYTES: u64 = 1024;

/// A script as it is posted. It replaces the one before it for the same hook.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The hook; without it the script is for every hook that has none of its own.
    #[serde(default)]
    pub name: Option<String>,
    /// How it answers.
    pub behaviour: Behaviour,
}

/// Every field is optional; without any, a delivery is answered at once with 200 and no body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Posted")]
pub struct Behaviour {
    /// The statuses of a hook's first, second, … answer; the last one stays.
    pub statuses: Vec<StatusCode>,
    /// Milliseconds before the answer, or before what comes instead of it.
    pub delay_ms: u64,
    /// What comes then.
    pub ending: Ending,
    /// Answer with a redirect to this place (302, unless `statuses` say which).
    pub redirect_to: Option<HeaderValue>,
    /// The value of `Retry-After` on answers that are not 2xx.
    pub retry_after: Option<HeaderValue>,
    /// Bytes in the body of answers that may have one. Unless given: none, or 1024 where the body is to be slow or to
    /// break off.
    pub body_bytes: Option<u64>,
    /// How fast they come.
    pub slow_body_bytes_per_s: Option<NonZeroU64>,
}

/// How a delivery ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// With an answer.
    #[default]
    Answer,
    /// Not at all.
    Hang,
    /// With a reset of the connection instead of an answer.
    Reset,
    /// With a reset after half of the answer's body. An answer without a body is a reset altogether.
    ResetMidResponse,
}

/// Why a script asks for what cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// Not a status that ends a request.
    #[error("{0} is no status from 200 to 999")]
    Status(u16),
    /// More than one of the three.
    #[error("only one of hang, reset and reset_mid_response")]
    Endings,
    /// Control characters in it.
    #[error("{0} is not what a header can hold")]
    Header(&'static str),
}

impl Behaviour {
    /// The length of the body.
    pub(super) fn size(&self) -> u64 {
        let needed = self.slow_body_bytes_per_s.is_some() || self.ending == Ending::ResetMidResponse;
        self.body_bytes.unwrap_or(if needed { SOME_BYTES } else { 0 })
    }

    /// The status of a hook's answer number `turn`, counted from 0.
    fn status(&self, turn: usize) -> StatusCode {
        let listed = self.statuses.get(turn).or(self.statuses.last()).copied();
        listed.unwrap_or(if self.redirect_to.is_some() { StatusCode::FOUND } else { StatusCode::OK })
    }
}

/// The behaviour as it is written in JSON.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Posted {
    statuses: Vec<u16>,
    delay_ms: u64,
    redirect_to: Option<String>,
    hang: bool,
    reset: bool,
    reset_mid_response: bool,
    retry_after: Option<String>,
    body_bytes: Option<u64>,
    slow_body_bytes_per_s: Option<NonZeroU64>,
}

impl TryFrom<Posted> for Behaviour {
    type Error = Impossible;

    fn try_from(posted: Posted) -> Result<Self, Impossible> {
        let ending = match (posted.hang, posted.reset, posted.reset_mid_response) {
            (false, false, false) => Ending::Answer,
            (true, false, false) => Ending::Hang,
            (false, true, false) => Ending::Reset,
            (false, false, true) => Ending::ResetMidResponse,
            _ => return Err(Impossible::Endings),
        };
        Ok(Self {
            statuses: posted.statuses.into_iter().map(parse_status).collect::<Result<_, _>>()?,
            delay_ms: posted.delay_ms,
            ending,
            redirect_to: parse_header("redirect_to", posted.redirect_to)?,
            retry_after: parse_header("retry_after", posted.retry_after)?,
            body_bytes: posted.body_bytes,
            slow_body_bytes_per_s: posted.slow_body_bytes_per_s,
        })
    }
}

fn parse_status(number: u16) -> Result<StatusCode, Impossible> {
    let status = StatusCode::from_u16(number).ok().filter(|status| !status.is_informational());
    status.ok_or(Impossible::Status(number))
}

fn parse_header(field: &'static str, text: Option<String>) -> Result<Option<HeaderValue>, Impossible> {
    text.map(HeaderValue::try_from).transpose().map_err(|_| Impossible::Header(field))
}

/// What one delivery is answered with.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) status: StatusCode,
    pub(super) behaviour: Behaviour,
}

/// The scripts in force, and how many answers each hook had from its own.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    behaviours: HashMap<Option<String>, Behaviour>,
    turns: HashMap<String, usize>,
}

impl Scripts {
    pub(super) fn add(&mut self, script: Script) {
        match &script.name {
            Some(name) => drop(self.turns.remove(name)),
            // Hooks with a script of their own go on with that.
            None => self.turns.retain(|name, _| self.behaviours.contains_key(&Some(name.clone()))),
        }
        self.behaviours.insert(script.name, script.behaviour);
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The answer to the next delivery to the hook called `name`. Hooks that share a script take turns each on its
    /// own, so that tests beside each other do not mix.
    pub(super) fn next(&mut self, name: &str) -> Plan {
        let own = self.behaviours.get(&Some(name.to_owned()));
        let behaviour = own.or_else(|| self.behaviours.get(&None)).cloned().unwrap_or_default();
        let turn = self.turns.entry(name.to_owned()).or_default();
        let status = behaviour.status(*turn);
        *turn += 1;
        Plan { status, behaviour }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Behaviour, Scripts};

    fn add(scripts: &mut Scripts, script: Value) {
        scripts.add(serde_json::from_value(script).unwrap());
    }

    fn parse(posted: &Value) -> Result<Behaviour, String> {
        serde_json::from_value(posted.clone()).map_err(|error| error.to_string())
    }

    #[test]
    fn statuses_follow_each_other_and_the_last_one_stays() {
        let mut scripts = Scripts::default();
        assert_eq!(scripts.next("a").status, 200);
        add(&mut scripts, json!({"name": "a", "behaviour": {"statuses": [500, 503, 204]}}));
        add(&mut scripts, json!({"behaviour": {"redirect_to": "/x"}}));
        let seen: Vec<u16> = (0..4).map(|_| scripts.next("a").status.as_u16()).collect();
        assert_eq!(seen, [500, 503, 204, 204]);
        assert_eq!(scripts.next("b").status, 302);
        add(&mut scripts, json!({"name": "a", "behaviour": {"statuses": [400]}}));
        assert_eq!(scripts.next("a").status, 400, "the newer script replaces the older");
    }

    #[test]
    fn hooks_take_turns_each_on_its_own() {
        let mut scripts = Scripts::default();
        add(&mut scripts, json!({"name": "own", "behaviour": {"statuses": [500, 503, 200]}}));
        assert_eq!(scripts.next("own").status, 500);
        add(&mut scripts, json!({"behaviour": {"statuses": [429, 200]}}));
        let seen = ["a", "b", "a", "own"].map(|name| scripts.next(name).status.as_u16());
        assert_eq!(seen, [429, 429, 200, 503]);
        add(&mut scripts, json!({"behaviour": {"statuses": [410]}}));
        let seen = ["a", "own"].map(|name| scripts.next(name).status.as_u16());
        assert_eq!(seen, [410, 200]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (posted, reason) in [
            (json!({"status": [500]}), "unknown field"),
            (json!({"statuses": [101]}), "101 is no status"),
            (json!({"statuses": [1000]}), "1000 is no status"),
            (json!({"hang": true, "reset": true}), "only one of"),
            (json!({"retry_after": "a\nb"}), "retry_after is not"),
            (json!({"redirect_to": "a\nb"}), "redirect_to is not"),
            (json!({"slow_body_bytes_per_s": 0}), "nonzero"),
        ] {
            let error = parse(&posted).unwrap_err();
            assert!(error.contains(reason), "{posted}: {error}");
        }
    }

    #[test]
    fn a_body_is_there_only_where_it_is_needed() {
        let size = |posted| parse(&posted).unwrap().size();
        assert_eq!(size(json!({})), 0);
        assert_eq!(size(json!({"body_bytes": 7, "reset_mid_response": true})), 7);
        assert_eq!(size(json!({"slow_body_bytes_per_s": 7})), 1024);
        assert_eq!(size(json!({"reset_mid_response": true})), 1024);
    }
}
