//! Everything breaks, again and again, under load; then the provider's own ledger is laid beside the record.
//!
//! `cargo xtask chaos` runs it and says for how long.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a scenario fails by panicking")]

mod audit;
mod load;
mod report;
mod trouble;

use std::time::Duration;

use e2e::Stack;
use tokio::time::Instant;

/// How many callers ask beside each other.
const CALLERS: u64 = 8;

fn setting<T: std::str::FromStr>(name: &str) -> T {
    let read = std::env::var(name).ok().and_then(|text| text.parse().ok());
    assert!(read.is_some(), "{name} is not set: run this with `cargo xtask chaos`");
    read.unwrap()
}

#[tokio::test]
async fn i1_to_i10_hold_while_everything_breaks() {
    let (minutes, seed): (u64, u64) = (setting("AFC_CHAOS_MINUTES"), setting("AFC_CHAOS_SEED"));
    let stack = Stack::running();
    let hook = e2e::marker("chaos");
    let until = Instant::now() + Duration::from_mins(minutes);
    let (wishes, troubles) =
        tokio::join!(load::run(&stack, &hook, seed, until), trouble::run(&stack, seed, until));
    let audit = audit::of(&stack, &hook, &wishes).await;
    let report = report::text(minutes, seed, &troubles, &audit);
    std::fs::write(setting::<String>("AFC_CHAOS_REPORT"), &report).unwrap();
    println!("{report}");
    assert!(audit.wrong.is_empty(), "{:#?}", audit.wrong);
}
