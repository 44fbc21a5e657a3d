//! One JSON line an outcome; a line reads alone. Fields are named with dots: `job.id`, `http.status`; null ones are left
//! out.

use serde_json::{Map, Value, json};
use worker::{console_error, console_log};

/// `fields` is a JSON object.
pub fn info(message: &str, fields: impl Into<Value>) {
    console_log!("{}", line("info", message, fields.into()));
}

/// Something that AFC or its operator must look after.
pub fn error(message: &str, fields: impl Into<Value>) {
    console_error!("{}", line("error", message, fields.into()));
}

fn line(level: &str, message: &str, fields: Value) -> Value {
    let mut line =
        Map::from_iter([("level".to_owned(), json!(level)), ("message".to_owned(), json!(message))]);
    if let Value::Object(fields) = fields {
        line.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
    }
    Value::Object(line)
}
