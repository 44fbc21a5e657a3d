//! What an operator allows a client: generations at once and in a minute, and money (B13).

use e2e::{Api, Stack, eventually, marker};
use serde_json::{Value, json};

use crate::clients::Tenant;

async fn limited(stack: &Stack, name: &str, limits: &Value) -> Tenant {
    let tenant = Tenant::new(stack, name).await;
    allow(&tenant, limits).await;
    tenant
}

async fn allow(tenant: &Tenant, limits: &Value) {
    let changed = tenant.change(limits).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
}

#[tokio::test]
async fn a6_a_limit_refuses_what_is_new_and_never_a_replay() {
    let stack = Stack::running();
    let (tenant, mark) = (limited(&stack, "limits", &json!({"max_open": 1})).await, marker("open"));
    stack.simulator().script(&mark, &json!({"never_finish": true})).await;
    let id = tenant.api.created(&mark, &Api::video(&mark)).await;
    let second = marker("open");
    let refused = tenant.api.create(&second, &Api::video(&second)).await;
    assert_eq!((refused.status, refused.text("/code")), (429, "TOO_MANY_OPEN"), "{}", refused.body);
    assert!(refused.header("retry-after").unwrap().parse::<u32>().unwrap() > 0);
    let replay = tenant.api.create(&mark, &Api::video(&mark)).await;
    assert_eq!((replay.status, replay.text("/id")), (202, &*id), "{}", replay.body);
    assert_eq!(tenant.api.cancel(&id).await.status, 200);
    // The same request, with the same key, is now taken; and it uses up the minute.
    allow(&tenant, &json!({"creates_per_minute": 1})).await;
    let taken = tenant.api.created(&second, &Api::video(&second)).await;
    allow(&tenant, &json!({"max_open": null})).await;
    let third = marker("open");
    let refused = tenant.api.create(&third, &Api::video(&third)).await;
    assert_eq!((refused.status, refused.text("/code")), (429, "RATE_LIMITED"), "{}", refused.body);
    let seconds: u32 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    assert_eq!(tenant.api.create(&second, &Api::video(&second)).await.status, 202);
    assert_eq!(tenant.api.ended(&taken).await["status"], "succeeded");
    assert_eq!(stack.simulator().calls(&third).await.len(), 0);
}

#[tokio::test]
async fn b13_what_cannot_be_paid_is_not_begun_and_what_is_reserved_is_waited_for() {
    let stack = Stack::running();
    // One call costs 3.20 at worst.
    let tenant = limited(&stack, "budget", &json!({"budget_day": "3.19"})).await;
    let (first, second) = (marker("budget"), marker("budget"));
    let refused = tenant.api.create(&first, &Api::video(&first)).await;
    assert_eq!((refused.status, refused.text("/code")), (402, "BUDGET_EXCEEDED"), "{}", refused.body);
    let mut unrated = Api::video(&first);
    unrated["chain"][0]["model"] = json!("fal-ai/nobody-knows");
    let refused = tenant.api.create(&first, &unrated).await;
    assert_eq!((refused.status, refused.text("/code")), (402, "BUDGET_EXCEEDED"), "{}", refused.body);

    allow(&tenant, &json!({"budget_day": "5.00"})).await;
    stack.simulator().script(&first, &json!({"never_finish": true})).await;
    let paying = tenant.api.created(&first, &Api::video(&first)).await;
    eventually("the first to be accepted", async || {
        (stack.simulator().accepted(&first).await == 1).then_some(())
    })
    .await;
    let waiting = tenant.api.created(&second, &Api::video(&second)).await;
    let job = tenant.api.until(&waiting, &["waiting"]).await;
    assert_eq!(job["waiting"], "the budget of the day is used up or reserved", "{job}");
    assert_eq!(
        (stack.simulator().calls(&second).await.len(), tenant.api.attempts(&waiting).await.len()),
        (0, 0)
    );
    allow(&tenant, &json!({"budget_day": "6.40"})).await;
    let job = tenant.api.ended(&waiting).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    tenant.api.cancel(&paying).await;
}

#[tokio::test]
async fn b13_a_running_job_fails_when_nothing_will_help_it() {
    let stack = Stack::running();
    let (tenant, mark) =
        (limited(&stack, "budget", &json!({"budget_month": "9.00"})).await, marker("budget"));
    // Its first call fails, after the budget has become too small for another one.
    stack.simulator().script(&mark, &json!({"run_ms": 3000, "outcome": "fail"})).await;
    let id = tenant.api.created(&mark, &Api::video(&mark)).await;
    eventually("the first call to be accepted", async || {
        (stack.simulator().accepted(&mark).await == 1).then_some(())
    })
    .await;
    allow(&tenant, &json!({"budget_month": "3.19"})).await;
    let job = tenant.api.ended(&id).await;
    assert_eq!(
        (job["status"].as_str(), job["error"]["code"].as_str()),
        (Some("failed"), Some("BUDGET_EXCEEDED")),
        "{job}"
    );
    assert_eq!((stack.simulator().accepted(&mark).await, tenant.api.attempts(&id).await.len()), (1, 1));
}
