use std::{
    future::{pending, poll_fn},
    task::Poll,
    time::Duration,
};

use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};

use super::{
    Backoff, Command, Failure, MAX_BYTES, Op, Outcome, Policy, Recorded, Retries, Steps, Waited, next,
    rehearse,
};

const SECOND: Duration = Duration::from_secs(1);
const POLICY: Policy = Policy::once(SECOND);

fn recorded(op: Op, name: &str, outcome: Outcome) -> Recorded {
    Recorded { op, name: name.into(), outcome }
}

fn done(name: &str, result: Value) -> Recorded {
    recorded(Op::Do, name, Outcome::Ok(result))
}

fn timeout() -> Failure {
    Failure::new("WorkflowTimeoutError", "Execution timed out after 1000ms")
}

/// The failure of a command that has to be one.
fn failure<A: std::fmt::Debug>(command: Command<A>) -> Failure {
    match command {
        Command::Fail { failure } => failure,
        Command::Do { .. } | Command::Sleep { .. } | Command::Wait { .. } | Command::Done { .. } => {
            panic!("no failure: {command:?}")
        }
    }
}

/// Orders goods, waits for the money, and sends or cancels: a body with every kind of step and a branch on each.
async fn order(steps: Steps<Value>) -> Result<String, Failure> {
    let goods: u32 = steps.perform("reserve", POLICY, json!("goods")).await?;
    steps.sleep("cool down", SECOND).await?;
    match steps.wait::<String>("payment", "paid", SECOND).await? {
        Waited::Event(payer) => {
            let () = steps.perform("ship", POLICY, json!({ "goods": goods, "to": payer })).await?;
            Ok(format!("shipped to {payer}"))
        }
        Waited::TimedOut => {
            let () = steps.perform("release", POLICY, json!(goods)).await?;
            Ok("released".into())
        }
    }
}

#[test]
fn a_body_is_led_step_by_step_to_its_end() {
    let mut history = Vec::new();
    let reserve = Command::Do { name: "reserve".into(), policy: POLICY, activity: json!("goods") };
    assert_eq!(next(&history, order), reserve);
    history.push(done("reserve", json!(7)));
    assert_eq!(next(&history, order), Command::Sleep { name: "cool down".into(), duration: SECOND });
    history.push(recorded(Op::Sleep, "cool down", Outcome::Ok(Value::Null)));
    let wait = Command::Wait { name: "payment".into(), event: "paid".into(), timeout: SECOND };
    assert_eq!(next(&history, order), wait);
    history.push(recorded(Op::Wait, "payment", Outcome::Ok(json!("ann"))));
    let ship = json!({ "goods": 7, "to": "ann" });
    assert_eq!(next(&history, order), Command::Do { name: "ship".into(), policy: POLICY, activity: ship });
    history.push(done("ship", Value::Null));
    assert_eq!(next(&history, order), Command::Done { output: json!("shipped to ann") });
}

#[test]
fn an_event_that_does_not_come_is_an_outcome_and_not_a_failure() {
    let run = rehearse(order, |command| match command.step() {
        Some((Op::Do, "reserve")) => Outcome::Ok(json!(7)),
        Some((Op::Wait, _)) => Outcome::Err(timeout()),
        _ => Outcome::Ok(Value::Null),
    });
    assert_eq!(run.commands.last(), Some(&Command::Done { output: json!("released") }));
    assert_eq!(run.history.len(), 4);
}

#[test]
fn the_failure_of_a_step_reaches_the_body_and_ends_the_run_if_the_body_lets_it() {
    let late = Outcome::Err(timeout());
    assert_eq!(failure(next(&[recorded(Op::Do, "reserve", late)], order)), timeout());

    let forgiving = async |steps: Steps<Value>| {
        let tried = steps.perform::<Value>("try", POLICY, Value::Null).await;
        Ok(tried.is_err_and(|failure| failure.is_non_retryable() && failure.message == "NO"))
    };
    let refused = recorded(Op::Do, "try", Outcome::Err(Failure::non_retryable("NO")));
    assert_eq!(next(&[refused], forgiving), Command::Done { output: json!(true) });
}

#[test]
fn asking_for_another_step_than_the_recorded_one_is_found_and_named() {
    let found = failure(next(&[done("reserve", json!(1)), done("cool down", Value::Null)], order));
    assert_eq!(found.name, "NonDeterministicError");
    assert_eq!(
        found.message,
        "at position 1 the history holds do `cool down`, the body asked for sleep `cool down`"
    );

    let found = failure(next(&[done("book", json!(1))], order));
    assert_eq!(found.name, "NonDeterministicError");
    assert_eq!(found.message, "at position 0 the history holds do `book`, the body asked for do `reserve`");
}

#[test]
fn ending_before_the_history_does_is_found_and_named() {
    let short = async |_: Steps<Value>| Ok(());
    let found = failure(next(&[done("reserve", json!(1))], short));
    assert_eq!(found.name, "NonDeterministicError");
    assert_eq!(
        found.message,
        "at position 0 the history holds do `reserve`, the body ended without asking for it"
    );
}

#[test]
fn a_body_cannot_catch_a_fault() {
    let stubborn = async |steps: Steps<Value>| {
        let asked = steps.perform::<Value>("b", POLICY, Value::Null);
        // Goes on without the answer, as a `select!` with a default would.
        let mut asked = std::pin::pin!(asked);
        poll_fn(|context| {
            let _ = asked.as_mut().poll(context);
            Poll::Ready(())
        })
        .await;
        Ok("all is well")
    };
    assert_eq!(failure(next(&[done("a", Value::Null)], stubborn)).name, "NonDeterministicError");
    let abandoned = failure(next(&[], stubborn));
    assert_eq!(abandoned.name, "ConcurrentStepsError");
    assert!(abandoned.message.contains("the body ended while do `b` had no outcome yet"), "{abandoned}");
}

#[test]
fn a_name_used_twice_is_found_and_named_before_the_second_step_runs() {
    let twice = async |steps: Steps<Value>| {
        let () = steps.perform("poll", POLICY, Value::Null).await?;
        steps.sleep("poll", SECOND).await
    };
    let found = failure(next(&[done("poll", Value::Null)], twice));
    assert_eq!(found.name, "DuplicateStepError");
    assert!(found.message.contains("at position 1") && found.message.contains("sleep `poll`"), "{found}");
}

#[test]
fn awaiting_what_is_no_step_is_found_and_named() {
    let foreign = async |steps: Steps<Value>| {
        steps.sleep("a", SECOND).await?;
        pending::<Result<(), Failure>>().await
    };
    assert!(matches!(next(&[], foreign), Command::Sleep { .. }));
    let slept = recorded(Op::Sleep, "a", Outcome::Ok(Value::Null));
    assert_eq!(failure(next(&[slept], foreign)).name, "ForeignAwaitError");
}

#[test]
fn two_steps_at_once_are_refused() {
    let both = async |steps: Steps<Value>| {
        let (a, b) = (steps.sleep("a", SECOND), steps.sleep("b", SECOND));
        let (mut a, mut b) = (std::pin::pin!(a), std::pin::pin!(b));
        poll_fn(|context| {
            let (a, b) = (a.as_mut().poll(context), b.as_mut().poll(context));
            if a.is_ready() && b.is_ready() { Poll::Ready(Ok(())) } else { Poll::Pending }
        })
        .await
    };
    let found = failure(next(&[], both));
    assert_eq!(found.name, "ConcurrentStepsError");
    assert!(found.message.contains("asked for sleep `b` while sleep `a`"), "{found}");
}

#[test]
fn polling_a_step_again_does_not_ask_twice() {
    let eager = async |steps: Steps<Value>| {
        let mut nap = std::pin::pin!(steps.sleep("a", SECOND));
        poll_fn(|context| {
            let _ = nap.as_mut().poll(context);
            nap.as_mut().poll(context)
        })
        .await
    };
    assert!(matches!(next(&[], eager), Command::Sleep { .. }));
}

#[test]
fn an_outcome_of_another_shape_is_named() {
    let found = failure(next(&[done("reserve", json!("many"))], order));
    assert_eq!(found.name, "ResultShapeError");
    assert!(found.message.contains("do `reserve`"), "{found}");
}

#[test]
fn what_the_engine_could_not_store_is_refused() {
    // Quotes count: this is exactly the limit, and one more.
    assert!(matches!(Outcome::of("x".repeat(MAX_BYTES - 2)), Outcome::Ok(_)));
    let Outcome::Err(refused) = Outcome::of("x".repeat(MAX_BYTES - 1)) else { panic!("stored") };
    assert!(refused.is_non_retryable());
    assert!(refused.message.starts_with("ResultTooLargeError: the result is 1048577 bytes"), "{refused}");

    let large = async |_: Steps<Value>| Ok("x".repeat(MAX_BYTES));
    assert_eq!(failure(next(&[], large)).name, "ResultTooLargeError");

    let keyed = std::collections::BTreeMap::from([(vec![1], 1)]);
    let Outcome::Err(refused) = Outcome::of(keyed) else { panic!("stored") };
    assert!(refused.message.starts_with("ResultNotJsonError: "), "{refused}");
}

#[test]
fn a_rehearsal_of_an_endless_body_ends() {
    let endless = async |steps: Steps<Value>| -> Result<(), Failure> {
        let mut naps = 0_u64..;
        loop {
            steps.sleep(format!("nap {:?}", naps.next()), SECOND).await?;
        }
    };
    let run = super::rehearsal::up_to(20, endless, |_| Outcome::Ok(Value::Null));
    assert_eq!(run.history.len(), 20);
    assert_eq!(failure(run.commands[20].clone()).name, "StepLimitError");
}

#[test]
fn the_wire_form_is_what_the_loop_and_the_engine_read() {
    let policy = Policy::retrying(
        Duration::from_micros(1_500),
        Retries { limit: 5, delay: Duration::from_secs(90), backoff: Backoff::Exponential },
    );
    let wire = |command: Command<Value>| serde_json::to_value(command).expect("JSON");
    assert_eq!(
        wire(Command::Do { name: "a".into(), policy, activity: json!({"kind": "x"}) }),
        json!({
            "op": "do", "name": "a", "activity": {"kind": "x"},
            "config": {"retries": {"limit": 5, "delay": 90_000, "backoff": "exponential"}, "timeout": 2},
        })
    );
    // The engine takes an event timeout of zero for "24 hours", and refuses a step timeout of zero.
    let at_once = Command::Wait { name: "a".into(), event: "e".into(), timeout: Duration::ZERO };
    assert_eq!(wire(at_once), json!({"op": "wait", "name": "a", "event": "e", "ms": 1}));
    let no_nap = Command::Sleep { name: "a".into(), duration: Duration::ZERO };
    assert_eq!(wire(no_nap), json!({"op": "sleep", "name": "a", "ms": 0}));
    let for_ever = Command::Sleep { name: "a".into(), duration: Duration::MAX };
    assert_eq!(wire(for_ever)["ms"], json!(9_007_199_254_740_991_u64));
    assert_eq!(wire(Command::Done { output: json!(1) }), json!({"op": "done", "output": 1}));
    assert_eq!(
        wire(Command::Fail { failure: Failure::new("E", "m") }),
        json!({"op": "fail", "failure": {"name": "E", "message": "m"}})
    );

    let read: Policy = serde_json::from_value(
        wire(Command::Do { name: "a".into(), policy, activity: json!(0) })["config"].clone(),
    )
    .expect("a policy");
    assert_eq!(read, Policy { timeout: Duration::from_millis(2), ..policy });

    let history = json!([
        {"op": "do", "name": "a", "ok": {"n": 1}},
        {"op": "wait", "name": "b", "err": {"name": "E", "message": "m"}},
        {"op": "sleep", "name": "c", "ok": null},
    ]);
    let read: Vec<Recorded> = serde_json::from_value(history.clone()).expect("a history");
    assert_eq!(read[1], recorded(Op::Wait, "b", Outcome::Err(Failure::new("E", "m"))));
    assert_eq!(serde_json::to_value(read).expect("JSON"), history);
}

/// A step of an arbitrary body, and how the engine answers it.
#[derive(Clone, Debug)]
struct Planned {
    op: Op,
    fails: bool,
    /// Steps which the body asks for only when this one fails.
    on_failure: u8,
}

fn plan() -> impl Strategy<Value = Vec<Planned>> {
    let op = prop_oneof![Just(Op::Do), Just(Op::Sleep), Just(Op::Wait)];
    let planned =
        (op, any::<bool>(), 0_u8..3).prop_map(|(op, fails, on_failure)| Planned { op, fails, on_failure });
    vec(planned, 0..12)
}

async fn one(steps: &Steps<Value>, op: Op, name: &str) -> Result<Value, Failure> {
    match op {
        Op::Do => steps.perform(name, POLICY, json!({ "of": name })).await,
        Op::Sleep => steps.sleep(name, SECOND).await.map(|()| Value::Null),
        Op::Wait => match steps.wait(name, "event", SECOND).await? {
            Waited::Event(payload) => Ok(payload),
            Waited::TimedOut => Err(timeout()),
        },
    }
}

/// The body of a plan: every step in order, the compensation of those that fail, and a trace of it all as output.
async fn follow(plan: Vec<Planned>, steps: Steps<Value>) -> Result<Vec<String>, Failure> {
    let mut trace = Vec::new();
    for (n, planned) in plan.iter().enumerate() {
        let name = format!("step {n}");
        match one(&steps, planned.op, &name).await {
            Ok(value) => trace.push(format!("{name}: {value}")),
            Err(failure) => {
                trace.push(format!("{name}: {failure}"));
                for undo in 0..planned.on_failure {
                    let () = steps.perform(format!("{name} undo {undo}"), POLICY, Value::Null).await?;
                }
            }
        }
    }
    Ok(trace)
}

fn run(plan: &[Planned]) -> super::Rehearsal<Value> {
    rehearse(
        |steps| follow(plan.to_vec(), steps),
        |command| {
            let name = command.step().map_or("", |(_, name)| name);
            let planned = name.strip_prefix("step ").and_then(|n| plan.get(n.parse::<usize>().ok()?));
            match planned {
                Some(planned) if planned.fails => Outcome::Err(timeout()),
                Some(_) => Outcome::Ok(json!(name.len())),
                None => Outcome::Ok(Value::Null),
            }
        },
    )
}

proptest! {
    #[test]
    fn any_prefix_of_a_run_gives_the_command_that_followed_it(plan in plan()) {
        let run = run(&plan);
        prop_assert_eq!(run.commands.len(), run.history.len() + 1);
        let ended = matches!(run.commands.last(), Some(Command::Done { .. }));
        prop_assert!(ended, "{:?}", run.commands.last());
        for (length, command) in run.commands.iter().enumerate() {
            let again = next(&run.history[..length], |steps| follow(plan.clone(), steps));
            prop_assert_eq!(&again, command);
        }
    }

    #[test]
    fn a_history_survives_its_json_form(plan in plan()) {
        let history = run(&plan).history;
        let json = serde_json::to_string(&history).expect("JSON");
        prop_assert_eq!(serde_json::from_str::<Vec<Recorded>>(&json).expect("a history"), history);
    }

    #[test]
    fn a_step_that_is_not_the_recorded_one_is_found_wherever_it_is(
        plan in plan(), at in any::<prop::sample::Index>(), renamed in any::<bool>(),
    ) {
        let mut history = run(&plan).history;
        prop_assume!(!history.is_empty());
        let position = at.index(history.len());
        let recorded = &mut history[position];
        if renamed {
            recorded.name.push('!');
        } else {
            recorded.op = if recorded.op == Op::Do { Op::Wait } else { Op::Do };
        }
        let named = format!("at position {position} the history holds {} `{}`", recorded.op, recorded.name);
        let found = failure(next(&history, |steps| follow(plan.clone(), steps)));
        prop_assert_eq!(&found.name, "NonDeterministicError");
        prop_assert!(found.message.starts_with(&named), "{}", found);
    }

    #[test]
    fn a_step_more_than_the_body_asks_for_is_found(plan in plan()) {
        let mut history = run(&plan).history;
        history.push(done("afterthought", Value::Null));
        let found = failure(next(&history, |steps| follow(plan.clone(), steps)));
        prop_assert_eq!(&found.name, "NonDeterministicError");
        prop_assert!(found.message.contains("`afterthought`"), "{}", found);
    }

    #[test]
    fn a_name_used_again_is_found_wherever_it_is(
        count in 1_usize..12, first in any::<prop::sample::Index>(), op in prop_oneof![Just(Op::Do), Just(Op::Sleep), Just(Op::Wait)],
    ) {
        let first = first.index(count);
        let body = async |steps: Steps<Value>| {
            for n in 0..count {
                let _ = one(&steps, Op::Do, &format!("step {n}")).await?;
            }
            one(&steps, op, &format!("step {first}")).await
        };
        let run = rehearse(body, |_| Outcome::Ok(Value::Null));
        prop_assert_eq!(run.history.len(), count);
        let found = failure(run.commands[count].clone());
        prop_assert_eq!(&found.name, "DuplicateStepError");
        prop_assert!(found.message.contains(&format!("{op} `step {first}`")), "{}", found);
    }
}
