//! The review page in a real Chromium. Screenshots are kept in `target/review-page/`.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a scenario fails by panicking")]

use e2e::{Api, Browser, Device, Run, Stack, marker, turn};
use futures::future::join;
use serde_json::{Value, json};
use thirtyfour::Key;

/// A run that waits for its first decision.
async fn in_review(stack: &Stack, mark: &str, change: impl FnOnce(&mut Value)) -> Run {
    let api = stack.api();
    let mut body = Api::two_pictures(mark, &stack.receiver().hook(mark));
    change(&mut body);
    let id = api.created_run(mark, &body).await;
    api.run_until(&id, "awaiting_review", 1).await
}

fn link(run: &Run) -> &str {
    run["review"]["url"].as_str().unwrap()
}

fn id(run: &Run) -> &str {
    run["id"].as_str().unwrap()
}

/// Who decided what, in order.
fn decisions(run: &Run) -> Vec<(&str, &str)> {
    let rounds = run["rounds"].as_array().unwrap().iter();
    let made = rounds.map(|round| &round["decision"]).filter(|decision| !decision.is_null());
    made.map(|one| (one["reviewer"].as_str().unwrap(), one["action"].as_str().unwrap())).collect()
}

async fn accessible(browser: &Browser, what: &str) {
    let found = browser.accessibility().await;
    assert!(found.is_empty(), "{what}: {found:#?}");
}

#[tokio::test]
async fn a_director_compares_revises_with_a_note_and_approves_in_the_next_round() {
    let stack = Stack::running();
    let mark = marker("director");
    let run = in_review(&stack, &mark, |body| {
        body["project"] = json!("Rain, a short film");
        body["budget"] = json!("2.00");
        body["variations"] = json!([{}, {"seed": 40}, {"seed": 33, "prompt": format!("{mark} in neon")}]);
        body["template"]["input"]["aspect_ratio"] = json!("16:9");
        body["references"] = json!(["https://example.com/reference.jpg"]);
    })
    .await;
    let _turn = turn().await;
    let browser = Browser::open(Device::Desktop).await;
    browser.go(link(&run)).await;
    browser.reads("Pick C").await;
    let loaded = "return [...document.images].filter((one) => one.complete && one.naturalWidth > 0).length";
    e2e::eventually("three pictures", async || (browser.run(loaded).await == json!(3)).then_some(())).await;
    accessible(&browser, "a review").await;
    browser.keep("desktop-review").await;

    // Compared large, in one place; picked there.
    browser.click(".card:nth-child(1) [data-large]").await;
    let dialog = browser.find("dialog.large[open]").await;
    dialog.send_keys(Key::Right.value().to_string()).await.unwrap();
    assert_eq!(browser.find("dialog.large strong").await.text().await.unwrap(), "B");
    browser.keep("desktop-large").await;
    accessible(&browser, "the large view").await;
    dialog.send_keys("p").await.unwrap();
    dialog.send_keys(Key::Escape.value().to_string()).await.unwrap();
    assert_eq!(browser.find("[data-approve]").await.text().await.unwrap(), "Approve B");

    browser.write("#reviewer", "Director").await;
    browser.write("#notes", "warmer, and less rain").await;
    browser.write("#note-1", "this light").await;
    // A note alone is no mark: the page says so and keeps what was written.
    browser.click("[value=revise]").await;
    browser.reads("Candidate B has a note but no mark").await;
    accessible(&browser, "what is missing").await;
    browser.click("[name=mark-1][value='5']").await;
    browser.keep("desktop-marked").await;
    browser.click("[value=revise]").await;
    // The page follows the next round by itself.
    browser.reads("Earlier rounds").await;
    browser.find("form.review").await;
    browser.reads("this light").await;
    assert_eq!(browser.find("#reviewer").await.prop("value").await.unwrap().as_deref(), Some("Director"));
    accessible(&browser, "a second round").await;
    browser.keep("desktop-second-round").await;

    // Twice at once: one decision.
    browser.click(".card:nth-child(2) .pick input").await;
    let approve = browser.find("[data-approve]").await;
    approve.scroll_into_view().await.unwrap();
    browser.page().action_chain().double_click_element(&approve).perform().await.unwrap();
    browser.reads("Director approved B.").await;
    accessible(&browser, "an approved run").await;
    browser.keep("desktop-approved").await;
    browser.close().await;

    let run = stack.api().run_until(id(&run), "approved", 2).await;
    assert_eq!(decisions(&run), [("Director", "revise"), ("Director", "approve")]);
    let first = &run["rounds"][0]["decision"];
    assert_eq!(
        (&first["notes"], &first["marks"][0]["note"]),
        (&json!("warmer, and less rain"), &json!("this light"))
    );
}

#[tokio::test]
async fn on_a_phone_videos_play_side_by_side_and_a_finger_decides() {
    let stack = Stack::running();
    let mark = marker("phone");
    let run = in_review(&stack, &mark, |body| {
        let mut template = Api::video(&mark);
        template["input"]["aspect_ratio"] = json!("16:9");
        body["template"] = template;
    })
    .await;
    let _turn = turn().await;
    let browser = Browser::open(Device::Phone).await;
    browser.go(link(&run)).await;
    let playing = "return [...document.querySelectorAll('video')].filter((one) => !one.paused && one.currentTime > 0).length";
    e2e::eventually("two playing videos", async || (browser.run(playing).await == json!(2)).then_some(()))
        .await;
    let wide = "return document.documentElement.scrollWidth <= innerWidth";
    assert_eq!(browser.run(wide).await, json!(true), "the page is not wider than the phone");
    let side = "const [a, b] = [...document.querySelectorAll('.card')].map((one) => one.getBoundingClientRect()); return a.top === b.top && b.left < innerWidth";
    assert_eq!(browser.run(side).await, json!(true), "the next candidate looks in");
    accessible(&browser, "a review on a phone").await;
    browser.keep("phone-review").await;
    browser.click(".card:nth-child(2) .pick input").await;
    browser.write("#reviewer", "Editor").await;
    browser.find("#decision").await.scroll_into_view().await.unwrap();
    browser.keep("phone-decision").await;
    browser.click("[data-approve]").await;
    browser.reads("Editor approved B.").await;
    browser.close().await;
    assert_eq!(decisions(&stack.api().get_run(id(&run)).await), [("Editor", "approve")]);
}

#[tokio::test]
async fn of_two_reviewers_at_once_one_decides_and_the_other_sees_what_stands() {
    let stack = Stack::running();
    let mark = marker("both");
    let run = in_review(&stack, &mark, |_| ()).await;
    let _turn = turn().await;
    let (hers, his) = join(Browser::open(Device::Desktop), Browser::open(Device::Desktop)).await;
    for (browser, name, pick) in [(&hers, "Director", 1), (&his, "Editor", 2)] {
        browser.go(link(&run)).await;
        browser.write("#reviewer", name).await;
        browser.write("#notes", &format!("{name}'s words")).await;
        browser.click(&format!(".card:nth-child({pick}) .pick input")).await;
    }
    join(hers.click("[data-approve]"), his.click("[data-approve]")).await;
    let run = stack.api().run_until(id(&run), "approved", 1).await;
    let [(winner, _)] = decisions(&run).try_into().unwrap();
    let (won, lost, loser) =
        if winner == "Director" { (&hers, &his, "Editor") } else { (&his, &hers, "Director") };
    let stands = if winner == "Director" { "Director approved A." } else { "Editor approved B." };
    won.reads(stands).await;
    lost.reads("Your decision came too late").await;
    lost.reads(stands).await;
    lost.reads(&format!("{loser}'s words")).await;
    accessible(lost, "who comes late").await;
    lost.keep("desktop-too-late").await;
    join(hers.close(), his.close()).await;
}

/// Presses Tab until the focus is on `css`.
async fn tab_to(browser: &Browser, css: &str) {
    let on = format!("return document.activeElement.matches({css:?})");
    for _ in 0..80 {
        if browser.run(&on).await == json!(true) {
            return;
        }
        browser.page().action_chain().send_keys(Key::Tab.value().to_string()).perform().await.unwrap();
    }
    assert_eq!(browser.run("return document.activeElement.outerHTML").await, json!(css), "never came to it");
}

async fn press(browser: &Browser, keys: &str) {
    browser.page().action_chain().send_keys(keys).perform().await.unwrap();
}

#[tokio::test]
async fn a_keyboard_is_enough() {
    let stack = Stack::running();
    let mark = marker("keyboard");
    let run = in_review(&stack, &mark, |_| ()).await;
    let _turn = turn().await;
    let browser = Browser::open(Device::Desktop).await;
    browser.go(link(&run)).await;
    browser.find("form.review").await;
    tab_to(&browser, "[name=pick][value='0']").await;
    press(&browser, " ").await;
    tab_to(&browser, "[name=mark-0]").await;
    let right = Key::Right.value();
    press(&browser, &format!("{right}{right}{right}{right}")).await;
    tab_to(&browser, "#reviewer").await;
    press(&browser, "Director").await;
    // Enter in a text field decides nothing.
    press(&browser, &Key::Enter.value().to_string()).await;
    press(&browser, &Key::Tab.value().to_string()).await;
    assert_eq!(stack.api().get_run(id(&run)).await["state"], "awaiting_review");
    tab_to(&browser, "[data-approve]").await;
    let outline = "return getComputedStyle(document.activeElement).outlineStyle";
    assert_eq!(browser.run(outline).await, json!("solid"), "the focus is seen");
    press(&browser, &Key::Enter.value().to_string()).await;
    browser.reads("Director approved A.").await;
    browser.close().await;
    let run = stack.api().get_run(id(&run)).await;
    assert_eq!(run["rounds"][0]["decision"]["marks"], json!([{"candidate": 0, "mark": 4}]));
}

#[tokio::test]
async fn without_javascript_the_decision_is_the_same_and_links_that_are_bad_say_so() {
    let stack = Stack::running();
    let mark = marker("plain");
    let run = in_review(&stack, &mark, |_| ()).await;
    let _turn = turn().await;
    let browser = Browser::open(Device::DesktopWithoutScript).await;
    browser.go(link(&run)).await;
    assert_eq!(browser.find("[data-approve]").await.text().await.unwrap(), "Approve picked", "no script ran");
    for (url, heading) in [
        (stack.review_link(&run, 1_000).url, "This review link has expired"),
        (format!("{}x", link(&run)), "This review link does not work"),
    ] {
        browser.go(&url).await;
        browser.reads(heading).await;
        assert_eq!(browser.count("form, img, video").await, 0);
    }
    browser.keep("desktop-bad-link").await;
    browser.go(link(&run)).await;
    browser.click(".card:nth-child(1) .pick input").await;
    browser.write("#reviewer", "Director").await;
    browser.click("[data-approve]").await;
    browser.reads("Director approved A.").await;
    browser.close().await;
    assert_eq!(decisions(&stack.api().get_run(id(&run)).await), [("Director", "approve")]);
}
