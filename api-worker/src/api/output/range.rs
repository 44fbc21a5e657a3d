//! One byte range, as RFC 9110 §14 has it.

/// What a `Range` header asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// No range, or one that a server may ignore: another unit, several ranges, no valid syntax.
    Whole,
    /// First and last byte, both included.
    Part {
        first: u64,
        last: u64,
    },
    Unsatisfiable,
}

pub fn parse(header: Option<&str>, size: u64) -> Asked {
    let Some(range) = header.and_then(|header| header.strip_prefix("bytes=")) else { return Asked::Whole };
    let Some((first, last)) = range.trim().split_once('-') else { return Asked::Whole };
    let number = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u64>().ok()).flatten()
    };
    match (number(first), number(last)) {
        (Some(first), None) if last.is_empty() => part(first, size.saturating_sub(1), size),
        (Some(first), Some(last)) if first <= last => part(first, last, size),
        (None, Some(0)) if first.is_empty() => Asked::Unsatisfiable,
        (None, Some(suffix)) if first.is_empty() => {
            part(size.saturating_sub(suffix), size.saturating_sub(1), size)
        }
        _ => Asked::Whole,
    }
}

fn part(first: u64, last: u64, size: u64) -> Asked {
    if first >= size { Asked::Unsatisfiable } else { Asked::Part { first, last: last.min(size - 1) } }
}

/// Whether an `If-None-Match` list names `etag`, compared weakly.
pub fn matches_any(tags: &str, etag: &str) -> bool {
    tags.trim() == "*" || tags.split(',').any(|tag| tag.trim().trim_start_matches("W/") == etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc_9110_ranges() {
        let part = |first, last| Asked::Part { first, last };
        for (header, asked) in [
            ("bytes=0-0", part(0, 0)),
            ("bytes=0-99", part(0, 9)),
            ("bytes=5-", part(5, 9)),
            ("bytes=-3", part(7, 9)),
            ("bytes=-99", part(0, 9)),
            ("bytes=9-9", part(9, 9)),
            ("bytes=10-", Asked::Unsatisfiable),
            ("bytes=10-20", Asked::Unsatisfiable),
            ("bytes=-0", Asked::Unsatisfiable),
            ("bytes=3-2", Asked::Whole),
            ("bytes=-", Asked::Whole),
            ("bytes=a-b", Asked::Whole),
            ("bytes=+1-2", Asked::Whole),
            ("bytes=0-1,3-4", Asked::Whole),
            ("items=0-1", Asked::Whole),
            ("bytes=99999999999999999999-", Asked::Whole),
        ] {
            assert_eq!(parse(Some(header), 10), asked, "{header}");
        }
        assert_eq!(parse(None, 10), Asked::Whole);
        assert_eq!(parse(Some("bytes=0-"), 0), Asked::Unsatisfiable);
        assert_eq!(parse(Some("bytes=-1"), 0), Asked::Unsatisfiable);
    }

    #[test]
    fn etags_are_compared_weakly() {
        assert!(matches_any("\"a\", W/\"b\"", "\"b\"") && matches_any("*", "\"b\""));
        assert!(!matches_any("\"a\"", "\"b\""));
    }
}
