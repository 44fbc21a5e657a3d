//! The page as HTML.

use domain::job::Status;
use domain::style_run::State;
use maud::{DOCTYPE, Markup, html};
use store::style_runs::StyleRun;

use super::Link;
use super::form::{Complaint, Draft};

mod summary;
use summary::summary;

mod notice;
use notice::{notice, standing};

mod candidates;
use candidates::candidates;

mod decision;
use decision::decision;

mod history;
use history::{history, verdict};

mod words;
pub use words::letter;

/// What comes before everything else.
pub enum Notice<'a> {
    /// The form cannot be taken as it is.
    Incomplete(Vec<Complaint>),
    /// Somebody else was faster, or the run moved on: what the form said is not recorded.
    Late(&'a Draft),
}

pub fn page(link: &Link, run: &StyleRun, draft: &Draft, told: Option<&Notice<'_>>) -> Markup {
    let round = run.round.max(1);
    let title = format!("Review, round {round} of {}", run.max_rounds);
    let reviewed = run.state == State::AwaitingReview;
    let body = html! {
        @if reviewed { a.skip href="#decision" { "Skip to your decision" } }
        // Kept when the rest is exchanged, so that a screen reader says what changed.
        p #live .unseen role="status" aria-live="polite" { (standing(run)) }
        div #review .page hx-get=[moves(run).then(|| format!("{}?since={}", link.path(), stamp(run)))] hx-trigger=[moves(run).then_some("every 3s")]
            hx-select="#review" hx-swap="outerHTML" hx-select-oob="#live:innerHTML" {
            header.top { (summary(run)) }
            main {
                @if let Some(told) = told { (notice(run, told)) }
                @if reviewed {
                    (watch(link, run))
                    form .review method="post" action={ (link.path()) "/decisions" } {
                        input type="hidden" name="key" value=(draft.key);
                        input type="hidden" name="version" value=(run.version);
                        // Enter in a text field presses a form's first button: this one, which does nothing.
                        button type="submit" disabled hidden {}
                        (candidates(link, run, Some(draft)))
                        (decision(run, draft, told))
                    }
                } @else {
                    (verdict(run))
                    (candidates(link, run, None))
                }
                (history(link, run))
            }
        }
    };
    frame(&title, moves(run), &body)
}

/// Whether AFC is at work on the run, so that the page will look otherwise soon.
const fn moves(run: &StyleRun) -> bool {
    match run.state {
        State::Queued | State::Generating | State::Revising => true,
        State::AwaitingReview
        | State::Approved
        | State::Rejected
        | State::Expired
        | State::Cancelled
        | State::Failed => false,
    }
}

/// What the page shows of a run that moves by itself: another stamp is another page.
pub fn stamp(run: &StyleRun) -> String {
    let ended = run.candidates.iter().filter(|shown| shown.status.is_some_and(Status::is_terminal));
    format!("{}.{}", run.version, ended.count())
}

/// Asks now and then whether somebody else has decided.
fn watch(link: &Link, run: &StyleRun) -> Markup {
    html! {
        div #moved role="status" aria-live="polite" hx-get={ (link.path()) "?seen=" (run.version) } hx-trigger="every 10s" {}
    }
}

/// What an open page shows when the run is not any more what it was.
pub fn moved_on(link: &Link, run: &StyleRun) -> Markup {
    html! {
        p .notice {
            strong { "The run has moved on. " }
            (standing(run)) " "
            a href=(link.path()) { "Show it as it stands" }
        }
    }
}

/// Why there is nothing to see.
pub fn refusal(heading: &str, advice: &str) -> Markup {
    let body = html! { main .refusal { h1 { (heading) } p { (advice) } } };
    frame(heading, false, &body)
}

/// What htmx may do under this page's policy: no style of its own, no code in attributes, no copy of the page kept.
const HTMX: &str =
    r#"{"includeIndicatorStyles":false,"allowEval":false,"historyEnabled":false,"selfRequestsOnly":true}"#;

fn frame(title: &str, moves: bool, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="dark";
                meta name="htmx-config" content=(HTMX);
                title { (title) }
                link rel="icon" href="/assets/review/icon.svg";
                link rel="stylesheet" href="/assets/review/review.css";
                script src="/assets/review/htmx.min.js" defer {}
                script src="/assets/review/review.js" defer {}
                @if moves { noscript { meta http-equiv="refresh" content="10"; } }
            }
            body { (body) }
        }
    }
}

#[cfg(test)]
mod tests;
