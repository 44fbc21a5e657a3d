//! What a job can be listed by, as keys of one width for an index.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::generation::{ChainStep, GenerationRequest, Kind};
use crate::provider::Provider;

/// Half of a SHA-256 over a name and its values. Two facts that share one are never mistaken for each other: what an
/// index finds is compared with the job itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label(Uuid);

impl Label {
    pub fn kind(kind: Kind) -> Self {
        Self::of(&["kind", kind.as_str()])
    }

    pub fn provider(provider: Provider) -> Self {
        Self::of(&["provider", provider.as_str()])
    }

    pub fn model(model: &str) -> Self {
        Self::of(&["model", model])
    }

    /// Both, of one entry of the chain.
    pub fn step(provider: Provider, model: &str) -> Self {
        Self::of(&["step", provider.as_str(), model])
    }

    pub fn project(project: &str) -> Self {
        Self::of(&["project", project])
    }

    pub fn metadata(name: &str, value: &str) -> Self {
        Self::of(&["metadata", name, value])
    }

    pub const fn uuid(self) -> Uuid {
        self.0
    }

    /// No part holds U+0000 (it is refused at the border), so parts cannot run into each other.
    fn of(parts: &[&str]) -> Self {
        let digest = Sha256::digest(parts.join("\0"));
        Self(Uuid::from_u128(digest.iter().take(16).fold(0, |sum, byte| sum << 8 | u128::from(*byte))))
    }
}

/// Everything that a request can be listed by.
pub fn labels(request: &GenerationRequest) -> BTreeSet<Label> {
    let mut labels = BTreeSet::from([Label::kind(request.spec.kind)]);
    for ChainStep { provider, model, .. } in &request.spec.chain {
        labels.extend([Label::provider(*provider), Label::model(model), Label::step(*provider, model)]);
    }
    labels.extend(own_words(request.project.as_deref(), &request.metadata));
    labels
}

/// Those that are made of the client's own words, and go when these are erased.
pub fn own_words(project: Option<&str>, metadata: &BTreeMap<String, String>) -> BTreeSet<Label> {
    let metadata = metadata.iter().map(|(name, value)| Label::metadata(name, value));
    metadata.chain(project.map(Label::project)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_eq!(Label::metadata("a", "b"), Label::metadata("a", "b"));
        assert_ne!(Label::metadata("a", "bc"), Label::metadata("ab", "c"));
        assert_ne!(Label::model("x"), Label::project("x"));
        assert_ne!(Label::step(Provider::Fal, "x"), Label::step(Provider::Kling, "x"));
    }
}
