use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::harness::{DOCKER, Engine, PROGRAM};

fn docker(engine: Option<&Engine>, arguments: &[&str], stdin: &str) -> Output {
    let mut command = Command::new(DOCKER);
    command.args(arguments).env_remove("WRANGLER_DOCKER_HOST").env_remove("DOCKER_HOST");
    if let Some(engine) = engine {
        command.env("DOCKER_HOST", format!("unix://{}", engine.socket().display()));
    }
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The calls of wrangler 4.164, in the order in which `wrangler dev` makes them.
#[test]
fn wrangler_is_answered() {
    let engine = Engine::start();
    let host = format!("unix://{}", engine.socket().display());
    let dockerfile = "FROM scratch\n".repeat(20_000);
    for (arguments, stdin, stdout) in [
        (vec!["info"], "", None),
        (
            "build --load -t echo:19a64317 --platform linux/amd64 --provenance=false -f - /context"
                .split(' ')
                .collect(),
            dockerfile.as_str(),
            None,
        ),
        (vec!["pull", "cloudflare/proxy-everything:3cb1195@sha256:0ef6"], "", None),
        (vec!["pull", "some/image:1", "--platform", "linux/amd64"], "", None),
        (vec!["tag", "some/image:1", "echo:19a64317"], "", None),
        (vec!["--host", &host, "info", "--format", "{{json .SecurityOptions}}"], "", Some("[]\n")),
        (
            vec!["image", "inspect", "echo:1", "--format", "{{ .Os }}/{{ len .RootFS.Layers }}"],
            "",
            Some("linux/1\n"),
        ),
    ] {
        let output = docker(Some(&engine), &arguments, stdin);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        if let Some(expected) = stdout {
            assert_eq!(text(&output.stdout), expected, "{arguments:?}");
        }
    }
}

#[test]
fn a_host_on_the_command_line_is_enough() {
    let engine = Engine::start();
    let host = format!("unix://{}", engine.socket().display());
    let output = docker(None, &["--host", &host, "version", "--format", "{{.ApiVersion}}"], "");
    assert_eq!(text(&output.stdout), "1.44\n");
}

#[test]
fn the_pid_of_a_container_can_be_asked_for() {
    let engine = Engine::start();
    engine.run_script("box", "exec sleep 1000");
    let output = docker(Some(&engine), &["inspect", "--format", "{{.State.Pid}}", "box"], "");
    assert_eq!(text(&output.stdout).trim(), engine.state("box")["Pid"].to_string());
    let whole: Value =
        serde_json::from_slice(&docker(Some(&engine), &["inspect", "box"], "").stdout).unwrap();
    assert_eq!(whole[0]["Name"], json!("/box"));
}

#[test]
fn what_cannot_be_done_fails_and_says_why() {
    let engine = Engine::start();
    for (arguments, reason) in [
        (vec!["build", "-t", "nobody/knows:1", "-f", "-", "."], "No such image: nobody/knows:1"),
        (vec!["image", "inspect", "nobody/knows"], "No such image"),
        (vec!["inspect", "nobody"], "No such container: nobody"),
        (vec!["push", "echo:1"], "\"push echo:1\" is not among the commands"),
        (vec![], "is not among the commands"),
        (vec!["info", "--format", "{{range .X}}{{end}}"], "template parsing error"),
        (vec!["--host", "tcp://127.0.0.1:2375", "info"], "only unix:// hosts"),
        (vec!["--host", "unix:///nowhere/e.sock", "info"], "no engine answers at unix:///nowhere/e.sock"),
    ] {
        let output = docker(Some(&engine), &arguments, "");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let stderr = text(&output.stderr);
        assert!(
            stderr.starts_with("process-engine docker: ") && stderr.contains(reason),
            "{arguments:?}: {stderr}"
        );
    }
    let homeless = docker(None, &["info"], "");
    assert!(text(&homeless.stderr).contains("set DOCKER_HOST"));
}

#[test]
fn the_main_program_has_the_same_commands() {
    let engine = Engine::start();
    let host = format!("unix://{}", engine.socket().display());
    let output = Command::new(PROGRAM)
        .args(["docker", "--host", &host, "info", "--format", "{{json .SecurityOptions}}"])
        .output()
        .unwrap();
    assert_eq!(text(&output.stdout), "[]\n", "{}", text(&output.stderr));
}
