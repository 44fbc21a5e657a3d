use std::time::Duration;

/// How long anything may take on a slow machine. Not a measurement: a scenario that gets there failed.
const PATIENCE: Duration = Duration::from_mins(2);

/// Looks until `look` finds what the scenario waits for.
///
/// # Panics
/// When it has not come within two minutes; the message says what was waited for.
pub async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    match tokio::time::timeout(PATIENCE, looking).await {
        Ok(found) => found,
        Err(_) => fail(&format!("waited two minutes for {what}")),
    }
}

#[expect(clippy::panic, reason = "this is how a scenario fails")]
pub(crate) fn fail(why: &str) -> ! {
    panic!("{why}")
}
