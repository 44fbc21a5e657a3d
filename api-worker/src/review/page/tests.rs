use serde_json::{Value, json};

use super::*;

const STATES: [&str; 9] = [
    "queued",
    "generating",
    "awaiting_review",
    "revising",
    "approved",
    "rejected",
    "expired",
    "cancelled",
    "failed",
];

fn link() -> Link {
    Link { token: "T".to_owned(), run: "0198c0de-0000-7000-8000-000000000001".parse().unwrap() }
}

/// A run in its second of three rounds: a video, a picture, one that failed, and one under way.
fn run(state: &str, change: impl FnOnce(&mut Value)) -> StyleRun {
    let output =
        |kind: &str| json!([{"index": 0, "key": "k", "content_type": kind, "bytes": 1, "sha256": ""}]);
    let candidate = |round: u32, index: u32, status: &str, outputs: Value, error: Value| {
        json!({"round": round, "index": index, "job_id": format!("0198c0de-0000-7000-8000-0000000000{round}{index}"),
            "request": {"input": {"prompt": "a <b>street</b>", "seed": 7}, "chain": [{"model": "m"}]}, "approved": false,
            "status": status, "outputs": outputs, "error": error})
    };
    let over = ["approved", "rejected", "expired", "cancelled", "failed"].contains(&state);
    let mut run = json!({
        "id": link().run, "client_id": "0198c0de-0000-7000-8000-000000000002",
        "spec": {"brief": "<script>alert(1)</script>", "references": ["https://example.com/a?b=1&c=2"],
            "template": {"kind": "image", "input": {"prompt": "p", "aspect_ratio": "16:9"}}, "variations": [{}],
            "review": {"deadline_seconds": 60, "on_deadline": "remind"}},
        "callback_url": null, "metadata": {}, "project": null, "state": state, "version": 5, "round": 2, "max_rounds": 3,
        "budget": "5.000000", "committed": "0.100000",
        "spend": {"priced": "0.080000", "unpriced": 1, "unknown": 0, "reserved": "0.040000"},
        "review_opened_at": null, "review_deadline_at": null, "next_reminder_at": null, "reminders": 0,
        "error": null, "created_at": "2026-12-01T10:00:00Z", "finished_at": over.then_some("2026-12-02T10:00:00Z"),
        "candidates": [
            candidate(1, 0, "succeeded", output("image/png"), json!(null)),
            candidate(2, 0, "succeeded", output("video/mp4"), json!(null)),
            candidate(2, 1, "succeeded", output("image/png"), json!(null)),
            candidate(2, 2, "failed", json!([]), json!({"code": "PROVIDER_REFUSED", "message": "no <rain>"})),
            candidate(2, 3, "running", json!([]), json!(null)),
        ],
        "decisions": [{"id": "0198c0de-0000-7000-8000-000000000003", "round": 1, "action": "revise", "reviewer": "Director \"M\"",
            "candidates": [], "notes": "warmer & <less> rain", "marks": [{"candidate": 0, "mark": 4, "note": "light"}],
            "variations": null, "created_at": "2026-12-01T12:00:00Z"}],
    });
    change(&mut run);
    serde_json::from_value(run).unwrap()
}

fn shown(run: &StyleRun, draft: &Draft, told: Option<&Notice<'_>>) -> String {
    page(&link(), run, draft, told).into_string()
}

#[test]
fn every_state_has_a_page_and_only_a_review_has_a_form() {
    for state in STATES {
        let run = run(state, |_| ());
        let page = shown(&run, &Draft::new(), None);
        assert_eq!(page.contains("<form"), state == "awaiting_review", "{state}");
        assert_eq!(
            page.contains("?since=5.4"),
            ["queued", "generating", "revising"].contains(&state),
            "{state}"
        );
        assert_eq!(
            page.contains(&format!("class=\"verdict {state}\"")),
            state != "awaiting_review",
            "how it ended has a look of its own: {state}"
        );
        assert!(page.contains("Director &quot;M&quot; asked for another round"), "{state}");
        assert!(page.contains("$0.08") && page.contains(" of $5.00") && page.contains("$0.04"), "{state}");
    }
}

#[test]
fn what_people_and_models_write_is_text_and_nothing_stands_inline() {
    for state in STATES {
        let mut draft = Draft::new();
        draft.notes = "</textarea><img src=x onerror=alert(1)>".to_owned();
        draft.reviewer = "\" autofocus onfocus=\"alert(1)".to_owned();
        let page = shown(&run(state, |_| ()), &draft, Some(&Notice::Late(&draft)));
        assert!(
            !page.contains("<script>") && !page.contains("<img src=x") && !page.contains("<rain>"),
            "{page}"
        );
        assert!(
            !page.contains(" style=") && !page.contains("\" onfocus") && !page.contains("hx-on"),
            "{page}"
        );
        assert_eq!(page.matches("<script").count(), 2);
        for source in page.split("src=\"").skip(1) {
            assert!(source.starts_with('/'), "{source}");
        }
    }
}

#[test]
fn the_last_round_offers_no_other() {
    let page =
        |round: u32| shown(&run("awaiting_review", |run| run["round"] = json!(round)), &Draft::new(), None);
    assert!(page(2).contains("value=\"revise\"") && !page(3).contains("value=\"revise\""));
    assert!(page(3).contains("This is the last round"));
}

#[test]
fn only_what_was_made_can_be_picked_and_a_draft_is_kept() {
    let mut draft = Draft::new();
    draft.picks.insert(1);
    draft.marks.insert(0, 3);
    draft.remarks.insert(1, "soft".to_owned());
    let page = shown(&run("awaiting_review", |_| ()), &draft, None);
    assert_eq!(page.matches("name=\"pick\"").count(), 2);
    assert!(page.contains("name=\"pick\" value=\"1\" checked"));
    assert!(
        page.contains("name=\"mark-0\" value=\"3\" checked")
            && page.contains("name=\"mark-1\" value=\"\" checked")
    );
    assert!(page.contains(">soft</textarea>"));
    assert!(page.contains("This one could not be made. no &lt;rain&gt;"));
    assert!(page.contains("/review/T/media/2/0/0") && page.contains("/review/T/media/1/0/0"));
}

#[test]
fn who_comes_late_reads_what_stands_and_what_was_lost() {
    let run = run("approved", |run| {
        run["decisions"][0] = json!({"id": "0198c0de-0000-7000-8000-000000000004", "round": 2, "action": "approve",
            "reviewer": "Producer", "candidates": [0, 1, 3], "notes": null, "marks": [], "variations": null,
            "created_at": "2026-12-01T12:00:00Z"});
    });
    let mut lost = Draft::new();
    lost.action = Some("revise".to_owned());
    lost.notes = "colder".to_owned();
    let page = shown(&run, &Draft::new(), Some(&Notice::Late(&lost)));
    assert!(
        page.contains("Producer approved A, B and D.")
            && page.contains("Another round")
            && page.contains("colder")
    );
}

#[test]
fn amounts_have_the_decimals_that_say_something() {
    use super::words::{dollars, letters};
    for (amount, said) in [("0", "$0.00"), ("1.5", "$1.50"), ("0.0125", "$0.0125"), ("12.340000", "$12.34")] {
        assert_eq!(dollars(amount.parse().unwrap()), said);
    }
    assert_eq!((letter(0), letter(11), letters([0])), ('A', 'L', "A".to_owned()));
}
