//! A batch of messages, each settled by itself.

use domain::DeliveryId;
use futures::stream::{self, StreamExt};
use js_sys::{Array, JSON, Object, Reflect};
use platform::log;
use serde_json::{Map, json};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use worker::Env;

use crate::config::{DEAD_QUEUE, LANES, Settings};
use crate::consume::{Consumer, consume};
use crate::dead::bury;
use crate::jitter::jitter;
use crate::lanes::Lanes;
use crate::message;
use crate::message::job_of;
use crate::outcome::{Outcome, Settlement};

#[wasm_bindgen]
extern "C" {
    /// Cloudflare's `MessageBatch`.
    #[wasm_bindgen(extends = Object)]
    type Batch;

    #[wasm_bindgen(method, getter, catch)]
    fn queue(this: &Batch) -> Result<String, JsValue>;

    #[wasm_bindgen(method, getter, catch)]
    fn messages(this: &Batch) -> Result<Array, JsValue>;

    /// Cloudflare's `Message`.
    #[wasm_bindgen(extends = Object)]
    type Message;

    #[wasm_bindgen(method, getter, catch)]
    fn id(this: &Message) -> Result<String, JsValue>;

    #[wasm_bindgen(method, getter, catch)]
    fn attempts(this: &Message) -> Result<u32, JsValue>;

    #[wasm_bindgen(method, getter, catch)]
    fn body(this: &Message) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn ack(this: &Message) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn retry(this: &Message, options: &Object) -> Result<(), JsValue>;
}

/// Works on a batch, up to [`LANES`] messages at once, and settles every message of it.
pub(crate) async fn settle(batch: JsValue, env: &Env) {
    let batch = batch.unchecked_into::<Batch>();
    let dead = batch.queue().is_ok_and(|queue| queue == DEAD_QUEUE);
    let messages = match batch.messages() {
        Ok(messages) => messages,
        Err(error) => {
            return log::error(
                "webhook batch unreadable",
                Map::from_iter([("error".to_owned(), json!(text(&error)))]),
            );
        }
    };
    let lanes = Lanes::default();
    let settings = Settings::read(env).map_err(|error| error.to_string());
    stream::iter(messages.iter())
        .for_each_concurrent(LANES, async |message| {
            let message = message.unchecked_into::<Message>();
            let delivery = delivery(&message);
            let outcome = match (&delivery, &settings) {
                _ if dead => bury(env, &message.id().unwrap_or_default(), &body(&message), &delivery).await,
                (Err(error), _) => Outcome::Malformed(error.clone()),
                (Ok(_), Err(error)) => Outcome::Hindered { error: error.clone(), status: None },
                (Ok(delivery), Ok(settings)) => {
                    consume(&Consumer { env, settings, lanes: &lanes }, delivery).await
                }
            };
            tell(&message, delivery.ok().as_ref(), &outcome);
        })
        .await;
}

fn delivery(message: &Message) -> Result<DeliveryId, String> {
    message::parse(&body(message))
}

/// The body as JSON text; empty when it is none.
fn body(message: &Message) -> String {
    let text = message.body().and_then(|body| JSON::stringify(&body));
    text.ok().and_then(|text| text.as_string()).unwrap_or_default()
}

/// Tells the queue, and the log.
fn tell(message: &Message, delivery: Option<&DeliveryId>, outcome: &Outcome) {
    let attempts = message.attempts().unwrap_or(1);
    let settlement = outcome.settlement(attempts, jitter());
    let told = match settlement {
        Settlement::Acknowledge => message.ack(),
        Settlement::Retry { seconds } => retry_in(message, seconds),
    };
    let mut fields = outcome.fields();
    fields.extend([
        ("message.id".to_owned(), json!(message.id().ok())),
        ("message.attempts".to_owned(), json!(attempts)),
        ("message.settlement".to_owned(), json!(settlement.to_string())),
        ("delivery.id".to_owned(), json!(delivery)),
        ("job.id".to_owned(), json!(delivery.and_then(job_of))),
        // A message that is not settled is acknowledged by the platform; its row stays due for the sweeper.
        ("message.error".to_owned(), json!(told.err().as_ref().map(text))),
    ]);
    if outcome.is_error() { log::error(outcome.name(), fields) } else { log::info(outcome.name(), fields) }
}

fn retry_in(message: &Message, seconds: u32) -> Result<(), JsValue> {
    let options = Object::new();
    Reflect::set(&options, &"delaySeconds".into(), &seconds.into())?;
    message.retry(&options)
}

/// An error of JavaScript's as it prints itself.
fn text(error: &JsValue) -> String {
    error
        .dyn_ref::<js_sys::Error>()
        .map_or_else(|| format!("{error:?}"), |error| String::from(error.to_string()))
}
