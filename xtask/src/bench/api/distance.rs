//! A way to the database that takes time, without taking any of its width.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

/// Read at a time.
const CHUNK: usize = 16 << 10;

/// Ends with its connections when it is dropped.
pub(super) struct Distance {
    pub(super) address: SocketAddr,
    /// In microseconds, of what is read from now on.
    one_way: Arc<AtomicU64>,
    _tasks: JoinSet<()>,
}

impl Distance {
    /// A way to `to` that takes no time yet.
    pub(super) async fn to(to: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let one_way = Arc::new(AtomicU64::new(0));
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, to, Arc::clone(&one_way)));
        Ok(Self { address, one_way, _tasks: tasks })
    }

    /// There and back takes at least this long from now on.
    pub(super) fn set(&self, round_trip: Duration) {
        let micros = u64::try_from((round_trip / 2).as_micros()).unwrap_or(u64::MAX);
        self.one_way.store(micros, Ordering::Relaxed);
    }
}

async fn accept(listener: TcpListener, to: SocketAddr, one_way: Arc<AtomicU64>) {
    let mut connections = JoinSet::new();
    while let Ok((near, _)) = listener.accept().await {
        let Ok(far) = TcpStream::connect(to).await else { continue };
        // A small piece that waited for an acknowledgement would be delayed twice.
        if near.set_nodelay(true).and(far.set_nodelay(true)).is_err() {
            continue;
        }
        let ((from_near, to_near), (from_far, to_far)) = (near.into_split(), far.into_split());
        for (from, to) in [(from_near, to_far), (from_far, to_near)] {
            let (sender, receiver) = mpsc::unbounded_channel();
            connections.spawn(take(from, sender, Arc::clone(&one_way)));
            connections.spawn(give(receiver, to));
        }
    }
}

type Piece = (Instant, Vec<u8>);

async fn take(mut from: OwnedReadHalf, to: mpsc::UnboundedSender<Piece>, one_way: Arc<AtomicU64>) {
    let mut buffer = vec![0; CHUNK];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        let due = Instant::now() + Duration::from_micros(one_way.load(Ordering::Relaxed));
        let piece = buffer.get(..read).unwrap_or_default().to_vec();
        if to.send((due, piece)).is_err() {
            break;
        }
    }
}

/// Dropping `to` passes the end on.
async fn give(mut pieces: mpsc::UnboundedReceiver<Piece>, mut to: OwnedWriteHalf) {
    while let Some((due, piece)) = pieces.recv().await {
        sleep_until(due).await;
        if to.write_all(&piece).await.is_err() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    use super::Distance;

    #[tokio::test]
    async fn what_passes_is_whole_and_late_by_the_round_trip() {
        let far = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let distance = Distance::to(far.local_addr().unwrap()).await.unwrap();
        let mut near = TcpStream::connect(distance.address).await.unwrap();
        let (mut far, _) = far.accept().await.unwrap();
        distance.set(Duration::from_millis(40));
        let begun = Instant::now();
        near.write_all(b"ping").await.unwrap();
        let mut heard = [0; 4];
        far.read_exact(&mut heard).await.unwrap();
        far.write_all(&heard).await.unwrap();
        near.read_exact(&mut heard).await.unwrap();
        assert_eq!(&heard, b"ping");
        assert!(begun.elapsed() >= Duration::from_millis(40));
        drop(near);
        assert_eq!(far.read(&mut heard).await.unwrap(), 0);
    }
}
