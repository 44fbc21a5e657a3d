//! The end of what is kept: first the row says that nobody gets it any more, then the objects go, then the row says so.

use domain::JobId;
use domain::retention::Policy;
use domain::timing::Timing;
use platform::{log, session};
use serde_json::json;
use store::Error;
use store::retention::{self, Bounds};
use worker::{Bucket, Env};

use crate::config;

/// Generations whose outputs, or whose payloads, one pass takes: each costs the bucket two calls, and an invocation may
/// make some thousand.
const LIMIT: i64 = 100;

/// What a pass found, by kind.
pub type Found = [(&'static str, usize); 4];

/// One bounded pass over what is over. Harmless beside itself and twice; what fails is found again.
pub async fn sweep(env: &Env, timing: &Timing) -> Found {
    let policy = match config::retention(env) {
        Ok(policy) => policy,
        Err(error) => {
            // A client's own word and an erasure stand whatever the deployment's policy is.
            log::error("sweep.retention", json!({"error": error.to_string()}));
            Policy::default()
        }
    };
    let ms = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
    let (day_ms, settle_ms) = (ms(timing.retention_day_ms), ms(timing.erasure_settle_ms));
    let bounds = Bounds { policy, day_ms, settle_ms, limit: LIMIT };
    let outputs = noted(expire_outputs(env, &bounds).await);
    let cleared = session(env, async |db| {
        let generations = retention::expire_payloads(db, &bounds).await?;
        let runs = retention::expire_runs(db, &bounds).await?;
        let forgotten = retention::forget(db, LIMIT).await?;
        Ok((generations + runs, forgotten, retention::close(db).await?))
    });
    let (payloads, forgotten, closed) = noted(cleared.await);
    [("outputs", outputs), ("payloads", payloads), ("forgotten", forgotten), ("erasures", closed)]
}

fn noted<T: Default>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|error| {
        log::error("sweep.retention", json!({"error": error.to_string()}));
        T::default()
    })
}

/// A generation whose objects the bucket does not give up stays as it is, for the next pass, and keeps no other from
/// going.
async fn expire_outputs(env: &Env, bounds: &Bounds) -> Result<usize, Error> {
    let found = session(env, async |db| retention::expire_outputs(db, bounds).await).await?;
    if found.is_empty() {
        return Ok(0);
    }
    let unavailable = |error: worker::Error| Error::Unavailable(error.to_string());
    let bucket = env.bucket(config::MEDIA).map_err(unavailable)?;
    let mut gone = Vec::new();
    for job in &found {
        match remove(&bucket, *job).await {
            Ok(()) => gone.push(*job),
            Err(error) => {
                log::error("sweep.retention", json!({"job.id": job, "error": error.to_string()}));
            }
        }
    }
    session(env, async |db| retention::outputs_removed(db, &gone).await).await?;
    Ok(found.len())
}

/// All that lies under the generation's name, also what no row knows of: a failed or cancelled one may have stored files
/// before its end. It has far fewer than a listing's thousand.
async fn remove(bucket: &Bucket, job: JobId) -> worker::Result<()> {
    let listed = bucket.list().prefix(domain::output::prefix(job)).execute().await?;
    let keys: Vec<String> = listed.objects().iter().map(worker::Object::key).collect();
    if keys.is_empty() {
        return Ok(());
    }
    bucket.delete_multiple(keys.iter().map(String::as_str).collect()).await
}
