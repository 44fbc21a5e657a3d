//! HTTP control of a part that runs as a process of its own.

use std::io;

use axum::Router;

use crate::server::{self, Closing, Server};

/// A control server on 127.0.0.1. Dropping it ends its connections.
#[derive(Debug)]
pub struct Control {
    server: Server,
}

/// Serves `router` on `port`; 0 is any.
///
/// # Errors
/// Fails when the port is taken.
pub async fn serve(port: u16, router: Router) -> io::Result<Control> {
    Ok(Control { server: server::start(port, router, Closing::Ends).await? })
}

impl Control {
    /// `http://127.0.0.1:port`.
    pub fn url(&self) -> String {
        self.server.url()
    }
}
