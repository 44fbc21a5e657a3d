//! Starting, waking and re-arming the Workflow that is named by its run.

use ::workflow::binding::{Error, NewInstance, Workflow};
use bodies::style_run::WAKE;
use domain::StyleRunId;
use domain::style_run::Progress;
use platform::{log, session};
use serde_json::json;
use worker::Env;

use crate::config;

/// Sees to it that the run's Workflow looks at the row: it is made where there is none, started over where it has ended
/// and the run has not, and sent an event otherwise. One that is paused keeps the event until it is resumed.
///
/// Safe to repeat: a look too many changes nothing.
pub async fn wake(env: &Env, run: StyleRunId) -> Result<(), String> {
    let text = |error: Error| error.to_string();
    let workflow = env.get_binding::<Workflow>(config::STYLE_RUN).map_err(|error| error.to_string())?;
    let id = run.to_string();
    let instance = NewInstance::new(&id, &json!({})).map_err(text)?;
    if workflow.create_batch(&[instance]).await.map_err(text)?.contains(&id) {
        return Ok(());
    }
    let instance = workflow.get(&id).await.map_err(text)?;
    let standing = instance.status().await.map_err(text)?;
    if !standing.status.is_final() {
        return match instance.send_event(WAKE, &json!({})).await {
            // It has ended since it was looked at; should the run need it, the sweeper starts it over.
            Ok(()) | Err(Error::Finished(_)) => Ok(()),
            Err(error) => Err(text(error)),
        };
    }
    if is_wanted(env, run).await? {
        log::error(
            "style run's Workflow started over",
            json!({"style_run.id": run, "error": standing.error}),
        );
        instance.restart().await.map_err(text)?;
    }
    Ok(())
}

/// Whether there is something left to do: the run is open, or generations of it are to be wound down.
async fn is_wanted(env: &Env, run: StyleRunId) -> Result<bool, String> {
    let standing = session(env, async |db| store::style_runs::get(db, run).await).await;
    Ok(standing.map_err(|error| error.to_string())?.is_some_and(|run| {
        !run.state.is_terminal() || run.current().iter().any(|one| one.progress() == Progress::Open)
    }))
}

/// Wakes the open runs whose row says "go on" and that nobody has looked at for `idle_ms` (I12).
pub async fn rearm(env: &Env, idle_ms: i64, limit: i64) {
    let idle = match session(env, async |db| store::style_runs::idle(db, idle_ms, limit).await).await {
        Ok(idle) => idle,
        Err(error) => return log::error("sweep.style_runs", json!({"error": error.to_string()})),
    };
    for run in &idle {
        if let Err(error) = wake(env, *run).await {
            log::error("sweep.style_run", json!({"style_run.id": run, "error": error}));
        }
    }
    if !idle.is_empty() {
        log::info("sweep.style_runs", json!({"sweep.style_runs": idle.len()}));
    }
}
