use std::path::PathBuf;
use std::str::FromStr;

/// An image this engine can run: a pattern for references, and the program that stands for the image.
///
/// Text form `PATTERN=PROGRAM`. `*` in the pattern matches any run of characters, and a pattern is compared with
/// the whole reference and with the reference without tag and digest. `wrangler dev` names the image of a class
/// `cloudflare-dev/<class name in lower case>:<eight hex digits, new in each session>`, so that
/// `cloudflare-dev/mycontainer=/path/of/program` names it for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedImage {
    pattern: String,
    program: PathBuf,
}

/// Why a text is no [`NamedImage`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidImage {
    #[error("expected PATTERN=PROGRAM")]
    Form,
    #[error("the program has no absolute path")]
    Program,
}

impl NamedImage {
    pub(crate) fn pattern(&self) -> &str {
        &self.pattern
    }

    /// The program, as an absolute path or as a bare name that is looked up in `PATH`.
    pub(crate) fn program(&self) -> &PathBuf {
        &self.program
    }

    /// Whether there is nothing at the program's path. A bare name is looked up at each start, not here.
    pub(crate) fn is_missing(&self) -> bool {
        self.program.is_absolute() && !self.program.exists()
    }

    fn matches(&self, reference: &str) -> bool {
        glob(&self.pattern, reference) || glob(&self.pattern, repository(reference))
    }
}

impl FromStr for NamedImage {
    type Err = InvalidImage;

    fn from_str(text: &str) -> Result<Self, InvalidImage> {
        let (pattern, program) = text.split_once('=').ok_or(InvalidImage::Form)?;
        if pattern.is_empty() || program.is_empty() {
            return Err(InvalidImage::Form);
        }
        // Containers start in `/`: a path that is relative to the caller's folder has to be resolved here.
        let program = if program.contains('/') {
            std::path::absolute(program).map_err(|_| InvalidImage::Program)?
        } else {
            PathBuf::from(program)
        };
        Ok(Self { pattern: pattern.to_owned(), program })
    }
}

/// The first image whose pattern matches `reference`.
pub(crate) fn find<'a>(images: &'a [NamedImage], reference: &str) -> Option<&'a NamedImage> {
    images.iter().find(|image| image.matches(reference))
}

/// `registry:5000/name:tag@sha256:…` without tag and digest. The colon of a port precedes a slash, that of a tag does not.
fn repository(reference: &str) -> &str {
    let undigested = reference.split_once('@').map_or(reference, |(name, _)| name);
    match undigested.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => name,
        Some(_) | None => undigested,
    }
}

fn glob(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(head) else { return false };
    // What the star swallows ends at some character boundary: the first that lets the rest match.
    text.char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .any(|at| text.split_at_checked(at).is_some_and(|(_, tail)| glob(rest, tail)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(text: &str) -> NamedImage {
        text.parse().unwrap()
    }

    #[test]
    fn a_pattern_matches_with_and_without_tag() {
        let plain = image("cloudflare-dev/box=/bin/true");
        assert!(plain.matches("cloudflare-dev/box"));
        assert!(plain.matches("cloudflare-dev/box:19a64317"));
        assert!(plain.matches("cloudflare-dev/box:19a64317@sha256:00ff"));
        assert!(!plain.matches("cloudflare-dev/boxes:19a64317"));
        assert!(!plain.matches("elsewhere/cloudflare-dev/box"));
        assert!(image("box:v1=/bin/true").matches("box:v1"));
        assert!(!image("box:v1=/bin/true").matches("box:v2"));
    }

    #[test]
    fn the_colon_of_a_port_is_no_tag() {
        assert_eq!(repository("localhost:5000/a/b"), "localhost:5000/a/b");
        assert_eq!(repository("localhost:5000/a/b:c"), "localhost:5000/a/b");
        assert_eq!(repository("a@sha256:00"), "a");
    }

    #[test]
    fn a_star_matches_any_run() {
        assert!(image("*/box=/bin/true").matches("cloudflare-dev/box:1"));
        assert!(image("*=/bin/true").matches("anything:at-all"));
        assert!(image("a*c*e=/bin/true").matches("abcde"));
        assert!(!image("a*c*e=/bin/true").matches("abde"));
        assert!(image("*é=/bin/true").matches("ééé"));
    }

    #[test]
    fn the_first_match_wins() {
        let images = [image("a=/bin/one"), image("*=/bin/two")];
        assert_eq!(find(&images, "a:1").unwrap().program(), &PathBuf::from("/bin/one"));
        assert_eq!(find(&images, "b").unwrap().program(), &PathBuf::from("/bin/two"));
        assert_eq!(find(&images[..1], "b"), None);
    }

    #[test]
    fn programs_are_absolute_or_looked_up_in_path() {
        assert_eq!(image("a=sh").program(), &PathBuf::from("sh"));
        let relative = image("a=target/x");
        assert!(relative.program().is_absolute() && relative.program().ends_with("target/x"));
        assert_eq!("a".parse::<NamedImage>(), Err(InvalidImage::Form));
        assert_eq!("a=".parse::<NamedImage>(), Err(InvalidImage::Form));
        assert_eq!("=b".parse::<NamedImage>(), Err(InvalidImage::Form));
    }
}
