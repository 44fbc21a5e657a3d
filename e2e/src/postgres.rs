use serde::Deserialize;

use crate::wait::fail;

/// The stack's Postgres and the pooler that stands where Hyperdrive's does.
pub struct Postgres {
    http: reqwest::Client,
    control: String,
}

/// What a session through the pooler came to.
#[derive(Clone, Debug, Deserialize)]
pub struct Session {
    /// How many times it asked and waited for the answer.
    pub flights: u32,
    /// How each of its statements begins.
    pub statements: Vec<String>,
}

#[derive(Deserialize)]
struct Sessions {
    connections: Vec<Session>,
}

impl Postgres {
    pub(crate) fn new(control: &str) -> Self {
        Self { http: reqwest::Client::new(), control: control.to_owned() }
    }

    /// Kills it as a crash would (SIGKILL).
    ///
    /// # Panics
    /// When the control refuses.
    pub async fn kill(&self) {
        self.order("kill").await;
    }

    /// Starts it again on its data; returns when it answers.
    ///
    /// # Panics
    /// When the control refuses.
    pub async fn start(&self) {
        self.order("start").await;
    }

    /// The sessions that sent a statement which begins with something like `name`; of the last ten thousand.
    ///
    /// # Panics
    /// When the control does not answer.
    pub async fn sessions(&self, name: &str) -> Vec<Session> {
        let url = format!("{}/_postgres/connections", self.control);
        let read = async { self.http.get(url).send().await?.json::<Sessions>().await };
        let sessions = read.await.unwrap_or_else(|error| fail(&format!("the pooler: {error}"))).connections;
        let named = |session: &Session| session.statements.iter().any(|sql| sql.contains(name));
        sessions.into_iter().filter(named).collect()
    }

    async fn order(&self, word: &str) {
        let sent = self.http.post(format!("{}/_postgres/{word}", self.control)).send().await;
        let answer = sent.unwrap_or_else(|error| fail(&format!("Postgres: {error}")));
        assert!(answer.status().is_success(), "Postgres: {word} was answered {}", answer.status());
    }
}
