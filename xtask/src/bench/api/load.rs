//! Creates, over some connections that are kept, each sending its next when the last is answered.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::failure::{Failure, OrFail, Outcome};

const ADVICE: &str = "read the peer's log (target/bench-api/)";

/// What a round of creates took.
pub(super) struct Round {
    pub(super) times: Vec<Duration>,
    pub(super) took: Duration,
}

/// What is sent: a body, and the bearer key of the client.
#[derive(Clone)]
pub(super) struct Create {
    pub(super) key: &'static str,
    pub(super) body: Bytes,
}

/// Sends `requests` creates, each under a key of its own. Anything but 201 is a failure.
pub(super) async fn round(port: u16, connections: usize, requests: usize, create: &Create) -> Outcome<Round> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut senders = Vec::new();
    for _ in 0..connections {
        senders.push(connect(address).await?);
    }
    let sent = Arc::new(AtomicUsize::new(0));
    let begun = Instant::now();
    let mut tasks = JoinSet::new();
    for mut sender in senders {
        let (sent, create) = (Arc::clone(&sent), create.clone());
        tasks.spawn(async move {
            let mut times = Vec::new();
            while sent.fetch_add(1, Ordering::Relaxed) < requests {
                let begun = Instant::now();
                one(&mut sender, &create).await?;
                times.push(begun.elapsed());
            }
            Ok::<_, Failure>(times)
        });
    }
    let mut times = Vec::new();
    while let Some(ended) = tasks.join_next().await {
        times.extend(ended.or_fail("a connection's task broke off", "report this")??);
    }
    Ok(Round { times, took: begun.elapsed() })
}

async fn connect(address: SocketAddr) -> Outcome<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(address).await.or_fail("cannot connect to a peer", ADVICE)?;
    stream.set_nodelay(true).or_fail("cannot set up a connection", ADVICE)?;
    let (sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.or_fail("cannot speak to a peer", ADVICE)?;
    tokio::spawn(connection);
    Ok(sender)
}

async fn one(sender: &mut SendRequest<Full<Bytes>>, create: &Create) -> Outcome {
    let request = Request::post("/v1/generations")
        .header(HOST, "127.0.0.1")
        .header(AUTHORIZATION, format!("Bearer {}", create.key))
        .header(CONTENT_TYPE, "application/json")
        .header("idempotency-key", Uuid::now_v7().to_string())
        .body(Full::new(create.body.clone()))
        .or_fail("no request", "report this")?;
    sender.ready().await.or_fail("a peer closed its connection", ADVICE)?;
    let answer = sender.send_request(request).await.or_fail("a peer did not answer", ADVICE)?;
    let status = answer.status();
    let body = answer.into_body().collect().await.or_fail("a peer broke off its answer", ADVICE)?.to_bytes();
    if status == StatusCode::CREATED {
        return Ok(());
    }
    Err(Failure::new(format!("{status}: {}", String::from_utf8_lossy(&body)), ADVICE))
}
