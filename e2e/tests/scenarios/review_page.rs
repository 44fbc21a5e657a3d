//! The review page, as a browser without JavaScript has it.

use e2e::{Answer, Api, Review, Run, Stack, answer, marker};
use futures::future::join;
use reqwest::Method;
use serde_json::{Value, json};

use crate::style_runs::in_review;

fn text(answer: &Answer) -> &str {
    answer.body.as_str().unwrap()
}

/// The state, and who decided what in each round.
async fn decided(api: &Api, run: &Run) -> (String, Vec<(String, String)>) {
    let run = api.get_run(run["id"].as_str().unwrap()).await;
    let rounds = run["rounds"].as_array().unwrap().iter().filter_map(|round| {
        let decision = &round["decision"];
        Some((decision["reviewer"].as_str()?.to_owned(), decision["action"].as_str()?.to_owned()))
    });
    (run["state"].as_str().unwrap().to_owned(), rounds.collect())
}

async fn reviewed(stack: &Stack, api: &Api, mark: &str) -> Run {
    in_review(stack, api, mark, |_| ()).await
}

#[tokio::test]
async fn a41_two_rounds_are_decided_by_the_form_and_a_double_click_is_one_decision() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("page"));
    let run = reviewed(&stack, &api, &mark).await;
    let review = Review::of(&run);

    let page = review.page().await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert_eq!(page.header("cache-control"), Some("no-store"));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert!(text(&page).contains("a street at night, in the rain"), "the brief");

    let picture = answer(review.get("/media/1/1/0")).await;
    assert_eq!((picture.status, picture.header("content-type")), (200, Some("image/png")));
    let part = answer(review.get("/media/1/1/0").header("range", "bytes=0-3")).await;
    assert_eq!((part.status, part.header("content-length")), (206, Some("4")));

    let fields =
        "action=revise&reviewer=Director&notes=warmer%2C+%26+less+rain&mark-1=4&note-1=the+light&pick=0";
    let (first, second) = join(review.decide(&page, fields), review.decide(&page, fields)).await;
    for answer in [&first, &second] {
        assert_eq!(answer.status, 303, "{}", answer.body);
        assert!(review.url.ends_with(answer.header("location").unwrap()));
    }
    let run = api.run_until(run["id"].as_str().unwrap(), "awaiting_review", 2).await;
    let decision = &run["rounds"][0]["decision"];
    assert_eq!(decision["notes"], "warmer, & less rain", "{run}");
    assert_eq!(decision["marks"], json!([{"candidate": 1, "mark": 4, "note": "the light"}]));
    assert_eq!(run["rounds"].as_array().unwrap().len(), 2);

    let page = review.page().await;
    assert!(
        text(&page).contains("Director asked for another round") && !text(&page).contains("value=\"revise\"")
    );
    let approved = review.decide(&page, "action=approve&reviewer=Director&pick=1").await;
    assert_eq!(approved.status, 303, "{}", approved.body);
    assert!(text(&review.page().await).contains("Director approved B."));
    let two = (
        "approved".to_owned(),
        [("Director", "revise"), ("Director", "approve")].map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec(),
    );
    assert_eq!(decided(&api, &run).await, two);
}

#[tokio::test]
async fn a41_of_two_reviewers_at_once_one_decides_and_the_other_sees_what_stands() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("two-reviewers"));
    let run = reviewed(&stack, &api, &mark).await;
    let review = Review::of(&run);
    let (hers, his) = join(review.page(), review.page()).await;
    let (first, second) = join(
        review.decide(&hers, "action=approve&reviewer=Director&pick=0"),
        review.decide(&his, "action=reject&reviewer=Editor&notes=too+dark"),
    )
    .await;
    let (state, decisions) = decided(&api, &run).await;
    let [(winner, action)] = decisions.try_into().unwrap();
    let (won, lost) = if winner == "Director" { (first, second) } else { (second, first) };
    assert_eq!((won.status, lost.status), (303, 412), "{}", lost.body);
    let stands = if action == "approve" { "Director approved A." } else { "Editor rejected the run." };
    assert!(text(&lost).contains("came too late") && text(&lost).contains(stands), "{}", lost.body);
    assert_eq!(state == "approved", action == "approve");
}

#[tokio::test]
async fn what_is_missing_is_said_and_what_was_written_is_kept() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("incomplete"));
    let run = reviewed(&stack, &api, &mark).await;
    let review = Review::of(&run);
    let page = review.page().await;
    let answer = review.decide(&page, "action=approve&reviewer=Director&notes=a+long+thought").await;
    assert_eq!(answer.status, 422, "{}", answer.body);
    assert!(
        text(&answer).contains("Pick at least one candidate") && text(&answer).contains("a long thought")
    );
    // The page that says so can be sent: it names the same decision, which is not made yet.
    let again = review.decide(&answer, "action=approve&reviewer=Director&pick=0").await;
    assert_eq!(again.status, 303, "{}", again.body);
    let late = review.decide(&page, "action=reject&reviewer=Director").await;
    assert_eq!(late.status, 409, "the name stands for another decision: {}", late.body);
    for broken in
        ["", "action=reject&reviewer=Director", "key=k&action=reject", "key=%00&version=1&action=reject"]
    {
        assert_eq!(review.send_form(broken).await.status, 400, "{broken}");
    }
}

#[tokio::test]
async fn a_link_that_is_changed_or_too_old_opens_nothing_and_tells_nothing() {
    let stack = Stack::running();
    let (api, mark, other) = (stack.api(), marker("tampered"), marker("untouched"));
    let (run, foreign) = join(reviewed(&stack, &api, &mark), reviewed(&stack, &api, &other)).await;
    let good = Review::of(&run).url;
    let id = |run: &Run| run["id"].as_str().unwrap().to_owned();
    let changed = [
        good.replace(&id(&run), &id(&foreign)),
        format!("{good}x"),
        good.get(..good.len() - 9).unwrap().to_owned(),
    ];
    for (link, status) in
        changed.map(|url| (Review::at(&url), 403)).into_iter().chain([(stack.review_link(&run, 1_000), 410)])
    {
        let form = format!("key=k&version={}&action=reject&reviewer=Director", run["version"]);
        for answer in [link.page().await, answer(link.get("/media/1/0/0")).await, link.send_form(&form).await]
        {
            assert_eq!(answer.status, status, "{}", link.url);
            assert!(text(&answer).contains("whoever sent it") && text(&answer).contains("</html>"));
            for told in ["street", &id(&run), &mark] {
                assert!(!text(&answer).contains(told), "{told}: {}", answer.body);
            }
            assert_eq!(answer.header("cache-control"), Some("no-store"));
        }
    }
    for run in [&run, &foreign] {
        assert_eq!(decided(&api, run).await.0, "awaiting_review");
    }
    // A good link opens the files of its own run only, and only as a whole path.
    for missing in ["/media/1/0/1", "/media/1/7/0", "/media/2/0/0"] {
        assert_eq!(answer(Review::of(&run).get(missing)).await.status, 404, "{missing}");
    }
}

#[tokio::test]
async fn the_webhook_and_the_run_lead_to_the_same_page_and_an_open_page_hears_of_a_decision() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("asked"));
    let run = reviewed(&stack, &api, &mark).await;
    let asked = stack.receiver().until(&mark, 1).await.remove(0).json();
    assert_eq!(
        (&asked["type"], &asked["data"]["review_url"]),
        (&json!("style_run.review_requested"), &run["review"]["url"])
    );
    let review = Review::of(&run);
    let seen = format!("?seen={}", run["version"]);
    assert_eq!(answer(review.get(&seen)).await.status, 204, "nothing is new");
    let decided = json!({"action": "approve", "reviewer": "Editor", "candidates": [0]});
    assert_eq!(
        api.decide(run["id"].as_str().unwrap(), "by-key", run["version"].as_u64(), &decided).await.status,
        200
    );
    let note = answer(review.get(&seen)).await;
    assert!(
        note.status == 200 && text(&note).contains("Editor approved A.") && !text(&note).contains("<html"),
        "{}",
        note.body
    );
    let owner: Value = api
        .send(api.request(Method::GET, &format!("/v1/style-runs/{}", run["id"].as_str().unwrap())))
        .await
        .body;
    assert_eq!(owner["review"]["url"], Value::Null, "nothing is left to decide: {owner}");
}
