//! Asking where a request stands, and for its result when it is done. Costs nothing and may be repeated.

use std::collections::BTreeMap;

use domain::attempt::ErrorClass;

use super::adapter::{ANSWER_LIMIT, Adapter, Failed, Handle, INLINE_LIMIT, Progress};
use super::answer::{Answer, text};
use super::description::{Billed, Place, QuoteAt, ResultSource, Status};
use super::errors::{clean, fault, judge};
use super::result::{Bill, Completion, outputs};

impl Adapter {
    /// Asks once. A request that is done is asked for its result in the same breath.
    pub async fn poll(&self, handle: &Handle) -> Progress {
        if matches!(self.description.result, ResultSource::Submit { .. }) {
            return result_gone();
        }
        let inline = matches!(self.description.result, ResultSource::Poll);
        let limit = if inline { INLINE_LIMIT } else { ANSWER_LIMIT };
        let answer = match self.get(self.description.poll.urls, &handle.names, limit).await {
            Ok(answer) => answer,
            Err(reason) => return trouble(reason),
        };
        match answer.status {
            Some(404 | 410) => return Progress::NotFound,
            Some(200..300) => {}
            _ => return self.unclear(&answer, None),
        }
        match self.status(&answer) {
            Ok(Status::Pending) => {
                let word = answer.body.pointer(self.description.poll.status).and_then(text);
                Progress::Pending(clean(&word.unwrap_or_default(), 100))
            }
            Ok(Status::Missing) => Progress::NotFound,
            Ok(Status::Failed) => self.failed_in(answer),
            Ok(Status::Done | Status::DoneUnless(_)) => self.result(handle, answer).await,
            // A refusal to answer, in a 200.
            Err(_) if !self.says_accepted(&answer) => self.unclear(&answer, None),
            Err(word) => Progress::UnknownStatus(word),
        }
    }

    fn status(&self, answer: &Answer) -> Result<Status, String> {
        let poll = &self.description.poll;
        let Some(word) = answer.body.pointer(poll.status).and_then(text) else {
            return poll.absent.ok_or_else(|| "(none)".to_owned());
        };
        let known = poll.words.iter().find(|(known, _)| *known == word).map(|(_, status)| *status);
        match known {
            Some(Status::DoneUnless(pointer))
                if answer.body.pointer(pointer).is_some_and(|e| !e.is_null()) =>
            {
                Ok(Status::Failed)
            }
            Some(status) => Ok(status),
            None => Err(clean(&word, 100)),
        }
    }

    /// A run that failed says so beside its status, and in its result in more words: a 422 with a code. Where the status
    /// says nothing of a failure, the run is done and paid: any other answer on the way to the result is the way's own
    /// matter. It is asked for again, and should that persist, nobody says that it was free.
    async fn result(&self, handle: &Handle, status: Answer) -> Progress {
        let (urls, names) = match self.description.result {
            ResultSource::Poll | ResultSource::Submit { .. } => {
                return self.completed(&handle.captured, status, None);
            }
            ResultSource::Get(urls) => (urls, handle.names.clone()),
            ResultSource::Named { name, at, urls } => match status.at(Place::Body(at)) {
                Some(value) => (urls, handle.names.clone().segment(name, &value)),
                None => return self.completed(&handle.captured, status, None),
            },
        };
        let told = self.failure_in(&status);
        let answer = match self.get(urls, &names, INLINE_LIMIT).await {
            Ok(answer) => answer,
            Err(reason) => return Progress::Trouble { reason, retry_after: None, verdict: told },
        };
        let bill = self.bill(&answer);
        let told = told.map(|failed| Failed { bill: bill.clone(), ..failed });
        match answer.status {
            Some(200..300) if self.says_accepted(&answer) => self.completed(&handle.captured, answer, told),
            // Said about this request of ours, not about the run: it is done.
            Some(200..300) => self.unclear(&answer, told),
            Some(404 | 410) => told.map_or(Progress::NotFound, Progress::Failed),
            // Said about this request of ours, not about the run.
            Some(401 | 403 | 408 | 429) => told.map_or_else(|| self.unclear(&answer, None), Progress::Failed),
            _ => {
                let judged = judge(&self.description.errors, &answer);
                let failed = Failed { error: judged.error, billed: judged.billed, bill };
                match told {
                    // The run failed. Its own words here, or else what the status said of it.
                    Some(told) => Progress::Failed(if judged.told { failed } else { told }),
                    None if answer.status == Some(422) && judged.told => Progress::Failed(failed),
                    None => self.unclear(&answer, Some(Failed { billed: Billed::Unknown, ..failed })),
                }
            }
        }
    }

    pub(super) fn completed(
        &self,
        captured: &BTreeMap<String, String>,
        mut answer: Answer,
        told: Option<Failed>,
    ) -> Progress {
        let mut bill = self.bill(&answer);
        if let Some(quote) = &self.description.quote
            && let QuoteAt::Captured(name) = quote.at
        {
            bill.quoted = captured.get(name).map(|amount| (amount.clone(), quote.currency));
        }
        if answer.body.is_null() {
            let error = fault(ErrorClass::Retryable, "unreadable_result", "the result is empty or no JSON");
            let verdict = told.unwrap_or(Failed { error, billed: Billed::Unknown, bill });
            return self.unclear(&answer, Some(verdict));
        }
        match outputs(&self.description.outputs, &mut answer) {
            Ok(media) => Progress::Completed(Completion { media, bill }),
            Err((error, billed)) => Progress::Failed(told.unwrap_or(Failed { error, billed, bill })),
        }
    }

    /// A failure that the status answer tells. Its HTTP status is the answer's own and says nothing.
    fn failure_in(&self, answer: &Answer) -> Option<Failed> {
        if !self.description.submit.accepted.is_empty() && self.says_accepted(answer) {
            return None;
        }
        let inner = Answer { status: None, ..answer.clone() };
        let judged = judge(&self.description.errors, &inner);
        judged.told.then(|| Failed { error: judged.error, billed: judged.billed, bill: self.bill(answer) })
    }

    fn failed_in(&self, answer: Answer) -> Progress {
        let bill = self.bill(&answer);
        let judged = judge(&self.description.errors, &Answer { status: None, ..answer });
        Progress::Failed(Failed { error: judged.error, billed: judged.billed, bill })
    }

    /// A price captured at the submit is not in it: that is owed for a result only.
    fn bill(&self, answer: &Answer) -> Bill {
        let units = self.description.usage.and_then(|usage| Some((answer.at(usage.at)?, usage.unit)));
        let quoted = self.description.quote.and_then(|quote| match quote.at {
            QuoteAt::End(place) if quote.only_if.iter().all(|(at, text)| says(answer, at, *text)) => {
                Some((answer.at(place)?, quote.currency))
            }
            QuoteAt::End(_) | QuoteAt::Captured(_) => None,
        });
        let more = self.description.usage.into_iter().flat_map(|usage| usage.more);
        let more = more.filter_map(|(place, unit)| Some((answer.at(*place)?, *unit))).collect();
        Bill { units, more, quoted }
    }

    fn unclear(&self, answer: &Answer, verdict: Option<Failed>) -> Progress {
        let judged = judge(&self.description.errors, answer);
        let status = answer.status.unwrap_or_default();
        Progress::Trouble {
            reason: format!("{status}: {}", judged.error.message),
            retry_after: judged.error.retry_after_seconds,
            verdict,
        }
    }
}

/// Of a provider that keeps no request: accepted by somebody's word only, and its result came with an answer that is lost.
fn result_gone() -> Progress {
    let words = "the result came with the answer to the submit, which is lost, and the provider keeps none";
    let error = fault(ErrorClass::Retryable, "result_lost", words);
    Progress::Failed(Failed { error, billed: Billed::Unknown, bill: Bill::default() })
}

fn says(answer: &Answer, pointer: &str, expected: Option<&str>) -> bool {
    answer.body.pointer(pointer).and_then(text).as_deref() == expected
}

fn trouble(reason: String) -> Progress {
    Progress::Trouble { reason, retry_after: None, verdict: None }
}
