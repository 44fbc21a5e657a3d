//! What the run is about, what it has cost, and until when it waits.

use domain::style_run::{OnDeadline, State};
use maud::{Markup, html};
use store::style_runs::StyleRun;

use super::words::{dollars, moment};

pub(super) fn summary(run: &StyleRun) -> Markup {
    html! {
        p .eyebrow {
            "Look review"
            @if let Some(project) = &run.project { " · " (project) }
        }
        h1 { "Round " (run.round.max(1)) span .of { " of " (run.max_rounds) } }
        p .brief { (run.spec.brief) }
        (references(run))
        dl .facts {
            @if let (State::AwaitingReview, Some(deadline)) = (run.state, run.review_deadline_at) {
                div { dt { "Decide by" } dd { (moment(deadline)) p .hint { (afterwards(run.spec.review.on_deadline)) } } }
            }
            div { dt { "Spent so far" } dd { (spend(run)) } }
        }
    }
}

const fn afterwards(policy: OnDeadline) -> &'static str {
    match policy {
        OnDeadline::Remind => "Then you are reminded, and have as long again.",
        OnDeadline::Expire => "Then the run ends without a decision.",
        OnDeadline::ApproveBest => "Then the best marked candidate is approved.",
    }
}

/// Prices that are known, and what is not known yet, apart (B13).
fn spend(run: &StyleRun) -> Markup {
    let spend = &run.spend;
    html! {
        (dollars(spend.priced))
        @if let Some(budget) = run.budget { span .of { " of " (dollars(budget)) } }
        @if spend.reserved > domain::Usd::ZERO { p .hint { "at most " (dollars(spend.reserved)) " more under way" } }
        @if spend.unpriced + spend.unknown > 0 {
            p .hint { "and " (spend.unpriced + spend.unknown) " whose price is not known" }
        }
    }
}

fn references(run: &StyleRun) -> Markup {
    html! {
        @if !run.spec.references.is_empty() {
            ul .references aria-label="References" {
                @for (at, reference) in run.spec.references.iter().enumerate() {
                    li {
                        // They lie elsewhere; the page shows no picture that is not from here.
                        a href=(reference) target="_blank" rel="noopener noreferrer" {
                            "Reference " (at + 1) span .hint { " " (host(reference)) }
                        }
                    }
                }
            }
        }
    }
}

fn host(url: &str) -> String {
    let host = url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.unwrap_or_default()
}
