//! What operators do is written before it is done.

use serde_json::{Value, json};
use store::audit::{self, Beginning, Outcome};

use crate::fixture::Fixture;

#[tokio::test]
async fn an_action_is_there_before_its_outcome_and_the_first_outcome_stands() {
    let fixture = Fixture::new().await;
    let beginning = |path| Beginning {
        actor: "admin_token",
        action: "PATCH /v1/admin/clients/{id}",
        path,
        request_id: "r-1",
    };
    let first = audit::begin(fixture.db(), &beginning("/v1/admin/clients/a")).await.unwrap();
    let second = audit::begin(fixture.db(), &beginning("/v1/admin/clients/b")).await.unwrap();
    let (before, after) = (json!({"name": "x"}), json!({"name": "y"}));
    let outcome = Outcome { status: 200, before: &before, after: &after };
    audit::end(fixture.db(), second, &outcome).await.unwrap();
    let other = Outcome { status: 500, before: &Value::Null, after: &Value::Null };
    audit::end(fixture.db(), second, &other).await.unwrap();
    let all = audit::list(fixture.db(), None, 10).await.unwrap();
    assert_eq!(all.iter().map(|record| record.id).collect::<Vec<_>>(), [second, first]);
    assert_eq!(
        (all[0].status, all[0].before.clone(), all[0].after.clone()),
        (Some(200), Some(before), Some(after))
    );
    assert_eq!((all[1].status, all[1].ended_at, all[1].before.clone()), (None, None, None));
    let rest = audit::list(fixture.db(), Some(second), 10).await.unwrap();
    assert_eq!((rest.len(), rest[0].path.as_str()), (1, "/v1/admin/clients/a"));
}
