use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;

use rustix::process::{Signal, kill_process};
use serde_json::json;

use crate::harness::{Engine, ask, eventually, exchange, tunnel};

#[test]
fn the_bridge_is_the_loopback() {
    let engine = Engine::start();
    let bridge = engine.get("/networks/bridge");
    assert_eq!(bridge.body["IPAM"]["Config"][0], json!({"Subnet": "127.0.0.0/8", "Gateway": "127.0.0.1"}));
    assert_eq!(engine.get("/networks/other").status, 404);
}

#[test]
fn connect_reaches_the_application_on_its_port_only() {
    let engine = Engine::start();
    let ingress = engine.run_pair("box", 0);
    assert_eq!(engine.fetch("box", "/x")["path"], "/x");
    assert_eq!(tunnel(ingress, 9999).unwrap_err(), 400);
    let own = engine.published("box", "8080/tcp").unwrap();
    assert_eq!(tunnel(ingress, own).unwrap_err(), 400, "the port behind is nobody's business");

    kill_process(engine.pid("box"), Signal::KILL).unwrap();
    engine.wait("box", "not-running");
    assert_eq!(tunnel(ingress, 8080).unwrap_err(), 400);
    assert_eq!(engine.post("/containers/box/start").status, 204);
    assert_eq!(engine.fetch("box", "/again")["path"], "/again");
}

#[test]
fn nothing_listens_is_a_400_until_something_does() {
    let engine = Engine::start();
    engine.run("box-proxy", &json!({"Image": "proxy", "ExposedPorts": {"39001/tcp": {}}}));
    let ingress = engine.published("box-proxy", "39001/tcp").unwrap();
    assert_eq!(tunnel(ingress, 8080).unwrap_err(), 400, "no application");
    let network = json!({"NetworkMode": "container:box-proxy"});
    engine.run("box", &json!({"Image": "sh", "Cmd": ["-c", "exec sleep 1000"], "HostConfig": network}));
    assert_eq!(tunnel(ingress, 8080).unwrap_err(), 400, "an application that does not listen");
}

#[test]
fn tunnels_carry_what_is_large_and_close_by_halves() {
    let engine = Engine::start();
    engine.run_pair("box", 0);
    let body: Vec<u8> = (0..3_000_000_u32).flat_map(u32::to_le_bytes).take(5_000_000).collect();
    let mut stream = engine.tunnel("box", 8080);
    let mut writer = stream.try_clone().unwrap();
    let sent = body.clone();
    let writing = thread::spawn(move || {
        write!(writer, "POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n", sent.len()).unwrap();
        writer.write_all(&sent).unwrap();
        writer.shutdown(std::net::Shutdown::Write).unwrap();
    });
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    writing.join().unwrap();
    assert!(answer.ends_with(&body));
}

#[test]
fn a_given_port_is_the_one_that_is_mapped() {
    let engine = Engine::start();
    engine.run("box-proxy", &json!({"Image": "proxy", "ExposedPorts": {"39001/tcp": {}}}));
    let ingress = engine.published("box-proxy", "39001/tcp").unwrap();
    let network = json!({"NetworkMode": "container:box-proxy"});
    engine.run("box", &json!({"Image": "echo", "Env": ["PORT=9000"], "HostConfig": network}));
    engine.tunnel("box", 9000);
    assert_eq!(tunnel(ingress, 8080).unwrap_err(), 400);
}

#[test]
fn an_application_needs_the_sidecar_it_names() {
    let engine = Engine::start();
    let body = json!({"Image": "echo", "HostConfig": {"NetworkMode": "container:box-proxy"}});
    assert_eq!(engine.create("box", &body).status, 201);
    let refused = engine.post("/containers/box/start");
    assert_eq!(refused.status, 409);
    assert!(refused.body["message"].as_str().unwrap().contains("box-proxy"));
}

#[test]
fn a_sidecar_that_ends_frees_its_port_and_its_connections() {
    let engine = Engine::start();
    let ingress = engine.run_pair("box", 0);
    let mut open = engine.tunnel("box", 8080);
    assert_eq!(engine.state("box-proxy")["Pid"], 0);
    assert_eq!(engine.post("/containers/box-proxy/kill?signal=SIGTERM").status, 204);
    assert_eq!(engine.wait("box-proxy", "not-running"), 143);
    assert_eq!(open.read(&mut [0]).unwrap_or(0), 0);
    eventually("the port is free", || TcpListener::bind((Ipv4Addr::LOCALHOST, ingress)).is_ok());
    assert_eq!(engine.published("box-proxy", "39001/tcp"), None);

    assert_eq!(engine.post("/containers/box-proxy/start").status, 204);
    assert_ne!(engine.published("box-proxy", "39001/tcp"), None);
}

#[test]
fn the_sidecar_answers_what_workerd_asks_it() {
    let engine = Engine::start();
    let ingress = engine.run_pair("box", 0);
    let (status, authority) = ask(ingress, "GET", "/ca", "");
    assert_eq!(status, 200);
    assert!(authority.starts_with("-----BEGIN CERTIFICATE-----"));
    let settings = r#"{"port":1,"dns":{"allowHostnames":[]},"internet":{"enabled":true}}"#;
    assert_eq!(ask(ingress, "PUT", "/egress", settings).0, 200);
    assert_eq!(ask(ingress, "PUT", "/egress", "{}").0, 400);
    assert_eq!(ask(ingress, "GET", "/other", "").0, 404);
}

/// What `workerd` is to the sidecar: takes tunnels, and decides about each. Sends the heads of all it took.
fn egress(status: &'static str, reply: &'static str) -> (u16, mpsc::Receiver<String>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (heads, taken) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let _ = heads.send(head(&mut reader));
            write!(stream, "HTTP/1.1 {status}\r\n\r\n").unwrap();
            if !reply.is_empty() {
                let _ = heads.send(head(&mut reader));
                let _ = stream.write_all(reply.as_bytes());
            }
        }
    });
    (port, taken)
}

fn head(reader: &mut impl BufRead) -> String {
    let mut head = String::new();
    while reader.read_line(&mut head).unwrap_or(0) > 2 {}
    head.to_ascii_lowercase()
}

const REPLY: &str = "HTTP/1.1 203 Fine\r\nContent-Length: 5\r\n\r\nhello";

#[test]
fn requests_of_the_application_go_through_workerd() {
    let (port, taken) = egress("200 OK", REPLY);
    let engine = Engine::start();
    engine.run_pair("box", port);
    let seen = engine.fetch("box", "/get/http://r2.internal/some/key?q=1");
    let seen = seen.as_str().unwrap();
    assert!(seen.starts_with("HTTP/1.1 203"), "{seen}");
    assert!(seen.ends_with("\r\n\r\nhello"), "{seen}");

    let connect = taken.recv().unwrap();
    assert!(connect.starts_with("connect 198.18.0.1:80 "), "{connect}");
    assert!(connect.contains("x-hostname: r2.internal\r\n"), "{connect}");
    let request = taken.recv().unwrap();
    assert!(request.starts_with("get /some/key?q=1 http/1.1\r\n"), "{request}");
    assert!(request.contains("host: r2.internal\r\n"), "{request}");
    assert!(!request.contains("proxy-connection"), "{request}");
}

#[test]
fn what_no_worker_intercepts_is_passed_on_where_it_resolves() {
    let (port, taken) = egress("202 Accepted", REPLY);
    let engine = Engine::start();
    engine.run_pair("box", port);
    assert!(engine.fetch("box", "/get/http://127.0.0.1:81/").as_str().unwrap().ends_with("hello"));
    let connect = taken.recv().unwrap();
    assert!(connect.starts_with("connect 127.0.0.1:81 "), "{connect}");
    assert!(!connect.contains("x-hostname"), "an address is no name: {connect}");

    let unresolved = engine.fetch("box", "/get/http://nowhere.invalid/");
    assert!(unresolved.as_str().unwrap().contains("nowhere.invalid does not resolve"), "{unresolved}");
}

#[test]
fn https_passes_as_a_tunnel_unless_a_worker_wants_to_read_it() {
    let proxy_of = |engine: &Engine| -> u16 {
        let url = engine.fetch("box", "/")["environment"]["https_proxy"].clone();
        url.as_str().unwrap().rsplit_once(':').unwrap().1.parse().unwrap()
    };
    let connect = |proxy: u16, rest: &str| {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, proxy)).unwrap();
        exchange(
            &mut stream,
            &format!(
                "CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\nConnection: close\r\n\r\n{rest}"
            ),
        )
    };

    let (port, taken) = egress("202 Accepted", "pretend this is TLS");
    let engine = Engine::start();
    engine.run_pair("box", port);
    let (status, through) = connect(proxy_of(&engine), "hello in TLS\r\n\r\n");
    assert_eq!((status, through.as_str()), (200, "pretend this is TLS"));
    assert!(taken.recv().unwrap().contains("x-tls-sni: localhost\r\n"));
    assert_eq!(taken.recv().unwrap(), "hello in tls\r\n\r\n");

    let (port, _taken) = egress("200 OK", "");
    let engine = Engine::start();
    engine.run_pair("box", port);
    let (status, reason) = connect(proxy_of(&engine), "");
    assert_eq!(status, 502);
    assert!(reason.contains("this engine cannot open TLS"), "{reason}");
}

#[test]
fn egress_that_workerd_does_not_take_is_a_502() {
    let engine = Engine::start();
    let ingress = engine.run_pair("box", 0);
    let unconfigured = engine.fetch("box", "/get/http://127.0.0.1:1/");
    assert!(unconfigured.as_str().unwrap().starts_with("HTTP/1.1 502"), "{unconfigured}");

    let (port, _taken) = egress("403 Forbidden", "");
    assert_eq!(ask(ingress, "PUT", "/egress", &format!("{{\"port\":{port}}}")).0, 200);
    let refused = engine.fetch("box", "/get/http://127.0.0.1:1/");
    assert!(refused.as_str().unwrap().contains("with 403"), "{refused}");
}
