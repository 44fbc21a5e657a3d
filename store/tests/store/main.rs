//! Every query on real Postgres, in a schema of its own. Tests are named after the rule they hold.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod audit;
mod budgets;
mod clients;
mod constraints;
mod create;
mod deliveries;
mod endpoints;
mod finish;
mod fixture;
mod flights;
mod gates;
mod inputs;
mod journal;
mod limits;
mod list;
mod looks;
mod metrics;
mod outbox;
mod races;
mod retention;
mod spend;
mod style_faults;
mod style_runs;
mod sweep;
mod timeline;
mod unknown;
