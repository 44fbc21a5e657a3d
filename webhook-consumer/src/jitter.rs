//! Randomness, kept away from what decides by it.

/// Randomness for waits, 0 to 1000. Without any, waits are the middle of their range, which is no reason to fail.
pub(crate) fn jitter() -> u16 {
    getrandom::u32().ok().and_then(|number| u16::try_from(number % 1001).ok()).unwrap_or(500)
}
