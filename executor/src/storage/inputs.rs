//! Stored files that a job generates from: uploads of its own client, and outputs of generations that the control plane
//! has found to be that client's.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::inputs::{self, Origin};
use domain::{ClientId, output};
use jiff::Timestamp;
use rusty_s3::S3Action;
use rusty_s3::actions::GetObject;
use url::Url;

use super::{Storage, StoreError};
use crate::net::Client;

/// From a link's signature to its end. A signature may be as old as that (AWS allows a week), and no job lasts longer
/// than a day, so that a link to its end always counts as made already.
const LINK_SECONDS: i64 = 2 * 24 * 3600;

/// A file that is there, and belongs to whom its key says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredInput {
    pub key: String,
    pub content_type: String,
    pub bytes: u64,
}

impl Storage {
    /// Looks at a client's file; `None` if there is none, or it is somebody else's, or is no stored file at all.
    pub async fn input(&self, client: ClientId, origin: &Origin) -> Result<Option<StoredInput>, StoreError> {
        let key = match origin {
            Origin::Input { input } => inputs::key(client, *input),
            Origin::Generation { generation, output } => output::key(*generation, *output),
            Origin::Url { .. } => return Ok(None),
        };
        let Some(found) = self.head_patiently(&key).await? else {
            return Ok(None);
        };
        let owned = match origin {
            Origin::Input { .. } => found.client == Some(client.to_string()),
            Origin::Generation { generation, .. } => found.job == Some(generation.to_string()),
            Origin::Url { .. } => false,
        };
        Ok(owned.then_some(StoredInput { key, content_type: found.content_type, bytes: found.bytes }))
    }

    /// A URL under which whoever has it may GET the object, and nothing else, until `end`: the same URL whoever makes it,
    /// so that a later process finds a request by the links that an earlier one put into it.
    pub fn link(&self, key: &str, end: DateTime<Utc>) -> Url {
        let begin = Timestamp::from_second(end.timestamp() - LINK_SECONDS).unwrap_or(Timestamp::UNIX_EPOCH);
        let life = Duration::from_secs(LINK_SECONDS.unsigned_abs());
        GetObject::new(&self.0.bucket, Some(&self.0.credentials), key).sign_with_time(life, &begin)
    }

    /// The client that speaks to the bucket.
    pub fn client(&self) -> &Client {
        &self.0.http
    }
}
