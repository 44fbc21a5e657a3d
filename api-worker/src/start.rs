//! Starting the Workflow that is named by its job.

use domain::JobId;
use platform::log;
use serde_json::json;
use worker::Env;
use workflow::binding::{NewInstance, Status, Workflow};

use crate::config;

/// What starting a job's Workflow came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// An instance of that name exists, made now or earlier (A11).
    Exists,
    /// Nobody can tell; the caller should send the same request again, and the sweeper starts it otherwise (B9).
    Unconfirmed,
}

/// Starts the Workflow of `job`, the id that was read back from the row (A9).
///
/// Safe to repeat: `createBatch` skips names that exist. When it fails, the instance may exist nevertheless; only an
/// instance whose status nobody knows is unconfirmed (A11).
pub async fn start(env: &Env, job: JobId) -> Start {
    let id = job.to_string();
    match try_start(env, &id).await {
        Ok(()) => Start::Exists,
        Err(error) => {
            log::error("workflow not started", json!({"job.id": id, "error": error}));
            if exists(env, &id).await { Start::Exists } else { Start::Unconfirmed }
        }
    }
}

async fn try_start(env: &Env, id: &str) -> Result<(), String> {
    let workflow = env.get_binding::<Workflow>(config::GENERATION).map_err(|error| error.to_string())?;
    let instance = NewInstance::new(id, &json!({})).map_err(|error| error.to_string())?;
    workflow.create_batch(&[instance]).await.map(drop).map_err(|error| error.to_string())
}

async fn exists(env: &Env, id: &str) -> bool {
    let Ok(workflow) = env.get_binding::<Workflow>(config::GENERATION) else { return false };
    let Ok(instance) = workflow.get(id).await else { return false };
    let status = instance.status().await.map(|standing| standing.status);
    status.is_ok_and(|status| !matches!(status, Status::Unknown(_)))
}
