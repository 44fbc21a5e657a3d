//! A socket that closes when it is dropped.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::FutureExt;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use worker::Socket;

/// Closes the socket when it goes out of use. The runtime's own stays open to the end of the invocation, and while a
/// post is under way it would keep one of the invocation's few connections.
pub(crate) struct Closing(Socket);

impl Closing {
    pub(crate) const fn new(socket: Socket) -> Self {
        Self(socket)
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        // The first poll asks the runtime to close; nobody waits for the end of it.
        drop(self.0.close().now_or_never());
    }
}

impl AsyncRead for Closing {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Closing {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
