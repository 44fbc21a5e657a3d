//! The engine's size limit, which the local engine does not enforce: we check it ourselves, so that what runs on a
//! developer's machine runs in production.

use std::io;

use serde::Serialize;

/// What a step result, an event payload or an instance's parameters may measure at most: 1 MiB.
///
/// The engine stores a structured clone; we measure its JSON text, which is what we hold. For text both are about
/// equal; many short decimal fractions (9 bytes each in a clone) can be larger there.
pub const MAX_BYTES: usize = 1 << 20;

/// Length of the value's JSON text, in bytes, without building that text.
pub(crate) fn json_bytes(value: &impl Serialize) -> Result<usize, serde_json::Error> {
    let mut counter = Counter(0);
    serde_json::to_writer(&mut counter, value)?;
    Ok(counter.0)
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
