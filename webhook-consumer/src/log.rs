//! One JSON line an outcome; a line reads alone. Fields are named with dots: `delivery.id`, `http.status`; null ones are
//! left out.

use serde_json::{Map, Value, json};
use worker::{console_error, console_log};

pub(crate) fn info(message: &str, fields: Map<String, Value>) {
    console_log!("{}", line("info", message, fields));
}

/// Something that AFC or its operator must look after.
pub(crate) fn error(message: &str, fields: Map<String, Value>) {
    console_error!("{}", line("error", message, fields));
}

fn line(level: &str, message: &str, fields: Map<String, Value>) -> Value {
    let mut line =
        Map::from_iter([("level".to_owned(), json!(level)), ("message".to_owned(), json!(message))]);
    line.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
    Value::Object(line)
}
