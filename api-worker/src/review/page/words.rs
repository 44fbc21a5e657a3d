//! Small things said everywhere on the page.

use chrono::{DateTime, Utc};
use domain::Usd;
use domain::style_run::Action;
use maud::{Markup, html};
use store::style_runs::Decision;

/// Candidates are called by letters, as people do who talk about pictures.
pub fn letter(index: u32) -> char {
    u8::try_from(index).ok().and_then(|index| b'A'.checked_add(index)).map_or('?', char::from)
}

/// "A", "A and C", "A, B and C".
pub fn letters(indexes: impl IntoIterator<Item = u32>) -> String {
    let letters: Vec<String> = indexes.into_iter().map(|index| letter(index).to_string()).collect();
    match letters.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A time, which the page's script turns into the reader's own zone.
pub fn moment(at: DateTime<Utc>) -> Markup {
    html! { time datetime=(at.to_rfc3339()) { (at.format("%-d %b %Y, %H:%M UTC")) } }
}

/// US dollars with the decimals that say something, two at least.
pub fn dollars(amount: Usd) -> String {
    let text = amount.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    format!("${whole}.{:0<2}", decimals.trim_end_matches('0'))
}

pub fn by(decision: &Decision) -> &str {
    decision.reviewer.as_deref().unwrap_or("The deadline")
}

/// What was decided, as a sentence without its end.
pub fn sentence(decision: &Decision) -> String {
    let by = by(decision);
    match decision.action {
        Action::Approve => format!("{by} approved {}", letters(decision.candidates.iter().copied())),
        Action::Revise => format!("{by} asked for another round"),
        Action::Reject => format!("{by} rejected the run"),
    }
}
