//! A receiver of webhooks that keeps what it got, byte for byte, and misbehaves as scripts tell it.

use std::io;
use std::sync::Arc;

use axum::routing::{any, get, post};
use axum::{Router, extract::DefaultBodyLimit};
use serde_json::Value;
use tokio::net::TcpStream;

pub use script::{Behaviour, Ending, Impossible, Script};

use crate::server::{self, Closing, Server};
use log::Log;

mod body;
mod control;
mod hook;
mod log;
mod script;

/// The largest delivery that is kept.
const LARGEST_DELIVERY: usize = 16 << 20;

/// A running receiver. Dropping it ends its connections, hanging ones too.
#[derive(Debug)]
pub struct Receiver {
    server: Server,
    log: Arc<Log>,
}

/// Starts a receiver on `port`; 0 is any.
///
/// # Errors
/// Fails when the port is taken.
pub async fn start(port: u16) -> io::Result<Receiver> {
    let log = Arc::new(Log::default());
    let router: Router = Router::new()
        .route("/hooks/{name}", any(hook::receive))
        .route("/_receiver/script", post(control::script))
        .route("/_receiver/deliveries", get(control::deliveries))
        .route("/_receiver/reset", post(control::reset))
        .route("/_receiver/health", get(control::health))
        .layer(DefaultBodyLimit::max(LARGEST_DELIVERY))
        .with_state(Arc::clone(&log));
    Ok(Receiver { server: server::start(port, router, Closing::Ends).await?, log })
}

impl Receiver {
    /// Its address: `http://127.0.0.1:port`.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// The URL of the hook called `name`.
    pub fn hook(&self, name: &str) -> String {
        format!("{}/hooks/{name}", self.url())
    }

    /// Puts a script in force, as `POST /_receiver/script` does.
    pub fn script(&self, script: Script) {
        self.log.add_script(script);
    }

    /// The deliveries to the hook called `name`, or to all, as `GET /_receiver/deliveries` shows them.
    pub fn deliveries(&self, name: Option<&str>) -> Value {
        self.log.show(name)
    }

    /// Forgets deliveries and scripts, as `POST /_receiver/reset` does.
    pub fn reset(&self) {
        self.log.reset();
    }

    /// Ends it; returns when the port refuses connections.
    pub async fn stop(self) {
        let url = self.url();
        drop(self);
        let address = url.trim_start_matches("http://");
        while TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    }
}
