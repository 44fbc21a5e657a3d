//! The rate card: what a unit costs, from when on, and who says so.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::attempt::{Cost, CostSource, Usage};
use crate::generation::{ChainStep, Input};
use crate::provider::Provider;
use crate::{Units, Usd};

/// One versioned set of prices.
#[derive(Debug, Deserialize)]
pub struct RateCard {
    /// The day the prices were read, `YYYY-MM-DD`.
    pub version: String,
    rates: Vec<Rate>,
    credits: Vec<Credit>,
}

/// What one of a provider's credits is worth.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Credit {
    provider: Provider,
    usd: Usd,
    /// Where that was read.
    source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rate {
    provider: Provider,
    model: String,
    unit: Unit,
    usd: Usd,
    /// Units of one call when the request does not say (the model's maximum).
    max_units: u32,
    /// Where the price was read.
    source: String,
}

/// What a price counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A second of video.
    Second,
    Image,
    Video,
}

impl Unit {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Second => "second",
            Self::Image => "image",
            Self::Video => "video",
        }
    }

    /// How many the input asks for, and the options of a step that say it for the provider.
    const fn asked(self, input: &Input) -> (Option<u32>, &'static [&'static str]) {
        match self {
            Self::Second => (input.duration_seconds, &["duration", "duration_seconds", "seconds"]),
            Self::Image => (None, &["num_images", "num_outputs", "n"]),
            Self::Video => (None, &["num_videos"]),
        }
    }
}

static CARD: LazyLock<Option<RateCard>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../rates.json")).ok());

/// The card that ships with this build. A test proves that it parses.
pub fn card() -> Option<&'static RateCard> {
    CARD.as_ref()
}

impl RateCard {
    /// The least that one call costs if it succeeds; `None` if the model has no rate. What the request does not say, or
    /// says unreadably, counts as one unit.
    pub fn least_case(&self, step: &ChainStep, input: &Input) -> Option<Usd> {
        let rate = self.rate(step.provider, &step.model)?;
        let (asked, names) = rate.unit.asked(input);
        let overridden = names.iter().filter_map(|name| step.options.get(*name));
        let overridden = overridden.map(|value| count(value).unwrap_or(1)).min();
        rate.usd.times(Units::whole(overridden.or(asked).unwrap_or(1).max(1))?)
    }

    /// The most that one call can cost; `None` if the model has no rate.
    ///
    /// A step's options are laid over the provider's request, so what they say of length or count counts too; what
    /// cannot be read as a number counts as the model's maximum.
    pub fn worst_case(&self, step: &ChainStep, input: &Input) -> Option<Usd> {
        let rate = self.rate(step.provider, &step.model)?;
        let (asked, names) = rate.unit.asked(input);
        let overridden = names.iter().filter_map(|name| step.options.get(*name));
        let overridden = overridden.map(|value| count(value).unwrap_or(rate.max_units)).max();
        rate.usd.times(Units::whole(overridden.or(asked).unwrap_or(rate.max_units))?)
    }

    /// Where a model's price was read.
    pub fn source(&self, provider: Provider, model: &str) -> Option<&str> {
        self.rate(provider, model).map(|rate| rate.source.as_str())
    }

    /// The name of what the model's price counts.
    pub fn unit(&self, provider: Provider, model: &str) -> Option<Unit> {
        self.rate(provider, model).map(|rate| rate.unit)
    }

    /// Prices reported units; `None` if the model has no rate or the unit is another one.
    pub fn derive(&self, provider: Provider, model: &str, usage: &Usage) -> Option<Cost> {
        let rate = self.rate(provider, model).filter(|rate| rate.unit.as_str() == usage.unit)?;
        let amount = rate.usd.times(usage.units)?;
        Some(Cost { amount, source: CostSource::Derived, rates: Some(self.version.clone()) })
    }

    /// What one of a provider's credits is worth, and where that was read; `None` if nobody says, or it has none.
    pub fn credit(&self, provider: Provider) -> Option<(Usd, &str)> {
        let credit = self.credits.iter().find(|credit| credit.provider == provider)?;
        Some((credit.usd, &credit.source))
    }

    fn rate(&self, provider: Provider, model: &str) -> Option<&Rate> {
        self.rates.iter().find(|rate| rate.provider == provider && rate.model == model)
    }
}

/// `8`, `"8"` or `"8s"`.
fn count(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
        Value::String(text) => text.trim_end_matches('s').parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_card_that_ships_parses_and_names_its_sources() {
        let card = card().unwrap();
        assert_eq!(card.version.len(), 10);
        for rate in &card.rates {
            assert!(rate.source.starts_with("https://"), "{rate:?}");
            assert!(rate.usd > Usd::ZERO && rate.max_units > 0, "{rate:?}");
        }
        for credit in &card.credits {
            assert!(credit.source.starts_with("https://") && credit.usd > Usd::ZERO, "{credit:?}");
        }
    }

    #[test]
    fn a43_units_without_a_rate_stay_unpriced() {
        let card = card().unwrap();
        let usage = Usage { units: Units::whole(5).unwrap(), unit: "second".into() };
        assert_eq!(card.derive(Provider::Fal, "nobody/knows", &usage), None);
        let usage = Usage { units: Units::whole(5).unwrap(), unit: "token".into() };
        assert_eq!(card.derive(Provider::Fal, &card.rates[0].model, &usage), None);
    }

    #[test]
    fn b5_a_reservation_covers_what_a_steps_options_ask_for() {
        let card = card().unwrap();
        let worst = |model: &str, options: Value, seconds: Option<u32>| {
            let step = json!({"provider": "fal", "model": model, "attempts": 1, "options": options});
            let input = json!({"prompt": "x", "duration_seconds": seconds});
            let (step, input) =
                (serde_json::from_value(step).unwrap(), serde_json::from_value(input).unwrap());
            card.worst_case(&step, &input).unwrap().to_string()
        };
        assert_eq!(worst("fal-ai/veo3.1", json!({}), Some(4)), "1.600000");
        assert_eq!(worst("fal-ai/veo3.1", json!({}), None), "3.200000");
        assert_eq!(worst("fal-ai/veo3.1", json!({"duration": "6s"}), Some(4)), "2.400000");
        assert_eq!(worst("fal-ai/veo3.1", json!({"duration": {"at": "most"}}), Some(4)), "3.200000");
        assert_eq!(worst("fal-ai/flux-pro/v1.1", json!({"num_images": 4}), None), "0.160000");
    }
}
