//! Provider adapters. An adapter only *describes* how a provider is spoken to ([`description::Description`]); what is
//! done with its answers (retries, holds, cancel races, cost) is the attempt runner's.

use std::collections::BTreeMap;

use domain::Secret;
use domain::provider::Provider;
use url::Url;

mod adapter;
mod answer;
pub mod description;
mod endpoint;
mod errors;
mod fal;
mod polling;
mod request;
mod result;

pub use adapter::{
    Acceptance, Adapter, CancelAnswer, Failed, Handle, Progress, ProviderClients, Recovered, Submission,
    UnusableKey,
};
pub use errors::fault;
pub use fal::FAL;
pub use result::{Completion, Media};

/// The adapters that this deployment has keys for.
pub struct Adapters(BTreeMap<Provider, Adapter>);

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
    /// One adapter for each key; `urls` replace the providers' own base URLs.
    pub fn new(
        keys: &BTreeMap<Provider, Secret>,
        urls: &BTreeMap<Provider, Url>,
        clients: &ProviderClients,
    ) -> Result<Self, AdapterError> {
        let adapters = keys.iter().map(|(provider, key)| {
            let description = match provider {
                Provider::Fal => &FAL,
            };
            let base = urls.get(provider).cloned().map_or_else(|| description.base_url.parse(), Ok)?;
            Ok((*provider, Adapter::new(description, base, key, clients.clone())?))
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
