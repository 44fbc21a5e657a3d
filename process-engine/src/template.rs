use serde_json::Value;

/// Why a `--format` cannot be filled in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TemplateError {
    #[error("template parsing error: {0:?} is none of {{{{.Path}}}}, {{{{json .Path}}}}, {{{{len .Path}}}}")]
    Unsupported(String),
    #[error("template execution error: there is no {0}")]
    NoField(String),
}

/// Fills in what `docker … --format` is given: text with `{{.Path}}`, `{{json .Path}}` and `{{len .Path}}`, where a
/// path is `.` or `.Field.Field`. That is a small part of Go's templates, and all that `wrangler` asks for.
pub(crate) fn render(template: &str, value: &Value) -> Result<String, TemplateError> {
    let mut rendered = String::new();
    let mut rest = template;
    while let Some((text, tail)) = rest.split_once("{{") {
        let (action, tail) =
            tail.split_once("}}").ok_or_else(|| TemplateError::Unsupported(tail.to_owned()))?;
        rendered.push_str(text);
        rendered.push_str(&evaluate(action, value)?);
        rest = tail;
    }
    rendered.push_str(rest);
    Ok(rendered)
}

fn evaluate(action: &str, value: &Value) -> Result<String, TemplateError> {
    let unsupported = || TemplateError::Unsupported(action.trim().to_owned());
    let words: Vec<&str> = action.split_whitespace().collect();
    match words.as_slice() {
        ["json", path] => Ok(look_up(path, value, unsupported)?.to_string()),
        ["len", path] => match look_up(path, value, unsupported)? {
            Value::Array(items) => Ok(items.len().to_string()),
            Value::Object(fields) => Ok(fields.len().to_string()),
            Value::String(text) => Ok(text.len().to_string()),
            Value::Null => Ok("0".to_owned()),
            Value::Bool(_) | Value::Number(_) => Err(unsupported()),
        },
        [path] => Ok(match look_up(path, value, unsupported)? {
            Value::String(text) => text.clone(),
            other
            @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                other.to_string()
            }
        }),
        _ => Err(unsupported()),
    }
}

fn look_up<'a>(
    path: &str,
    value: &'a Value,
    unsupported: impl Fn() -> TemplateError,
) -> Result<&'a Value, TemplateError> {
    let fields = path.strip_prefix('.').ok_or_else(unsupported)?;
    fields.split('.').filter(|field| !field.is_empty()).try_fold(value, |value, field| {
        value.get(field).ok_or_else(|| TemplateError::NoField(path.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_wrangler_asks_for_is_filled_in() {
        let image = json!({"Size": 12, "Os": "linux", "Architecture": "amd64", "RepoDigests": [], "RootFS": {"Layers": ["a"]}});
        for (template, expected) in [
            ("{{ .Size }} {{ len .RootFS.Layers }}", "12 1"),
            ("{{ json .RepoDigests }}", "[]"),
            ("{{ .Os }}/{{ .Architecture }}", "linux/amd64"),
            ("plain", "plain"),
        ] {
            assert_eq!(render(template, &image).unwrap(), expected);
        }
        assert_eq!(render("{{json .}}", &json!({"a": 1})).unwrap(), r#"{"a":1}"#);
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        let value = json!({"A": 1});
        assert_eq!(render("{{.B.C}}", &value), Err(TemplateError::NoField(".B.C".to_owned())));
        for template in ["{{range .A}}x{{end}}", "{{.A", "{{A}}", "{{len .A}}", "{{}}"] {
            assert!(matches!(render(template, &value), Err(TemplateError::Unsupported(_))), "{template}");
        }
    }
}
