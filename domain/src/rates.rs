//! The rate card: what a unit costs, from when on, and who says so.

use std::collections::BTreeMap;
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
    /// The price is of so many units.
    #[serde(default = "one")]
    per: u32,
    /// Units of one call when the request does not say (the model's maximum).
    max_units: u32,
    /// The provider never says what a call used: it is what was asked for.
    #[serde(default)]
    as_asked: bool,
    /// The rate is for requests that say one of these of a member, in the input or in the step's options; `""` is for those
    /// that do not say.
    #[serde(default)]
    only: BTreeMap<String, Vec<String>>,
    /// The rate is not for steps whose options name one of these.
    #[serde(default)]
    unless: Vec<String>,
    /// Where the price was read.
    source: String,
}

fn one() -> u32 {
    1
}

/// What a price counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A second of video.
    Second,
    Image,
    Video,
    TextInputToken,
    ImageInputToken,
    OutputToken,
}

impl Unit {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Second => "second",
            Self::Image => "image",
            Self::Video => "video",
            Self::TextInputToken => "text_input_token",
            Self::ImageInputToken => "image_input_token",
            Self::OutputToken => "output_token",
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
    /// The least that one call costs if it succeeds; `None` if the model has no rate for what is asked. What the request
    /// does not say, or says unreadably, counts as one unit.
    pub fn least_case(&self, step: &ChainStep, input: &Input) -> Option<Usd> {
        let mut rates = self.rates_for(step, input).peekable();
        rates.peek()?;
        rates.try_fold(Usd::ZERO, |sum, rate| {
            let (asked, overridden) = rate.counts(step, input, 1);
            let units = overridden.min().or(asked).unwrap_or(1).max(1);
            sum.checked_add(rate.price(Units::whole(units)?)?)
        })
    }

    /// The most that one call can cost; `None` if the model has no rate for what is asked.
    ///
    /// A step's options are laid over the provider's request, so what they say of length or count counts too; what
    /// cannot be read as a number counts as the model's maximum. What is counted in several units is their sum.
    pub fn worst_case(&self, step: &ChainStep, input: &Input) -> Option<Usd> {
        let mut rates = self.rates_for(step, input).peekable();
        rates.peek()?;
        rates.try_fold(Usd::ZERO, |sum, rate| {
            let asked = rate.asked(step, input).unwrap_or(rate.max_units);
            let units = asked.checked_mul(rate.unit.files(step))?;
            sum.checked_add(rate.price(Units::whole(units)?)?)
        })
    }

    /// What a call with so many outputs used and cost by what was asked for; `None` if its provider says so itself, or if
    /// the request does not say enough.
    pub fn asked(&self, step: &ChainStep, input: &Input, outputs: u32) -> Option<(Usage, Cost)> {
        let rate = self.rates_for(step, input).find(|rate| rate.as_asked)?;
        let each = match rate.unit {
            Unit::Second => rate.asked(step, input)?,
            Unit::Image | Unit::Video => 1,
            Unit::TextInputToken | Unit::ImageInputToken | Unit::OutputToken => return None,
        };
        let units = Units::whole(each.checked_mul(outputs)?)?;
        let cost = Cost {
            amount: rate.price(units)?,
            source: CostSource::Derived,
            rates: Some(self.version.clone()),
        };
        Some((Usage { units, unit: rate.unit.as_str().to_owned() }, cost))
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
        let mut rates = self.rates_of(provider, model).filter(|rate| !rate.as_asked);
        let amount = rates.find(|rate| rate.unit.as_str() == usage.unit)?.price(usage.units)?;
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

    fn rates_of<'c>(&'c self, provider: Provider, model: &'c str) -> impl Iterator<Item = &'c Rate> {
        self.rates.iter().filter(move |rate| rate.provider == provider && rate.model == model)
    }

    fn rates_for<'c>(&'c self, step: &'c ChainStep, input: &'c Input) -> impl Iterator<Item = &'c Rate> {
        self.rates_of(step.provider, &step.model).filter(move |rate| rate.is_for(step, input))
    }
}

impl Rate {
    fn price(&self, units: Units) -> Option<Usd> {
        self.usd.times(units.in_units_of(self.per)?)
    }

    fn is_for(&self, step: &ChainStep, input: &Input) -> bool {
        let said = |member: &str| {
            let option = step.options.get(member).map(|value| value.as_str().unwrap_or("?").to_owned());
            let own = (member == "resolution").then(|| input.resolution.clone()).flatten();
            option.or(own).unwrap_or_default().to_lowercase()
        };
        self.only.iter().all(|(member, words)| words.contains(&said(member)))
            && !self.unless.iter().any(|member| step.options.contains_key(member))
    }

    /// The length or count that a request names, if it does.
    fn asked(&self, step: &ChainStep, input: &Input) -> Option<u32> {
        let (asked, overridden) = self.counts(step, input, self.max_units);
        overridden.max().or(asked)
    }

    /// What the input asks for, and what a step's options say of it for the provider.
    fn counts<'s>(
        &self,
        step: &'s ChainStep,
        input: &Input,
        unreadable: u32,
    ) -> (Option<u32>, impl Iterator<Item = u32> + use<'s>) {
        let (asked, names): (_, &'static [&'static str]) = match self.unit {
            Unit::Second => {
                (input.duration_seconds, &["duration", "duration_seconds", "durationSeconds", "seconds"])
            }
            Unit::Image => (None, &["num_images", "num_outputs", "n"]),
            Unit::Video => (None, &["num_videos"]),
            Unit::TextInputToken | Unit::ImageInputToken | Unit::OutputToken => (None, &[]),
        };
        let overridden = names.iter().filter_map(|name| step.options.get(*name));
        (asked, overridden.map(move |value| count(value).unwrap_or(unreadable)))
    }
}

/// More files than any model makes in one call.
const MOST_FILES: u32 = 10;

impl Unit {
    /// How often the unit's count is made in one call.
    fn files(self, step: &ChainStep) -> u32 {
        let names: &[&str] = match self {
            Self::Second => &["sampleCount", "numberOfVideos"],
            Self::OutputToken => &["n"],
            Self::Image | Self::Video | Self::TextInputToken | Self::ImageInputToken => &[],
        };
        let counts = names.iter().filter_map(|name| step.options.get(*name));
        counts.map(|value| count(value).unwrap_or(MOST_FILES)).max().unwrap_or(1)
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
            assert!(rate.usd > Usd::ZERO && rate.max_units > 0 && rate.per > 0, "{rate:?}");
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

    fn step(provider: &str, model: &str, options: &Value) -> ChainStep {
        let step = json!({"provider": provider, "model": model, "attempts": 1, "options": options});
        serde_json::from_value(step).unwrap()
    }

    #[test]
    fn a43_what_a_provider_never_says_is_what_was_asked_for_or_not_known() {
        let card = card().unwrap();
        let asked = |options: Value, input: Value, outputs: u32| {
            let mut said = json!({"prompt": "x"});
            said.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
            let step = step("veo", "veo-3.1-generate-preview", &options);
            let found = card.asked(&step, &serde_json::from_value(said).unwrap(), outputs);
            found.map(|(usage, cost)| (usage.units.to_string(), cost.amount.to_string()))
        };
        let found = |units: &str, amount: &str| Some((units.to_owned(), amount.to_owned()));
        assert_eq!(asked(json!({}), json!({"duration_seconds": 8}), 1), found("8.000000", "3.200000"));
        assert_eq!(asked(json!({}), json!({"duration_seconds": 8}), 2), found("16.000000", "6.400000"));
        let large = json!({"duration_seconds": 8, "resolution": "4k"});
        assert_eq!(asked(json!({}), large.clone(), 1), found("8.000000", "4.800000"));
        assert_eq!(asked(json!({"resolution": "1080p"}), large, 1), found("8.000000", "3.200000"));
        assert_eq!(asked(json!({"resolution": "8k"}), json!({"duration_seconds": 8}), 1), None);
        assert_eq!(asked(json!({"resolution": 4}), json!({"duration_seconds": 8}), 1), None);
        assert_eq!(asked(json!({}), json!({}), 1), None);
        let fal = step("fal", "fal-ai/veo3.1", &json!({}));
        let input = serde_json::from_value(json!({"prompt": "x", "duration_seconds": 8})).unwrap();
        assert_eq!(card.asked(&fal, &input, 1), None, "fal says so itself");
    }

    #[test]
    fn b5_a_reservation_covers_every_file_and_every_kind_of_token() {
        let card = card().unwrap();
        let input = serde_json::from_value(json!({"prompt": "x", "duration_seconds": 8})).unwrap();
        let worst = |step: &ChainStep| card.worst_case(step, &input).map(|usd| usd.to_string());
        let veo = |options: Value| worst(&step("veo", "veo-3.1-generate-preview", &options));
        assert_eq!(veo(json!({"sampleCount": 2})).as_deref(), Some("6.400000"));
        assert_eq!(veo(json!({"resolution": "8k"})), None);
        let image = |options: Value| worst(&step("openai_images", "gpt-image-1", &options));
        let (one, four) = (image(json!({})).unwrap(), image(json!({"n": 4})).unwrap());
        assert_eq!((one.as_str(), four.as_str()), ("0.409600", "1.158400"));
        let flux =
            |options: Value| worst(&step("workers_ai", "cf/black-forest-labs/flux-1-schnell", &options));
        assert_eq!(flux(json!({})).as_deref(), Some("0.000652"));
        assert_eq!(flux(json!({"steps": 8})), None);
    }
}
