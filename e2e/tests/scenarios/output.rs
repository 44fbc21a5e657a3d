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

#[tokio::test]
async fn an_output_s_url_opens_it_without_a_key_and_nothing_else() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("link"));
    let mut body = Api::video(&mark);
    body["callback_url"] = serde_json::json!(stack.receiver().hook(&mark));
    let id = api.created(&mark, &body).await;
    let job = api.ended(&id).await;
    let url = job["outputs"][0]["url"].as_str().unwrap().to_owned();
    let whole = api.output(&id).await;
    let nobody = reqwest::Client::new();
    let read = nobody.get(&url).send().await.unwrap();
    assert_eq!((read.status().as_u16(), &*read.bytes().await.unwrap()), (200, &*whole));
    let part = nobody.get(&url).header("range", "bytes=4-7").send().await.unwrap();
    assert_eq!((part.status().as_u16(), &*part.bytes().await.unwrap()), (206, &whole[4..8]));
    assert_eq!(nobody.head(&url).send().await.unwrap().status(), 200);

    let told = stack.receiver().until(&mark, 1).await.remove(0).json();
    let in_event = told["data"]["outputs"][0]["url"].as_str().unwrap().to_owned();
    assert_eq!(nobody.get(&in_event).send().await.unwrap().status(), 200);

    let (path, query) = url.split_once('?').unwrap();
    let elsewhere = uuid::Uuid::new_v4().to_string();
    let changed = [
        url.replace("/output/0", "/output/1"),
        url.replace("/output/0", "/output"),
        url.replace(&id, &elsewhere),
        url.replace("expires=", "expires=9"),
        format!("{}A", url.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "-_".contains(c))),
        format!("{path}?signature=x"),
        format!("{path}?expires=9999999999"),
    ];
    for changed in changed {
        let refused = api.send(nobody.get(&changed)).await;
        assert_eq!((refused.status, refused.text("/code")), (403, "LINK_INVALID"), "{changed}");
        assert_eq!(refused.header("content-type"), Some("application/problem+json"), "{changed}");
    }
    let bare = api.send(nobody.get(path)).await;
    assert_eq!((bare.status, bare.text("/code")), (401, "UNAUTHENTICATED"));
    // It opens no other route, and no other method.
    let generation = path.trim_end_matches("/output/0");
    assert_eq!(api.send(nobody.get(format!("{generation}?{query}"))).await.status, 401);
    assert_eq!(api.send(nobody.post(format!("{generation}/cancel?{query}"))).await.status, 401);
}

#[tokio::test]
async fn an_expired_url_is_gone_and_a_key_opens_it_all_the_same() {
    let stack = Stack::running();
    let (api, mark) = (stack.api(), marker("expired-link"));
    let id = api.created(&mark, &Api::video(&mark)).await;
    api.ended(&id).await;
    for (of, status) in [(id.clone(), 200), (uuid::Uuid::new_v4().to_string(), 404)] {
        let path = format!("/v1/generations/{of}/output/0");
        let query = domain::signed::Keys::parse(&stack.link_keys).sign(&path, 1).unwrap();
        let expired = api.send(reqwest::Client::new().get(format!("{}{path}?{query}", stack.api))).await;
        // The same whether or not there is anything.
        assert_eq!((expired.status, expired.text("/code")), (410, "LINK_EXPIRED"), "{}", expired.body);
        let with_key = api.request(Method::GET, &format!("{path}?{query}")).send().await.unwrap();
        assert_eq!(with_key.status().as_u16(), status);
        let in_time = domain::signed::Keys::parse(&stack.link_keys).sign(&path, i64::MAX).unwrap();
        let read = reqwest::get(format!("{}{path}?{in_time}", stack.api)).await.unwrap();
        assert_eq!(read.status().as_u16(), status);
    }
}
