//! What one session is in the middle of, told from the frames that pass. No I/O.

use std::collections::VecDeque;

use super::wire::Frame;

/// Completed commands that leave no trace in a session. After any other (SET, PREPARE, LISTEN, CREATE …) it is reset.
const TRACELESS: [&[u8]; 15] = [
    b"SELECT",
    b"INSERT",
    b"UPDATE",
    b"DELETE",
    b"MERGE",
    b"BEGIN",
    b"START",
    b"COMMIT",
    b"ROLLBACK",
    b"SAVEPOINT",
    b"RELEASE",
    b"COPY",
    b"LOCK",
    b"FETCH",
    b"EXPLAIN",
];
/// Words that betray session state left by a command from the list above. What a function does within is not seen.
const TELLTALES: [&str; 8] = [
    "temp",
    "temporary",
    "set_config",
    "setseed",
    "pg_advisory_lock",
    "pg_advisory_lock_shared",
    "pg_try_advisory_lock",
    "pg_try_advisory_lock_shared",
];
/// How much of a statement is searched for them.
const SEARCHED: usize = 64 << 10;
/// How much of a statement is told apart by.
const NAMED: usize = 80;

/// Something the client sent that decides how many times the server will say that it is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// A simple query or function call: one ready.
    Query,
    /// A sync: one ready, unless the server is reading a COPY, which swallows it.
    Sync,
    /// The end of the data of a COPY.
    CopyEnd,
}

/// What the client owes the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Debt {
    #[default]
    Nothing,
    /// A sync, after frames of the extended protocol.
    Sync,
    /// The rest of the data of a COPY. Until then the server swallows every sync.
    Copy,
}

/// The state of a session between client and backend.
#[derive(Debug, Default)]
pub(super) struct Cycle {
    outstanding: VecDeque<Mark>,
    debt: Debt,
    in_transaction: bool,
    dirty: bool,
    fatal: bool,
    flights: u32,
    named: u32,
    asked: Vec<String>,
}

impl Cycle {
    /// The client sent `frame`.
    pub(super) fn sent(&mut self, frame: &Frame) {
        if self.is_answered() {
            self.flights += 1;
        }
        match frame.tag() {
            b'Q' | b'F' => {
                self.outstanding.push_back(Mark::Query);
                self.ask(frame.text());
            }
            b'S' if self.debt == Debt::Copy => {}
            b'S' => {
                self.debt = Debt::Nothing;
                self.outstanding.push_back(Mark::Sync);
            }
            // Sent ahead of the server's request for the data, it finds its place when that comes.
            b'c' | b'f' if self.debt != Debt::Copy => self.outstanding.push_back(Mark::CopyEnd),
            b'c' | b'f' => self.end_copy(),
            // Data of a COPY asks for nothing.
            b'd' => {}
            b'P' => {
                self.owe_sync();
                let name = frame.text();
                if !name.is_empty() {
                    self.named += 1;
                    self.dirty = true;
                }
                self.ask(frame.body().get(name.len() + 1..).unwrap_or_default());
            }
            _ => self.owe_sync(),
        }
    }

    fn owe_sync(&mut self) {
        if self.debt != Debt::Copy {
            self.debt = Debt::Sync;
        }
    }

    /// The server sent `frame`.
    pub(super) fn received(&mut self, frame: &Frame) {
        match frame.tag() {
            b'Z' => {
                self.in_transaction = frame.body().first() != Some(&b'I');
                while self.outstanding.pop_front() == Some(Mark::CopyEnd) {}
            }
            b'C' => {
                let word = frame.text().split(|byte| *byte == b' ').next().unwrap_or_default();
                self.dirty |= !TRACELESS.contains(&word);
            }
            b'G' | b'W' => self.begin_copy(),
            b'E' => {
                self.fatal |= matches!(frame.field(b'V'), Some(b"FATAL" | b"PANIC"));
                if self.debt == Debt::Copy {
                    self.end_copy();
                }
            }
            _ => {}
        }
    }

    /// The server reads COPY data from now on, and swallows every sync before the end of the data.
    fn begin_copy(&mut self) {
        let simple = self.outstanding.front() == Some(&Mark::Query);
        let asked = if simple { self.outstanding.pop_front() } else { None };
        let ended = self.outstanding.iter().position(|mark| *mark == Mark::CopyEnd);
        let swallowed = ended.map_or(self.outstanding.len(), |at| at + 1);
        self.outstanding.drain(..swallowed);
        if let Some(mark) = asked {
            self.outstanding.push_front(mark);
        }
        match ended {
            Some(_) => self.end_copy(),
            None => self.debt = Debt::Copy,
        }
    }

    /// No data is read any more. In the extended protocol a sync follows; a simple query is answered as it is.
    fn end_copy(&mut self) {
        self.debt = if self.outstanding.is_empty() { Debt::Sync } else { Debt::Nothing };
    }

    fn ask(&mut self, sql: &[u8]) {
        self.asked.push(String::from_utf8_lossy(sql.get(..NAMED).unwrap_or(sql)).into_owned());
        self.suspect(sql);
    }

    fn suspect(&mut self, sql: &[u8]) {
        let sql = String::from_utf8_lossy(sql.get(..SEARCHED).unwrap_or(sql));
        let mut words = sql.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        self.dirty |= words.any(|word| TELLTALES.iter().any(|telltale| word.eq_ignore_ascii_case(telltale)));
    }

    /// Has the server answered all that it was asked?
    fn is_answered(&self) -> bool {
        self.outstanding.is_empty() && self.debt == Debt::Nothing
    }

    /// Is an answer of the server on its way?
    pub(super) fn awaits_server(&self) -> bool {
        !self.outstanding.is_empty()
    }

    /// Can the backend serve another client now?
    pub(super) fn is_settled(&self) -> bool {
        self.is_answered() && !self.in_transaction
    }

    /// Did the server say that it closes the connection?
    pub(super) fn has_ended(&self) -> bool {
        self.fatal
    }

    /// Must the session be reset? Asked once, when the backend goes back.
    pub(super) fn take_dirt(&mut self) -> bool {
        std::mem::take(&mut self.dirty)
    }

    /// How many times the client asked and waited. What it sends before everything was answered is one flight.
    pub(super) fn flights(&self) -> u32 {
        self.flights
    }

    /// How each statement begins that the client sent since this was last called.
    pub(super) fn take_asked(&mut self) -> Vec<String> {
        std::mem::take(&mut self.asked)
    }

    /// How many named statements the client prepared, none of which works behind a pooler.
    pub(super) fn named_statements(&self) -> u32 {
        self.named
    }
}

#[cfg(test)]
mod tests {
    use bytes::{BufMut, BytesMut};

    use super::{Cycle, Frame};

    fn frame(tag: u8, body: &[u8]) -> Frame {
        let mut buffer = BytesMut::new();
        buffer.put_u8(tag);
        buffer.put_u32(u32::try_from(body.len()).unwrap() + 4);
        buffer.put_slice(body);
        Frame::take(&mut buffer).unwrap().unwrap()
    }

    /// Plays a conversation: `>` is the client's, `<` the server's.
    fn play(cycle: &mut Cycle, lines: &[(char, u8, &[u8])]) {
        for (direction, tag, body) in lines {
            match direction {
                '>' => cycle.sent(&frame(*tag, body)),
                _ => cycle.received(&frame(*tag, body)),
            }
        }
    }

    #[test]
    fn a_pipelined_transaction_is_one_flight_and_settles_at_the_last_ready() {
        let mut cycle = Cycle::default();
        play(&mut cycle, &[('>', b'Q', b"begin\0"), ('>', b'P', b"\0select 1\0\0\0"), ('>', b'S', b"")]);
        play(&mut cycle, &[('>', b'Q', b"commit\0"), ('<', b'C', b"BEGIN\0"), ('<', b'Z', b"T")]);
        play(&mut cycle, &[('<', b'C', b"SELECT 1\0"), ('<', b'Z', b"T")]);
        assert!(!cycle.is_settled());
        play(&mut cycle, &[('<', b'C', b"COMMIT\0"), ('<', b'Z', b"I")]);
        assert!(cycle.is_settled());
        assert!(!cycle.take_dirt());
        assert_eq!(cycle.flights(), 1);
    }

    #[test]
    fn a_plain_transaction_is_a_flight_for_each_statement() {
        let mut cycle = Cycle::default();
        play(&mut cycle, &[('>', b'Q', b"begin\0"), ('<', b'Z', b"T")]);
        assert!(!cycle.is_settled());
        play(
            &mut cycle,
            &[('>', b'Q', b"select 1\0"), ('<', b'Z', b"T"), ('>', b'Q', b"commit\0"), ('<', b'Z', b"I")],
        );
        assert!(cycle.is_settled());
        assert_eq!(cycle.flights(), 3);
    }

    #[test]
    fn session_state_makes_dirty() {
        let cases: [(&[u8], &[u8], bool); 6] = [
            (b"set x = 1\0", b"SET\0", true),
            (b"select set_config('a', 'b', false)\0", b"SELECT 1\0", true),
            (b"select attempts, temperature from t\0", b"SELECT 1\0", false),
            (b"select 1 into temp t\0", b"SELECT 1\0", true),
            (b"insert into t values (1)\0", b"INSERT 0 1\0", false),
            (b"listen x\0", b"LISTEN\0", true),
        ];
        for (sql, tag, dirty) in cases {
            let mut cycle = Cycle::default();
            play(&mut cycle, &[('>', b'Q', sql), ('<', b'C', tag), ('<', b'Z', b"I")]);
            assert_eq!(cycle.take_dirt(), dirty, "{}", String::from_utf8_lossy(sql));
        }
        let mut cycle = Cycle::default();
        play(&mut cycle, &[('>', b'P', b"s1\0select 1\0\0\0"), ('>', b'S', b""), ('<', b'Z', b"I")]);
        assert!(cycle.take_dirt());
        assert_eq!(cycle.named_statements(), 1);
    }

    #[test]
    fn frames_without_a_sync_keep_the_backend() {
        let mut cycle = Cycle::default();
        play(&mut cycle, &[('>', b'P', b"\0select 1\0\0\0"), ('>', b'H', b""), ('<', b'1', b"")]);
        assert!(!cycle.is_settled());
        play(&mut cycle, &[('>', b'S', b""), ('<', b'Z', b"I")]);
        assert!(cycle.is_settled());
    }

    #[test]
    fn a_copy_settles_whether_its_data_follows_or_was_sent_ahead() {
        // Extended protocol, the client waits for the server to ask for the data.
        let mut cycle = Cycle::default();
        play(&mut cycle, &[('>', b'B', b""), ('>', b'E', b""), ('>', b'S', b""), ('<', b'G', b"")]);
        assert!(!cycle.is_settled());
        play(
            &mut cycle,
            &[('>', b'd', b"1\n"), ('>', b'c', b""), ('>', b'S', b""), ('<', b'C', b"COPY 1\0")],
        );
        assert!(!cycle.is_settled());
        play(&mut cycle, &[('<', b'Z', b"I")]);
        assert!(cycle.is_settled());

        // Simple protocol, everything at once.
        let mut cycle = Cycle::default();
        play(&mut cycle, &[('>', b'Q', b"copy t from stdin\0"), ('>', b'd', b"1\n"), ('>', b'c', b"")]);
        play(&mut cycle, &[('<', b'G', b""), ('<', b'C', b"COPY 1\0")]);
        assert!(!cycle.is_settled());
        play(&mut cycle, &[('<', b'Z', b"I")]);
        assert!(cycle.is_settled());

        // The server does not like the data: the client still owes a sync.
        let mut cycle = Cycle::default();
        play(&mut cycle, &[('>', b'E', b""), ('>', b'S', b""), ('<', b'G', b""), ('<', b'E', b"VERROR\0\0")]);
        assert!(!cycle.is_settled());
        play(&mut cycle, &[('>', b'f', b"\0"), ('>', b'S', b""), ('<', b'Z', b"I")]);
        assert!(cycle.is_settled());

        // Extended protocol, sent ahead: the first sync is swallowed, the second answered.
        let mut cycle = Cycle::default();
        play(
            &mut cycle,
            &[('>', b'E', b""), ('>', b'S', b""), ('>', b'd', b"1\n"), ('>', b'c', b""), ('>', b'S', b"")],
        );
        play(&mut cycle, &[('<', b'G', b""), ('<', b'C', b"COPY 1\0")]);
        assert!(!cycle.is_settled());
        play(&mut cycle, &[('<', b'Z', b"I")]);
        assert!(cycle.is_settled());
    }

    #[test]
    fn a_fatal_error_is_seen() {
        let mut cycle = Cycle::default();
        play(&mut cycle, &[('<', b'E', b"SERROR\0VERROR\0C22012\0\0")]);
        assert!(!cycle.has_ended());
        play(&mut cycle, &[('<', b'E', b"SFATAL\0VFATAL\0C57P01\0\0")]);
        assert!(cycle.has_ended());
    }
}
