//! Downloads: ranges, validators, HEAD (RFC 9110).

use e2e::{Api, Stack, marker};
use reqwest::Method;

#[tokio::test]
async fn i9_outputs_are_served_whole_by_range_and_conditionally() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("output"));
    let id = api.created(&mark, &Api::video(&mark)).await;
    api.ended(&id).await;
    let path = format!("/v1/generations/{id}/output");
    let whole = api.output(&id).await;
    let size = whole.len();

    let head = api.send(api.request(Method::HEAD, &path)).await;
    assert_eq!((head.status, head.header("content-length")), (200, Some(size.to_string().as_str())));
    assert_eq!(head.header("accept-ranges"), Some("bytes"));
    let etag = head.header("etag").unwrap().to_owned();

    let part = api.request(Method::GET, &path).header("range", "bytes=4-7").send().await.unwrap();
    assert_eq!(part.status(), 206);
    assert_eq!(part.headers()["content-range"].to_str().unwrap(), format!("bytes 4-7/{size}"));
    assert_eq!(part.bytes().await.unwrap(), whole[4..8]);

    let tail = api.request(Method::GET, &path).header("range", "bytes=-3").header("if-range", &etag);
    assert_eq!(tail.send().await.unwrap().bytes().await.unwrap(), whole[size - 3..]);
    let stale = api.request(Method::GET, &path).header("range", "bytes=-3").header("if-range", "\"other\"");
    let stale = stale.send().await.unwrap();
    assert_eq!((stale.status().as_u16(), stale.bytes().await.unwrap().len()), (200, size));

    let beyond = api.send(api.request(Method::GET, &path).header("range", format!("bytes={size}-"))).await;
    assert_eq!((beyond.status, beyond.text("/code")), (416, "RANGE_NOT_SATISFIABLE"));
    assert_eq!(beyond.header("content-range"), Some(format!("bytes */{size}").as_str()));

    let same = api.send(api.request(Method::GET, &path).header("if-none-match", &etag)).await;
    assert_eq!(same.status, 304);
    let other = api.send(api.request(Method::GET, &format!("{path}/1"))).await;
    assert_eq!((other.status, other.text("/code")), (404, "NOT_FOUND"));
}

#[tokio::test]
async fn an_output_that_is_not_there_yet_says_so() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("not-ready"));
    stack.simulator().script(&mark, &serde_json::json!({"never_finish": true})).await;
    let id = api.created(&mark, &Api::video(&mark)).await;
    let early = api.send(api.request(Method::GET, &format!("/v1/generations/{id}/output"))).await;
    assert_eq!((early.status, early.text("/code")), (409, "OUTPUT_NOT_READY"));
    api.cancel(&id).await;
    let never = api.send(api.request(Method::GET, &format!("/v1/generations/{id}/output"))).await;
    assert_eq!((never.status, never.text("/code")), (404, "NOT_FOUND"));
}
