//! Sending a provider a file beforehand. Costs nothing; repeating it makes another copy, which the provider removes by
//! itself.

use std::time::Duration;

use reqwest::Body;
use reqwest::header::CONTENT_TYPE;
use reqwest::multipart::{Form, Part};
use serde_json::Value;
use url::Url;

use super::adapter::{ANSWER_LIMIT, Adapter};
use super::description::Upload;
use super::endpoint::Names;
use crate::net::{self, Client};
use crate::spool::Spooled;

/// The slowest upload that is worth waiting for, in bytes a second.
const SLOWEST: u64 = 128 * 1024;

/// Why a provider did not take a file: for the log and for whoever waits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the provider does not take the upload: {0}")]
pub struct NotUploaded(String);

impl Adapter {
    /// Uploads a file and returns what the submit calls it. `to_place` sends the file itself: it is held to the
    /// provider's reach and knows no key.
    pub async fn upload(
        &self,
        upload: &Upload,
        file: &Spooled,
        to_place: &Client,
    ) -> Result<String, NotUploaded> {
        let name = format!("input.{}", file.content_type.extension());
        let no_place = || NotUploaded("it names no place for it".to_owned());
        let url = self.endpoint.resolve(&[upload.url], &Names::default()).ok_or_else(no_place)?;
        let asking = self.post_free(url).header(CONTENT_TYPE, "application/json");
        let asking = asking.body(upload.body.replace("{name}", &name));
        let answer = self.send(asking, ANSWER_LIMIT).await.map_err(NotUploaded)?;
        if !answer.succeeded() {
            return Err(NotUploaded(format!("asked for a place, it answers {:?}", answer.status)));
        }
        let at = |pointer: &str| answer.body.pointer(pointer).and_then(Value::as_str);
        let (place, named) = at(upload.to).zip(at(upload.named)).ok_or_else(no_place)?;
        let place: Url = place.parse().map_err(|_| no_place())?;
        self.reach().check(&place).map_err(|why| NotUploaded(format!("the place {why}")))?;
        let form = form(answer.body.pointer(upload.fields), file, name)?;
        let patience = Duration::from_secs(60 + file.bytes / SLOWEST);
        let request = to_place.post(place).multipart(form).timeout(patience);
        match to_place.send(request).await.map_err(|error| NotUploaded(net::told(error)))?.status().as_u16() {
            200..300 => Ok(named.to_owned()),
            status => Err(NotUploaded(format!("the place answers {status}"))),
        }
    }
}

/// The fields that the provider named, and the file behind them: such forms are read in this order.
fn form(fields: Option<&Value>, file: &Spooled, name: String) -> Result<Form, NotUploaded> {
    let mut form = Form::new();
    for (name, value) in fields.and_then(Value::as_object).into_iter().flatten() {
        if let Some(value) = value.as_str() {
            form = form.text(name.clone(), value.to_owned());
        }
    }
    let body = Body::wrap_stream(file.stream(0, file.bytes));
    let part = Part::stream_with_length(body, file.bytes).file_name(name);
    let part = part.mime_str(file.content_type.as_str()).map_err(|error| NotUploaded(net::told(error)))?;
    Ok(form.part("file", part))
}
