//! A generation's input in a provider's words.

use std::collections::BTreeSet;

use domain::AttemptId;
use domain::generation::{ChainStep, Input, Kind};
use domain::inputs::{Medium, Role};
use domain::media::ContentType;
use serde_json::{Map, Value, json};

use super::answer::place;
use super::description::{Field, Fixed, Form, Slot, Source, Submit, Takes};

/// A request body as it is journaled: media stand in it by name, not as bytes and not as URLs that open the bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    pub body: Value,
    pub places: Vec<Place>,
}

/// Where in a body a medium stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub pointer: String,
    /// Index into the input's media.
    pub medium: usize,
    /// What stands there in the journal.
    pub named: String,
}

/// A medium as it is sent, and where it goes.
#[derive(Clone)]
pub struct Carried {
    pub place: Place,
    /// A URL, base64, or the provider's own name for an upload.
    pub value: String,
}

/// The model has no place for a medium.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{model} takes no{} {kind} as {role}: /input/media/{medium}", if *.further { " further" } else { "" }, kind = .kind.as_str(), role = .role.as_str())]
pub struct NotTaken {
    model: String,
    medium: usize,
    role: Role,
    kind: Kind,
    /// It takes one, and has it.
    further: bool,
}

impl Asked {
    /// The body as it is sent.
    pub fn filled(&self, carried: &[Carried]) -> Value {
        let mut body = self.body.clone();
        fill(&mut body, carried);
        body
    }
}

/// Puts media where their names stand. A place that the step's options took over stays as they say.
pub(super) fn fill(body: &mut Value, carried: &[Carried]) {
    for Carried { place, value } in carried {
        if let Some(at) = body.pointer_mut(&place.pointer).filter(|at| at.as_str() == Some(&place.named)) {
            *at = Value::from(value.as_str());
        }
    }
}

/// The request body, as it will be journaled and sent. The step's options are laid over it as they are; the model and
/// our reference stay what the journal says. `seen` is what each of the input's media is.
pub(super) fn ask(
    submit: &Submit,
    step: &ChainStep,
    input: &Input,
    seen: &[ContentType],
    attempt: AttemptId,
) -> Result<Asked, NotTaken> {
    let mut body = Value::Object(Map::new());
    let (named, asked): (Vec<&Field>, Vec<&Field>) =
        submit.fields.iter().partition(|field| field.from == Source::Model);
    let fill = |body: &mut Value, fields: Vec<&Field>| {
        for field in fields {
            if let Some(value) = value(field, &step.model, input) {
                place(body, field.to, value);
            }
        }
    };
    fill(&mut body, asked);
    let places = place_media(&mut body, &submit.media, &step.model, &input.media, seen)?;
    if !step.options.is_empty() {
        let mut options = Value::Null;
        place(&mut options, submit.options, Value::Object(step.options.clone()));
        lay_over(&mut body, options);
    }
    fill(&mut body, named);
    if let Some(pointer) = submit.reference {
        place(&mut body, pointer, Value::from(attempt.to_string()));
    }
    Ok(Asked { body, places })
}

fn place_media(
    body: &mut Value,
    takes: &Takes,
    model: &str,
    media: &[Medium],
    seen: &[ContentType],
) -> Result<Vec<Place>, NotTaken> {
    let mut full = BTreeSet::new();
    let mut places = Vec::new();
    for (index, (medium, seen)) in media.iter().zip(seen).enumerate() {
        let slots = slots_for(takes, model, medium.role, seen.kind());
        let Some((number, slot)) = slots.iter().find(|(number, _)| !full.contains(number)) else {
            return Err(NotTaken {
                model: model.to_owned(),
                medium: index,
                role: medium.role,
                kind: seen.kind(),
                further: !slots.is_empty(),
            });
        };
        let (pointer, appended) = position(body, slot.to);
        if !appended {
            full.insert(*number);
        }
        let named = medium.origin.to_string();
        let mut item = serde_json::from_str(slot.item).unwrap_or(Value::Null);
        for pointer in name(&mut item, &pointer, &named, *seen) {
            places.push(Place { pointer, medium: index, named: named.clone() });
        }
        put(body, &pointer, item, appended);
    }
    Ok(places)
}

/// Slots that name the model, or where none does, those that name none.
fn slots_for<'t>(takes: &'t Takes, model: &str, role: Role, kind: Kind) -> Vec<(usize, &'t Slot)> {
    let fitting = takes.slots.iter().enumerate();
    let fitting: Vec<_> =
        fitting.filter(|(_, slot)| slot.roles.contains(&role) && slot.kind == kind).collect();
    let (open, own): (Vec<_>, Vec<_>) = fitting.into_iter().partition(|(_, slot)| slot.models.is_empty());
    let own: Vec<_> =
        own.into_iter().filter(|(_, slot)| slot.models.iter().any(|part| model.contains(part))).collect();
    if own.is_empty() { open } else { own }
}

/// A slot's pointer with its last segment's `-` as the number of the item to come.
fn position(body: &Value, to: &str) -> (String, bool) {
    let Some(list) = to.strip_suffix("/-") else {
        return (to.to_owned(), false);
    };
    let next = body.pointer(list).and_then(Value::as_array).map_or(0, Vec::len);
    (format!("{list}/{next}"), true)
}

fn put(body: &mut Value, pointer: &str, item: Value, append: bool) {
    let list = pointer.rsplit_once('/').map(|(list, _)| list).filter(|_| append);
    match list {
        None => place(body, pointer, item),
        Some(list) => match body.pointer_mut(list) {
            Some(Value::Array(items)) => items.push(item),
            _ => place(body, list, Value::Array(vec![item])),
        },
    }
}

/// Replaces `{media}` and `{type}` in a slot's item, and says where the media stand.
fn name(item: &mut Value, at: &str, named: &str, seen: ContentType) -> Vec<String> {
    match item {
        Value::String(text) if text == "{media}" => {
            named.clone_into(text);
            vec![at.to_owned()]
        }
        Value::String(text) if text == "{type}" => {
            seen.as_str().clone_into(text);
            Vec::new()
        }
        Value::Array(items) => {
            let items = items.iter_mut().enumerate();
            items.flat_map(|(index, item)| name(item, &format!("{at}/{index}"), named, seen)).collect()
        }
        Value::Object(members) => {
            let members = members.iter_mut();
            members.flat_map(|(member, item)| name(item, &format!("{at}/{member}"), named, seen)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// Objects are laid over each other member by member, lists go behind each other (images behind a prompt), and anything
/// else replaces what was there.
fn lay_over(under: &mut Value, over: Value) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (name, value) in over {
                lay_over(under.entry(name).or_insert(Value::Null), value);
            }
        }
        (Value::Array(under), Value::Array(over)) => under.extend(over),
        (under, over) => *under = over,
    }
}

/// A description's value as JSON.
pub(super) fn fixed(value: Fixed) -> Value {
    match value {
        Fixed::Text(text) => Value::from(text),
        Fixed::Number(number) => Value::from(number),
        Fixed::Texts(texts) => Value::from(texts),
    }
}

fn value(field: &Field, model: &str, input: &Input) -> Option<Value> {
    let value = match field.from {
        Source::Fixed(value) => fixed(value),
        Source::Model => Value::from(model),
        Source::Frame => frame(input)?,
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
        Form::After(mark) => Value::from(plain(&value).split_once(mark)?.1),
        Form::Last(mark) => Value::from(plain(&value).rsplit(mark).next()?),
        Form::Table(rows) => looked_up(rows, &plain(&value)),
        Form::Item(kind) => json!([{"type": kind, "text": value}]),
        Form::Instead(value) => fixed(value),
        Form::Omit => return None,
    })
}

fn frame(input: &Input) -> Option<Value> {
    let ratio = input.aspect_ratio.as_deref()?;
    Some(input.resolution.as_deref().map_or_else(
        || Value::from(ratio),
        |resolution| Value::from(format!("{ratio} {}", resolution.to_lowercase())),
    ))
}

fn looked_up(rows: &[(&str, Fixed)], key: &str) -> Value {
    let first = key.split(' ').next().unwrap_or(key);
    let row = |key: &str| rows.iter().find(|(known, _)| *known == key).map(|(_, value)| fixed(*value));
    row(key).or_else(|| row(first)).unwrap_or_else(|| Value::from(key))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use domain::provider::Provider;

    use super::*;
    use crate::machine::{Machine as _, ThisMachine};
    use crate::providers::description::Description;
    use crate::providers::{BFL, FAL, KLING, LUMA_AGENTS, LUMA_DREAM_MACHINE, MINIMAX, REPLICATE, RUNWAY};

    fn built(model: &str, input: &Value, options: &Value) -> Value {
        built_for(&FAL, model, input, options)
    }

    fn built_for(description: &Description, model: &str, input: &Value, options: &Value) -> Value {
        let step = ChainStep {
            provider: Provider::Fal,
            model: model.to_owned(),
            attempts: 1,
            options: options.as_object().unwrap().clone(),
        };
        let input: Input = serde_json::from_value(input.clone()).unwrap();
        let seen: Vec<ContentType> = input.media.iter().map(|_| ContentType::Png).collect();
        ask(&description.submit, &step, &input, &seen, ThisMachine.mint()).unwrap().body
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

    #[test]
    fn every_provider_gets_the_input_in_its_own_words() {
        let input = json!({"prompt": "a cat", "duration_seconds": 5, "aspect_ratio": "16:9", "resolution": "1080p", "seed": 7});
        for (description, model, expected) in [
            (
                &REPLICATE,
                "google/veo-3-fast",
                json!({"input": {
                    "prompt": "a cat", "duration": 5, "aspect_ratio": "16:9", "resolution": "1080p", "seed": 7
                }}),
            ),
            (
                &RUNWAY,
                "gen4.5",
                json!({"model": "gen4.5", "promptText": "a cat", "duration": 5, "ratio": "1920:1080", "seed": 7}),
            ),
            (
                &LUMA_DREAM_MACHINE,
                "ray-2",
                json!({
                    "model": "ray-2", "prompt": "a cat", "duration": "5s", "aspect_ratio": "16:9", "resolution": "1080p"
                }),
            ),
            (
                &LUMA_DREAM_MACHINE,
                "photon-1",
                json!({"model": "photon-1", "prompt": "a cat", "aspect_ratio": "16:9"}),
            ),
            (&BFL, "flux-pro-1.1", json!({"prompt": "a cat", "width": 1344, "height": 768, "seed": 7})),
            (
                &LUMA_AGENTS,
                "ray-3.2",
                json!({
                    "type": "video", "model": "ray-3.2", "prompt": "a cat", "aspect_ratio": "16:9",
                    "video": {"duration": "5s", "resolution": "1080p"}
                }),
            ),
            (
                &LUMA_AGENTS,
                "uni-1",
                json!({"type": "image", "model": "uni-1", "prompt": "a cat", "aspect_ratio": "16:9"}),
            ),
            (
                &MINIMAX,
                "MiniMax-H3",
                json!({
                    "model": "MiniMax-H3", "content": [{"type": "text", "text": "a cat"}], "duration": 5,
                    "ratio": "16:9", "resolution": "1080P"
                }),
            ),
            (&BFL, "flux-pro-1.1-ultra", json!({"prompt": "a cat", "aspect_ratio": "16:9", "seed": 7})),
        ] {
            assert_eq!(built_for(description, model, &input, &json!({})), expected, "{model}");
        }
        let square = json!({"prompt": "a", "aspect_ratio": "1:1", "resolution": "4k"});
        assert_eq!(built_for(&RUNWAY, "gen4.5", &square, &json!({}))["ratio"], "960:960");
        let odd = json!({"prompt": "a", "aspect_ratio": "5:4"});
        assert_eq!(built_for(&RUNWAY, "gen4.5", &odd, &json!({}))["ratio"], "5:4");
    }

    #[test]
    fn options_go_where_the_provider_has_its_input_and_never_change_the_model() {
        let input = json!({"prompt": "a cat"});
        let options = json!({"model": "dearer", "image": "https://a/1.png", "keyframes": {"frame1": 1}});
        let replicate = built_for(&REPLICATE, "a/b:5c7d", &input, &options);
        assert_eq!(replicate["version"], "5c7d");
        assert_eq!(replicate["input"]["image"], "https://a/1.png");
        assert_eq!(replicate["input"]["prompt"], "a cat");
        let runway = built_for(&RUNWAY, "gen4_turbo", &input, &options);
        assert_eq!((&runway["model"], &runway["image"]), (&json!("gen4_turbo"), &json!("https://a/1.png")));
    }

    #[test]
    fn objects_are_laid_over_each_other_member_by_member() {
        let mut under = json!({"video": {"duration": 5}, "list": [1]});
        lay_over(&mut under, json!({"video": {"loop": true}, "list": [2]}));
        assert_eq!(under, json!({"video": {"duration": 5, "loop": true}, "list": [1, 2]}));
    }

    #[test]
    fn kling_gets_our_reference_and_images_behind_the_prompt() {
        let input = json!({"prompt": "a cat", "duration_seconds": 5});
        let mut text =
            built_for(&KLING, "kling-3.0", &input, &json!({"options": {"external_task_id": "theirs"}}));
        let reference = text["options"]["external_task_id"].take();
        assert_eq!(reference.as_str().unwrap().len(), 36, "an attempt id");
        let expected =
            json!({"prompt": "a cat", "settings": {"duration": 5}, "options": {"external_task_id": null}});
        assert_eq!(text, expected);
        let options = json!({"contents": [{"type": "first_frame", "url": "https://a/1.png"}]});
        let image = built_for(&KLING, "image-to-video/kling-3.0", &input, &options);
        let contents =
            json!([{"type": "prompt", "text": "a cat"}, {"type": "first_frame", "url": "https://a/1.png"}]);
        assert_eq!((&image["contents"], image.get("prompt")), (&contents, None));
    }
}
