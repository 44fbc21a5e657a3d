//! `testkit proxy`.

use std::net::SocketAddr;

use serde::Serialize;
use testkit::proxy::{self, Target};

use super::Failure;
use super::life::{Life, announce};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Where connections lead; nothing need be there yet.
    #[arg(long, value_name = "HOST:PORT")]
    to: Target,
    /// Where to listen; port 0 is any.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// The port of the HTTP control; any unless given.
    #[arg(long, default_value_t = 0)]
    control_port: u16,
}

#[derive(Debug, Serialize)]
struct Announcement {
    ready: &'static str,
    listen: SocketAddr,
    url: String,
    control: String,
}

pub(crate) async fn run(arguments: Arguments, mut life: Life) -> Result<(), Failure> {
    let Arguments { to, listen, control_port } = arguments;
    let proxy = proxy::start(proxy::Options { listen, to }).await?;
    let control = testkit::control::serve(control_port, proxy.control()).await?;
    announce(&Announcement {
        ready: "proxy",
        listen: proxy.address(),
        url: proxy.url(),
        control: control.url(),
    });
    life.end().await;
    drop(control);
    proxy.stop().await;
    Ok(())
}
