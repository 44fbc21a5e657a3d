//! Clients and keys: what operators hand out, what each key opens, what is remembered of it.

use e2e::{Answer, Api, Stack, marker};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::routes::opened_by;

/// A client of one's own, and the API under its first key.
pub struct Tenant {
    pub id: String,
    pub api: Api,
    admin: Api,
}

impl Tenant {
    pub async fn new(stack: &Stack, name: &str) -> Self {
        let admin = stack.api().with_key(&stack.admin_token);
        let made = post(&admin, "/v1/admin/clients", &json!({"name": name})).await;
        assert_eq!(made.status, 200, "{}", made.body);
        Self { id: made.text("/id").to_owned(), api: admin.with_key(made.text("/key")), admin }
    }

    /// Another key of this client.
    pub async fn key(&self, request: &Value) -> Answer {
        let issued = post(&self.admin, &format!("/v1/admin/clients/{}/keys", self.id), request).await;
        assert_eq!(issued.status, 200, "{}", issued.body);
        issued
    }

    pub async fn change(&self, change: &Value) -> Answer {
        let path = format!("/v1/admin/clients/{}", self.id);
        self.admin.send(self.admin.request(Method::PATCH, &path).json(change)).await
    }
}

async fn post(api: &Api, path: &str, body: &Value) -> Answer {
    api.send(api.request(Method::POST, path).json(body)).await
}

async fn get(api: &Api, path: &str) -> Answer {
    api.send(api.request(Method::GET, path)).await
}

/// What a key opens: reading the client's endpoints changes nothing.
async fn reads(api: &Api) -> (u16, String) {
    let answer = get(api, "/v1/webhook-endpoints").await;
    (answer.status, answer.text("/code").to_owned())
}

#[tokio::test]
async fn a_key_lives_beside_its_successor_and_ends_when_it_is_revoked() {
    let stack = Stack::running();
    let tenant = Tenant::new(&stack, "rotation").await;
    let admin = stack.api().with_key(&stack.admin_token);
    let issued = tenant.key(&json!({"label": "worker", "expires_in_seconds": 3600})).await;
    let (old, id) = (tenant.api.with_key(issued.text("/key")), issued.text("/id"));
    assert_eq!(reads(&old).await.0, 200);
    let keys = format!("/v1/admin/clients/{}/keys", tenant.id);
    let rotated = post(&admin, &format!("{keys}/{id}/rotate"), &json!({"overlap_seconds": 600})).await;
    assert_eq!((rotated.status, rotated.text("/label")), (200, "worker"), "{}", rotated.body);
    let new = tenant.api.with_key(rotated.text("/key"));
    assert_eq!((reads(&old).await.0, reads(&new).await.0), (200, 200));
    for _ in 0..2 {
        let revoked = post(&admin, &format!("{keys}/{id}/revoke"), &json!({})).await;
        assert_eq!((revoked.status, revoked.body["revoked_at"].is_string()), (200, true), "{}", revoked.body);
    }
    assert_eq!(reads(&old).await, (401, "UNAUTHENTICATED".to_owned()));
    assert_eq!(reads(&new).await.0, 200);
    let listed = get(&admin, &keys).await;
    let listed = listed.body["data"].as_array().unwrap();
    assert_eq!(listed.len(), 3);
    let shown = serde_json::to_string(listed).unwrap();
    assert!(!shown.contains(issued.text("/key")), "a key is shown once");
    assert!(listed.iter().all(|key| key["prefix"].as_str().unwrap().len() == 12), "{shown}");
    let over = post(&admin, &format!("{keys}/{id}/rotate"), &json!({})).await;
    assert_eq!((over.status, over.text("/code")), (400, "INVALID_REQUEST"));
}

#[tokio::test]
async fn every_route_asks_for_its_scope() {
    let stack = Stack::running();
    let tenant = Tenant::new(&stack, "scopes").await;
    let mut keys = Vec::new();
    for scope in ["read", "generate"] {
        let issued = tenant.key(&json!({"scopes": [scope]})).await;
        keys.push(tenant.api.with_key(issued.text("/key")));
    }
    let somewhere = Uuid::new_v4().to_string();
    for operation in opened_by("client_key") {
        let (needed, lacking) = match operation.method {
            Method::GET => ("read", &keys[1]),
            _ => ("generate", &keys[0]),
        };
        let answer = operation.ask(lacking, |_, _| somewhere.clone()).await;
        let (method, path) = (&operation.method, &operation.path);
        assert_eq!(
            (answer.status, answer.text("/code")),
            (403, "SCOPE_MISSING"),
            "{method} {path}: {}",
            answer.body
        );
        assert!(
            answer.text("/detail").contains(&format!("\"{needed}\"")),
            "{method} {path}: {}",
            answer.body
        );
    }
    for operation in opened_by("admin_token") {
        let answer = operation.ask(&tenant.api, |_, _| somewhere.clone()).await;
        let (method, path) = (&operation.method, &operation.path);
        assert_eq!(
            (answer.status, answer.text("/code")),
            (403, "SCOPE_MISSING"),
            "{method} {path}: {}",
            answer.body
        );
        assert!(answer.text("/detail").contains("\"admin\""), "{method} {path}: {}", answer.body);
    }
}

#[tokio::test]
async fn a_disabled_client_opens_nothing_and_what_it_asked_for_goes_on() {
    let stack = Stack::running();
    let (tenant, mark) = (Tenant::new(&stack, "disabled").await, marker("disabled"));
    let id = tenant.api.created(&mark, &Api::video(&mark)).await;
    assert_eq!(tenant.change(&json!({"enabled": false})).await.body["enabled"], false);
    assert_eq!(reads(&tenant.api).await, (403, "CLIENT_DISABLED".to_owned()));
    let refused = tenant.api.create(&marker("disabled"), &Api::video(&mark)).await;
    assert_eq!((refused.status, refused.text("/code")), (403, "CLIENT_DISABLED"));
    assert_eq!(tenant.change(&json!({"enabled": true})).await.body["disabled_at"], Value::Null);
    assert_eq!(tenant.api.ended(&id).await["status"], "succeeded");
    assert_eq!(stack.simulator().accepted(&mark).await, 1);
}

#[tokio::test]
async fn what_an_operator_does_is_in_the_audit_log_under_its_name() {
    let stack = Stack::running();
    let tenant = Tenant::new(&stack, "audit").await;
    // A key with scope admin names a person where the deployment's token names none.
    let issued = tenant.key(&json!({"label": "anna", "scopes": ["admin"]})).await;
    let anna = tenant.api.with_key(issued.text("/key"));
    let request_id = marker("request");
    let path = format!("/v1/admin/clients/{}", tenant.id);
    let renamed = anna
        .send(
            anna.request(Method::PATCH, &path)
                .header("x-request-id", &request_id)
                .json(&json!({"name": "renamed"})),
        )
        .await;
    assert_eq!(
        (renamed.status, renamed.header("x-request-id")),
        (200, Some(&*request_id)),
        "{}",
        renamed.body
    );
    let mut cursor = String::new();
    let record = loop {
        let page = get(&anna, &format!("/v1/admin/audit?limit=2{cursor}")).await;
        assert_eq!(page.status, 200, "{}", page.body);
        let records = page.body["data"].as_array().unwrap();
        if let Some(record) = records.iter().find(|record| record["request_id"] == request_id.as_str()) {
            break record.clone();
        }
        cursor = format!("&cursor={}", page.text("/next_cursor"));
        assert!(cursor.len() > 8, "the log ended without the action");
    };
    assert_eq!(record["actor"], issued.body["id"]);
    assert_eq!((&record["action"], &record["path"]), (&json!("PATCH /v1/admin/clients/{id}"), &json!(path)));
    assert_eq!((&record["before"]["name"], &record["after"]["name"]), (&json!("audit"), &json!("renamed")));
    assert_eq!((&record["status"], record["ended_at"].is_string()), (&json!(200), true));
    // Reading is no action, and neither is what was refused at the door.
    let stranger = stack.api().with_key("afc_nobody");
    assert_eq!(get(&stranger, "/v1/admin/audit").await.status, 401);
    let all = get(&anna, "/v1/admin/audit?limit=100").await;
    let all = all.body["data"].as_array().unwrap();
    assert!(all.iter().all(|record| !record["action"].as_str().unwrap().starts_with("GET")));
}

#[tokio::test]
async fn a_problem_names_its_request() {
    let stack = Stack::running();
    let api = stack.api();
    let missing = format!("/v1/generations/{}", Uuid::new_v4());
    let answer = api.send(api.request(Method::GET, &missing).header("x-request-id", "mine-1")).await;
    assert_eq!((answer.text("/request_id"), answer.header("x-request-id")), ("mine-1", Some("mine-1")));
    let answer = api.send(api.request(Method::GET, &missing).header("x-request-id", "no good one")).await;
    let id = answer.text("/request_id");
    assert_eq!((Uuid::try_parse(id).is_ok(), answer.header("x-request-id")), (true, Some(id)));
}

#[tokio::test]
async fn the_operators_clients_refuse_rubbish() {
    let stack = Stack::running();
    let tenant = Tenant::new(&stack, "rubbish").await;
    let admin = stack.api().with_key(&stack.admin_token);
    let keys = format!("/v1/admin/clients/{}/keys", tenant.id);
    for (path, rubbish) in [
        ("/v1/admin/clients", json!({})),
        ("/v1/admin/clients", json!({"name": ""})),
        ("/v1/admin/clients", json!({"title": "x"})),
        (&keys, json!({"scopes": ["write"]})),
        (&keys, json!({"expires_in_seconds": 0})),
        (&keys, json!([])),
    ] {
        let answer = post(&admin, path, &rubbish).await;
        assert_eq!((answer.status, answer.text("/code")), (400, "INVALID_REQUEST"), "{rubbish}");
    }
    for path in ["/v1/admin/clients?limit=0", "/v1/admin/audit?cursor=x", "/v1/admin/audit?pages=1"] {
        let answer = get(&admin, path).await;
        assert_eq!((answer.status, answer.text("/code")), (400, "INVALID_REQUEST"), "{path}");
    }
    for path in ["/v1/admin/clients/x", &format!("/v1/admin/clients/{}", Uuid::new_v4())] {
        assert_eq!(get(&admin, path).await.status, 404, "{path}");
    }
    let elsewhere = format!("{keys}/{}/revoke", Uuid::new_v4());
    assert_eq!(post(&admin, &elsewhere, &json!({})).await.status, 404);
}
