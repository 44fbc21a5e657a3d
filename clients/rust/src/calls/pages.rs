use std::collections::VecDeque;

use chrono::SecondsFormat;
use reqwest::Method;
use serde::de::DeserializeOwned;

use super::word;
use crate::types::Page;
use crate::{Client, Error, Generation, GenerationFilter, StyleRun};

/// All generations of a filter, newest first.
pub type Generations = Pages<Generation>;
/// All style runs, newest first.
pub type StyleRuns = Pages<StyleRun>;

/// A list that fetches its next page when it is needed.
#[derive(Debug)]
pub struct Pages<T> {
    client: Client,
    path: &'static str,
    parameters: Vec<(String, String)>,
    /// Where the next page begins; none if there is none.
    next: Option<Vec<(String, String)>>,
    beyond: fn(&Page<T>) -> Option<(&'static str, String)>,
    here: VecDeque<T>,
}

impl Client {
    /// Your generations, newest first.
    pub fn generations(&self, filter: &GenerationFilter) -> Generations {
        let time = |time: chrono::DateTime<chrono::Utc>| time.to_rfc3339_opts(SecondsFormat::AutoSi, true);
        let words = [
            ("status", filter.status.as_ref().map(word)),
            ("kind", filter.kind.as_ref().map(word)),
            ("provider", filter.provider.clone()),
            ("model", filter.model.clone()),
            ("project", filter.project.clone()),
            ("created_from", filter.created_from.map(time)),
            ("created_before", filter.created_before.map(time)),
            ("limit", filter.page_size.map(|size| size.to_string())),
        ];
        let words = words.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let metadata =
            filter.metadata.iter().map(|(name, value)| (format!("metadata[{name}]"), value.clone()));
        Pages::new(self, "generations", words.chain(metadata).collect(), |page| {
            page.next_cursor.clone().map(|cursor| ("cursor", cursor))
        })
    }

    /// Your style runs, newest first.
    pub fn style_runs(&self) -> StyleRuns {
        Pages::new(self, "style-runs", Vec::new(), |page: &Page<StyleRun>| {
            page.data.last().filter(|_| page.has_more).map(|run| ("before", run.id.to_string()))
        })
    }
}

impl<T: DeserializeOwned> Pages<T> {
    fn new(
        client: &Client,
        path: &'static str,
        parameters: Vec<(String, String)>,
        beyond: fn(&Page<T>) -> Option<(&'static str, String)>,
    ) -> Self {
        let client = client.clone();
        Self { client, path, parameters, next: Some(Vec::new()), beyond, here: VecDeque::new() }
    }

    /// The next one; none at the end. After an error it may be called again: nothing is skipped.
    ///
    /// # Errors
    /// As any call.
    pub async fn next(&mut self) -> Result<Option<T>, Error> {
        while self.here.is_empty() {
            let Some(place) = &self.next else { return Ok(None) };
            let mut call = self.client.call(Method::GET, ["v1", self.path]);
            for (name, value) in self.parameters.iter().chain(place) {
                call = call.query(name, value);
            }
            let page: Page<T> = self.client.send(call).await?.json()?;
            self.next = (self.beyond)(&page).map(|(name, value)| vec![(name.to_owned(), value)]);
            self.here = page.data.into();
        }
        Ok(self.here.pop_front())
    }

    /// All that are left, in memory.
    ///
    /// # Errors
    /// As any call.
    pub async fn all(mut self) -> Result<Vec<T>, Error> {
        let mut all = Vec::new();
        while let Some(one) = self.next().await? {
            all.push(one);
        }
        Ok(all)
    }
}
