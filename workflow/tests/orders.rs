use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::{Context, Delay, Env, Method, Request, Response, event};
use workflow::{
    binding::{Error, Workflow},
    entry::{self, Event},
    replay::{Backoff, Failure, Policy, Retries, Steps, Waited},
};

#[derive(Serialize, Deserialize)]
struct Order {
    item: String,
}

/// What this workflow can do to the world.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Activity {
    Reserve { item: String },
    Ship { reservation: String },
    Release { reservation: String },
}

const POLICY: Policy = Policy::retrying(
    Duration::from_secs(30),
    Retries { limit: 5, delay: Duration::from_secs(2), backoff: Backoff::Exponential },
);

/// The body: deterministic, and awaits nothing but its steps.
async fn order(steps: Steps<Activity>, event: Event<Order>) -> Result<String, Failure> {
    let item = event.payload.item;
    let reservation: String = steps.perform("reserve", POLICY, Activity::Reserve { item }).await?;
    match steps.wait::<String>("payment", "paid", Duration::from_hours(1)).await? {
        Waited::Event(payer) => {
            let () = steps.perform("ship", POLICY, Activity::Ship { reservation }).await?;
            Ok(format!("shipped to {payer}"))
        }
        Waited::TimedOut => {
            let () = steps.perform("release", POLICY, Activity::Release { reservation }).await?;
            Ok("released".into())
        }
    }
}

/// One attempt of one activity. Attempts are repeated, so each activity must be safe to perform twice.
async fn act(_env: &Env, activity: Activity, attempt: u32) -> Result<Value, Failure> {
    match activity {
        Activity::Reserve { item } if item.is_empty() => Err(Failure::non_retryable("NO_SUCH_ITEM")),
        Activity::Reserve { item } => Ok(format!("{item}-1").into()),
        Activity::Ship { .. } if attempt == 1 => Err(Failure::new("CarrierError", "the lorry is late")),
        Activity::Ship { .. } | Activity::Release { .. } => {
            Delay::from(Duration::from_millis(20)).await;
            Ok(Value::Null)
        }
    }
}

/// What `loop.mjs` calls.
#[wasm_bindgen]
pub struct OrderLogic {
    env: Env,
}

#[wasm_bindgen]
impl OrderLogic {
    #[wasm_bindgen(constructor)]
    pub fn new(env: Env) -> OrderLogic {
        OrderLogic { env }
    }

    pub fn next(&self, event: &str, history: &str) -> String {
        entry::next(event, history, order)
    }

    pub async fn perform(&self, activity: String, attempt: u32) -> String {
        entry::perform(&activity, attempt, |activity, attempt| act(&self.env, activity, attempt)).await
    }
}

/// `PUT /{id}` orders, however often; `POST /{id}` pays; `GET /{id}` tells.
#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    let orders = env.get_binding::<Workflow>("ORDERS")?;
    let path = request.path();
    let id = path.trim_start_matches('/');
    if request.method() == Method::Put {
        return match orders.create(id, &Order { item: "tea".into() }).await {
            Ok(_) | Err(Error::AlreadyExists(_)) => Response::ok("ordered"),
            Err(error) => Err(error.into()),
        };
    }
    let instance = match orders.get(id).await {
        Err(Error::NotFound(_)) => return Response::error("no such order", 404),
        found => found?,
    };
    if request.method() == Method::Post {
        instance.send_event("paid", &"ann").await?;
    }
    Response::ok(format!("{:?}", instance.status().await?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use workflow::replay::{Command, Failure, Op, Outcome, rehearse};

    use super::{Activity, Event, Order, POLICY, order};

    #[test]
    fn an_order_that_nobody_pays_for_is_released() {
        let event = || Event {
            payload: Order { item: "tea".into() },
            timestamp: "2026-12-01T12:00:00.000Z".into(),
            instance_id: "order-17".into(),
            workflow_name: None,
        };
        let run = rehearse(
            |steps| order(steps, event()),
            |command| match command.step() {
                Some((Op::Do, "reserve")) => Outcome::Ok(json!("tea-1")),
                Some((Op::Wait, _)) => Outcome::Err(Failure::new("WorkflowTimeoutError", "late")),
                _ => Outcome::Ok(json!(null)),
            },
        );
        let activity = Activity::Release { reservation: "tea-1".into() };
        assert!(run.commands.contains(&Command::Do { name: "release".into(), policy: POLICY, activity }));
        assert_eq!(run.commands.last(), Some(&Command::Done { output: json!("released") }));
    }
}
