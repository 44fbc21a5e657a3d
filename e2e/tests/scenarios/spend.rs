//! What is spent, and what would be.

use e2e::{Answer, Api, Stack, marker};
use reqwest::Method;
use serde_json::{Value, json};

use crate::clients::Tenant;

async fn get(api: &Api, path: &str) -> Answer {
    let answer = api.send(api.request(Method::GET, path)).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer
}

#[tokio::test]
async fn b13_spend_is_told_by_project_to_its_client_and_to_operators() {
    let stack = Stack::running();
    let (tenant, mark) = (Tenant::new(&stack, "spend").await, marker("spend"));
    let mut body = Api::video(&mark);
    body["project"] = json!("a film, \"cut\"");
    let id = tenant.api.created(&mark, &body).await;
    let job = tenant.api.ended(&id).await;
    let (priced, count) = (job["cost"]["priced"].as_str().unwrap(), json!(1));
    assert_ne!(priced, "0.000000", "{job}");

    let told = get(&tenant.api, "/v1/spend?group_by=project,model").await.body;
    assert_eq!(
        (&told["total"]["priced"]["count"], &told["total"]["priced"]["amount"]),
        (&count, &json!(priced))
    );
    let line = &told["data"][0];
    assert_eq!((&line["project"], &line["model"]), (&json!("a film, \"cut\""), &json!("fal-ai/veo3.1")));
    assert_eq!((&line["priced"], line.get("day")), (&told["total"]["priced"], None));

    let request = tenant.api.request(Method::GET, "/v1/spend?group_by=project").header("accept", "text/csv");
    let csv = tenant.api.send(request).await;
    assert!(csv.header("content-type").unwrap().starts_with("text/csv"), "{:?}", csv.headers);
    let lines: Vec<&str> = csv.body.as_str().unwrap().split("\r\n").collect();
    assert!(lines[0].starts_with("project,priced_count,priced_amount,"), "{lines:?}");
    assert!(lines[1].starts_with(&format!("\"a film, \"\"cut\"\"\",1,{priced},")), "{lines:?}");

    let admin = stack.api().with_key(&stack.admin_token);
    let path = format!("/v1/admin/spend?group_by=client&client={}", tenant.id);
    let theirs = get(&admin, &path).await.body;
    assert_eq!((&theirs["data"][0]["client"], &theirs["total"]), (&json!(tenant.id), &told["total"]));
    let other = Tenant::new(&stack, "spend").await;
    assert_eq!(get(&other.api, "/v1/spend").await.body["data"], json!([]));
    for path in ["/v1/spend?group_by=client", &format!("/v1/spend?client={}", tenant.id), "/v1/spend?from=x"]
    {
        let refused = other.api.send(other.api.request(Method::GET, path)).await;
        assert_eq!((refused.status, refused.text("/code")), (400, "INVALID_REQUEST"), "{path}");
    }
}

#[tokio::test]
async fn what_operators_watch_is_told_to_operators_only() {
    let stack = Stack::running();
    let (tenant, mark) = (Tenant::new(&stack, "metrics").await, marker("metrics"));
    let id = tenant.api.created(&mark, &Api::video(&mark)).await;
    tenant.api.ended(&id).await;
    let text = get(&stack.api().with_key(&stack.admin_token), "/metrics").await;
    assert_eq!(text.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let lines: Vec<&str> = text.body.as_str().unwrap().lines().collect();
    let value = |name: &str| {
        let line = lines.iter().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| unreachable!("no {name}: {lines:?}")).trim().to_owned()
    };
    assert_ne!(value("afc_spend_today_usd{provider=\"fal\",part=\"priced\"}"), "0.000000");
    assert_ne!(value("afc_attempts_ended_last_hour{class=\"none\"}"), "0");
    value("afc_deliveries_due");
    for line in &lines {
        let sample =
            line.starts_with("# ") || line.rsplit_once(' ').is_some_and(|(_, n)| n.parse::<f64>().is_ok());
        assert!(sample, "{line}");
    }
    let refused = tenant.api.send(tenant.api.request(Method::GET, "/metrics")).await;
    assert_eq!((refused.status, refused.text("/code")), (403, "SCOPE_MISSING"));
}

#[tokio::test]
async fn an_estimate_says_what_it_would_cost_and_creates_nothing() {
    let stack = Stack::running();
    let (tenant, mark) = (Tenant::new(&stack, "estimate").await, marker("estimate"));
    let estimate = async |body: &Value| {
        tenant.api.send(tenant.api.request(Method::POST, "/v1/estimates").json(body)).await
    };
    let body = Api::video(&mark);
    let told = estimate(&body).await;
    assert_eq!(
        (told.status, told.text("/least"), told.text("/most")),
        (200, "3.200000", "6.400000"),
        "{}",
        told.body
    );
    assert_eq!((&told.body["allowed"], &told.body["budget_day"]), (&json!(true), &Value::Null));
    assert_eq!(tenant.change(&json!({"budget_day": "3.20"})).await.status, 200);
    let told = estimate(&body).await.body;
    assert_eq!((&told["allowed"], &told["allowed_at_most"]), (&json!(true), &json!(false)), "{told}");
    assert_eq!(told["budget_day"]["left"], "3.200000");
    let mut unrated = body.clone();
    unrated["chain"][0]["model"] = json!("fal-ai/nobody-knows");
    let told = estimate(&unrated).await.body;
    assert_eq!(
        (&told["least"], &told["most"], &told["allowed"]),
        (&Value::Null, &Value::Null, &json!(false))
    );
    let mut wrong = body.clone();
    wrong["models"] = json!([]);
    let refused = estimate(&wrong).await;
    assert_eq!((refused.status, refused.text("/code")), (400, "INVALID_REQUEST"), "{}", refused.body);
    assert_eq!(stack.simulator().calls(&mark).await.len(), 0);
    assert_eq!(get(&tenant.api, "/v1/spend").await.body["data"], json!([]));
}
