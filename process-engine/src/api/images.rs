use hyper::StatusCode;
use serde_json::{Value, json};

use super::Query;
use super::reply::{Refusal, Reply};
use super::system::architecture;
use crate::engine::Engine;
use crate::image::NamedImage;

/// One entry for each pattern: the references it stands for are known only once somebody names them.
pub(super) fn list(engine: &Engine) -> Reply {
    let images = engine.images().iter();
    Reply::ok(Value::Array(images.map(|image| describe(image, image.pattern())).collect()))
}

pub(super) fn inspect(engine: &Engine, reference: &str) -> Result<Reply, Refusal> {
    engine
        .image(reference)
        .map(|image| Reply::ok(describe(image, reference)))
        .ok_or_else(|| no_image(reference))
}

/// There is no registry: an image is known or cannot be had.
pub(super) fn pull(engine: &Engine, query: &Query) -> Result<Reply, Refusal> {
    let name = query.get("fromImage").unwrap_or_default();
    match engine.image(name) {
        Some(_) => Ok(Reply::ok(json!({"status": format!("{name} is a program of this machine")}))),
        None => Err(no_image(name)),
    }
}

pub(super) fn no_image(reference: &str) -> Refusal {
    Refusal::new(
        StatusCode::NOT_FOUND,
        format!("No such image: {reference} (this engine serves what `--image PATTERN=PROGRAM` named)"),
    )
}

fn describe(image: &NamedImage, reference: &str) -> Value {
    let size = std::fs::metadata(image.program()).map_or(0, |found| found.len());
    json!({
        "Id": format!("process:{}", image.program().display()),
        "RepoTags": [reference],
        "RepoDigests": [],
        "Parent": "",
        "Size": size,
        "Os": "linux",
        "Architecture": architecture(),
        "Config": {"Entrypoint": [image.program()], "ExposedPorts": {"8080/tcp": {}}},
        "RootFS": {"Type": "layers", "Layers": ["process"]},
    })
}
