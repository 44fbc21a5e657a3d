//! What a media file may be, told by what its sender says and by its first bytes.

use std::fmt;

use crate::generation::Kind;

/// Enough of a file to know it by.
pub const HEAD_BYTES: usize = 64;

/// The kinds of file that AFC stores and passes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentType {
    Mp4,
    Webm,
    Quicktime,
    Png,
    Jpeg,
    Webp,
}

impl ContentType {
    pub const ALL: [Self; 6] = [Self::Mp4, Self::Webm, Self::Quicktime, Self::Png, Self::Jpeg, Self::Webp];

    /// The media type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mp4 => "video/mp4",
            Self::Webm => "video/webm",
            Self::Quicktime => "video/quicktime",
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
        }
    }

    /// Whether it is an image or a video.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Mp4 | Self::Webm | Self::Quicktime => Kind::Video,
            Self::Png | Self::Jpeg | Self::Webp => Kind::Image,
        }
    }

    /// The customary end of a file's name.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Mp4 => "mp4",
            Self::Webm => "webm",
            Self::Quicktime => "mov",
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Webp => "webp",
        }
    }

    /// Reads what [`Self::as_str`] wrote.
    pub fn from_media_type(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

impl fmt::Display for ContentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a file is not stored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotMedia {
    /// An error page, a text, nothing at all.
    #[error("the first bytes are of no known video or image")]
    UnknownBytes,
    /// An error page that begins like a video, or the other way round.
    #[error("its sender calls it {declared:?}, its bytes are {actual}")]
    Contradiction { declared: String, actual: ContentType },
}

/// Judges a file. The bytes decide; what the server says must not contradict them by more than the container format
/// (`video/mp4` for `video/quicktime` is common). No type, or one that says nothing, contradicts nothing.
pub fn judge(declared: Option<&str>, head: &[u8]) -> Result<ContentType, NotMedia> {
    let actual = sniff(head).ok_or(NotMedia::UnknownBytes)?;
    let declared = essence(declared);
    let silent = is_silent(&declared);
    let agrees = declared.split_once('/').is_some_and(|(family, _)| family == actual.kind().as_str());
    if silent || agrees { Ok(actual) } else { Err(NotMedia::Contradiction { declared, actual }) }
}

fn sniff(head: &[u8]) -> Option<ContentType> {
    match head {
        [_, _, _, _, b'f', b't', b'y', b'p', b'q', b't', b' ', b' ', ..] => Some(ContentType::Quicktime),
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => Some(ContentType::Mp4),
        // QuickTime files from before `ftyp` begin with one of these atoms.
        [_, _, _, _, b'm', b'o', b'o', b'v', ..] | [_, _, _, _, b'm', b'd', b'a', b't', ..] => {
            Some(ContentType::Quicktime)
        }
        [0x1a, 0x45, 0xdf, 0xa3, ..] => Some(ContentType::Webm),
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(ContentType::Png),
        [0xff, 0xd8, 0xff, ..] => Some(ContentType::Jpeg),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(ContentType::Webp),
        _ => None,
    }
}

/// Whether its sender's word leaves a file to be an image or a video. Its bytes have the last word, see [`judge`].
pub fn admits(declared: Option<&str>) -> bool {
    let declared = essence(declared);
    is_silent(&declared) || declared.starts_with("image/") || declared.starts_with("video/")
}

/// A media type without its parameters.
fn essence(declared: Option<&str>) -> String {
    declared.and_then(|text| text.split(';').next()).unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_silent(essence: &str) -> bool {
    matches!(essence, "" | "application/octet-stream" | "binary/octet-stream")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_first_bytes() {
        for (head, expected) in [
            (&b"\0\0\0\x18ftypmp42\0\0\0\0"[..], ContentType::Mp4),
            (b"\0\0\0\x14ftypqt  \0\0\0\0", ContentType::Quicktime),
            (b"\x1a\x45\xdf\xa3\x01", ContentType::Webm),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", ContentType::Png),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", ContentType::Jpeg),
            (b"RIFF\0\0\0\0WEBPVP8 ", ContentType::Webp),
        ] {
            assert_eq!(ContentType::from_media_type(expected.as_str()), Some(expected));
            assert_eq!(judge(Some(expected.as_str()), head), Ok(expected));
            assert_eq!(judge(None, head), Ok(expected));
            assert_eq!(judge(Some("application/octet-stream"), head), Ok(expected));
            assert!(judge(Some("text/html; charset=utf-8"), head).is_err());
        }
        assert_eq!(judge(Some("VIDEO/MP4"), b"\0\0\0\x14ftypqt  "), Ok(ContentType::Quicktime));
    }

    #[test]
    fn what_is_no_media_is_refused() {
        for head in [&b""[..], b"<!doctype html>", b"{\"detail\":\"Not found\"}", b"\0\0\0\x18f"] {
            assert_eq!(judge(Some("video/mp4"), head), Err(NotMedia::UnknownBytes));
        }
        assert!(judge(Some("image/png"), b"\0\0\0\x18ftypmp42").is_err());
    }
}
