//! The list of a client's generations.

use e2e::{Api, Stack, marker};
use reqwest::Method;
use serde_json::json;

async fn list(api: &Api, query: &str) -> e2e::Answer {
    api.send(api.request(Method::GET, &format!("/v1/generations?{query}"))).await
}

#[tokio::test]
async fn pages_of_a_list_hold_each_generation_once() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("list"));
    let mut made = Vec::new();
    for n in 0..3 {
        let mut body = Api::video(&mark);
        body["metadata"] = json!({"mark": mark});
        made.push(api.created(&format!("{mark}-{n}"), &body).await);
    }
    made.reverse();
    let filter = format!("metadata[mark]={mark}&limit=2");
    let first = list(&api, &filter).await;
    assert_eq!(first.status, 200, "{}", first.body);
    let second = list(&api, &format!("{filter}&cursor={}", first.text("/next_cursor"))).await;
    assert_eq!(second.body["next_cursor"], json!(null));
    let pages = [&first, &second].map(|page| page.body["data"].as_array().unwrap().clone());
    let read: Vec<_> = pages.iter().flatten().map(|job| job["id"].as_str().unwrap()).collect();
    assert_eq!(read, made);
}

#[tokio::test]
async fn i11_rubbish_foreign_and_misspelt_questions_are_refused_and_say_why() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("cursor"));
    for n in 0..2 {
        api.created(&format!("{mark}-{n}"), &Api::video(&mark)).await;
    }
    let first = list(&api, "limit=1&kind=video").await;
    let cursor = first.text("/next_cursor").to_owned();
    for query in [
        "cursor=x".to_owned(),
        "cursor=%00%FF".to_owned(),
        format!("limit=1&cursor={cursor}"),
        format!("limit=1&kind=video&cursor={}A", cursor.get(1..).unwrap()),
    ] {
        let answer = list(&api, &query).await;
        assert_eq!(answer.status, 400, "{query}: {}", answer.body);
        assert!(["INVALID_CURSOR", "INVALID_REQUEST"].contains(&answer.text("/code")), "{}", answer.body);
    }
    let misspelt = list(&api, "stats=failed").await;
    assert_eq!((misspelt.status, misspelt.text("/errors/0/pointer")), (400, "/stats"));
    assert!(misspelt.text("/errors/0/detail").contains("did you mean \"status\"?"), "{}", misspelt.body);
    let stranger = list(&api.with_key("afc_nobody"), &format!("limit=1&kind=video&cursor={cursor}")).await;
    assert_eq!((stranger.status, stranger.text("/code")), (401, "UNAUTHENTICATED"));
}
