//! The session's socket, between the runtime's streams and what the database's driver reads and writes.
//!
//! `worker::Socket` takes a reader or a writer of its stream for each piece and gives it back, and the runtime makes an error
//! with a stack trace of each that is given back. This one keeps both for its life.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::FutureExt;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use worker::js_sys::{Reflect, Uint8Array};
use worker::wasm_bindgen::{JsCast, JsValue};
use worker::wasm_bindgen_futures::JsFuture;
use worker::web_sys::{ReadableStreamDefaultReader, WritableStreamDefaultWriter};
use worker::worker_sys::types::{Hyperdrive as Binding, Socket as Raw};
use worker::{Hyperdrive, Result};

/// Closes when it goes out of use. The runtime's own stays open to the end of the invocation, and while a post is under
/// way it would keep one of the invocation's few connections.
pub(crate) struct Socket {
    raw: Raw,
    reader: ReadableStreamDefaultReader,
    writer: WritableStreamDefaultWriter,
    reading: Option<JsFuture>,
    /// Read, and not yet asked for.
    read: Bytes,
    /// A write under way, and its length.
    writing: Option<(JsFuture, usize)>,
}

impl Socket {
    pub(crate) fn connect(hyperdrive: &Hyperdrive) -> Result<Self> {
        let raw = hyperdrive.as_ref().unchecked_ref::<Binding>().connect()?;
        let reader = raw.readable()?.get_reader().unchecked_into();
        let writer = raw.writable()?.get_writer()?;
        Ok(Self { raw, reader, writer, reading: None, read: Bytes::new(), writing: None })
    }

    /// Waits for the write under way, if there is one. `None`: there was none.
    fn poll_written(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<usize>>> {
        let Some((writing, length)) = &mut self.writing else { return Poll::Ready(Ok(None)) };
        let written = ready!(writing.poll_unpin(context)).map(|_| Some(*length));
        self.writing = None;
        Poll::Ready(written.map_err(broken))
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // The first poll asks the runtime to close; nobody waits for the end of it.
        drop(self.raw.close().map(|closing| JsFuture::from(closing).now_or_never()));
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.read.is_empty() {
            let reader = &this.reader;
            let reading = this.reading.get_or_insert_with(|| JsFuture::from(reader.read()));
            let piece = ready!(reading.poll_unpin(context));
            this.reading = None;
            this.read = bytes(&piece.map_err(broken)?).map_err(broken)?;
        }
        // Nothing is the end of the stream.
        let some = this.read.split_to(this.read.len().min(buffer.remaining()));
        buffer.put_slice(&some);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.writing.is_none() {
            // The runtime sends each piece at once: what the driver hands over in one piece is one segment on the wire.
            let promise = self.writer.write_with_chunk(&Uint8Array::from(bytes));
            self.writing = Some((JsFuture::from(promise), bytes.len()));
        }
        self.poll_written(context).map_ok(Option::unwrap_or_default)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_written(context).map_ok(drop)
    }

    /// Dropping it closes it.
    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

/// The piece that a read gave; empty at the end of the stream.
fn bytes(piece: &JsValue) -> std::result::Result<Bytes, JsValue> {
    let value = Reflect::get(piece, &JsValue::from_str("value"))?;
    if value.is_undefined() {
        return Ok(Bytes::new());
    }
    Ok(value.unchecked_into::<Uint8Array>().to_vec().into())
}

fn broken(error: JsValue) -> io::Error {
    io::Error::other(worker::Error::from(error).to_string())
}
