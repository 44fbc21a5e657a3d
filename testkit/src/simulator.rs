//! A simulator of paid providers. It speaks their wire protocols, serves real media, does what scripts tell it, and
//! keeps a ledger of every call: the truth that a test of "was it paid twice?" is audited against.
//!
//! A provider's base URL is the simulator's with its name behind it, for instance `http://127.0.0.1:4000/fal`.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use serde_json::Value;

pub use behaviour::{Behaviour, Callback, Charge, Kind, Outcome};
pub use gateway::Gate;
pub use ledger::Filter;
pub use script::{Match, Script};

use crate::server::{self, Closing, Server};
use world::World;

mod behaviour;
mod bfl;
mod callback;
mod control;
mod fal;
mod gateway;
mod intake;
mod job;
mod kling;
mod kling_v1;
mod ledger;
mod luma_agents;
mod luma_dream_machine;
mod media;
mod minimax;
mod minimax_v1;
mod openai_images;
mod provider;
mod range;
mod replicate;
mod runway;
mod script;
mod tasks;
mod veo;
mod workers_ai;
mod world;

/// The largest body of a submit; a prompt with images in base64 fits.
const LARGEST_SUBMIT: usize = 64 << 20;

/// What to start.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The port on 127.0.0.1; 0 is any.
    pub port: u16,
    /// The URL in its answers, when it is reached by another than its own.
    pub public_url: Option<String>,
}

/// A running simulator. Dropping it ends its connections and callbacks.
#[derive(Debug)]
pub struct Simulator {
    server: Server,
    world: Arc<World>,
    gateway: gateway::Gateway,
}

/// The key that the simulated provider takes, made of any text: two parts where the provider's own key has two. The
/// secret of a pair that is signed with is its first part, so that the simulator can tell a good signature.
pub fn key_of(provider: &str, text: &str) -> String {
    match provider {
        kling_v1::NAME => format!("{text}:{text}"),
        workers_ai::NAME => format!("account:{text}"),
        _ => text.to_owned(),
    }
}

/// Starts a simulator.
///
/// # Errors
/// Fails when the port is taken.
pub async fn start(options: Options) -> io::Result<Simulator> {
    let world = Arc::new(World::default());
    let gateway = gateway::Gateway::default();
    let limit = || axum::extract::DefaultBodyLimit::max(LARGEST_SUBMIT);
    let behind = provider::routes().layer(limit()).with_state(Arc::clone(&world));
    let router: Router = Router::new()
        .merge(control::routes())
        .merge(provider::routes())
        .route("/_media/{provider}/{request_id}/{index}/{issue}/{name}", get(media::serve))
        .layer(limit())
        .with_state(Arc::clone(&world))
        .merge(gateway::routes(gateway.clone(), behind));
    let server = server::start(options.port, router, Closing::ChangesNothing).await?;
    let url = options.public_url.unwrap_or_else(|| server.url());
    world.publish(url.trim_end_matches('/').to_owned());
    Ok(Simulator { server, world, gateway })
}

impl Simulator {
    /// Its own address: `http://127.0.0.1:port`.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// The base URL of a provider.
    pub fn provider_url(&self, provider: &str) -> String {
        self.world.url(&format!("/{provider}"))
    }

    /// The base URL of a provider behind the AI Gateway.
    pub fn gateway_url(&self, provider: &str) -> String {
        self.world.url(&format!("/_gateway/{provider}"))
    }

    /// What the gateway does, as `POST /_sim/gateway` says it.
    pub fn gate(&self, gate: Gate) {
        self.gateway.set(gate);
    }

    /// Method, path and headers of the requests that came to the gateway.
    pub fn passed_gateway(&self) -> Vec<Value> {
        self.gateway.passed()
    }

    /// Adds a script, as `POST /_sim/script` does.
    pub fn script(&self, script: Script) {
        self.world.add_script(script);
    }

    /// The ledger, as `GET /_sim/ledger` shows it.
    pub fn ledger(&self, filter: &Filter) -> Value {
        self.world.ledger(filter)
    }

    /// The file that a submit calls by the name that its provider gave it (`runway://…`).
    pub fn upload(&self, name: &str) -> Option<bytes::Bytes> {
        self.world.upload(name)
    }

    /// Forgets scripts, calls and callbacks, as `POST /_sim/reset` does.
    pub fn reset(&self) {
        self.world.reset();
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        self.world.stop_callbacks();
    }
}
