//! Scenarios that run beside each other on one stack. Each is named after the rule it holds.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a scenario fails by panicking")]

mod bad_input;
mod cancel;
mod chain;
mod clients;
mod endpoints;
mod following;
mod gates;
mod idempotency;
mod inputs;
mod limits;
mod listing;
mod looks;
mod main_job;
mod output;
mod probing;
mod providers;
mod races;
mod receivers;
mod reference;
mod retention;
mod review_page;
mod routes;
mod spend;
mod style_runs;
mod trace;
mod typed_clients;
mod unknown;
mod webhooks;
