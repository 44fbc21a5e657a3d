//! How a hook answers.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// A script as it is posted. It replaces the one before it for the same hook.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The hook; without it the script is for every hook that has none of its own.
    #[serde(default)]
    pub name: Option<String>,
    /// How it answers.
    pub behaviour: Behaviour,
}

/// Every field is optional; without any, a delivery is answered at once with 200 and no body.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Behaviour {
    /// The statuses of the first, second, … answer; the last one stays.
    pub statuses: Vec<u16>,
    /// Milliseconds before the answer.
    pub delay_ms: u64,
    /// Answer with a redirect to this place (302, unless `statuses` say which).
    pub redirect_to: Option<String>,
    /// Never answer.
    pub hang: bool,
    /// Reset the connection instead of answering.
    pub reset: bool,
    /// The value of `Retry-After` on answers that are not 2xx.
    pub retry_after: Option<String>,
    /// Bytes in the answer's body.
    pub body_bytes: u64,
    /// How fast they come.
    pub slow_body_bytes_per_s: Option<u64>,
}

/// What one delivery is answered with.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) status: u16,
    pub(super) behaviour: Behaviour,
}

/// The scripts in force, each with the answers it gave so far.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    hooks: HashMap<Option<String>, (Behaviour, usize)>,
}

impl Scripts {
    pub(super) fn add(&mut self, script: Script) {
        self.hooks.insert(script.name, (script.behaviour, 0));
    }

    pub(super) fn clear(&mut self) {
        self.hooks.clear();
    }

    /// The answer to the next delivery to the hook called `name`.
    pub(super) fn next(&mut self, name: &str) -> Plan {
        let own = Some(name.to_owned());
        let key = if self.hooks.contains_key(&own) { own } else { None };
        let Some((behaviour, given)) = self.hooks.get_mut(&key) else {
            return Plan { status: 200, behaviour: Behaviour::default() };
        };
        let listed = behaviour.statuses.get(*given).or_else(|| behaviour.statuses.last()).copied();
        *given += 1;
        let usual = if behaviour.redirect_to.is_some() { 302 } else { 200 };
        Plan { status: listed.unwrap_or(usual), behaviour: behaviour.clone() }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Scripts;

    fn add(scripts: &mut Scripts, script: Value) {
        scripts.add(serde_json::from_value(script).unwrap());
    }

    #[test]
    fn statuses_follow_each_other_and_the_last_one_stays() {
        let mut scripts = Scripts::default();
        assert_eq!(scripts.next("a").status, 200);
        add(&mut scripts, json!({"name": "a", "behaviour": {"statuses": [500, 503, 204]}}));
        add(&mut scripts, json!({"behaviour": {"redirect_to": "/x"}}));
        let seen: Vec<u16> = (0..4).map(|_| scripts.next("a").status).collect();
        assert_eq!(seen, [500, 503, 204, 204]);
        assert_eq!(scripts.next("b").status, 302);
        add(&mut scripts, json!({"name": "a", "behaviour": {"statuses": [400]}}));
        assert_eq!(scripts.next("a").status, 400, "the newer script replaces the older");
    }
}
