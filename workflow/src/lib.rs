//! Cloudflare Workflows for workers-rs.
//!
//! Three parts, which read in this order:
//!
//! - [`replay`]: a workflow body is ordinary deterministic async Rust. It is polled *once* per engine result against
//!   the history recorded so far, and answers with the next [`replay::Command`] as data. Nothing here touches
//!   JavaScript, so bodies are tested with plain `cargo test`.
//! - [`entry`]: what a Worker exports for the JavaScript loop (`js/loop.mjs`) that carries commands to the engine: two
//!   calls, JSON text in and out.
//! - [`binding`]: the other side: create instances, look at them, send them events.
//!
//! Why not one Rust future per instance? On wasm a panic aborts: the runtime then replaces the wasm instance, and
//! every Rust future and closure that lived in the old one is gone, those of other workflow instances in the same
//! isolate included. So no Rust future lives across an engine step here. A body's future exists for one poll; an
//! activity's future exists for one attempt of one step, and an attempt that is lost is retried by the engine.

pub mod replay;

pub mod entry;

pub mod binding;

mod size;
