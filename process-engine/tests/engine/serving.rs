use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Stdio;

use rustix::process::{Pid, Signal};
use serde_json::json;

use crate::harness::{Engine, eventually, is_dead, serve};

/// Everything an engine can have open when it is told to end.
fn busy(engine: &Engine) -> Vec<Pid> {
    engine.run_pair("box", 0);
    engine.run_script("family", "sleep 1000 & echo child $!; exec sleep 1000");
    engine.run_script("deaf", "trap '' TERM INT HUP; echo ready; while :; do sleep 0.01; done");
    engine.create("idle", &json!({"Image": "sh"}));
    eventually("all are up", || {
        engine.log("family").contains("child") && engine.log("deaf").contains("ready")
    });
    let child: i32 = engine.log("family").trim().strip_prefix("child ").unwrap().parse().unwrap();
    let mut pids: Vec<Pid> = ["box", "family", "deaf"].map(|name| engine.pid(name)).into();
    pids.push(Pid::from_raw(child).unwrap());
    pids
}

fn leaves_nothing(mut engine: Engine, end: impl FnOnce(&mut Engine)) {
    let pids = busy(&engine);
    let exited = engine.begin_wait("box", "not-running");
    let removed = engine.begin_wait("deaf", "removed");
    end(&mut engine);
    assert_eq!((exited.code(), removed.code()), (Some(137), Some(137)), "who waits has an answer");
    assert!(engine.join().success());
    assert!(!engine.socket().exists());
    for pid in pids {
        eventually("every process is gone", || is_dead(pid));
    }
}

#[test]
fn sigterm_leaves_nothing() {
    leaves_nothing(Engine::start(), |engine| engine.signal(Signal::TERM));
}

#[test]
fn sigint_leaves_nothing() {
    leaves_nothing(Engine::start(), |engine| engine.signal(Signal::INT));
}

#[test]
fn the_end_of_stdin_leaves_nothing() {
    leaves_nothing(Engine::start(), Engine::close_stdin);
}

#[test]
fn the_ready_line_says_how_to_reach_it() {
    let engine = Engine::start();
    let socket = engine.socket();
    assert_eq!(engine.ready["ready"], "process-engine");
    assert_eq!(engine.ready["socket"], json!(socket));
    assert_eq!(engine.ready["docker_host"], format!("unix://{}", socket.display()));
}

#[test]
fn a_stale_socket_is_replaced_and_a_live_one_refused() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("e.sock");
    let logs = folder.path().join("logs");
    drop(UnixListener::bind(&socket).unwrap());
    assert!(socket.exists());
    let engine = Engine::start_at(folder, &socket, &[]);
    assert_eq!(engine.get("/_ping").status, 200);

    let second = serve(&socket, &logs).stdin(Stdio::null()).output().unwrap();
    assert!(!second.status.success());
    let reason = String::from_utf8(second.stderr).unwrap();
    assert!(reason.contains("is in use: something answers there"), "{reason}");
    assert_eq!(engine.get("/_ping").status, 200, "the first is not disturbed");
}

#[test]
fn an_engine_that_was_killed_can_be_followed() {
    let mut first = Engine::start();
    first.signal(Signal::KILL);
    first.join();
    let socket = first.socket();
    assert!(socket.exists());
    let folder = tempfile::tempdir().unwrap();
    let second = Engine::start_at(folder, &socket, &[]);
    assert_eq!(second.get("/_ping").status, 200);
}

#[test]
fn the_engine_introduces_itself() {
    let engine = Engine::start();
    let ping = engine.get("/_ping");
    assert_eq!((ping.status, ping.body), (200, json!("OK")));
    assert_eq!(engine.get("/version").body["ApiVersion"], "1.44");
    assert_eq!(engine.get("/info").body["SecurityOptions"], json!([]));
    assert_eq!(engine.get("/v1.44/info").status, 200);
    assert_eq!(engine.get("/v1.44/containers/json").body, json!([]));
    assert_eq!(engine.client.call("HEAD", "/_ping").unwrap().status, 200);
    assert_eq!(engine.post("/build").status, 501);
}

#[test]
fn chunked_requests_on_a_kept_connection_are_read_as_workerd_sends_them() {
    let engine = Engine::start();
    let mut stream = UnixStream::connect(engine.socket()).unwrap();
    let delete =
        "DELETE /containers/none HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    let ping = "GET /_ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(format!("{delete}{ping}").as_bytes()).unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    assert!(answers.starts_with("HTTP/1.1 404"), "{answers}");
    assert!(answers.ends_with("OK"), "{answers}");
}

#[test]
fn without_a_log_folder_output_goes_to_stderr_behind_the_name() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("e.sock");
    let mut child = std::process::Command::new(crate::harness::PROGRAM)
        .args(["serve", "--socket", socket.to_str().unwrap(), "--image", "sh=sh", "--exit-with-stdin"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    eventually("it serves", || UnixStream::connect(&socket).is_ok());
    let client = process_engine::client::Client::new(&socket);
    let script = json!({"Image": "sh", "Cmd": ["-c", "echo out; echo err >&2; printf unended"]});
    assert_eq!(client.call_with("POST", "/containers/create?name=box", &script).unwrap().status, 201);
    assert_eq!(client.call("POST", "/containers/box/start").unwrap().status, 204);
    client.call("POST", "/containers/box/wait").unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let mut seen = String::new();
    while !["box | out\n", "box | err\n", "box | unended\n"].iter().all(|line| seen.contains(line)) {
        let mut chunk = [0; 1024];
        let read = stderr.read(&mut chunk).unwrap();
        assert_ne!(read, 0, "{seen}");
        seen.push_str(&String::from_utf8_lossy(&chunk[..read]));
    }
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}
