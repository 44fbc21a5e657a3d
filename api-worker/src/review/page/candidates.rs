//! The candidates of the round under way, side by side.

use domain::job::Status;
use domain::output::StoredOutput;
use domain::style_run::limit;
use maud::{Markup, html};
use serde_json::Value;
use store::style_runs::{Shown, StyleRun};

use super::words::letter;
use crate::review::Link;
use crate::review::form::Draft;

/// With what may be filled in if there is a `draft`.
pub(super) fn candidates(link: &Link, run: &StyleRun, draft: Option<&Draft>) -> Markup {
    let current: Vec<&Shown> = run.candidates.iter().filter(|shown| shown.round == run.round).collect();
    html! {
        @if !current.is_empty() {
            section .candidates aria-labelledby="candidates" {
                div .heading {
                    h2 #candidates { "Candidates" }
                    // Shown by the script, which it needs.
                    @if current.iter().any(|shown| shown.outputs.iter().any(is_video)) {
                        button .quiet type="button" data-play="" hidden { "Play all" }
                    }
                }
                ul .grid {
                    @for shown in current { (card(link, run, shown, draft)) }
                }
            }
        }
    }
}

fn card(link: &Link, run: &StyleRun, shown: &Shown, draft: Option<&Draft>) -> Markup {
    let (index, letter) = (shown.index, letter(shown.index));
    html! {
        li .card.approved[shown.approved] data-candidate=(letter) {
            (picture(link, run, shown))
            div .about {
                h3 { (letter) @if shown.approved { span .badge { "Approved" } } }
                p .hint { (model(shown)) @if let Some(seed) = seed(shown) { " · seed " (seed) } }
                @if let Some(prompt) = own_prompt(run, shown) { details { summary { "Prompt" } p .written { (prompt) } } }
            }
            @if let (Some(draft), Some(Status::Succeeded)) = (draft, shown.status) {
                label .pick {
                    input type="checkbox" name="pick" value=(index) checked[draft.picks.contains(&index)];
                    span { "Pick " (letter) }
                }
                fieldset .marks #{ "mark-" (index) } tabindex="-1" {
                    legend { "Mark for " (letter) }
                    @let given = draft.marks.get(&index).copied();
                    (mark(index, "", "–", "none", given.is_none()))
                    @for value in 1..=MARKS {
                        @let text = value.to_string();
                        (mark(index, &text, &text, &format!("{value} of {MARKS}"), given == Some(value)))
                    }
                }
                div .remark {
                    label for={ "note-" (index) } { "Note on " (letter) }
                    textarea #{ "note-" (index) } name={ "note-" (index) } rows="2" maxlength=(limit::NOTES) {
                        (draft.remarks.get(&index).map_or("", String::as_str))
                    }
                }
            }
        }
    }
}

const MARKS: u8 = 5;

fn mark(index: u32, value: &str, shown: &str, said: &str, checked: bool) -> Markup {
    html! {
        label {
            input type="radio" name={ "mark-" (index) } value=(value) checked[checked];
            span aria-hidden="true" { (shown) }
            span .unseen { (said) }
        }
    }
}

fn picture(link: &Link, run: &StyleRun, shown: &Shown) -> Markup {
    let shape = shape(&run.spec.template);
    html! {
        div .frame .(shape) {
            @match (shown.outputs.as_slice(), shown.status) {
                ([first, ..], _) => (file(link, run, shown, first)),
                ([], Some(Status::Failed | Status::Cancelled)) => {
                    p .lost { "This one could not be made." @if let Some(error) = &shown.error { " " (error.message) } }
                }
                ([], _) => p .making { "Being made …" },
            }
        }
        @if let [_, more @ ..] = shown.outputs.as_slice() {
            @if !more.is_empty() {
                div .more { @for output in more { (file(link, run, shown, output)) } }
            }
        }
    }
}

fn is_video(output: &StoredOutput) -> bool {
    output.content_type.starts_with("video/")
}

/// A picture opens large where it is touched; a video has controls of its own. Nothing plays by itself: the script starts
/// what nobody has asked to hold still.
pub(super) fn file(link: &Link, run: &StyleRun, shown: &Shown, output: &StoredOutput) -> Markup {
    let url = link.media(shown.round, shown.index, output.index);
    let name = format!("Candidate {} of round {}", letter(shown.index), shown.round);
    html! {
        @if is_video(output) {
            video src=(url) aria-label=(name) controls muted loop playsinline preload="metadata" {}
        } @else if output.content_type.starts_with("image/") {
            a href=(url) target="_blank" data-large="" aria-label={ (name) ", large" } {
                img src=(url) alt=(described(run, shown, &name)) decoding="async";
            }
        } @else {
            a href=(url) { (name) ": " (output.content_type) }
        }
    }
}

fn described(run: &StyleRun, shown: &Shown, name: &str) -> String {
    let prompt = own_prompt(run, shown).unwrap_or_default();
    let start: String = prompt.chars().take(200).collect();
    if start.is_empty() { name.to_owned() } else { format!("{name}: {start}") }
}

fn own_prompt<'a>(run: &'a StyleRun, shown: &'a Shown) -> Option<&'a str> {
    let own = shown.request.pointer("/input/prompt").and_then(Value::as_str);
    own.or_else(|| run.spec.template.get("input")?.get("prompt")?.as_str())
}

fn seed(shown: &Shown) -> Option<u64> {
    shown.request.pointer("/input/seed").and_then(Value::as_u64)
}

fn model(shown: &Shown) -> &str {
    shown.request.pointer("/chain/0/model").and_then(Value::as_str).unwrap_or_default()
}

/// The frame that the candidates are shown in, before their files are here.
fn shape(template: &serde_json::Map<String, Value>) -> &'static str {
    let ratio = template.get("input").and_then(|input| input.get("aspect_ratio")?.as_str());
    let sides = ratio.and_then(|ratio| ratio.split_once(':'));
    let sides = sides.and_then(|(w, h)| Some((w.parse::<u32>().ok()?, h.parse::<u32>().ok()?)));
    match sides {
        Some((w, h)) if w > h => "wide",
        Some((w, h)) if w < h => "tall",
        _ => "square",
    }
}
