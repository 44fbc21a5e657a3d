//! The calls of one client.

use http::header::{AUTHORIZATION, HeaderName};
use serde_json::Value;

use crate::failure::{Failure, Outcome};
use crate::http::{Answer, Call};
use crate::stack::StackFile;

/// The public API under the stack's client key.
pub(crate) struct Api<'a> {
    stack: &'a StackFile,
}

impl<'a> Api<'a> {
    pub(crate) fn new(stack: &'a StackFile) -> Self {
        Self { stack }
    }

    /// `POST /v1/generations`.
    pub(crate) async fn create(&self, key: &str, body: &Value) -> Outcome<Answer> {
        let call = Call::post(format!("{}/v1/generations", self.stack.api), body);
        self.authorised(call).header(HeaderName::from_static("idempotency-key"), key).send().await
    }

    /// `GET /v1/generations/{id}` and what is below it; fails unless it is answered with 200.
    pub(crate) async fn get(&self, path: &str) -> Outcome<Answer> {
        let call = Call::get(format!("{}/v1/generations/{path}", self.stack.api));
        let answer = self.authorised(call).send().await?;
        if answer.status == 200 {
            return Ok(answer);
        }
        let what = format!("GET /v1/generations/{path} was answered {}: {}", answer.status, answer.excerpt());
        Err(Failure::new(what, "read wrangler.log of the stack (its folder is named in stack.json)"))
    }

    fn authorised(&self, call: Call) -> Call {
        call.header(AUTHORIZATION, format!("Bearer {}", self.stack.client_key))
    }
}

/// What the provider simulator accepted and charged in all.
pub(crate) async fn ledger(stack: &StackFile) -> Outcome<Value> {
    Call::get(format!("{}/_sim/ledger", stack.simulator)).send().await?.json()
}

/// A text below `pointer`, empty when there is none.
pub(crate) fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// A number below `pointer`, 0 when there is none.
pub(crate) fn number(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}
