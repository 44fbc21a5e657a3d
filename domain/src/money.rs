use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// An exact amount of US dollars in millionths, the range and scale of the database's `numeric(12,6)` (A43).
///
/// Its one text form has six decimals (`"0.400000"`); JSON carries it as that string, never as a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Usd(i64);

/// An exact count of a provider's billing units (seconds, images, credits) in millionths, `numeric(12,6)` too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Units(i64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    #[error("not a decimal number such as \"1.25\"")]
    NotDecimal,
    #[error("more than six decimals")]
    TooPrecise,
    #[error("not below 1000000")]
    TooLarge,
}

const MICROS: i64 = 1_000_000;
/// `numeric(12,6)` holds six digits before the point.
const LIMIT: i64 = 1_000_000 * MICROS;

impl Usd {
    pub const ZERO: Self = Self(0);

    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).and_then(Self::from_micros)
    }

    /// The price of `count` units at this price a unit, rounded up to the next millionth: a reservation is never
    /// below the bill.
    pub fn times(self, count: Units) -> Option<Self> {
        let exact = i128::from(self.0).checked_mul(i128::from(count.0))?;
        let scale = i128::from(MICROS);
        let (whole, rest) = (exact.div_euclid(scale), exact.rem_euclid(scale));
        i64::try_from(if rest > 0 { whole + 1 } else { whole }).ok().and_then(Self::from_micros)
    }
}

impl Units {
    pub const ZERO: Self = Self(0);

    /// The same count in units that are `size` times as large, rounded up to the next millionth.
    pub fn in_units_of(self, size: u32) -> Option<Self> {
        let size = i64::from(size);
        let (whole, rest) = (self.0.checked_div_euclid(size)?, self.0.checked_rem_euclid(size)?);
        Self::from_micros(if rest > 0 { whole + 1 } else { whole })
    }

    pub fn whole(count: u32) -> Option<Self> {
        Self::from_micros(i64::from(count) * MICROS)
    }
}

/// What both fixed-point types share: a range, one text form, and that form in JSON.
macro_rules! fixed_point {
    ($name:ident) => {
        impl $name {
            /// `None` outside of what the database can hold.
            pub const fn from_micros(micros: i64) -> Option<Self> {
                if micros > -LIMIT && micros < LIMIT { Some(Self(micros)) } else { None }
            }

            /// Millionths.
            pub const fn micros(self) -> i64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let sign = if self.0 < 0 { "-" } else { "" };
                let absolute = self.0.abs();
                write!(f, "{sign}{}.{:06}", absolute / MICROS, absolute % MICROS)
            }
        }

        impl FromStr for $name {
            type Err = DecimalError;

            /// Plain decimal notation: digits, at most one point, at most six decimals, an optional minus.
            fn from_str(text: &str) -> Result<Self, DecimalError> {
                Self::from_micros(parse_micros(text)?).ok_or(DecimalError::TooLarge)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }
    };
}

fixed_point!(Usd);
fixed_point!(Units);

fn parse_micros(text: &str) -> Result<i64, DecimalError> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !plain(whole) || !plain(fraction) {
        return Err(DecimalError::NotDecimal);
    }
    let significant = fraction.trim_end_matches('0');
    if significant.len() > 6 {
        return Err(DecimalError::TooPrecise);
    }
    let whole: i64 = whole.parse().map_err(|_| DecimalError::TooLarge)?;
    let fraction: i64 = format!("{significant:0<6}").parse().map_err(|_| DecimalError::NotDecimal)?;
    let micros = whole.checked_mul(MICROS).and_then(|micros| micros.checked_add(fraction));
    micros.map(|micros| if negative { -micros } else { micros }).ok_or(DecimalError::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a43_amounts_are_exact_decimals() {
        for (text, micros) in [
            ("0", 0),
            ("0.4", 400_000),
            ("1.25", 1_250_000),
            ("0.000001", 1),
            ("999999.999999", 999_999_999_999),
            ("-0.5", -500_000),
            ("1.50000000", 1_500_000),
        ] {
            assert_eq!(text.parse::<Usd>().unwrap().micros(), micros, "{text}");
        }
        assert_eq!("0.4".parse::<Usd>().unwrap().to_string(), "0.400000");
        assert_eq!("-0.000001".parse::<Usd>().unwrap().to_string(), "-0.000001");
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in ["", ".", "1.", ".5", "1e3", "+1", " 1", "1,5", "NaN", "--1", "٣"] {
            assert_eq!(text.parse::<Usd>(), Err(DecimalError::NotDecimal), "{text}");
        }
        assert_eq!("0.0000001".parse::<Usd>(), Err(DecimalError::TooPrecise));
        assert_eq!("1000000".parse::<Usd>(), Err(DecimalError::TooLarge));
        assert_eq!("99999999999999999999".parse::<Usd>(), Err(DecimalError::TooLarge));
    }

    #[test]
    fn a_price_times_units_rounds_up() {
        let cost = |price: &str, units: &str| {
            price.parse::<Usd>().unwrap().times(units.parse().unwrap()).map(|cost| cost.to_string())
        };
        assert_eq!(cost("0.000001", "0.001").unwrap(), "0.000001");
        assert_eq!(cost("0.15", "8").unwrap(), "1.200000");
        assert_eq!(cost("0.15", "3.008").unwrap(), "0.451200");
        assert_eq!(cost("999999", "999999"), None);
    }
}
