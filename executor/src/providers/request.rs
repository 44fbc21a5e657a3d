//! A generation's input in a provider's words.

use domain::AttemptId;
use domain::generation::{ChainStep, Input};
use serde_json::{Map, Value};

use super::answer::place;
use super::description::{Field, Form, Source, Submit};

/// The request body, as it will be journaled and sent. The step's options are laid over it as they are.
pub(super) fn body(submit: &Submit, step: &ChainStep, input: &Input, attempt: AttemptId) -> Value {
    let mut body = Value::Object(Map::new());
    for field in submit.fields {
        if let Some(value) = value(field, &step.model, input) {
            place(&mut body, field.to, value);
        }
    }
    if let Some(pointer) = submit.reference {
        place(&mut body, pointer, Value::from(attempt.to_string()));
    }
    if let Value::Object(members) = &mut body {
        members.extend(step.options.clone());
    }
    body
}

fn value(field: &Field, model: &str, input: &Input) -> Option<Value> {
    let value = match field.from {
        Source::Prompt => Value::from(input.prompt.as_str()),
        Source::NegativePrompt => Value::from(input.negative_prompt.as_deref()?),
        Source::DurationSeconds => Value::from(input.duration_seconds?),
        Source::AspectRatio => Value::from(input.aspect_ratio.as_deref()?),
        Source::Resolution => Value::from(input.resolution.as_deref()?),
        Source::Seed => Value::from(input.seed?),
        Source::Audio => Value::from(input.audio?),
    };
    let own = field.forms.iter().find(|(prefix, _)| model.starts_with(prefix)).map(|(_, form)| *form);
    Some(match own.unwrap_or(field.form) {
        Form::Same => value,
        Form::Text => Value::from(plain(&value)),
        Form::Suffixed(unit) => Value::from(format!("{}{unit}", plain(&value))),
    })
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use domain::provider::Provider;
    use serde_json::json;

    use super::*;
    use crate::providers::FAL;

    fn built(model: &str, input: &Value, options: &Value) -> Value {
        let step = ChainStep {
            provider: Provider::Fal,
            model: model.to_owned(),
            attempts: 1,
            options: options.as_object().unwrap().clone(),
        };
        let input: Input = serde_json::from_value(input.clone()).unwrap();
        body(&FAL.submit, &step, &input, crate::retry::mint_attempt())
    }

    #[test]
    fn a_duration_is_written_as_the_model_wants_it() {
        let input = json!({"prompt": "a cat", "duration_seconds": 8, "aspect_ratio": "16:9", "audio": true, "seed": 7});
        for (model, duration) in [
            ("fal-ai/veo3.1/fast", json!("8s")),
            ("fal-ai/kling-video/v3/pro/image-to-video", json!("8")),
            ("fal-ai/ltx-2/text-to-video/fast", json!(8)),
        ] {
            let expected = json!({
                "prompt": "a cat", "duration": duration, "aspect_ratio": "16:9", "generate_audio": true, "seed": 7
            });
            assert_eq!(built(model, &input, &json!({})), expected);
        }
    }

    #[test]
    fn options_are_laid_over_the_body_as_they_are() {
        let built =
            built("fal-ai/x", &json!({"prompt": "a"}), &json!({"prompt": "b", "image_size": {"width": 1}}));
        assert_eq!(built, json!({"prompt": "b", "image_size": {"width": 1}}));
    }
}
