//! `testkit receiver`.

use serde_json::json;
use testkit::receiver;

use super::Failure;
use super::life::{Life, announce};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The port; 0 is any.
    #[arg(long, default_value_t = 0)]
    port: u16,
}

pub(crate) async fn run(arguments: Arguments, mut life: Life) -> Result<(), Failure> {
    let receiver = receiver::start(arguments.port).await?;
    announce(&json!({"ready": "receiver", "url": receiver.url()}));
    life.end().await;
    receiver.stop().await;
    Ok(())
}
