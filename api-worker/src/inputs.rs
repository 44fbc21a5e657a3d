//! The end of uploads: first the row says that nobody may use the file any more, then the file goes, then the row.

use std::collections::BTreeMap;

use domain::inputs;
use platform::{log, session};
use serde_json::json;
use store::inputs::Outlived;
use worker::Env;

use crate::config;

/// Removes at most `limit` uploads whose time is over, and says how many it found. Harmless twice: what fails is found
/// again by the next pass.
pub async fn sweep(env: &Env, limit: i64) -> usize {
    let found = session(env, async |db| store::inputs::outlived(db, limit).await).await;
    let outlived = match found {
        Ok(outlived) => outlived,
        Err(error) => {
            log::error("sweep.inputs", json!({"error": error.to_string()}));
            return 0;
        }
    };
    clear(env, &outlived).await;
    outlived.len()
}

/// Removes the files of uploads that nobody finds any more. What fails is left to the sweeper.
pub async fn clear(env: &Env, outlived: &[Outlived]) {
    if outlived.is_empty() {
        return;
    }
    let keys: BTreeMap<_, _> = outlived.iter().map(|one| (one.id, inputs::key(one.client, one.id))).collect();
    let removed = match env.bucket(config::MEDIA) {
        Ok(bucket) => bucket.delete_multiple(keys.values().map(String::as_str).collect()).await,
        Err(error) => Err(error),
    };
    if let Err(error) = removed {
        return log::error("inputs.remove", json!({"error": error.to_string()}));
    }
    let ids: Vec<_> = keys.into_keys().collect();
    if let Err(error) = session(env, async |db| store::inputs::forget(db, &ids).await).await {
        log::error("inputs.forget", json!({"error": error.to_string()}));
    }
}
