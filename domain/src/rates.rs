//! The rate card: what a unit costs, from when on, and who says so.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::attempt::{Cost, CostSource, Usage};
use crate::generation::Input;
use crate::provider::Provider;
use crate::{Units, Usd};

/// One versioned set of prices.
#[derive(Debug, Deserialize)]
pub struct RateCard {
    /// The day the prices were read, `YYYY-MM-DD`.
    pub version: String,
    rates: Vec<Rate>,
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
}

static CARD: LazyLock<Option<RateCard>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../rates.json")).ok());

/// The card that ships with this build. A test proves that it parses.
pub fn card() -> Option<&'static RateCard> {
    CARD.as_ref()
}

impl RateCard {
    /// The most that one call can cost; `None` if the model has no rate.
    pub fn worst_case(&self, provider: Provider, model: &str, input: &Input) -> Option<Usd> {
        let rate = self.rate(provider, model)?;
        let units = match rate.unit {
            Unit::Second => input.duration_seconds.unwrap_or(rate.max_units),
            Unit::Image | Unit::Video => rate.max_units,
        };
        rate.usd.times(Units::whole(units)?)
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

    fn rate(&self, provider: Provider, model: &str) -> Option<&Rate> {
        self.rates.iter().find(|rate| rate.provider == provider && rate.model == model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_card_that_ships_parses_and_names_its_sources() {
        let card = card().unwrap();
        assert_eq!(card.version.len(), 10);
        for rate in &card.rates {
            assert!(rate.source.starts_with("https://"), "{rate:?}");
            assert!(rate.usd > Usd::ZERO && rate.max_units > 0, "{rate:?}");
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
}
