//! The frames of the Postgres protocol, version 3.0: a tag, a length that counts itself, a body.

use bytes::{Buf, BufMut, Bytes, BytesMut};

/// The longest frame the pooler carries. It holds a frame as a whole; no test sends a value near this size.
const MAX_FRAME: usize = 64 << 20;
/// The longest start-up packet Postgres itself accepts.
const MAX_STARTUP: usize = 10_000;

const PROTOCOL_3_0: i32 = 196_608;
const CANCEL: i32 = 80_877_102;
const TLS: i32 = 80_877_103;
const GSS: i32 = 80_877_104;

/// The other side does not speak the protocol.
#[derive(Debug, thiserror::Error)]
#[error("protocol violation: {0}")]
pub(super) struct Violation(&'static str);

/// One message of an established session.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    whole: Bytes,
}

impl Frame {
    /// Takes the first frame out of `buffer`, when it is complete.
    pub(super) fn take(buffer: &mut BytesMut) -> Result<Option<Self>, Violation> {
        let Some(length) = read_i32(buffer, 1) else { return Ok(None) };
        let length = usize::try_from(length).unwrap_or(0);
        if !(4..=MAX_FRAME).contains(&length) {
            return Err(Violation("a frame of impossible length"));
        }
        let whole = length + 1;
        if buffer.len() < whole {
            buffer.reserve(whole - buffer.len());
            return Ok(None);
        }
        Ok(Some(Self { whole: buffer.split_to(whole).freeze() }))
    }

    /// What kind of message it is.
    pub(super) fn tag(&self) -> u8 {
        self.whole.first().copied().unwrap_or_default()
    }

    /// The message without tag and length.
    pub(super) fn body(&self) -> &[u8] {
        self.whole.get(5..).unwrap_or_default()
    }

    /// The message as it goes over the wire.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.whole
    }

    /// The body's leading C string.
    pub(super) fn text(&self) -> &[u8] {
        c_string(self.body())
    }

    /// A field of an error or notice.
    pub(super) fn field(&self, code: u8) -> Option<&[u8]> {
        let mut rest = self.body();
        while let Some((found, tail)) = rest.split_first().filter(|(found, _)| **found != 0) {
            let value = c_string(tail);
            if *found == code {
                return Some(value);
            }
            rest = tail.get(value.len() + 1..).unwrap_or_default();
        }
        None
    }
}

/// The first packet of a connection.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// The client would like encryption; answered with one byte, and it opens again.
    Encryption,
    /// Not a session: stop what the session with this key is doing.
    Cancel(Key),
    /// A session as this user on this database.
    Session { user: String, database: String },
}

/// What a session is cancelled by: a process id and a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) process: i32,
    pub(super) secret: i32,
}

impl Opening {
    /// Takes the opening packet out of `buffer`, when it is complete.
    pub(super) fn take(buffer: &mut BytesMut) -> Result<Option<Self>, Violation> {
        let Some(length) = read_i32(buffer, 0) else { return Ok(None) };
        let length = usize::try_from(length).unwrap_or(0);
        if !(8..=MAX_STARTUP).contains(&length) {
            return Err(Violation("a start-up packet of impossible length"));
        }
        if buffer.len() < length {
            return Ok(None);
        }
        let mut packet = buffer.split_to(length);
        packet.advance(4);
        match packet.try_get_i32().map_err(|_| Violation("a short start-up packet"))? {
            TLS | GSS => Ok(Some(Self::Encryption)),
            CANCEL => {
                let process = packet.try_get_i32().map_err(|_| Violation("a short cancel request"))?;
                let secret = packet.try_get_i32().map_err(|_| Violation("a short cancel request"))?;
                Ok(Some(Self::Cancel(Key { process, secret })))
            }
            PROTOCOL_3_0 => Self::session(&packet).map(Some),
            _ => Err(Violation("only protocol 3.0 is spoken here")),
        }
    }

    /// Other parameters are dropped, as a pooler drops them: a backend is shared, so it has none of its client's.
    fn session(parameters: &[u8]) -> Result<Self, Violation> {
        let (mut user, mut database) = (None, None);
        let mut words = parameters.split(|byte| *byte == 0);
        while let (Some(name), Some(value)) = (words.next(), words.next()) {
            let value = String::from_utf8_lossy(value).into_owned();
            match name {
                b"user" => user = Some(value),
                b"database" => database = Some(value),
                _ => {}
            }
        }
        let user = user.ok_or(Violation("a start-up packet without a user"))?;
        let database = database.unwrap_or_else(|| user.clone());
        Ok(Self::Session { user, database })
    }
}

fn read_i32(buffer: &[u8], at: usize) -> Option<i32> {
    buffer.get(at..)?.first_chunk().map(|bytes| i32::from_be_bytes(*bytes))
}

fn c_string(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

fn put_frame(out: &mut BytesMut, tag: u8, parts: &[&[u8]]) {
    let body: usize = parts.iter().map(|part| part.len()).sum();
    out.put_u8(tag);
    out.put_i32(i32::try_from(body + 4).unwrap_or(i32::MAX));
    for part in parts {
        out.put_slice(part);
    }
}

/// The opening of a session with a backend, with what Hyperdrive sets.
pub(super) fn open_session(user: &str, database: &str) -> BytesMut {
    let mut body = BytesMut::new();
    body.put_i32(PROTOCOL_3_0);
    for word in ["user", user, "database", database, "application_name", "pooler", "client_encoding", "UTF8"]
    {
        body.put_slice(word.as_bytes());
        body.put_u8(0);
    }
    body.put_u8(0);
    let mut packet = BytesMut::new();
    packet.put_i32(i32::try_from(body.len() + 4).unwrap_or(i32::MAX));
    packet.unsplit(body);
    packet
}

/// The packet that cancels what the session `key` is doing.
pub(super) fn cancel(key: Key) -> BytesMut {
    let mut packet = BytesMut::new();
    for number in [16, CANCEL, key.process, key.secret] {
        packet.put_i32(number);
    }
    packet
}

/// What a client is told at the start: it is who it says, the server's parameters, its key, and that we listen.
pub(super) fn welcome(parameters: &[u8], key: Key) -> BytesMut {
    let mut out = BytesMut::new();
    put_frame(&mut out, b'R', &[&0_i32.to_be_bytes()]);
    out.put_slice(parameters);
    put_frame(&mut out, b'K', &[&key.process.to_be_bytes(), &key.secret.to_be_bytes()]);
    put_frame(&mut out, b'Z', &[b"I"]);
    out
}

/// An error after which the connection is closed.
pub(super) fn fatal(code: &str, message: &str) -> BytesMut {
    let mut out = BytesMut::new();
    let parts =
        [b"SFATAL\0VFATAL\0C", code.as_bytes(), b"\0M", message.as_bytes(), b"\0\0"].map(|part: &[u8]| part);
    put_frame(&mut out, b'E', &parts);
    out
}

/// A simple query.
pub(super) fn query(sql: &str) -> BytesMut {
    let mut out = BytesMut::new();
    put_frame(&mut out, b'Q', &[sql.as_bytes(), b"\0"]);
    out
}

#[cfg(test)]
mod tests {
    use bytes::{BufMut, BytesMut};

    use super::{Frame, Key, Opening, cancel, fatal, open_session, query};

    #[test]
    fn frames_come_out_whole_and_in_order_however_they_arrive() {
        let sent = [query("select 1"), query("select 2")].concat();
        let mut buffer = BytesMut::new();
        let mut seen = Vec::new();
        for byte in sent {
            buffer.put_u8(byte);
            while let Some(frame) = Frame::take(&mut buffer).unwrap() {
                seen.push(String::from_utf8(frame.text().to_vec()).unwrap());
            }
        }
        assert_eq!(seen, ["select 1", "select 2"]);
        assert!(buffer.is_empty());
    }

    #[test]
    fn impossible_lengths_are_refused() {
        assert!(Frame::take(&mut BytesMut::from(&b"Q\xff\xff\xff\xff"[..])).is_err());
        assert!(Frame::take(&mut BytesMut::from(&b"Q\0\0\0\x03"[..])).is_err());
        assert!(Opening::take(&mut BytesMut::from(&b"GET / HTTP/1.1\r\n"[..])).is_err());
    }

    #[test]
    fn openings_are_told_apart() {
        let session = Opening::Session { user: "u".to_owned(), database: "d".to_owned() };
        assert_eq!(Opening::take(&mut open_session("u", "d")).unwrap(), Some(session));
        let key = Key { process: 7, secret: -9 };
        assert_eq!(Opening::take(&mut cancel(key)).unwrap(), Some(Opening::Cancel(key)));
    }

    #[test]
    fn the_fields_of_an_error_are_found() {
        let mut bytes = fatal("58000", "gone");
        let frame = Frame::take(&mut bytes).unwrap().unwrap();
        assert_eq!(frame.field(b'C'), Some(&b"58000"[..]));
        assert_eq!(frame.field(b'M'), Some(&b"gone"[..]));
        assert_eq!(frame.field(b'Q'), None);
    }
}
