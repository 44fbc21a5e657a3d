//! JSON lines on stderr, one per outcome. A line reads alone: it carries `job.id` and, where there is one, `attempt.id`;
//! those of an execution have the job's trace in their `span`.

use tracing_subscriber::EnvFilter;

/// Installs the subscriber. `filter` is the `LOG` variable, for example `executor=debug`; default `info`.
pub fn init(filter: Option<&str>) {
    let filter =
        filter.and_then(|text| EnvFilter::try_new(text).ok()).unwrap_or_else(|| EnvFilter::new("info"));
    let lines =
        tracing_subscriber::fmt().json().flatten_event(true).with_current_span(true).with_span_list(false);
    // A subscriber that is installed already (a test's) stays.
    let _ = lines.with_env_filter(filter).with_writer(std::io::stderr).try_init();
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(panic.place = place, panic.message = message(panic.payload()), "panicked");
    }));
}

/// What a panic said.
pub fn message(payload: &dyn std::any::Any) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
