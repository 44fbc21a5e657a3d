//! What describes the API is served by it: the document and its page, with nothing from another host.

use e2e::Stack;
use reqwest::Method;
use serde_json::Value;

async fn text(path: &str) -> (u16, String, String) {
    let api = Stack::running().api();
    let response = api.request(Method::GET, path).send().await.unwrap();
    let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
    (response.status().as_u16(), kind, response.text().await.unwrap())
}

#[tokio::test]
async fn the_document_that_is_checked_in_is_served() {
    let (status, kind, served) = text("/openapi.json").await;
    assert_eq!((status, kind.as_str()), (200, "application/json"));
    let served: Value = serde_json::from_str(&served).unwrap();
    let wanted: Value = serde_json::from_str(include_str!("../../../docs/openapi.json")).unwrap();
    assert_eq!(served, wanted);
}

#[tokio::test]
async fn the_reference_page_has_all_it_needs_here() {
    let (status, kind, page) = text("/docs").await;
    assert_eq!(status, 200);
    assert!(kind.starts_with("text/html"), "{kind}");
    let links: Vec<&str> = ["href=\"", "src=\""]
        .iter()
        .flat_map(|attribute| page.split(attribute).skip(1))
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert!(links.len() >= 4, "{links:?}");
    for link in links {
        assert!(link.starts_with('/') && !link.starts_with("//"), "{link} is another host's");
        let api = Stack::running().api();
        let response = api.request(Method::GET, link).send().await.unwrap();
        assert_eq!(response.status(), 200, "{link}");
    }
}
