//! What a reviewer must know before anything else.

use domain::job::Status;
use domain::style_run::State;
use maud::{Markup, html};
use store::style_runs::StyleRun;

use super::Notice;
use super::words::{letter, letters, sentence};
use crate::review::form::Draft;

pub(super) fn notice(run: &StyleRun, notice: &Notice<'_>) -> Markup {
    html! {
        @match notice {
            Notice::Incomplete(complaints) => section .notice.wrong role="alert" aria-labelledby="notice" {
                h2 #notice { "Not decided yet" }
                ul {
                    @for complaint in complaints {
                        li { a href={ "#" (complaint.field) } { (complaint.text) } }
                    }
                }
            },
            Notice::Late(lost) => section .notice.late role="alert" aria-labelledby="notice" {
                h2 #notice { "Your decision came too late" }
                p { strong { (standing(run)) } " What you sent was not recorded:" }
                (lost_words(lost))
            },
        }
    }
}

/// What was sent and does not stand, to be read or copied.
fn lost_words(lost: &Draft) -> Markup {
    let asked = match lost.action.as_deref() {
        Some("approve") => format!("Approve {}", letters(lost.picks.iter().copied())),
        Some("revise") => "Another round".to_owned(),
        Some("reject") => "Reject".to_owned(),
        _ => "No decision".to_owned(),
    };
    html! {
        blockquote {
            p { (asked) }
            @if !lost.notes.is_empty() { p .written { (lost.notes) } }
            @for (index, mark) in &lost.marks {
                p {
                    (letter(*index)) ": " (mark) " of 5"
                    @if let Some(note) = lost.remarks.get(index) { ", “" (note) "”" }
                }
            }
        }
    }
}

/// Where the run is, in a sentence.
pub(super) fn standing(run: &StyleRun) -> String {
    let decided = run.decisions.last().map(sentence);
    let by_then =
        |text: &str| decided.as_ref().map_or_else(|| text.to_owned(), |decided| format!("{decided}."));
    match run.state {
        State::Queued => "The first candidates are about to be made.".to_owned(),
        State::Generating => {
            let current = run.candidates.iter().filter(|shown| shown.round == run.round);
            let made = current.clone().filter(|shown| shown.status.is_some_and(Status::is_terminal)).count();
            format!("Round {} is being made: {made} of {} ready.", run.round, current.count())
        }
        State::AwaitingReview => format!("Round {} waits for a decision.", run.round),
        State::Revising => by_then("Another round was asked for."),
        State::Approved => by_then("The run is approved."),
        State::Rejected => by_then("The run is rejected."),
        State::Expired => "The deadline passed without a decision.".to_owned(),
        State::Cancelled => "The run was cancelled.".to_owned(),
        State::Failed => match &run.error {
            Some(error) => format!("The run failed: {}", error.message),
            None => "The run failed.".to_owned(),
        },
    }
}
