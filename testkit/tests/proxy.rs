//! The fault proxy over real sockets: every mode, on connections that are open and on new ones.

use std::error::Error;
use std::io::ErrorKind;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::client::Outgoing;
use testkit::proxy::{self, Mode, Options, Proxy, State};
use testkit::{control, receiver};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio::task::JoinSet;

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// How long anything may take that takes a moment.
const LIMIT: Duration = Duration::from_secs(20);
/// How long to look for something that must not come. Too short a look can only miss a fault, never see one.
const LOOK: Duration = Duration::from_millis(100);

/// A proxy before a target that does nothing by itself.
struct Bench {
    proxy: Proxy,
    target: TcpListener,
}

/// Both ends of a connection through the proxy.
struct Pair {
    client: TcpStream,
    target: TcpStream,
}

impl Bench {
    async fn start() -> Outcome<Self> {
        let target = TcpListener::bind(("127.0.0.1", 0)).await?;
        let proxy = proxy::start(Options::new(target.local_addr()?)).await?;
        Ok(Self { proxy, target })
    }

    async fn client(&self) -> Outcome<TcpStream> {
        Ok(TcpStream::connect(self.proxy.address()).await?)
    }

    async fn connect(&self) -> Outcome<Pair> {
        let client = self.client().await?;
        let (target, _) = within(self.target.accept()).await??;
        Ok(Pair { client, target })
    }

    /// Waits until the proxy stands so.
    async fn until(&self, wanted: impl Fn(&State) -> bool) -> Outcome {
        within(async {
            while !wanted(&self.proxy.state()) {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        })
        .await
    }
}

impl Pair {
    /// Sends a word each way and sees both arrive.
    async fn talk(&mut self) -> Outcome {
        self.client.write_all(b"word").await?;
        expect(&mut self.target, b"word").await?;
        self.target.write_all(b"word").await?;
        expect(&mut self.client, b"word").await
    }

    async fn both_are_reset(&mut self) -> Outcome {
        assert_eq!(drain(&mut self.client).await?, (Vec::new(), Some(ErrorKind::ConnectionReset)));
        assert_eq!(drain(&mut self.target).await?, (Vec::new(), Some(ErrorKind::ConnectionReset)));
        Ok(())
    }
}

async fn within<T>(waiting: impl Future<Output = T>) -> Outcome<T> {
    Ok(tokio::time::timeout(LIMIT, waiting).await?)
}

/// Reads just that.
async fn expect(stream: &mut TcpStream, wanted: &[u8]) -> Outcome {
    let mut bytes = vec![0; wanted.len()];
    within(stream.read_exact(&mut bytes)).await??;
    assert_eq!(bytes, wanted);
    Ok(())
}

/// Everything that comes, and how it ended: in order, or broken.
async fn drain(stream: &mut TcpStream) -> Outcome<(Vec<u8>, Option<ErrorKind>)> {
    let mut bytes = Vec::new();
    let ended = within(stream.read_to_end(&mut bytes)).await?;
    Ok((bytes, ended.err().map(|error| error.kind())))
}

/// Neither a byte nor an end comes.
async fn nothing_comes(stream: &mut TcpStream) {
    let came = tokio::time::timeout(LOOK, stream.read_u8()).await;
    assert!(came.is_err(), "{came:?}");
}

#[tokio::test]
async fn bytes_and_ends_pass_in_both_directions() -> Outcome {
    let bench = Bench::start().await?;
    assert_eq!(bench.proxy.url(), format!("http://{}", bench.proxy.address()));
    let mut pair = bench.connect().await?;
    pair.talk().await?;
    pair.client.write_all(b"last").await?;
    pair.client.shutdown().await?;
    assert_eq!(drain(&mut pair.target).await?, (b"last".to_vec(), None));
    // The other direction goes on after one has ended.
    pair.target.write_all(b"answer").await?;
    expect(&mut pair.client, b"answer").await?;
    assert_eq!(bench.proxy.state().connections, 1);
    pair.target.shutdown().await?;
    assert_eq!(drain(&mut pair.client).await?, (Vec::new(), None));
    bench.until(|state| state.connections == 0).await?;
    let expected = State { mode: Mode::Pass, connections: 0, accepted: 1, bytes_up: 8, bytes_down: 10 };
    assert_eq!(bench.proxy.state(), expected);
    Ok(())
}

#[tokio::test]
async fn a_reset_passes_too() -> Outcome {
    let bench = Bench::start().await?;
    let Pair { mut client, target } = bench.connect().await?;
    target.set_zero_linger()?;
    drop(target);
    assert_eq!(drain(&mut client).await?, (Vec::new(), Some(ErrorKind::ConnectionReset)));
    Ok(())
}

#[tokio::test]
async fn where_nothing_listens_the_client_is_reset_until_something_does() -> Outcome {
    let address = TcpListener::bind(("127.0.0.1", 0)).await?.local_addr()?;
    let proxy = proxy::start(Options::new(address)).await?;
    let mut client = TcpStream::connect(proxy.address()).await?;
    assert_eq!(drain(&mut client).await?.1, Some(ErrorKind::ConnectionReset));

    let target = TcpListener::bind(address).await?;
    let mut client = TcpStream::connect(proxy.address()).await?;
    let (mut target, _) = within(target.accept()).await??;
    client.write_all(b"word").await?;
    expect(&mut target, b"word").await
}

#[tokio::test]
async fn refuse_resets_what_is_open_and_what_is_new() -> Outcome {
    let bench = Bench::start().await?;
    let mut pair = bench.connect().await?;
    pair.talk().await?;
    bench.proxy.set(Mode::Refuse).await;
    assert_eq!(bench.proxy.state().connections, 0, "they are gone when it returns");
    pair.both_are_reset().await?;
    for _ in 0..3 {
        let mut client = bench.client().await?;
        assert_eq!(drain(&mut client).await?, (Vec::new(), Some(ErrorKind::ConnectionReset)));
    }
    let state = bench.proxy.state();
    assert_eq!((state.mode, state.accepted), (Mode::Refuse, 4));

    bench.proxy.set(Mode::Pass).await;
    bench.connect().await?.talk().await
}

#[tokio::test]
async fn stall_holds_back_every_byte_and_every_end() -> Outcome {
    let bench = Bench::start().await?;
    let mut talking = bench.connect().await?;
    talking.talk().await?;
    let mut ending = bench.connect().await?;
    bench.proxy.set(Mode::Stall).await;
    let before = bench.proxy.state();

    talking.client.write_all(b"up").await?;
    talking.target.write_all(b"down").await?;
    ending.client.shutdown().await?;
    let mut new = bench.client().await?;
    new.write_all(b"new").await?;
    bench.until(|state| state.connections == 3).await?;
    for stream in [&mut talking.client, &mut talking.target, &mut ending.client, &mut ending.target, &mut new]
    {
        nothing_comes(stream).await;
    }
    assert!(tokio::time::timeout(LOOK, bench.target.accept()).await.is_err(), "not even the handshake");
    let state = bench.proxy.state();
    assert_eq!((state.mode, state.accepted), (Mode::Stall, 3));
    assert_eq!((state.bytes_up, state.bytes_down), (before.bytes_up, before.bytes_down));

    bench.proxy.set(Mode::Pass).await;
    expect(&mut talking.target, b"up").await?;
    expect(&mut talking.client, b"down").await?;
    talking.talk().await?;
    assert_eq!(drain(&mut ending.target).await?, (Vec::new(), None));
    let (mut target, _) = within(bench.target.accept()).await??;
    expect(&mut target, b"new").await
}

#[tokio::test]
async fn what_is_stalled_can_be_reset() -> Outcome {
    let bench = Bench::start().await?;
    let mut pair = bench.connect().await?;
    pair.talk().await?;
    bench.proxy.set(Mode::Stall).await;
    pair.client.write_all(b"lost").await?;
    let mut unconnected = bench.client().await?;
    bench.until(|state| state.connections == 2).await?;
    bench.proxy.drop_connections().await;
    assert_eq!(bench.proxy.state().connections, 0);
    pair.both_are_reset().await?;
    assert_eq!(drain(&mut unconnected).await?.1, Some(ErrorKind::ConnectionReset));

    // It goes on as before: stalled.
    let mut next = bench.client().await?;
    next.write_all(b"kept").await?;
    nothing_comes(&mut next).await;
    assert_eq!(bench.proxy.state().mode, Mode::Stall);
    bench.proxy.set(Mode::Refuse).await;
    assert_eq!(drain(&mut next).await?.1, Some(ErrorKind::ConnectionReset));
    Ok(())
}

#[tokio::test]
async fn drop_resets_what_is_open_and_nothing_else() -> Outcome {
    let bench = Bench::start().await?;
    let mut pairs = Vec::new();
    for _ in 0..5 {
        let mut pair = bench.connect().await?;
        pair.talk().await?;
        pairs.push(pair);
    }
    bench.proxy.drop_connections().await;
    assert_eq!(bench.proxy.state().connections, 0);
    for mut pair in pairs {
        pair.both_are_reset().await?;
    }
    assert_eq!(bench.proxy.state().mode, Mode::Pass);
    bench.connect().await?.talk().await
}

#[tokio::test]
async fn a_cut_resets_each_new_connection_after_its_bytes() -> Outcome {
    let bench = Bench::start().await?;
    let mut old = bench.connect().await?;
    old.talk().await?;
    bench.proxy.set(Mode::CutAfterBytes(6)).await;
    for _ in 0..2 {
        let mut pair = bench.connect().await?;
        // What the client sends does not count.
        pair.client.write_all(b"a long request").await?;
        expect(&mut pair.target, b"a long request").await?;
        pair.target.write_all(b"four").await?;
        expect(&mut pair.client, b"four").await?;
        pair.target.write_all(b"more").await?;
        assert_eq!(drain(&mut pair.client).await?, (b"mo".to_vec(), Some(ErrorKind::ConnectionReset)));
        assert_eq!(drain(&mut pair.target).await?.1, Some(ErrorKind::ConnectionReset));
    }
    old.talk().await?;
    old.talk().await?;
    bench.proxy.drop_connections().await;
    assert_eq!(bench.proxy.state().mode, Mode::CutAfterBytes(6), "it goes on as before");
    let mut pair = bench.connect().await?;
    pair.target.write_all(b"sevenxx").await?;
    assert_eq!(drain(&mut pair.client).await?.0, b"sevenx");
    Ok(())
}

#[tokio::test]
async fn a_cut_at_nothing_lets_the_request_through_and_no_answer() -> Outcome {
    let bench = Bench::start().await?;
    bench.proxy.set(Mode::CutAfterBytes(0)).await;
    let mut pair = bench.connect().await?;
    pair.client.write_all(b"request").await?;
    expect(&mut pair.target, b"request").await?;
    nothing_comes(&mut pair.client).await;
    pair.target.write_all(b"answer").await?;
    assert_eq!(drain(&mut pair.client).await?, (Vec::new(), Some(ErrorKind::ConnectionReset)));
    assert_eq!(bench.proxy.state().bytes_down, 0);
    Ok(())
}

#[tokio::test]
async fn a_cut_comes_exactly_where_it_was_ordered_in_a_long_answer() -> Outcome {
    const BYTES: usize = 3_000_001;
    let bench = Bench::start().await?;
    bench.proxy.set(Mode::CutAfterBytes(u64::try_from(BYTES)?)).await;
    let Pair { mut client, mut target } = bench.connect().await?;
    let sending = tokio::spawn(async move {
        let bytes = vec![7; 50_000];
        while target.write_all(&bytes).await.is_ok() {}
    });
    // What lies between the proxy and a slow reader is lost in a reset, so all but the end is read before it.
    let mut bytes = vec![0; BYTES];
    let mut read = 0;
    while read < BYTES {
        match within(client.read(&mut bytes[read..])).await? {
            Ok(0) => return Err("an end in order".into()),
            Ok(count) => read += count,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::ConnectionReset);
                break;
            }
        }
    }
    assert_eq!(bench.proxy.state().bytes_down, u64::try_from(BYTES)?);
    assert!(bytes[..read].iter().all(|byte| *byte == 7));
    within(sending).await??;
    Ok(())
}

#[tokio::test]
async fn a_later_mode_spares_those_who_were_to_be_cut() -> Outcome {
    let bench = Bench::start().await?;
    bench.proxy.set(Mode::CutAfterBytes(6)).await;
    let mut pair = bench.connect().await?;
    pair.talk().await?;
    bench.proxy.set(Mode::Pass).await;
    pair.talk().await?;
    bench.proxy.set(Mode::CutAfterBytes(6)).await;
    pair.talk().await?;
    let mut new = bench.connect().await?;
    new.talk().await?;
    new.target.write_all(b"word").await?;
    assert_eq!(drain(&mut new.client).await?, (b"wo".to_vec(), Some(ErrorKind::ConnectionReset)));
    Ok(())
}

/// Sends `bytes` through the proxy to an echo and compares what comes back.
async fn echo(mut client: TcpStream, bytes: Vec<u8>) -> Outcome {
    let (mut reading, mut writing) = client.split();
    let mut back = vec![0; bytes.len()];
    let sending = async {
        writing.write_all(&bytes).await?;
        writing.shutdown().await
    };
    let (sent, received) = within(async { tokio::join!(sending, reading.read_exact(&mut back)) }).await?;
    sent?;
    received?;
    assert!(back == bytes, "changed on the way");
    assert_eq!(within(reading.read(&mut [0])).await??, 0, "more came back than was sent");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_mixed_however_often_it_stalls() -> Outcome {
    const BYTES: usize = 400_000;
    let Bench { proxy, target } = Bench::start().await?;
    let echoing = tokio::spawn(async move {
        let mut echoes = JoinSet::new();
        while let Ok((mut stream, _)) = target.accept().await {
            echoes.spawn(async move {
                let (mut from, mut to) = stream.split();
                tokio::io::copy(&mut from, &mut to).await?;
                to.shutdown().await
            });
        }
    });
    let mut clients = JoinSet::new();
    for seed in 0..12_u8 {
        let bytes = (0..BYTES).map(|at| seed.wrapping_mul(31) ^ u8::try_from(at % 251).unwrap()).collect();
        let client = TcpStream::connect(proxy.address()).await?;
        clients.spawn(echo(client, bytes));
    }
    let mut stalls = 0;
    while !clients.is_empty() {
        proxy.set(Mode::Stall).await;
        let held = proxy.state();
        tokio::time::sleep(Duration::from_millis(2)).await;
        let state = proxy.state();
        assert_eq!((state.bytes_up, state.bytes_down), (held.bytes_up, held.bytes_down), "stall {stalls}");
        proxy.set(Mode::Pass).await;
        stalls += 1;
        if let Ok(Some(ended)) = tokio::time::timeout(Duration::from_millis(1), clients.join_next()).await {
            ended??;
        }
    }
    let total = 12 * u64::try_from(BYTES)?;
    let state = proxy.state();
    assert_eq!((state.bytes_up, state.bytes_down, state.accepted), (total, total, 12));
    assert!(stalls > 3, "{stalls} stalls");
    echoing.abort();
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn resets_are_complete_when_they_are_reported_however_busy_it_is() -> Outcome {
    let Bench { proxy, target } = Bench::start().await?;
    let accepting = tokio::spawn(async move {
        let mut kept = JoinSet::new();
        while let Ok((mut stream, _)) = target.accept().await {
            kept.spawn(async move { while stream.write_all(&[1; 10_000]).await.is_ok() {} });
        }
    });
    for round in 1..=20_u64 {
        let mut clients = Vec::new();
        for _ in 0..10 {
            clients.push(TcpStream::connect(proxy.address()).await?);
        }
        within(async {
            while proxy.state().accepted < round * 10 {
                tokio::task::yield_now().await;
            }
        })
        .await?;
        proxy.drop_connections().await;
        assert_eq!(proxy.state().connections, 0);
        for mut client in clients {
            assert_eq!(drain(&mut client).await?.1, Some(ErrorKind::ConnectionReset));
        }
    }
    accepting.abort();
    Ok(())
}

#[tokio::test]
async fn all_of_it_is_there_over_http() -> Outcome {
    let bench = Bench::start().await?;
    let control = control::serve(0, bench.proxy.control()).await?;
    let order = async |mode: Value| -> Outcome<u16> {
        let answer = Outgoing::post_json(format!("{}/_proxy/mode", control.url()), &json!({"mode": mode}));
        Ok(answer.send().await?.status.as_u16())
    };
    let state = async || -> Outcome<Value> {
        Ok(Outgoing::get(format!("{}/_proxy/state", control.url())).send().await?.json())
    };
    let mut pair = bench.connect().await?;
    pair.talk().await?;
    assert_eq!(
        state().await?,
        json!({"mode": "pass", "connections": 1, "accepted": 1, "bytes_up": 4, "bytes_down": 4})
    );

    assert_eq!(order(json!("stall")).await?, 204);
    assert_eq!(state().await?["mode"], "stall");
    pair.client.write_all(b"held").await?;
    nothing_comes(&mut pair.target).await;
    assert_eq!(order(json!("pass")).await?, 204);
    expect(&mut pair.target, b"held").await?;

    assert_eq!(order(json!({"cut_after_bytes": 3})).await?, 204);
    assert_eq!(state().await?["mode"], json!({"cut_after_bytes": 3}));
    let mut cut = bench.connect().await?;
    cut.target.write_all(b"word").await?;
    assert_eq!(drain(&mut cut.client).await?, (b"wor".to_vec(), Some(ErrorKind::ConnectionReset)));

    assert_eq!(order(json!("drop")).await?, 204);
    pair.both_are_reset().await?;
    let after = state().await?;
    assert_eq!((&after["mode"], &after["connections"]), (&json!({"cut_after_bytes": 3}), &json!(0)));

    assert_eq!(order(json!("refuse")).await?, 204);
    assert_eq!(state().await?["mode"], "refuse");
    assert_eq!(drain(&mut bench.client().await?).await?.1, Some(ErrorKind::ConnectionReset));
    Ok(())
}

#[tokio::test]
async fn an_order_that_is_none_changes_nothing_and_says_why() -> Outcome {
    let bench = Bench::start().await?;
    let control = control::serve(0, bench.proxy.control()).await?;
    for (order, reason) in [
        (json!({"mode": "explode"}), "unknown variant `explode`"),
        (json!({"mode": {"cut_after_bytes": -1}}), "invalid value"),
        (json!({"mode": "cut_after_bytes"}), "invalid type"),
        (json!({"mode": "stall", "for": 3}), "unknown field `for`"),
        (json!({}), "missing field `mode`"),
    ] {
        let answer = Outgoing::post_json(format!("{}/_proxy/mode", control.url()), &order).send().await?;
        assert_eq!(answer.status, 400, "{order}");
        let error = answer.json()["error"].as_str().ok_or("no reason")?.to_owned();
        assert!(error.contains(reason), "{order}: {error}");
    }
    assert_eq!(bench.proxy.state().mode, Mode::Pass);
    Ok(())
}

#[tokio::test]
async fn a_request_can_arrive_whose_answer_does_not() -> Outcome {
    let receiver = receiver::start(0).await?;
    let to = receiver.url().trim_start_matches("http://").parse::<proxy::Target>()?;
    let proxy = proxy::start(Options::new(to)).await?;
    let hook = format!("{}/hooks/x", proxy.url());
    assert_eq!(Outgoing::post_json(&hook, &json!({})).send().await?.status, 200);
    proxy.set(Mode::CutAfterBytes(0)).await;
    assert!(Outgoing::post_json(&hook, &json!({})).send().await.is_err());
    assert_eq!(receiver.deliveries(None)["deliveries"].as_array().map(Vec::len), Some(2));
    proxy.set(Mode::Refuse).await;
    assert!(Outgoing::post_json(&hook, &json!({})).send().await.is_err());
    assert_eq!(receiver.deliveries(None)["deliveries"].as_array().map(Vec::len), Some(2));
    Ok(())
}

#[tokio::test]
async fn a_stopped_proxy_is_gone() -> Outcome {
    let mut bench = Bench::start().await?;
    let mut pair = bench.connect().await?;
    pair.talk().await?;
    let address = bench.proxy.address();
    bench.proxy.stop().await;
    pair.both_are_reset().await?;
    let refused = TcpStream::connect(address).await.err().map(|error| error.kind());
    assert_eq!(refused, Some(ErrorKind::ConnectionRefused));
    bench.proxy = proxy::start(Options { listen: address, to: bench.target.local_addr()?.into() }).await?;
    bench.connect().await?.talk().await?;

    let mut pair = bench.connect().await?;
    let Bench { proxy, target: _target } = bench;
    drop(proxy);
    assert_eq!(drain(&mut pair.client).await?.0, b"", "one that is dropped takes its connections with it");
    Ok(())
}

#[tokio::test]
async fn the_command_announces_both_addresses_and_ends_with_its_input() -> Outcome {
    let receiver = receiver::start(0).await?;
    let to = receiver.url().trim_start_matches("http://").to_owned();
    let mut command = Command::new(env!("CARGO_BIN_EXE_testkit"));
    command.args(["proxy", "--to", &to, "--exit-with-stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.kill_on_drop(true).spawn()?;
    let mut output = BufReader::new(child.stdout.take().ok_or("no output")?);
    let mut line = String::new();
    within(output.read_line(&mut line)).await??;
    let ready: Value = serde_json::from_str(&line)?;
    let text = |field: &str| ready[field].as_str().unwrap_or_default().to_owned();
    assert_eq!((text("ready"), text("url")), ("proxy".to_owned(), format!("http://{}", text("listen"))));
    assert_eq!(Outgoing::post_json(format!("{}/hooks/x", text("url")), &json!({})).send().await?.status, 200);
    let state = Outgoing::get(format!("{}/_proxy/state", text("control"))).send().await?.json();
    assert_eq!((&state["mode"], &state["accepted"]), (&json!("pass"), &json!(1)));

    let mut open = TcpStream::connect(text("listen")).await?;
    drop(child.stdin.take());
    assert!(within(child.wait()).await??.success());
    assert_eq!(drain(&mut open).await?.0, b"");
    let mut rest = String::new();
    output.read_to_string(&mut rest).await?;
    assert_eq!(rest, "", "one line is all");
    Ok(())
}

#[tokio::test]
async fn the_command_wants_a_target() -> Outcome {
    for arguments in [&["proxy"][..], &["proxy", "--to", "nowhere"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_testkit")).args(arguments).output().await?;
        assert!(!output.status.success() && output.stdout.is_empty());
        assert!(String::from_utf8_lossy(&output.stderr).contains("--to"));
    }
    Ok(())
}
