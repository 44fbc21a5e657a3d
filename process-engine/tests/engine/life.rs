use std::collections::BTreeSet;
use std::thread;

use serde_json::{Value, json};

use crate::harness::{Engine, ask, eventually};

#[test]
fn a_container_is_created_started_inspected_and_removed() {
    let engine = Engine::start();
    let labels = json!({"dev.workerd.session": "0f", "team": "red"});
    let created = engine.create(
        "box",
        &json!({"Image": "sh", "Cmd": ["-c", "exec sleep 1000"], "Env": ["A=1"], "Labels": labels}),
    );
    assert_eq!(created.status, 201);
    let id = created.body["Id"].as_str().unwrap().to_owned();
    let state = engine.state("box");
    assert_eq!(
        (&state["Status"], &state["Running"], &state["Pid"]),
        (&json!("created"), &json!(false), &json!(0))
    );

    assert_eq!(engine.post("/containers/box/start").status, 204);
    assert_eq!(engine.post("/containers/box/start").status, 304);
    let found = engine.inspect("box");
    assert_eq!(found["Id"], json!(id));
    assert_eq!(found["Name"], "/box");
    assert_eq!(found["State"]["Status"], "running");
    assert_eq!(found["Config"]["Image"], "sh");
    assert_eq!(found["Config"]["Labels"], labels);
    assert_eq!(found["Config"]["Env"], json!(["A=1"]));
    assert_ne!(found["State"]["StartedAt"], "0001-01-01T00:00:00Z");
    for key in [&id, id.get(..12).unwrap(), "/box"] {
        assert_eq!(engine.get(&format!("/containers/{}/json", key.replace('/', "%2F"))).status, 200, "{key}");
    }

    let refused = engine.delete("/containers/box");
    assert_eq!(refused.status, 409, "a running container needs force");
    assert_eq!(engine.state("box")["Status"], "running");
    assert_eq!(engine.delete("/containers/box?force=true").status, 204);
    assert_eq!(engine.delete("/containers/box?force=true").status, 404);
    assert_eq!(engine.get("/containers/box/json").status, 404);
}

#[test]
fn a_name_is_taken_until_its_container_is_removed() {
    let engine = Engine::start();
    assert_eq!(engine.create("box", &json!({"Image": "sh"})).status, 201);
    let conflict = engine.create("box", &json!({"Image": "sh"}));
    assert_eq!(conflict.status, 409);
    assert!(conflict.body["message"].as_str().unwrap().contains("/box"));
    assert_eq!(engine.delete("/containers/box").status, 204);
    assert_eq!(engine.create("box", &json!({"Image": "sh"})).status, 201);
    assert_eq!(engine.create("../box", &json!({"Image": "sh"})).status, 400);
}

#[test]
fn images_are_known_with_and_without_tag_or_missing() {
    let engine = Engine::start();
    assert_eq!(engine.create("a", &json!({"Image": "echo"})).status, 201);
    assert_eq!(engine.create("b", &json!({"Image": "echo:19a64317"})).status, 201);
    let missing = engine.create("c", &json!({"Image": "nobody/knows:1"}));
    assert_eq!(missing.status, 404);
    assert!(missing.body["message"].as_str().unwrap().starts_with("No such image: nobody/knows:1"));
    assert_eq!(engine.get("/images/echo%3A1/json").body["RepoTags"], json!(["echo:1"]));
    assert_eq!(engine.get("/images/nobody/knows/json").status, 404);
    assert_eq!(engine.get("/images/json").body.as_array().unwrap().len(), 4);
    assert_eq!(engine.post("/images/create?fromImage=echo").status, 200);
    assert_eq!(engine.post("/images/create?fromImage=other").status, 404);
}

#[test]
fn a_program_that_cannot_be_run_says_why() {
    let engine = Engine::start();
    for (image, code) in [("ghost", 127), ("unfit", 126)] {
        assert_eq!(engine.create(image, &json!({"Image": image})).status, 201);
        let failed = engine.post(&format!("/containers/{image}/start"));
        assert_eq!(failed.status, 400);
        let state = engine.state(image);
        assert_eq!((&state["Status"], &state["ExitCode"]), (&json!("created"), &json!(code)));
        assert_ne!(state["Error"], "");
    }
}

#[test]
fn the_process_gets_its_environment_and_nothing_of_ours() {
    let engine = Engine::start();
    let given = json!({"Image": "echo", "Cmd": ["--one", "two words"], "Env": ["A=b=c", "PORT=8080"]});
    engine.run("box", &given);
    let port = engine.published("box", "8080/tcp").expect("a port of its own");
    eventually("it listens", || engine.log("box").contains("listening on"));
    let (_, seen) = ask(port, "GET", "/", "");
    let seen: Value = serde_json::from_str(&seen).unwrap();
    assert_eq!(seen["arguments"], json!(["--one", "two words"]));
    assert_eq!(seen["folder"], "/");
    assert_eq!(seen["pid"], engine.state("box")["Pid"]);
    assert_eq!(seen["environment"]["A"], "b=c");
    assert_eq!(seen["environment"]["PORT"], port.to_string());
    let names: BTreeSet<&str> = seen["environment"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, BTreeSet::from(["A", "HOSTNAME", "PATH", "PORT"]));
    assert!(engine.log("box").contains("this is stderr"));
}

#[test]
fn lists_are_filtered_by_label_and_state() {
    let engine = Engine::start();
    engine.run("up", &json!({"Image": "echo", "Labels": {"session": "1", "a": ""}}));
    engine.create("down", &json!({"Image": "echo", "Labels": {"session": "1"}}));
    engine.create("other", &json!({"Image": "echo", "Labels": {"session": "2"}}));
    let list = |query: &[(&str, &str)]| {
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
        engine.get(&format!("/containers/json?{query}"))
    };
    let names = |query: &[(&str, &str)]| -> Vec<String> {
        let listed = list(query);
        assert_eq!(listed.status, 200, "{listed:?}");
        listed
            .body
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["Names"][0].as_str().unwrap().to_owned())
            .collect()
    };
    let all = ("all", "1");
    assert_eq!(names(&[]), ["/up"]);
    assert_eq!(names(&[all]), ["/down", "/other", "/up"]);
    assert_eq!(names(&[all, ("filters", r#"{"label":["session=1"]}"#)]), ["/down", "/up"]);
    assert_eq!(names(&[all, ("filters", r#"{"label":{"session=2":true}}"#)]), ["/other"]);
    assert_eq!(names(&[all, ("filters", r#"{"label":["session=1","a"]}"#)]), ["/up"]);
    assert_eq!(names(&[("filters", r#"{"status":["created"],"name":["the"]}"#)]), ["/other"]);
    assert_eq!(list(&[("filters", r#"{"volume":["x"]}"#)]).status, 400);
    assert_eq!(list(&[("filters", "label")]).status, 400);
}

#[test]
fn what_a_process_cannot_do_is_refused() {
    let engine = Engine::start();
    let volume = json!({"Image": "echo", "HostConfig": {"Binds": ["v:/mnt"]}});
    assert_eq!(engine.create("box", &volume).status, 501);
    assert_eq!(engine.create("box", &json!({"Cmd": []})).status, 400);
    assert_eq!(engine.get("/volumes?filters={}").body, json!({"Volumes": [], "Warnings": []}));
    assert_eq!(engine.get("/volumes/v").status, 404);
    assert_eq!(engine.delete("/volumes/v").status, 404);
    engine.create("box", &json!({"Image": "echo"}));
    let put = |path: &str| {
        engine.client.call("PUT", &format!("/containers/box/archive?path={path}")).unwrap().status
    };
    assert_eq!(put("%2Fetc"), 200, "the sidecar's authority, which nothing is signed by");
    assert_eq!(put("%2Fmnt"), 501);
    let unknown = engine.post("/containers/box/exec");
    assert_eq!(unknown.status, 501);
    assert!(unknown.body["message"].as_str().unwrap().contains("POST /containers/box/exec"));
}

#[test]
fn many_containers_live_side_by_side() {
    const COUNT: usize = 24;
    let engine = Engine::start();
    let seen: Vec<Value> = thread::scope(|scope| {
        let one = |number: usize| {
            let engine = &engine;
            scope.spawn(move || {
                let name = format!("box{number}");
                engine.run_pair(&name, 0);
                engine.fetch(&name, "/")
            })
        };
        let running: Vec<_> = (0..COUNT).map(one).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let distinct =
        |path: &str| seen.iter().map(|one| one.pointer(path).unwrap().to_string()).collect::<BTreeSet<_>>();
    assert_eq!(distinct("/pid").len(), COUNT);
    assert_eq!(distinct("/environment/PORT").len(), COUNT);
    assert_eq!(engine.get("/info").body["ContainersRunning"], 2 * COUNT);
}
