//! Scripts: which submits behave how.

use serde::{Deserialize, Serialize};

use super::behaviour::Behaviour;

/// A script as it is posted.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Which submits it is for; all unless given.
    #[serde(default, rename = "match")]
    pub matching: Match,
    /// For how many of them; for ever unless given.
    #[serde(default)]
    pub times: Option<u32>,
    /// What happens to them.
    pub behaviour: Behaviour,
}

/// Conditions that must all hold; an absent one holds.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Match {
    /// The provider's name.
    pub provider: Option<String>,
    /// The whole name of the model.
    pub model: Option<String>,
    /// A part of the prompt.
    pub prompt_contains: Option<String>,
}

impl Match {
    fn holds(&self, provider: &str, model: &str, prompt: &str) -> bool {
        self.provider.as_deref().is_none_or(|wanted| wanted == provider)
            && self.model.as_deref().is_none_or(|wanted| wanted == model)
            && self.prompt_contains.as_deref().is_none_or(|part| prompt.contains(part))
    }
}

/// The scripts in force, oldest first.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    list: Vec<Script>,
}

impl Scripts {
    pub(super) fn add(&mut self, script: Script) {
        self.list.push(script);
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// What a submit must do: the youngest script that matches and is not used up says, and is used once.
    pub(super) fn select(&mut self, provider: &str, model: &str, prompt: &str) -> Behaviour {
        let found = self
            .list
            .iter_mut()
            .rev()
            .find(|script| script.times != Some(0) && script.matching.holds(provider, model, prompt));
        let Some(script) = found else { return Behaviour::default() };
        if let Some(times) = &mut script.times {
            *times -= 1;
        }
        script.behaviour.clone()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Scripts;

    fn scripts(list: &[Value]) -> Scripts {
        let mut scripts = Scripts::default();
        for script in list {
            scripts.add(serde_json::from_value(script.clone()).unwrap());
        }
        scripts
    }

    #[test]
    fn the_youngest_script_that_matches_is_used_as_often_as_it_says() {
        let mut scripts = scripts(&[
            json!({"behaviour": {"run_ms": 1}}),
            json!({"match": {"model": "m", "prompt_contains": "cat"}, "times": 2, "behaviour": {"run_ms": 2}}),
        ]);
        let runs =
            |scripts: &mut Scripts, model: &str, prompt: &str| scripts.select("fal", model, prompt).run_ms;
        assert_eq!(runs(&mut scripts, "m", "a cat"), 2);
        assert_eq!(runs(&mut scripts, "m", "a dog"), 1);
        assert_eq!(runs(&mut scripts, "m", "cats"), 2);
        assert_eq!(runs(&mut scripts, "m", "a cat"), 1, "used up");
    }
}
