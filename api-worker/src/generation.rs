//! The job's Workflow: one instance a job, named by it (A9).

mod activities;
use activities::perform;
pub use activities::{ask_to_look, enqueue, enqueue_all, finish, settle};

mod wake;
pub use wake::wake;

use bodies::generation::generation;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Env;
use workflow::entry;

/// What the JavaScript loop calls, once a decision and once an attempt of a step.
#[wasm_bindgen]
pub struct GenerationLogic {
    env: Env,
}

#[wasm_bindgen]
impl GenerationLogic {
    #[wasm_bindgen(constructor)]
    pub fn new(env: Env) -> Self {
        Self { env }
    }

    pub fn next(&self, event: &str, history: &str) -> String {
        let timing = crate::config::timing(&self.env).unwrap_or_default();
        entry::next(event, history, |steps, event| generation(steps, event, timing))
    }

    pub async fn perform(&self, activity: String, attempt: u32) -> String {
        entry::perform(&activity, attempt, |activity, _| perform(&self.env, activity)).await
    }
}
