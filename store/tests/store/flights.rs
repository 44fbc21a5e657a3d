//! What passes on the wire, counted by the pooler that stands where Hyperdrive stands.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use domain::Secret;
use store::clients::KeyHash;
use store::jobs::{Creation, Found};
use store::{Credentials, Db, Error, jobs};
use testkit::pooler::{self, Connection, Pooler};
use testkit::postgres::{self, Server};
use testkit::{database, migrate};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_postgres::Client;

use crate::fixture::{add_client, body, create};

/// A server of its own, since the pooler hands on no search path.
struct Line {
    _server: Server,
    pooler: Pooler,
    /// Past the pooler.
    direct: Client,
    key: KeyHash,
}

impl Line {
    async fn new() -> Self {
        let server = postgres::start(postgres::Options::default()).await.unwrap();
        let mut direct = database::open(&server.url()).await.unwrap();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
        migrate::up(&mut direct, &migrate::read(&folder).unwrap()).await.unwrap();
        let key = KeyHash::new([1; 32]);
        add_client(Db::new(&direct), key).await;
        let pooler = pooler::start(pooler::Options::new(server.address())).await.unwrap();
        Self { _server: server, pooler, direct, key }
    }

    /// A session as a Worker opens it for each piece of work.
    async fn session<T>(&self, work: impl AsyncFnOnce(Db<'_>) -> Result<T, Error>) -> T {
        self.session_over(TcpStream::connect(self.pooler.address()).await.unwrap(), work).await
    }

    async fn session_over<T>(
        &self,
        socket: impl AsyncRead + AsyncWrite + Unpin,
        work: impl AsyncFnOnce(Db<'_>) -> Result<T, Error>,
    ) -> T {
        let credentials = Credentials {
            user: "postgres".to_owned(),
            password: Secret::new("postgres"),
            database: "afc".to_owned(),
        };
        let deadline = tokio::time::sleep(Duration::from_secs(30));
        store::session(socket, &credentials, deadline, work).await.unwrap()
    }

    /// What the sessions since the last look came to, when all have ended.
    async fn seen(&self) -> Vec<Connection> {
        loop {
            let connections = self.pooler.connections();
            if connections.iter().all(|connection| !connection.open) {
                self.pooler.forget();
                return connections;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

#[tokio::test]
async fn a_create_is_one_round_trip_first_repeated_or_refused() {
    let line = Line::new().await;
    let key = line.key;
    let first = line.session(async |db| Ok(create(db, key, "k", body()).await)).await;
    let repeated = line.session(async |db| Ok(create(db, key, "k", body()).await)).await;
    let mut other = body();
    other["input"]["prompt"] = "a dog".into();
    let refused = line.session(async |db| Ok(create(db, key, "k", other).await)).await;
    let stranger = KeyHash::new([9; 32]);
    let unknown = line.session(async |db| Ok(create(db, stranger, "k", body()).await)).await;
    // Limits and a budget are asked in the same statement.
    line.direct
        .batch_execute("update clients set max_open = 1, creates_per_minute = 100, budget_day = 1000")
        .await
        .unwrap();
    let denied = line.session(async |db| Ok(create(db, key, "another", body()).await)).await;
    assert!(
        matches!(
            (&first, &repeated, &refused, &unknown, &denied),
            (
                Creation::Created(_),
                Creation::Replayed(_),
                Creation::Conflict { .. },
                Creation::Unauthenticated,
                Creation::Denied(_)
            )
        ),
        "{first:?} {repeated:?} {refused:?} {unknown:?} {denied:?}"
    );
    let seen = line.seen().await;
    let flights: Vec<u32> = seen.iter().map(|connection| connection.flights).collect();
    assert_eq!(flights, [1, 1, 1, 1, 1], "{seen:?}");
    assert!(seen.iter().all(|connection| connection.named_statements == 0), "{seen:?}");
}

/// Counts what the driver hands to its socket: in a Worker each write is a call into the runtime, and a segment.
struct Counting {
    socket: TcpStream,
    writes: Arc<AtomicU32>,
}

impl AsyncRead for Counting {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(context, buffer)
    }
}

impl AsyncWrite for Counting {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write(context, bytes);
        if written.is_ready() {
            self.writes.fetch_add(1, Ordering::Relaxed);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}

#[tokio::test]
async fn a_session_with_a_create_writes_twice_its_opening_and_its_statement() {
    let line = Line::new().await;
    let key = line.key;
    let writes = Arc::new(AtomicU32::new(0));
    let socket = TcpStream::connect(line.pooler.address()).await.unwrap();
    let counting = Counting { socket, writes: Arc::clone(&writes) };
    let made = line.session_over(counting, async |db| Ok(create(db, key, "k", body()).await)).await;
    assert!(matches!(made, Creation::Created(_)), "{made:?}");
    assert_eq!(writes.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn f2_the_loser_of_a_race_finds_the_winner_by_its_insert_and_by_no_read() {
    let line = Line::new().await;
    let key = line.key;
    // The winner has inserted and not committed; the loser's insert waits for it.
    line.direct.batch_execute("begin").await.unwrap();
    let winner = create(Db::new(&line.direct), key, "k", body()).await;
    let Creation::Created(winner) = winner else { unreachable!("{winner:?}") };
    let losing = line.session(async |db| Ok(create(db, key, "k", body()).await));
    let committing = async {
        // Not `pg_stat_activity`, of which a transaction sees what it was when it first looked.
        let waiting = "select count(*) from pg_locks where not granted";
        while line.direct.query_one(waiting, &[]).await.unwrap().get::<_, i64>(0) == 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        line.direct.batch_execute("commit").await.unwrap();
    };
    let (loser, ()) = tokio::join!(losing, committing);
    assert_eq!(loser, Creation::Replayed(winner));
    let seen = line.seen().await;
    assert_eq!((seen.len(), seen[0].flights), (1, 2), "{seen:?}");
    assert!(seen[0].statements.iter().all(|sql| sql.contains("/* jobs.create */")), "{seen:?}");
}

#[tokio::test]
async fn f1_no_read_of_the_control_plane_may_be_answered_by_a_cache() {
    let line = Line::new().await;
    let key = line.key;
    let created = line.session(async |db| Ok(create(db, key, "k", body()).await)).await;
    let Creation::Created(job) = created else { unreachable!("{created:?}") };
    let before = line.session(async |db| jobs::find(db, key, job.id).await).await;
    line.session(async |db| jobs::run(db, job.id).await).await;
    let after = line.session(async |db| jobs::find(db, key, job.id).await).await;
    let own = line.session(async |db| jobs::get(db, job.id).await).await;
    let (Found::Found(before), Found::Found(after)) = (before, after) else { unreachable!() };
    assert_ne!(before.status, after.status);
    assert_eq!(own, Some(after));
    // The second lock, as far as a test can see it (`store::db`): each text names a function that is not immutable.
    let seen = line.seen().await;
    assert_eq!(seen.len(), 5);
    for sql in seen.iter().flat_map(|connection| &connection.statements) {
        assert!(sql.contains("now()"), "{sql}");
    }
}
