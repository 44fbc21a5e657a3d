//! Amounts of money: exact, in millionths, as text. Never a float.

use std::fmt;
use std::iter::Sum;
use std::str::FromStr;

/// Decimal places kept, as in the database's `numeric(12,6)`.
const PLACES: usize = 6;
/// Millionths in one.
const ONE: i64 = 1_000_000;

/// An amount in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money {
    millionths: i64,
}

/// The text is not an amount: digits with at most six decimals, and no sign.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an amount: write digits with at most six decimals, for instance \"0.50\"")]
pub struct NotMoney(String);

impl Money {
    /// The amount in millionths.
    pub fn millionths(self) -> i64 {
        self.millionths
    }
}

impl FromStr for Money {
    type Err = NotMoney;

    fn from_str(text: &str) -> Result<Self, NotMoney> {
        let refuse = || NotMoney(text.to_owned());
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || fraction.len() > PLACES {
            return Err(refuse());
        }
        let whole: i64 = whole.parse().map_err(|_| refuse())?;
        let fraction: i64 = format!("{fraction:0<PLACES$}").parse().map_err(|_| refuse())?;
        let millionths = whole.checked_mul(ONE).and_then(|whole| whole.checked_add(fraction));
        millionths.map(|millionths| Self { millionths }).ok_or_else(refuse)
    }
}

impl fmt::Display for Money {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{:06}", self.millionths / ONE, self.millionths % ONE)
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        Self { millionths: amounts.fold(0, |sum, amount| sum.saturating_add(amount.millionths)) }
    }
}

#[cfg(test)]
mod tests {
    use super::Money;

    #[test]
    fn amounts_are_exact() {
        let sum: Money =
            ["0.1", "0.2", "1.000001", "3"].iter().map(|text| text.parse::<Money>().unwrap()).sum();
        assert_eq!(sum.to_string(), "4.300001");
        assert_eq!("0.50".parse::<Money>().unwrap().millionths(), 500_000);
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in ["", ".5", "5.", "-1", "1e3", "0.1234567", "1.2.3", " 1", "99999999999999999999"] {
            assert!(text.parse::<Money>().is_err(), "{text}");
        }
    }
}
