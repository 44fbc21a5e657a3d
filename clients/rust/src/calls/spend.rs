use reqwest::Method;

use super::word;
use crate::{Client, Error, Spend, SpendQuery};

impl Client {
    /// Your spend.
    pub async fn spend(&self, query: &SpendQuery) -> Result<Spend, Error> {
        let groups =
            query.group_by.as_ref().map(|groups| groups.iter().map(word).collect::<Vec<_>>().join(","));
        let parameters = [
            ("from", query.from.map(|day| day.to_string())),
            ("to", query.to.map(|day| day.to_string())),
            ("group_by", groups),
            ("provider", query.provider.clone()),
            ("model", query.model.clone()),
            ("project", query.project.clone()),
        ];
        let mut call = self.call(Method::GET, ["v1", "spend"]);
        for (name, value) in parameters {
            if let Some(value) = value {
                call = call.query(name, &value);
            }
        }
        self.send(call).await?.json()
    }
}
