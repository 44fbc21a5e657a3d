//! The form's last part: who decides, and what.

use domain::style_run::limit;
use maud::{Markup, html};
use store::style_runs::StyleRun;

use super::Notice;
use crate::review::form::Draft;

pub(super) fn decision(run: &StyleRun, draft: &Draft, told: Option<&Notice<'_>>) -> Markup {
    let wrong = |field: &str| match told {
        Some(Notice::Incomplete(complaints)) => {
            complaints.iter().any(|one| one.field == field).then_some("true")
        }
        Some(Notice::Late(_)) | None => None,
    };
    let is_last = run.round >= run.max_rounds;
    html! {
        section #decision .decision tabindex="-1" aria-labelledby="decide" {
            h2 #decide { "Your decision" }
            div .field {
                label for="reviewer" { "Your name" }
                input #reviewer type="text" name="reviewer" required maxlength=(limit::REVIEWER) autocomplete="name"
                    value=(draft.reviewer) aria-invalid=[wrong("reviewer")];
            }
            div .field {
                label for="notes" { "Notes" }
                textarea #notes name="notes" rows="4" maxlength=(limit::NOTES) aria-describedby="notes-hint"
                    aria-invalid=[wrong("notes")] { (draft.notes) }
                p #notes-hint .hint {
                    @if is_last { "Kept with your decision." }
                    @else { "For another round the models are told these words, after their prompts." }
                }
            }
            div .actions {
                button .approve name="action" value="approve" type="submit" data-approve="" { "Approve picked" }
                @if is_last {
                    p .hint { "This is the last round." }
                } @else {
                    button name="action" value="revise" type="submit" { "Ask for another round" }
                }
                details {
                    summary { "Reject …" }
                    p .hint { "The run ends without an approved look. There is no way back." }
                    button .reject name="action" value="reject" type="submit" { "Reject the run" }
                }
            }
        }
    }
}
