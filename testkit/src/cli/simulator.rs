//! `testkit simulator`.

use serde_json::json;
use testkit::simulator;

use super::Failure;
use super::life::{Life, announce};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The port; 0 is any.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The URL by which others reach it, if it is not its own: for the URLs in its answers.
    #[arg(long)]
    public_url: Option<String>,
}

pub(crate) async fn run(arguments: Arguments, mut life: Life) -> Result<(), Failure> {
    let options = simulator::Options { port: arguments.port, public_url: arguments.public_url };
    let simulator = simulator::start(options).await?;
    announce(&json!({"ready": "simulator", "url": simulator.url()}));
    life.end().await;
    Ok(())
}
