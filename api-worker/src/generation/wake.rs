use ::workflow::binding::Workflow;
use bodies::generation::WAKE;
use domain::JobId;
use platform::log;
use serde_json::json;
use worker::Env;

use crate::config;

/// Tells a job's Workflow to look again. A hint: without it the job looks by itself, later.
pub async fn wake(env: &Env, job: JobId) {
    if let Err(error) = send(env, job).await {
        log::error("job not woken", json!({"job.id": job, "error": error}));
    }
}

async fn send(env: &Env, job: JobId) -> Result<(), String> {
    let workflow = env.get_binding::<Workflow>(config::GENERATION).map_err(|error| error.to_string())?;
    let instance = workflow.get(&job.to_string()).await.map_err(|error| error.to_string())?;
    instance.send_event(WAKE, &json!({})).await.map_err(|error| error.to_string())
}
