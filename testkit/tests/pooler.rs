//! The transaction pooler in front of a real Postgres.

use std::collections::HashSet;
use std::error::Error;
use std::time::Duration;

use futures::{SinkExt, future};
use testkit::pooler::{self, Connection, Pooler};
use testkit::postgres::{self, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, NoTls};

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

async fn start(size: usize, wait: Duration) -> Outcome<(Server, Pooler)> {
    let server = postgres::start(postgres::Options::default()).await?;
    let options = pooler::Options { size, wait, ..pooler::Options::new(server.address()) };
    let pooler = pooler::start(options).await?;
    Ok((server, pooler))
}

async fn connect(pooler: &Pooler) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(&pooler.url("afc"), NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// A client that the pooler does not know of.
async fn direct_client(server: &Server) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(&server.url(), NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Waits until some client's `pg_sleep` runs.
async fn until_asleep(direct: &Client) -> Result<(), tokio_postgres::Error> {
    let sleeping =
        "select count(*)::int4 from pg_stat_activity where state = 'active' and wait_event = 'PgSleep'";
    while number(direct, sleeping).await? == 0 {}
    Ok(())
}

async fn number(client: &Client, sql: &str) -> Result<i32, tokio_postgres::Error> {
    client.query_typed(sql, &[]).await?.first().map_or(Ok(-1), |row| row.try_get(0))
}

fn code<T>(result: Result<T, tokio_postgres::Error>) -> Option<SqlState> {
    result.err().and_then(|error| error.code().cloned())
}

/// Waits until the record of the only connection satisfies `wanted`.
async fn only_connection(pooler: &Pooler, wanted: impl Fn(&Connection) -> bool) -> Connection {
    loop {
        if let [connection] = pooler.connections().as_slice()
            && wanted(connection)
        {
            return connection.clone();
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn named_statements_fail_and_unnamed_ones_work() -> Outcome {
    let (_server, pooler) = start(2, Duration::from_secs(5)).await?;
    let client = connect(&pooler).await?;

    assert_eq!(number(&client, "select 1 + 1").await?, 2);
    assert_eq!(code(client.query("select 1", &[]).await), Some(SqlState::INVALID_SQL_STATEMENT_NAME));
    let doubled = client.query_typed("select $1::int4 * 2", &[(&21_i32, Type::INT4)]).await?;
    assert_eq!(doubled.first().map(|row| row.get::<_, i32>(0)), Some(42), "the session is usable afterwards");

    drop(client);
    let seen = only_connection(&pooler, |connection| !connection.open).await;
    assert_eq!((seen.named_statements, seen.database.as_str()), (1, "afc"));
    Ok(())
}

#[tokio::test]
async fn round_trips_are_counted() -> Outcome {
    let (_server, pooler) = start(2, Duration::from_secs(5)).await?;
    let flights = |wanted: u32| only_connection(&pooler, move |connection| connection.flights == wanted);

    let client = connect(&pooler).await?;
    assert_eq!(pooler.connections().first().map(|connection| connection.flights), Some(0));
    number(&client, "select 1").await?;
    flights(1).await;

    // A pipelined transaction is one more, a plain one is three.
    let (begun, told, done) = future::join3(
        client.batch_execute("begin"),
        client.query_typed("select 2", &[]),
        client.batch_execute("commit"),
    )
    .await;
    begun.and(done)?;
    told?;
    flights(2).await;
    client.batch_execute("begin").await?;
    number(&client, "select 3").await?;
    client.batch_execute("commit").await?;
    flights(5).await;

    pooler.forget();
    assert_eq!(pooler.connections(), []);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_clients_share_ten_backends() -> Outcome {
    let (_server, pooler) = start(10, Duration::from_secs(30)).await?;
    connect(&pooler).await?.batch_execute("create table hits (client int, n int)").await?;
    let work = (0..200_i32).map(|own| {
        let connecting = connect(&pooler);
        async move {
            let client = connecting.await?;
            let mut backends = HashSet::new();
            for n in 0..5_i32 {
                backends.insert(number(&client, "select pg_backend_pid()").await?);
                client.batch_execute("begin").await?;
                let values: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 2] =
                    [(&own, Type::INT4), (&n, Type::INT4)];
                client.query_typed("insert into hits values ($1, $2)", &values).await?;
                client.batch_execute("commit").await?;
            }
            Ok::<_, tokio_postgres::Error>(backends)
        }
    });
    let backends = future::try_join_all(work).await?;
    let distinct: HashSet<i32> = backends.into_iter().flatten().collect();
    assert!(distinct.len() <= 11, "ten at a time, and the one that created the table: {}", distinct.len());
    let client = connect(&pooler).await?;
    assert_eq!(number(&client, "select count(distinct (client, n))::int4 from hits").await?, 1000);
    Ok(())
}

#[tokio::test]
async fn session_state_does_not_survive_a_transaction() -> Outcome {
    let (_server, pooler) = start(1, Duration::from_secs(5)).await?;
    let client = connect(&pooler).await?;

    client.batch_execute("set statement_timeout = 12345").await?;
    assert_eq!(number(&client, "select (current_setting('statement_timeout') = '0')::int4").await?, 1);
    client.batch_execute("create temp table mine (n int)").await?;
    assert_eq!(code(client.batch_execute("select * from mine").await), Some(SqlState::UNDEFINED_TABLE));
    // Within a transaction there is one backend, and it keeps what is set.
    client.batch_execute("begin; set local statement_timeout = 777").await?;
    assert_eq!(number(&client, "select (current_setting('statement_timeout') = '777ms')::int4").await?, 1);
    client.batch_execute("commit").await?;
    Ok(())
}

#[tokio::test]
async fn what_a_client_leaves_open_is_rolled_back() -> Outcome {
    let (_server, pooler) = start(1, Duration::from_secs(5)).await?;
    let client = connect(&pooler).await?;
    client.batch_execute("create table kept (n int)").await?;
    client.batch_execute("begin; insert into kept values (1)").await?;
    drop(client);
    // The only backend was thrown away with the transaction; its place is free again.
    let client = connect(&pooler).await?;
    assert_eq!(number(&client, "select count(*)::int4 from kept").await?, 0);
    Ok(())
}

#[tokio::test]
async fn waiting_for_a_backend_is_bounded() -> Outcome {
    let (_server, pooler) = start(1, Duration::from_millis(100)).await?;
    let (first, second) = (connect(&pooler).await?, connect(&pooler).await?);
    first.batch_execute("begin").await?;
    let refused = second.batch_execute("select 1").await.err().ok_or("served")?;
    let refused = refused.as_db_error().ok_or("not an answer")?;
    assert_eq!(refused.code(), &SqlState::SYSTEM_ERROR);
    assert_eq!(refused.message(), "Failed to acquire a connection from the pool.");
    assert_eq!(refused.severity(), "FATAL");
    first.batch_execute("commit").await?;
    assert_eq!(number(&connect(&pooler).await?, "select 1").await?, 1);
    Ok(())
}

#[tokio::test]
async fn a_backend_that_is_terminated_tells_its_client_and_no_other() -> Outcome {
    let (_server, pooler) = start(2, Duration::from_secs(5)).await?;
    let (victim, other) = (connect(&pooler).await?, connect(&pooler).await?);
    victim.batch_execute("begin").await?;
    let pid = number(&victim, "select pg_backend_pid()").await?;
    let kill = async {
        until_asleep(&other).await?;
        other.query_typed("select pg_terminate_backend($1)", &[(&pid, Type::INT4)]).await
    };
    let (ended, killed) = future::join(victim.batch_execute("select pg_sleep(60)"), kill).await;
    killed?;
    assert_eq!(code(ended), Some(SqlState::ADMIN_SHUTDOWN));
    assert_eq!(number(&other, "select 1").await?, 1);
    assert!(connect(&pooler).await?.batch_execute("select 1").await.is_ok());

    // One that idles in the pool is not lent any more.
    let pid = number(&other, "select pg_backend_pid()").await?;
    other
        .batch_execute(&format!("select pg_terminate_backend(pid) from pg_stat_activity where pid = {pid}"))
        .await
        .ok();
    assert_eq!(number(&connect(&pooler).await?, "select 1").await?, 1);
    Ok(())
}

#[tokio::test]
async fn a_dead_postgres_is_an_error_until_it_is_back() -> Outcome {
    let (mut server, pooler) = start(3, Duration::from_secs(5)).await?;
    let (busy, idle) = (connect(&pooler).await?, connect(&pooler).await?);
    number(&idle, "select 1").await?;
    let direct = direct_client(&server).await?;
    let kill = async {
        until_asleep(&direct).await?;
        server.kill().await;
        Ok::<_, tokio_postgres::Error>(())
    };
    let (ended, killed) = future::join(busy.batch_execute("select pg_sleep(60)"), kill).await;
    killed?;
    assert_eq!(
        code(ended),
        Some(SqlState::SYSTEM_ERROR),
        "the connection broke without a word from Postgres"
    );

    for _ in 0..3 {
        let client = connect(&pooler).await?;
        let refused = client.batch_execute("select 1").await.err().ok_or("served")?;
        let refused = refused.as_db_error().ok_or("not an answer")?;
        assert_eq!(refused.code(), &SqlState::SYSTEM_ERROR);
        assert_eq!(refused.message(), "Server connection attempt failed: connection_refused");
    }

    server.start_again().await?;
    assert_eq!(number(&connect(&pooler).await?, "select 2").await?, 2);
    assert_eq!(number(&idle, "select 3").await?, 3, "a client that asked nothing meanwhile noticed nothing");
    Ok(())
}

#[tokio::test]
async fn a_pooler_without_its_postgres_starts_and_says_so() -> Outcome {
    let nothing = (std::net::Ipv4Addr::LOCALHOST, testkit::ports::free()?).into();
    let pooler = pooler::start(pooler::Options::new(nothing)).await?;
    assert_eq!(code(connect(&pooler).await), Some(SqlState::SYSTEM_ERROR));
    Ok(())
}

#[tokio::test]
async fn the_words_of_postgres_come_through() -> Outcome {
    let (_server, pooler) = start(1, Duration::from_secs(5)).await?;
    let missing = tokio_postgres::connect(&pooler.url("missing"), NoTls).await;
    assert_eq!(code(missing), Some(SqlState::UNDEFINED_DATABASE));
    let client = connect(&pooler).await?;
    assert_eq!(code(client.batch_execute("select 1/0").await), Some(SqlState::DIVISION_BY_ZERO));
    assert_eq!(number(&client, "select 1").await?, 1);
    Ok(())
}

#[tokio::test]
async fn a_running_statement_can_be_cancelled() -> Outcome {
    let (server, pooler) = start(1, Duration::from_secs(5)).await?;
    let client = connect(&pooler).await?;
    let token = client.cancel_token();
    client.batch_execute("begin").await?;
    let direct = direct_client(&server).await?;
    let cancel = async {
        until_asleep(&direct).await?;
        token.cancel_query(NoTls).await
    };
    let (ended, cancelled) = future::join(client.batch_execute("select pg_sleep(60)"), cancel).await;
    cancelled?;
    assert_eq!(code(ended), Some(SqlState::QUERY_CANCELED));
    client.batch_execute("rollback").await?;
    Ok(())
}

#[tokio::test]
async fn a_copy_and_a_large_result_pass() -> Outcome {
    let (_server, pooler) = start(1, Duration::from_secs(5)).await?;
    let client = connect(&pooler).await?;
    client.batch_execute("create table rows (n int)").await?;
    // The client library prepares the COPY by name, which needs the one backend of a transaction.
    client.batch_execute("begin").await?;
    let sink = client.copy_in::<_, bytes::Bytes>("copy rows from stdin").await?;
    futures::pin_mut!(sink);
    sink.send("1\n2\n3\n".into()).await?;
    assert_eq!(sink.as_mut().finish().await?, 3);
    client.batch_execute("commit").await?;
    assert_eq!(number(&client, "select sum(n)::int4 from rows").await?, 6);

    let rows = client.query_typed("select repeat('x', 1000000) from generate_series(1, 20)", &[]).await?;
    let total: usize = rows.iter().map(|row| row.get::<_, &str>(0).len()).sum();
    assert_eq!(total, 20_000_000);
    Ok(())
}

#[tokio::test]
async fn encryption_is_declined_and_nonsense_refused() -> Outcome {
    let (_server, pooler) = start(1, Duration::from_secs(5)).await?;
    let mut stream = TcpStream::connect(pooler.address()).await?;
    stream.write_all(&[0, 0, 0, 8, 4, 210, 22, 47]).await?;
    let mut answer = [0];
    stream.read_exact(&mut answer).await?;
    assert_eq!(&answer, b"N");
    stream.write_all(b"\0\0\0\x17\0\x03\0\0user\0postgres\0\0").await?;
    stream.read_exact(&mut answer).await?;
    assert_eq!(&answer, b"R", "and then the session opens without it");

    let mut stream = TcpStream::connect(pooler.address()).await?;
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await?;
    let mut text = Vec::new();
    stream.read_to_end(&mut text).await?;
    assert!(String::from_utf8_lossy(&text).contains("08P01"));
    Ok(())
}
