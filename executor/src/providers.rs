//! Provider adapters. An adapter only *describes* how a provider is spoken to ([`description::Description`]); what is
//! done with its answers (retries, holds, cancel races, cost) is the attempt runner's.

use std::collections::{BTreeMap, BTreeSet};

use description::Description;
use domain::Secret;
use domain::provider::Provider;
use url::Url;

mod adapter;
mod answer;
mod bfl;
mod cancel;
mod credential;
pub mod description;
mod endpoint;
mod errors;
mod fal;
mod gateway;
mod kling;
mod kling_v1;
mod luma_agents;
mod luma_dream_machine;
mod minimax;
mod minimax_v1;
mod openai_images;
mod polling;
mod recovery;
mod replicate;
mod request;
mod result;
mod runway;
mod upload;
mod veo;
mod workers_ai;

pub use adapter::{Acceptance, Adapter, Failed, Handle, Progress, ProviderClients, Submission};
pub use bfl::BFL;
pub use cancel::CancelAnswer;
pub use credential::UnusableKey;
pub use errors::fault;
pub use fal::FAL;
pub use kling::KLING;
pub use kling_v1::KLING_V1;
pub use luma_agents::LUMA_AGENTS;
pub use luma_dream_machine::LUMA_DREAM_MACHINE;
pub use minimax::MINIMAX;
pub use minimax_v1::MINIMAX_V1;
pub use openai_images::OPENAI_IMAGES;
pub use recovery::{Recovered, Sought};
pub use replicate::REPLICATE;
pub use request::{Asked, Carried, NotTaken, Place};
pub use result::{Bill, Completion, Media};
pub use runway::RUNWAY;
pub use upload::NotUploaded;
pub use veo::VEO;
pub use workers_ai::WORKERS_AI;

/// The adapters that this deployment has keys for.
pub struct Adapters(BTreeMap<Provider, Adapter>);

/// Which providers are reached through Cloudflare's AI Gateway.
#[derive(Debug, Default)]
pub struct Gateways {
    /// Those whose base URL is the gateway's.
    pub before: BTreeSet<Provider>,
    /// Opens a gateway that asks for a token; sent to gateways only.
    pub token: Option<Secret>,
}

/// Why adapters could not be made.
#[derive(Debug, thiserror::Error)]
pub enum AdapterError {
    /// See [`UnusableKey`].
    #[error(transparent)]
    Key(#[from] UnusableKey),
    /// It does not parse.
    #[error("a provider's base URL is none")]
    Base(#[from] url::ParseError),
}

impl Adapters {
    /// One adapter for each key; `urls` replace the providers' own base URLs, and some are those of a gateway.
    pub fn new(
        keys: &BTreeMap<Provider, Secret>,
        urls: &BTreeMap<Provider, Url>,
        gateways: &Gateways,
        clients: &ProviderClients,
    ) -> Result<Self, AdapterError> {
        let adapters = keys.iter().map(|(provider, key)| {
            let description = description(*provider);
            let base = urls.get(provider).cloned().map_or_else(|| description.base_url.parse(), Ok)?;
            let mut adapter = Adapter::new(description, base, key, clients.clone())?;
            if gateways.before.contains(provider) {
                adapter = adapter.behind_gateway(gateways.token.as_ref())?;
            }
            Ok((*provider, adapter))
        });
        adapters.collect::<Result<_, AdapterError>>().map(Self)
    }

    /// Adapters made by hand, for descriptions that do not ship.
    pub fn of(adapters: impl IntoIterator<Item = (Provider, Adapter)>) -> Self {
        Self(adapters.into_iter().collect())
    }

    /// `None` if there is no key for the provider.
    pub fn get(&self, provider: Provider) -> Option<&Adapter> {
        self.0.get(&provider)
    }
}

/// How a provider is spoken to.
fn description(provider: Provider) -> &'static Description {
    match provider {
        Provider::Fal => &FAL,
        Provider::Replicate => &REPLICATE,
        Provider::Runway => &RUNWAY,
        Provider::LumaDreamMachine => &LUMA_DREAM_MACHINE,
        Provider::Bfl => &BFL,
        Provider::LumaAgents => &LUMA_AGENTS,
        Provider::Minimax => &MINIMAX,
        Provider::MinimaxV1 => &MINIMAX_V1,
        Provider::Kling => &KLING,
        Provider::KlingV1 => &KLING_V1,
        Provider::Veo => &VEO,
        Provider::OpenaiImages => &OPENAI_IMAGES,
        Provider::WorkersAi => &WORKERS_AI,
    }
}

#[cfg(test)]
mod tests;
