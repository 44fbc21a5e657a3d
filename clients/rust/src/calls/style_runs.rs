use reqwest::Method;

use super::Created;
use crate::{Client, DecisionRequest, Error, Id, IdempotencyKey, StyleRun, StyleRunRequest};

impl Client {
    /// Begins to explore a look.
    pub async fn create_style_run(
        &self,
        request: &StyleRunRequest,
        key: &IdempotencyKey,
    ) -> Result<Created<StyleRun>, Error> {
        let answer = self.send(self.call(Method::POST, ["v1", "style-runs"]).json(request)?.key(key)).await?;
        Ok(Created { value: answer.json()?, replayed: answer.replayed })
    }

    /// A run as it stands.
    pub async fn style_run(&self, id: Id<StyleRun>) -> Result<StyleRun, Error> {
        self.send(self.call(Method::GET, ["v1", "style-runs", &id.to_string()])).await?.json()
    }

    /// Decides a round of the run as the caller saw it: at [`StyleRun::version`].
    ///
    /// # Errors
    /// `DECISION_CONFLICT` when it is decided otherwise, `VERSION_MISMATCH` when the run has moved on.
    pub async fn decide(
        &self,
        run: &StyleRun,
        decision: &DecisionRequest,
        key: &IdempotencyKey,
    ) -> Result<Created<StyleRun>, Error> {
        let call = self.call(Method::POST, ["v1", "style-runs", &run.id.to_string(), "decisions"]);
        let answer = self.send(call.json(decision)?.key(key).if_version(run.version)).await?;
        Ok(Created { value: answer.json()?, replayed: answer.replayed })
    }

    /// Ends a run and the generations under way.
    pub async fn cancel_style_run(&self, id: Id<StyleRun>) -> Result<StyleRun, Error> {
        self.send(self.call(Method::POST, ["v1", "style-runs", &id.to_string(), "cancel"])).await?.json()
    }
}
