use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::wait::fail;

/// The provider simulator and its ledger: what was really accepted and charged.
pub struct Simulator {
    http: reqwest::Client,
    base: String,
}

/// One submit that reached the simulator.
#[derive(Clone, Debug, Deserialize)]
pub struct Call {
    pub model: String,
    pub request_id: Option<String>,
    pub accepted: bool,
    #[serde(default)]
    pub cancelled: bool,
    /// Where its job is, in the ledger's words.
    pub state: String,
    /// What the provider charged for it, in dollars; nothing before its end.
    pub charged: Option<String>,
    pub body: Value,
    /// Names in lower case; a key is left out.
    #[serde(default)]
    pub headers: Map<String, Value>,
}

impl Call {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(Value::as_str)
    }
}

#[derive(Deserialize)]
struct Ledger {
    calls: Vec<Call>,
}

impl Simulator {
    pub(crate) fn new(base: &str) -> Self {
        Self { http: reqwest::Client::new(), base: base.to_owned() }
    }

    /// Sets how calls whose prompt contains `marker` behave.
    ///
    /// # Panics
    /// When the simulator refuses.
    pub async fn script(&self, marker: &str, behaviour: &Value) {
        self.script_times(marker, None, behaviour).await;
    }

    /// Like [`Self::script`], for the next `times` calls only.
    ///
    /// # Panics
    /// When the simulator refuses.
    pub async fn script_times(&self, marker: &str, times: Option<u32>, behaviour: &Value) {
        let mut script = json!({"match": {"prompt_contains": marker}, "behaviour": behaviour});
        if let (Some(times), Some(members)) = (times, script.as_object_mut()) {
            members.insert("times".to_owned(), json!(times));
        }
        let sent = self.http.post(format!("{}/_sim/script", self.base)).json(&script).send().await;
        let answer = sent.unwrap_or_else(|error| fail(&format!("the simulator: {error}")));
        let status = answer.status();
        let text = answer.text().await.unwrap_or_default();
        assert!(status.is_success(), "the simulator answered {status}: {text}");
    }

    /// Every submit that reached the simulator.
    ///
    /// # Panics
    /// When the ledger cannot be read.
    pub async fn ledger(&self) -> Vec<Call> {
        let read = async {
            self.http.get(format!("{}/_sim/ledger", self.base)).send().await?.json::<Ledger>().await
        };
        read.await.unwrap_or_else(|error| fail(&format!("the ledger: {error}"))).calls
    }

    /// The submits whose prompt contains `marker`.
    pub async fn calls(&self, marker: &str) -> Vec<Call> {
        let calls = self.ledger().await;
        calls.into_iter().filter(|call| call.body.to_string().contains(marker)).collect()
    }

    /// How many of them the provider accepted, and would bill.
    pub async fn accepted(&self, marker: &str) -> usize {
        self.calls(marker).await.iter().filter(|call| call.accepted).count()
    }
}
