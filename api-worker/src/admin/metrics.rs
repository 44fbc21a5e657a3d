//! `GET /metrics`: how things stand, in Prometheus' text format.

use std::fmt::{Display, Write};

use axum::body::Body;
use axum::extract::Extension;
use axum::response::Response;
use http::header::{CONTENT_TYPE, HeaderValue};
use platform::session;
use store::metrics::{COUNTED, Standing};

use crate::http::App;
use crate::problem::Problem;

#[cfg_attr(test, utoipa::path(
    get, path = "/metrics", tag = "Operators", security(("admin_token" = [])),
    responses((status = 200, description = "Prometheus' text format", body = String, content_type = "text/plain")),
    extensions(("x-problems" = json!([]))),
))]
#[worker::send]
pub async fn show(Extension(app): Extension<App>) -> Result<Response, Problem> {
    let standing = session(&app.env, async |db| store::metrics::standing(db).await).await?;
    let mut response = Response::new(Body::from(text(&standing)));
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(response)
}

/// Names of what is tallied, with the label that tells their parts apart and what they count.
const TALLIES: [(&str, &str, &str); 5] = [
    ("late_looks", "outcome", "Later looks at attempts whose fate or price was open, by what they came to"),
    ("sweeper_findings", "kind", "What the sweeper found without an owner"),
    ("fenced_writes", "", "Late journal writes of older processes that were refused"),
    ("gate_refusals", "provider", "Attempts that a provider's gate held up, counted each time they asked"),
    (
        "budget_refusals",
        "why",
        "Attempts that a client's budget held up or refused, counted each time they asked",
    ),
];

fn text(standing: &Standing) -> String {
    let mut page = Page::default();
    page.family("afc_jobs", "gauge", "Open generations by status");
    for one in &standing.jobs {
        page.sample("afc_jobs", &[("status", &one.of)], one.count);
    }
    page.family(
        "afc_attempts_ended_last_hour",
        "gauge",
        "Attempts that ended, by error class; none is success",
    );
    for one in &standing.attempts {
        page.sample("afc_attempts_ended_last_hour", &[("class", &one.of)], one.count);
    }
    for (name, help, count) in [
        ("afc_workflows_unstarted", "Generations whose start is due", standing.unstarted),
        ("afc_attempts_unknown", "Attempts of unknown outcome, held or recovered", standing.unknown),
        ("afc_looks_due", "Later looks at attempts whose fate or price is open", standing.looks_due),
        ("afc_deliveries_due", "Webhook deliveries whose try is due", standing.deliveries_due),
        ("afc_deliveries_dead", "Webhook deliveries that are out of tries", standing.deliveries_dead),
    ] {
        page.family(name, "gauge", &format!("{help}; counted up to {COUNTED}"));
        page.sample(name, &[], count);
    }
    gates(&mut page, standing);
    spend(&mut page, standing);
    for (tally, label, help) in TALLIES {
        let name = format!("afc_{tally}_total");
        page.family(&name, "counter", help);
        for one in standing.tallies.iter().filter(|one| one.name == tally) {
            let labels = [(label, one.label.as_str())];
            page.sample(&name, if label.is_empty() { &[] } else { &labels }, one.total);
        }
    }
    page.0
}

fn gates(page: &mut Page, standing: &Standing) {
    page.family("afc_attempts_in_flight", "gauge", "Attempts that are open or accepted");
    for gate in &standing.gates {
        page.sample("afc_attempts_in_flight", &[("provider", gate.provider.as_str())], gate.in_flight);
    }
    page.family("afc_breaker_open", "gauge", "1 while a provider's breaker is open");
    for gate in &standing.gates {
        let labels = [
            ("provider", gate.provider.as_str()),
            ("cause", gate.cause.map_or("none", |cause| cause.as_str())),
        ];
        page.sample("afc_breaker_open", &labels, u8::from(gate.cause.is_some()));
    }
}

fn spend(page: &mut Page, standing: &Standing) {
    page.family("afc_spend_today_usd", "gauge", "US dollars of the attempts opened today, UTC");
    for one in &standing.spend {
        page.sample("afc_spend_today_usd", &[("provider", &one.provider), ("part", "priced")], &one.priced);
        page.sample(
            "afc_spend_today_usd",
            &[("provider", &one.provider), ("part", "reserved")],
            &one.reserved,
        );
    }
    page.family(
        "afc_spend_today_attempts",
        "gauge",
        "Attempts opened today, UTC, by what is known of their price",
    );
    for one in &standing.spend {
        for (part, count) in [
            ("priced", one.priced_count),
            ("unpriced", one.unpriced_count),
            ("unknown", one.unknown_count),
            ("open", one.open_count),
        ] {
            page.sample("afc_spend_today_attempts", &[("provider", &one.provider), ("part", part)], count);
        }
    }
}

/// Labels are words of AFC's own, so none needs escaping.
#[derive(Default)]
struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _infallible = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<String> = labels.iter().map(|(label, word)| format!("{label}=\"{word}\"")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _infallible = writeln!(self.0, "{name}{labels} {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_number_stands_under_its_family() {
        let standing = json!({
            "jobs": [{"of": "queued", "count": 3}], "unstarted": 1, "attempts": [{"of": "none", "count": 2}],
            "unknown": 4, "looks_due": 2, "deliveries_due": 5, "deliveries_dead": 6,
            "gates": [{"provider": "fal", "in_flight": 7, "cause": "insufficient_funds"}],
            "spend": [{"provider": "fal", "priced": "1.250000", "reserved": "3.200000", "priced_count": 1,
                "unpriced_count": 0, "unknown_count": 0, "open_count": 1}],
            "tallies": [{"name": "fenced_writes", "label": "", "total": 8},
                {"name": "sweeper_findings", "label": "idle", "total": 9}],
        });
        let text = text(&serde_json::from_value(standing).unwrap());
        for line in [
            "afc_jobs{status=\"queued\"} 3",
            "afc_attempts_unknown 4",
            "afc_looks_due 2",
            "afc_breaker_open{provider=\"fal\",cause=\"insufficient_funds\"} 1",
            "afc_spend_today_usd{provider=\"fal\",part=\"priced\"} 1.250000",
            "afc_fenced_writes_total 8",
            "afc_sweeper_findings_total{kind=\"idle\"} 9",
            "# TYPE afc_gate_refusals_total counter",
        ] {
            assert!(text.lines().any(|one| one == line), "{line} is not in\n{text}");
        }
    }
}
