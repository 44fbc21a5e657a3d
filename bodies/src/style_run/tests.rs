use chrono::{DateTime, Duration as Span, Utc};
use domain::job::Status;
use domain::style_run::{Candidate, Next, OnDeadline, Standing, decide, limit};
use serde_json::json;
use workflow::replay::{Command, Outcome, Rehearsal, rehearse};

use super::*;

const RUN: &str = "0198c0de-0000-7000-8000-000000000001";

/// A run as the database would hold it, and a clock that only waits move.
struct World {
    row: Standing,
    candidates: Vec<Candidate>,
    now: DateTime<Utc>,
    /// The review's time, and the reminders' distance.
    review: Span,
    reminder: Option<Span>,
    /// When a person decides, and on what; the event of it may be lost.
    decided: Option<(DateTime<Utc>, State)>,
    wakes: bool,
    reminders: u32,
    longest: u64,
}

fn start() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Span::days(20_000)
}

fn world(on_deadline: OnDeadline) -> World {
    World {
        row: Standing {
            state: State::Queued,
            round: 0,
            on_deadline,
            review_opened_at: None,
            review_deadline_at: None,
            next_reminder_at: None,
            reminders: 0,
        },
        candidates: Vec::new(),
        now: start(),
        review: Span::days(60),
        reminder: Some(Span::days(7)),
        decided: None,
        wakes: true,
        reminders: 0,
        longest: 0,
    }
}

impl World {
    /// What a turn does to the row: what the store's statements do.
    fn turn(&mut self) -> Turned {
        let open = |world: &mut Self, state| {
            world.row.state = state;
            (world.row.review_deadline_at, world.row.next_reminder_at) = (None, None);
        };
        match decide(&self.row, &self.candidates, self.now, &Timing::default()) {
            Next::Wait { ms } => return Turned::Wait { ms },
            Next::Over => return Turned::Over { state: self.row.state },
            Next::Plan { round } => {
                open(self, State::Generating);
                self.row.round = round;
                let job = RUN.parse().unwrap();
                self.candidates = vec![Candidate { index: 0, job, status: None, mark: None }];
            }
            Next::Start => self.candidates[0].status = Some(Status::Running),
            Next::OpenReview => {
                self.row.state = State::AwaitingReview;
                self.row.reminders = 0;
                self.row.review_opened_at = Some(self.now);
                self.row.review_deadline_at = Some(self.now + self.review);
                self.row.next_reminder_at = self.reminder.map(|span| self.now + span);
            }
            Next::Remind => self.remind(),
            Next::Prolong => {
                self.remind();
                self.row.review_deadline_at = Some(self.now + self.review);
            }
            Next::Expire => open(self, State::Expired),
            Next::ApproveBest { .. } => open(self, State::Approved),
            Next::Fail(_) => open(self, State::Failed),
            Next::WindDown => self.candidates[0].status = Some(Status::Cancelled),
        }
        Turned::Again
    }

    fn remind(&mut self) {
        self.reminders += 1;
        self.row.reminders += 1;
        let more = self.row.reminders < limit::REMINDERS;
        self.row.next_reminder_at = self.reminder.filter(|_| more).map(|span| self.now + span);
    }

    /// The engine's wait: until its time is over, or until somebody decides and the event of it arrives.
    fn wait(&mut self, patience: Duration) -> Outcome {
        self.longest = self.longest.max(patience.as_secs());
        let until = self.now + Span::from_std(patience).unwrap();
        if self.row.state == State::Generating {
            self.candidates[0].status = Some(Status::Succeeded);
            self.now = until;
            return timeout();
        }
        if let Some((at, state)) = self.decided.take_if(|(at, _)| *at <= until) {
            self.row.state = state;
            (self.row.review_deadline_at, self.row.next_reminder_at) = (None, None);
            if self.wakes {
                self.now = at;
                return Outcome::Ok(json!({}));
            }
        }
        self.now = until;
        timeout()
    }

    fn run(&mut self) -> Rehearsal<Turn> {
        let event = Event {
            payload: json!({}),
            timestamp: "2026-12-01T00:00:00.000Z".into(),
            instance_id: RUN.into(),
            workflow_name: None,
        };
        rehearse(
            |steps| style_run(steps, event.clone(), Timing::default()),
            |command| match command {
                Command::Wait { timeout, .. } => self.wait(*timeout),
                Command::Do { .. } | Command::Sleep { .. } | Command::Done { .. } | Command::Fail { .. } => {
                    Outcome::Ok(json!(self.turn()))
                }
            },
        )
    }
}

fn timeout() -> Outcome {
    Outcome::Err(StepFailure::new("WorkflowTimeoutError", "Execution timed out after 1000ms"))
}

fn ended(run: &Rehearsal<Turn>, state: State) {
    assert_eq!(run.commands.last(), Some(&Command::Done { output: json!(state) }));
}

#[test]
fn a40_a_review_waits_thirty_days_with_reminders_and_then_goes_on() {
    let mut world = world(OnDeadline::Expire);
    world.decided = Some((start() + Span::days(30), State::Revising));
    let run = world.run();
    // A week, four reminders in thirty days; then the second round's review runs out after its sixty days.
    ended(&run, State::Expired);
    assert_eq!(world.row.round, 2);
    assert_eq!(world.reminders, 4 + 8);
    assert!(run.history.len() < 60, "{} steps", run.history.len());
}

#[test]
fn a40_each_deadline_policy_comes_to_its_end() {
    for (policy, state, days) in [
        (OnDeadline::Expire, State::Expired, 60),
        (OnDeadline::ApproveBest, State::Approved, 60),
        (OnDeadline::Remind, State::Expired, 360),
    ] {
        let mut world = world(policy);
        ended(&world.run(), state);
        assert!((world.now - start()).num_days() >= days, "{policy:?}");
    }
}

#[test]
fn a40_a_decision_whose_event_was_lost_is_found_at_the_next_look() {
    let mut world = world(OnDeadline::Expire);
    world.wakes = false;
    world.decided = Some((start() + Span::days(3), State::Approved));
    ended(&world.run(), State::Approved);
    assert!((world.now - start()).num_days() <= 8, "the reminder's look found it");
}

#[test]
fn i12_an_instance_that_is_started_over_goes_on_where_the_row_is() {
    let mut world = world(OnDeadline::ApproveBest);
    world.row.state = State::Revising;
    world.row.round = 1;
    ended(&world.run(), State::Approved);
    assert_eq!(world.row.round, 2);
    let over = world.run();
    ended(&over, State::Approved);
    assert_eq!(over.history.len(), 1);
}

#[test]
fn a40_a_review_that_nobody_answers_stays_within_the_steps_of_an_instance() {
    for policy in OnDeadline::ALL {
        let mut world = world(policy);
        (world.review, world.reminder) = (Span::seconds(60), Some(Span::seconds(60)));
        let run = world.run();
        assert!(run.history.len() < 1024 / 3, "{policy:?}: {} steps", run.history.len());
    }
}

#[test]
fn a40_no_wait_is_longer_than_the_engine_sleeps() {
    let mut world = world(OnDeadline::Expire);
    (world.review, world.reminder) = (Span::days(365), None);
    ended(&world.run(), State::Expired);
    assert_eq!(world.longest, 365 * 24 * 3600);
}

#[test]
fn a_name_that_is_no_run_is_refused() {
    let event =
        Event { payload: json!({}), timestamp: String::new(), instance_id: "x".into(), workflow_name: None };
    let run = rehearse(
        |steps: Steps<Turn>| style_run(steps, event.clone(), Timing::default()),
        |_| Outcome::Ok(json!(Turned::Again)),
    );
    assert!(matches!(run.commands.last(), Some(Command::Fail { failure }) if failure.is_non_retryable()));
}
