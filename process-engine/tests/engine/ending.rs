use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::harness::{Engine, eventually, is_dead};

#[test]
fn exit_codes_are_those_of_the_program_or_of_the_signal() {
    let engine = Engine::start();
    for (name, script, code) in [
        ("fine", "exit 0", 0),
        ("failed", "exit 3", 3),
        ("terminated", "kill -TERM $$", 143),
        ("aborted", "kill -ABRT $$", 134),
    ] {
        engine.run_script(name, script);
        assert_eq!(engine.wait(name, "not-running"), code, "{name}");
        let state = engine.state(name);
        assert_eq!((&state["Status"], &state["ExitCode"]), (&json!("exited"), &json!(code)));
        assert_eq!(state["Pid"], 0);
    }
}

#[test]
fn a_process_killed_from_outside_is_seen_as_137() {
    let engine = Engine::start();
    // `workerd` asks for revival; by default that is not given.
    let policy = json!({"RestartPolicy": {"Name": "on-failure", "MaximumRetryCount": 0}});
    engine.run("box", &json!({"Image": "echo", "HostConfig": policy}));
    let pid = engine.pid("box");
    let waiting = engine.begin_wait("box", "next-exit");
    kill_process(pid, Signal::KILL).unwrap();
    assert_eq!(waiting.code(), Some(137));
    assert_eq!(engine.state("box")["Status"], "exited");
    assert_eq!(engine.wait("box", "not-running"), 137, "an answer at once for those who come late");
    assert!(is_dead(pid));
    assert_eq!(engine.published("box", "8080/tcp"), None);

    assert_eq!(engine.post("/containers/box/start").status, 204, "it can be started again");
    assert_ne!(engine.pid("box"), pid);
}

#[test]
fn kill_ends_the_whole_group_and_other_signals_the_first_process() {
    let engine = Engine::start();
    engine.run_script(
        "box",
        "trap 'echo got USR1' USR1; sleep 1000 & echo child $!; while :; do wait $!; done",
    );
    let child = || engine.log("box").lines().find_map(|line| line.strip_prefix("child ")?.parse().ok());
    eventually("the child runs", || child().is_some());
    let child = Pid::from_raw(child().unwrap()).unwrap();

    assert_eq!(engine.post("/containers/box/kill?signal=SIGUSR1").status, 204);
    eventually("the signal arrives", || engine.log("box").contains("got USR1"));
    assert!(!is_dead(child), "USR1 would have ended it");

    assert_eq!(engine.post("/containers/box/kill").status, 204);
    assert_eq!(engine.wait("box", "not-running"), 137);
    eventually("the child is gone", || is_dead(child));
    assert_eq!(engine.post("/containers/box/kill").status, 409);
    assert_eq!(engine.post("/containers/box/kill?signal=SIGNOTHING").status, 400);
}

#[test]
fn what_a_program_leaves_behind_ends_with_it() {
    let engine = Engine::start();
    engine.run_script("box", "sleep 1000 & echo child $!; exit 5");
    assert_eq!(engine.wait("box", "not-running"), 5);
    let log = engine.log("box");
    let child: i32 = log.trim().strip_prefix("child ").unwrap().parse().unwrap();
    eventually("the child is gone", || is_dead(Pid::from_raw(child).unwrap()));
}

#[test]
fn stop_asks_first_and_kills_later() {
    let engine = Engine::start();
    engine.run_script("polite", "trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done");
    eventually("the trap is set", || engine.log("polite").contains("ready"));
    assert_eq!(engine.post("/containers/polite/stop").status, 204);
    assert_eq!(engine.state("polite")["ExitCode"], 7);
    assert_eq!(engine.post("/containers/polite/stop").status, 304);

    engine.run_script("stubborn", "trap '' TERM; echo ready; while :; do sleep 0.01; done");
    eventually("the trap is set", || engine.log("stubborn").contains("ready"));
    assert_eq!(engine.post("/containers/stubborn/stop?t=0").status, 204);
    assert_eq!(engine.state("stubborn")["ExitCode"], 137);

    engine.run("other", &json!({"Image": "sh", "Cmd": ["-c", "exec sleep 1000"], "StopSignal": "SIGINT"}));
    assert_eq!(engine.post("/containers/other/stop?t=-1").status, 204);
    assert_eq!(engine.state("other")["ExitCode"], 130);
    assert_eq!(engine.post("/containers/other/stop?t=soon").status, 400);
}

#[test]
fn removal_is_awaited_by_condition_removed() {
    let engine = Engine::start();
    engine.run_script("box", "exec sleep 1000");
    let mut removed = engine.begin_wait("box", "removed");
    let exited = engine.begin_wait("box", "not-running");
    engine.post("/containers/box/kill");
    assert_eq!(exited.code(), Some(137));
    assert!(removed.has_no_answer_yet(), "an exit is no removal");
    assert_eq!(engine.delete("/containers/box").status, 204);
    assert_eq!(removed.code(), Some(137));
    assert_eq!(engine.post("/containers/box/wait?condition=removed").status, 404);
    engine.create("box", &json!({"Image": "sh"}));
    assert_eq!(engine.wait("box", "not-running"), 0, "a container that was never started does not run");
    assert_eq!(engine.post("/containers/box/wait?condition=someday").status, 400);
}

#[test]
fn only_one_of_many_removals_removes() {
    let engine = Engine::start();
    engine.run_script("box", "exec sleep 1000");
    let mut answers: Vec<u16> = thread::scope(|scope| {
        let all: Vec<_> =
            (0..8).map(|_| scope.spawn(|| engine.delete("/containers/box?force=1").status)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    answers.sort_unstable();
    assert_eq!(answers[0], 204);
    assert!(answers[1..].iter().all(|answer| matches!(answer, 404 | 409)), "{answers:?}");
}

#[test]
fn honoured_restart_policies_revive_what_fails() {
    let engine = Engine::start_with(&["--honour-restart-policies"]);
    let failing = |attempts: u32| {
        json!({"Image": "sh", "Cmd": ["-c", "exit 4"],
            "HostConfig": {"RestartPolicy": {"Name": "on-failure", "MaximumRetryCount": attempts}}})
    };
    engine.run("twice", &failing(2));
    eventually("it is given up", || engine.state("twice")["Status"] == "exited");
    assert_eq!(engine.inspect("twice")["RestartCount"], 2);

    let policy = json!({"RestartPolicy": {"Name": "on-failure"}});
    engine.run("box", &json!({"Image": "sh", "Cmd": ["-c", "exec sleep 1000"], "HostConfig": policy}));
    let pid = engine.pid("box");
    let waiting = engine.begin_wait("box", "not-running");
    kill_process(pid, Signal::KILL).unwrap();
    assert_eq!(waiting.code(), Some(137), "who waits sees the exit, not only the end of all revivals");
    eventually("it runs again", || engine.state("box")["Status"] == "running");
    assert_ne!(engine.pid("box"), pid);
    assert_eq!(engine.post("/containers/box/kill").status, 204);
    assert_eq!(engine.wait("box", "not-running"), 137);
    assert_eq!(engine.state("box")["Status"], "exited", "who is asked to end is not revived");

    engine.run("endless", &failing(0));
    eventually("it waits for a revival", || engine.state("endless")["Status"] == "restarting");
    assert_eq!(engine.delete("/containers/endless?force=1").status, 204);
}
