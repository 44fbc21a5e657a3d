use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use process_engine::client::{Answer, Client};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_process-engine");
pub const DOCKER: &str = env!("CARGO_BIN_EXE_process-engine-docker");
pub const ECHO: &str = env!("CARGO_BIN_EXE_process-engine-echo");

/// An engine with the images `echo` (an HTTP application) and `sh`.
pub struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    pub folder: tempfile::TempDir,
    pub ready: Value,
    pub client: Client,
}

impl Engine {
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    pub fn start_with(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("e.sock");
        Self::start_at(folder, &socket, arguments)
    }

    pub fn start_at(folder: tempfile::TempDir, socket: &Path, arguments: &[&str]) -> Self {
        // Ends with stdin, so that a test that is killed leaves no engine behind.
        let mut child = serve(socket, &folder.path().join("logs"))
            .args(["--ready-json", "--exit-with-stdin"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready = serde_json::from_str(&line).unwrap();
        let stdin = child.stdin.take();
        Self { child, stdin, folder, ready, client: Client::new(socket) }
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("e.sock")
    }

    pub fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join("logs").join(format!("{name}.log")))
            .unwrap_or_default()
    }

    pub fn get(&self, path: &str) -> Answer {
        self.client.call("GET", path).unwrap()
    }

    pub fn post(&self, path: &str) -> Answer {
        self.client.call("POST", path).unwrap()
    }

    pub fn delete(&self, path: &str) -> Answer {
        self.client.call("DELETE", path).unwrap()
    }

    pub fn create(&self, name: &str, body: &Value) -> Answer {
        self.client.call_with("POST", &format!("/containers/create?name={name}"), body).unwrap()
    }

    /// A running container of `body`.
    pub fn run(&self, name: &str, body: &Value) {
        assert_eq!(self.create(name, body).status, 201);
        let started = self.post(&format!("/containers/{name}/start"));
        assert_eq!(started.status, 204, "{started:?}");
    }

    /// A running shell script.
    pub fn run_script(&self, name: &str, script: &str) {
        self.run(name, &json!({"Image": "sh", "Cmd": ["-c", script]}));
    }

    /// A running echo application behind a running sidecar `<name>-proxy`; the sidecar's ingress port.
    pub fn run_pair(&self, name: &str, egress_port: u16) -> u16 {
        let sidecar = format!("{name}-proxy");
        let cmd = ["--http-egress-port", &egress_port.to_string(), "--dns-enabled"];
        self.run(&sidecar, &json!({"Image": "any/proxy:1", "ExposedPorts": {"39001/tcp": {}}, "Cmd": cmd}));
        let network = format!("container:{sidecar}");
        self.run(name, &json!({"Image": "echo", "HostConfig": {"NetworkMode": network}}));
        self.published(&sidecar, "39001/tcp").unwrap()
    }

    pub fn inspect(&self, name: &str) -> Value {
        let answer = self.get(&format!("/containers/{name}/json"));
        assert_eq!(answer.status, 200);
        answer.body
    }

    pub fn state(&self, name: &str) -> Value {
        self.inspect(name)["State"].clone()
    }

    pub fn pid(&self, name: &str) -> Pid {
        let pid = self.state(name)["Pid"].as_i64().unwrap();
        Pid::from_raw(pid.try_into().unwrap()).expect("a process")
    }

    pub fn published(&self, name: &str, port: &str) -> Option<u16> {
        self.inspect(name)["NetworkSettings"]["Ports"][port][0]["HostPort"]
            .as_str()
            .map(|port| port.parse().unwrap())
    }

    /// Blocks until `condition`; the exit code.
    pub fn wait(&self, name: &str, condition: &str) -> i64 {
        let answer = self.post(&format!("/containers/{name}/wait?condition={condition}"));
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["StatusCode"].as_i64().unwrap()
    }

    /// A tunnel to the application `name` on `port`, once it listens there.
    pub fn tunnel(&self, name: &str, port: u16) -> TcpStream {
        let ingress = self.published(&format!("{name}-proxy"), "39001/tcp").unwrap();
        eventually("the application listens", || {
            let state = self.state(name);
            assert_eq!(state["Status"], "running", "{name} ended: {state} {}", self.log(name));
            tunnel(ingress, port).is_ok()
        });
        tunnel(ingress, port).unwrap()
    }

    /// A request to the application `name` through its sidecar, once it listens.
    pub fn fetch(&self, name: &str, path: &str) -> Value {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let (status, body) = exchange(&mut self.tunnel(name, 8080), &request);
        assert_eq!(status, 200);
        serde_json::from_str(&body).unwrap_or(Value::String(body))
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    pub fn join(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.wait();
    }
}

/// The command line of an engine.
pub fn serve(socket: &Path, logs: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .args(["serve", "--socket", socket.to_str().unwrap(), "--log-dir", logs.to_str().unwrap()])
        .args(["--image", &format!("echo={ECHO}"), "--image", "sh=sh"])
        .args(["--image", "ghost=/nowhere/to/be/found", "--image", "unfit=/etc/passwd"]);
    command
}

/// Waits for a state, not for a time; the limit only turns a hanging test into a failing one.
pub fn eventually(what: &str, holds: impl Fn() -> bool) {
    let limit = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < limit, "never came true: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A process that is gone, or was left as a zombie by a parent that is not ours.
pub fn is_dead(pid: Pid) -> bool {
    if test_kill_process(pid).is_err() {
        return true;
    }
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('Z'))
}

/// Status and body of one HTTP exchange.
pub fn exchange(stream: &mut TcpStream, request: &str) -> (u16, String) {
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").expect("a whole head");
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

pub fn ask(port: u16, method: &str, path: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    let length = body.len();
    exchange(
        &mut stream,
        &format!(
            "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        ),
    )
}

/// A tunnel through a sidecar, as `workerd` opens it: the stream, or the status that refused it.
pub fn tunnel(ingress: u16, port: u16) -> Result<TcpStream, u16> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, ingress)).unwrap();
    let target = format!("127.0.0.1:{port}");
    write!(stream, "CONNECT {target} HTTP/1.1\r\nHost: {target}\r\nX-Dst-Addr: {target}\r\n\r\n").unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    let head = String::from_utf8(head).unwrap();
    match head.split(' ').nth(1).unwrap() {
        "200" => Ok(stream),
        status => Err(status.parse().unwrap()),
    }
}

/// A wait that has begun: whatever ends from here on is seen.
pub struct Waiting(BufReader<UnixStream>);

impl Engine {
    pub fn begin_wait(&self, name: &str, condition: &str) -> Waiting {
        let mut stream = UnixStream::connect(self.socket()).unwrap();
        write!(stream, "POST /containers/{name}/wait?condition={condition} HTTP/1.0\r\n\r\n").unwrap();
        let mut reader = BufReader::new(stream);
        let mut status = String::new();
        reader.read_line(&mut status).unwrap();
        assert!(status.contains(" 200 "), "{status}");
        let mut line = String::new();
        while reader.read_line(&mut line).unwrap() > 2 {
            line.clear();
        }
        Waiting(reader)
    }
}

impl Waiting {
    /// The exit code; `None` if the engine hung up without one.
    pub fn code(mut self) -> Option<i64> {
        let mut body = String::new();
        self.0.read_to_string(&mut body).unwrap();
        serde_json::from_str::<Value>(&body).ok()?["StatusCode"].as_i64()
    }

    pub fn has_no_answer_yet(&mut self) -> bool {
        self.0.get_ref().set_nonblocking(true).unwrap();
        let nothing = self.0.fill_buf().is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
        self.0.get_ref().set_nonblocking(false).unwrap();
        nothing
    }
}
