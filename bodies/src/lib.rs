//! The bodies of AFC's Workflows: which step comes next, and nothing of what a step does.
//!
//! Pure, deterministic, replayed from their history. A crate of its own, so that the models poll the bodies that run.

pub mod generation;
pub mod style_run;
