//! A small application to put into a container: it listens on `$PORT` and tells what it sees.
//!
//! `GET /` its pid, arguments, folder and environment as JSON · `POST /` the body · `GET /exit/N` ends with code N ·
//! `GET /get/http://…` what that URL answers through `$http_proxy`.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::{env, process, thread};

use serde_json::json;

fn main() -> io::Result<()> {
    let port = env::var("PORT").ok().and_then(|port| port.parse().ok()).unwrap_or(8080);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    writeln!(io::stdout(), "listening on {port}")?;
    writeln!(io::stderr(), "this is stderr")?;
    for stream in listener.incoming() {
        let stream = stream?;
        thread::spawn(move || {
            // A caller that hangs up is no matter.
            let _ = answer(stream);
        });
    }
    Ok(())
}

fn answer(mut stream: TcpStream) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (request, length) = head(&mut reader)?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let mut words = request.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let reply = match (method, path) {
        ("POST", _) => body,
        (_, path) => {
            if let Some(code) = path.strip_prefix("/exit/") {
                process::exit(code.split('?').next().and_then(|code| code.parse().ok()).unwrap_or(255));
            }
            match path.strip_prefix("/get/") {
                Some(url) => fetch(url).unwrap_or_else(|error| error.to_string().into_bytes()),
                None => describe(path)?,
            }
        }
    };
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", reply.len())?;
    stream.write_all(&reply)
}

/// Request line and content length.
fn head(reader: &mut impl BufRead) -> io::Result<(String, usize)> {
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().unwrap_or(0);
            }
            Some(_) => {}
            None => return Ok((request.trim_end().to_owned(), length)),
        }
    }
}

fn describe(path: &str) -> io::Result<Vec<u8>> {
    let environment: BTreeMap<String, String> = env::vars().collect();
    let arguments: Vec<String> = env::args().skip(1).collect();
    Ok(json!({
        "path": path,
        "pid": process::id(),
        "arguments": arguments,
        "folder": env::current_dir()?,
        "environment": environment,
    })
    .to_string()
    .into_bytes())
}

/// The whole answer, head included, of a request that goes through the proxy of the environment.
fn fetch(url: &str) -> io::Result<Vec<u8>> {
    let proxy = env::var("http_proxy").map_err(io::Error::other)?;
    let mut stream = TcpStream::connect(proxy.trim_start_matches("http://"))?;
    let host = url.trim_start_matches("http://").split('/').next().unwrap_or_default();
    write!(
        stream,
        "GET {url} HTTP/1.1\r\nHost: {host}\r\nProxy-Connection: close\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(answer)
}
