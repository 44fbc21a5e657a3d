//! What a bench found, as a section of the document or as JSON.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::machine::Machine;

/// What a bench found.
pub(super) struct Report {
    /// The section's heading.
    pub(super) title: &'static str,
    /// The results to be read first: ratios, and counts that were checked.
    pub(super) first: Vec<Finding>,
    pub(super) tables: Vec<Table>,
    /// How it was measured, in Markdown.
    pub(super) method: String,
}

/// One result.
pub(super) struct Finding {
    pub(super) what: String,
    pub(super) result: Figure,
    /// What the result is made of.
    pub(super) of: String,
}

/// Numbers that belong together.
pub(super) struct Table {
    pub(super) columns: &'static [&'static str],
    pub(super) rows: Vec<Vec<Figure>>,
}

/// A measured thing, with its unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Figure {
    Text(String),
    Count(u64),
    Ratio(Ratio),
    Time(Duration),
    Bytes(u64),
    PerSecond(u64),
}

/// A quotient in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ratio(u64);

impl Ratio {
    /// `part` : `base`, rounded; a base of nothing counts as one.
    pub(super) fn of(part: u128, base: u128) -> Self {
        let base = base.max(1);
        Self(u64::try_from((part.saturating_mul(1000) + base / 2) / base).unwrap_or(u64::MAX))
    }

    /// The quotient of two times.
    pub(super) fn of_times(part: Duration, base: Duration) -> Self {
        Self::of(part.as_nanos(), base.as_nanos())
    }
}

impl Report {
    /// The section, without its markers.
    pub(super) fn markdown(&self, name: &str, machine: &Machine) -> String {
        let mut text = format!("## {} (`cargo xtask bench {name}`)\n\n{}.\n\n", self.title, machine.line());
        let first = self
            .first
            .iter()
            .map(|finding| vec![finding.what.clone(), format!("**{}**", finding.result), finding.of.clone()]);
        text.push_str(&table(&["what", "result", "of"], first));
        for block in &self.tables {
            let rows = block.rows.iter().map(|row| row.iter().map(Figure::to_string).collect());
            text.push('\n');
            text.push_str(&table(block.columns, rows));
        }
        format!("{text}\n{}\n", self.method.trim())
    }

    /// The same for programs.
    pub(super) fn json(&self, name: &str, machine: &Machine) -> Value {
        let first = self
            .first
            .iter()
            .map(|finding| json!({"what": finding.what, "result": finding.result.json(), "of": finding.of}));
        let tables = self.tables.iter().map(|table| {
            let row = |row: &Vec<Figure>| {
                let cells = table.columns.iter().zip(row);
                Value::Object(
                    cells.map(|(name, cell)| ((*name).to_owned(), cell.json())).collect::<Map<_, _>>(),
                )
            };
            table.rows.iter().map(row).collect::<Vec<_>>()
        });
        json!({
            "bench": name, "machine": machine.json(), "first": first.collect::<Vec<_>>(),
            "tables": tables.collect::<Vec<_>>(),
        })
    }
}

fn table(columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = columns.iter().map(|&name| name.to_owned()).collect();
    let rule = "|---".repeat(columns.len());
    rows.fold(format!("{}{rule}|\n", line(&head)), |text, row| text + &line(&row))
}

impl Figure {
    /// Durations in microseconds, rates a second.
    fn json(&self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            Self::Count(count) => json!(count),
            Self::Ratio(ratio) => json!({"thousandths": ratio.0}),
            Self::Time(time) => json!({"microseconds": u64::try_from(time.as_micros()).unwrap_or(u64::MAX)}),
            Self::Bytes(bytes) => json!({"bytes": bytes}),
            Self::PerSecond(rate) => json!({"per_second": rate}),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Count(count) => f.write_str(&grouped(*count)),
            Self::Ratio(ratio) => ratio.fmt(f),
            Self::Time(time) => f.write_str(&shown(*time)),
            Self::Bytes(bytes) => write!(f, "{} MiB", tenths(*bytes, 1 << 20)),
            Self::PerSecond(rate) => write!(f, "{}/s", grouped(*rate)),
        }
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = (self.0 + 5) / 10;
        write!(f, "{}.{:02} ×", grouped(hundredths / 100), hundredths % 100)
    }
}

/// Three digits of it matter.
fn shown(time: Duration) -> String {
    let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..100_000 => format!("{} ms", tenths(micros, 1_000)),
        100_000..10_000_000 => format!("{} ms", grouped(micros / 1_000)),
        _ => format!("{} s", tenths(micros, 1_000_000)),
    }
}

fn tenths(count: u64, unit: u64) -> String {
    let tenths = (count.saturating_mul(10) + unit / 2) / unit;
    format!("{}.{}", grouped(tenths / 10), tenths % 10)
}

fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Figure, Ratio};

    #[test]
    fn figures_carry_their_units() {
        let shown = [
            (Figure::Count(1_000_000), "1,000,000"),
            (Figure::Count(999), "999"),
            (Figure::Ratio(Ratio::of(3, 2)), "1.50 ×"),
            (Figure::Ratio(Ratio::of(0, 0)), "0.00 ×"),
            (Figure::Ratio(Ratio::of_times(Duration::from_secs(2), Duration::from_millis(3))), "666.67 ×"),
            (Figure::Time(Duration::from_micros(999)), "999 µs"),
            (Figure::Time(Duration::from_micros(1_250)), "1.3 ms"),
            (Figure::Time(Duration::from_millis(1_250)), "1,250 ms"),
            (Figure::Time(Duration::from_millis(62_300)), "62.3 s"),
            (Figure::Bytes(33_554_432), "32.0 MiB"),
            (Figure::PerSecond(1_234), "1,234/s"),
        ];
        for (figure, text) in shown {
            assert_eq!(figure.to_string(), text);
        }
    }
}
