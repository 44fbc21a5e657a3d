//! The `Range` header, for one range of bytes.

/// What a client wants of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Whole,
    /// From `from`, up to but without `to`.
    Part {
        from: u64,
        to: u64,
    },
    Impossible,
}

/// Reads a `Range` header for a file of `size` bytes. What is not understood (several ranges, other units) is answered
/// with the whole, as HTTP allows.
pub(super) fn parse(header: &str, size: u64) -> Asked {
    let bounds = header
        .strip_prefix("bytes=")
        .filter(|list| !list.contains(','))
        .and_then(|range| range.split_once('-'));
    let Some((first, last)) = bounds else { return Asked::Whole };
    let part = match (first.trim().parse::<u64>(), last.trim().parse::<u64>()) {
        (Ok(from), Ok(last)) if from <= last => Asked::Part { from, to: size.min(last.saturating_add(1)) },
        (Ok(from), Err(_)) if last.trim().is_empty() => Asked::Part { from, to: size },
        (Err(_), Ok(length)) if first.trim().is_empty() => {
            Asked::Part { from: size.saturating_sub(length), to: size }
        }
        _ => return Asked::Whole,
    };
    if matches!(part, Asked::Part { from, to } if from >= to) { Asked::Impossible } else { part }
}

#[cfg(test)]
mod tests {
    use super::{Asked, parse};

    #[test]
    fn ranges_are_read_as_http_has_them() {
        let cases = [
            ("bytes=0-9", Asked::Part { from: 0, to: 10 }),
            ("bytes=90-", Asked::Part { from: 90, to: 100 }),
            ("bytes=-10", Asked::Part { from: 90, to: 100 }),
            ("bytes=90-999", Asked::Part { from: 90, to: 100 }),
            ("bytes=-999", Asked::Part { from: 0, to: 100 }),
            ("bytes=100-", Asked::Impossible),
            ("bytes=100-200", Asked::Impossible),
            ("bytes=-0", Asked::Impossible),
            ("bytes=9-0", Asked::Whole),
            ("bytes=0-1,5-6", Asked::Whole),
            ("lines=1-2", Asked::Whole),
            ("bytes=a-b", Asked::Whole),
        ];
        for (header, expected) in cases {
            assert_eq!(parse(header, 100), expected, "{header}");
        }
    }
}
