//! What was decided, now and in the rounds before.

use maud::{Markup, html};
use store::style_runs::{Decision, Shown, StyleRun};

use super::candidates::file;
use super::notice::standing;
use super::words::{letter, moment, sentence};
use crate::review::Link;

/// How a run stands that waits for no review, with its round's decision.
pub(super) fn verdict(run: &StyleRun) -> Markup {
    html! {
        section .verdict .(run.state.as_str()) aria-labelledby="verdict" {
            h2 #verdict { (standing(run)) }
            @if let Some(decision) = run.decision_of(run.round) { (told(decision)) }
        }
    }
}

pub(super) fn history(link: &Link, run: &StyleRun) -> Markup {
    html! {
        @if run.round > 1 {
            section .history aria-labelledby="history" {
                h2 #history { "Earlier rounds" }
                @for round in (1..run.round).rev() { (past(link, run, round)) }
            }
        }
    }
}

fn past(link: &Link, run: &StyleRun, round: u32) -> Markup {
    let candidates: Vec<&Shown> = run.candidates.iter().filter(|shown| shown.round == round).collect();
    let decision = run.decision_of(round);
    html! {
        details open[round + 1 == run.round] {
            summary {
                "Round " (round)
                @if let Some(decision) = decision { span .hint { " · " (sentence(decision)) } }
            }
            @if let Some(decision) = decision { (told(decision)) }
            ul .strip {
                @for shown in candidates {
                    li {
                        @match shown.outputs.first() {
                            Some(output) => (file(link, run, shown, output)),
                            None => p .lost { "Not made" },
                        }
                        p { strong { (letter(shown.index)) } @if let Some(decision) = decision { (marked(decision, shown.index)) } }
                    }
                }
            }
        }
    }
}

/// The notes and the time.
fn told(decision: &Decision) -> Markup {
    html! {
        @if let Some(notes) = &decision.notes { blockquote .written { (notes) } }
        p .hint { (moment(decision.created_at)) }
    }
}

fn marked(decision: &Decision, index: u32) -> Markup {
    let mark = decision.marks.iter().find(|mark| mark.candidate == index);
    html! {
        @if let Some(mark) = mark {
            " " (mark.mark) " of 5"
            @if let Some(note) = &mark.note { span .remark { "“" (note) "”" } }
        }
    }
}
