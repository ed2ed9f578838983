//! The nested MIME entities of a message, located in its bytes without copying.

use super::header::{self, Headers, Valued};
use super::transfer::Transfer;

/// A message, or a part of one.
pub struct Entity<'a> {
    pub headers: Headers<'a>,
    pub body: &'a [u8],
    /// The media type, such as `text/plain`, in lower case.
    pub kind: String,
    pub content: Valued,
    pub transfer: Transfer,
    /// Of `Content-Disposition`.
    pub is_attachment: bool,
    pub name: Option<String>,
}

/// More parts than any message has.
const MOST_PARTS: usize = 4096;

impl<'a> Entity<'a> {
    /// Reads an entity's header. `default` is its kind if the header names none.
    pub fn parse(bytes: &'a [u8], default: &str) -> Entity<'a> {
        let (headers, body) = header::split(bytes);
        Entity::new(headers, body, default)
    }

    pub fn new(headers: Headers<'a>, body: &'a [u8], default: &str) -> Entity<'a> {
        let content = headers.valued("content-type").unwrap_or_default();
        let disposition = headers.valued("content-disposition").unwrap_or_default();
        let transfer = headers.raw("content-transfer-encoding");
        let transfer =
            transfer.map_or(Transfer::Plain, |name| Transfer::named(&String::from_utf8_lossy(name)));
        let name = disposition.parameter("filename").or_else(|| content.parameter("name"));
        // Old programs wrote just "text"; others wrote only the parameters.
        let kind = match content.value.as_str() {
            value if value.contains('/') => value.to_owned(),
            "multipart" => "multipart/mixed".to_owned(),
            "html" | "text/htm" => "text/html".to_owned(),
            _ => default.to_owned(),
        };
        let is_attachment = disposition.value == "attachment";
        Entity { headers, body, kind, content, transfer, is_attachment, name }
    }

    pub fn is(&self, main: &str) -> bool {
        self.kind.split('/').next() == Some(main)
    }

    pub fn charset(&self) -> Option<String> {
        self.content.parameter("charset")
    }

    /// The parts of a multipart entity.
    pub fn parts(&self) -> Parts<'a> {
        let default = if self.kind == "multipart/digest" { "message/rfc822" } else { "text/plain" };
        let named = self.content.parameter("boundary").unwrap_or_default();
        let (mut preamble, mut parts) = split(self.body, named.trim_end().as_bytes());
        if parts.is_empty()
            && let Some(boundary) = guess_boundary(self.body)
        {
            (preamble, parts) = split(self.body, boundary);
        }
        Parts { preamble, parts, default }
    }
}

/// Parts as bytes: they are parsed one at a time, since parsed headers take more memory than their
/// bytes.
pub struct Parts<'a> {
    /// What stands before the first.
    pub preamble: &'a [u8],
    parts: Vec<&'a [u8]>,
    default: &'static str,
}

impl<'a> Parts<'a> {
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Entity<'a>> + DoubleEndedIterator + '_ {
        self.parts.iter().map(|part| Entity::parse(part, self.default))
    }
}

/// Splits at the lines that are the boundary. A boundary in the middle of a line does not count,
/// nor does a line that only begins with it.
fn split<'a>(body: &'a [u8], boundary: &[u8]) -> (&'a [u8], Vec<&'a [u8]>) {
    let mut parts = Vec::new();
    if boundary.is_empty() {
        return (body, parts);
    }
    let mut preamble = body;
    // The start of the current part.
    let mut begun: Option<usize> = None;
    let delimiter = [b"--", boundary].concat();
    for at in memchr::memmem::find_iter(body, &delimiter) {
        if at > 0 && body[at - 1] != b'\n' {
            continue;
        }
        let after = &body[at + delimiter.len()..];
        let (line, rest) = header::next_line(after).unwrap_or((&[], &[]));
        let closes = line.starts_with(b"--");
        if !closes && !line.trim_ascii().is_empty() {
            continue;
        }
        let end = body[..at].strip_suffix(b"\n").unwrap_or(&body[..at]);
        let end = end.strip_suffix(b"\r").unwrap_or(end).len();
        match begun {
            Some(start) => parts.push(body.get(start..end).unwrap_or_default()),
            None => preamble = &body[..end],
        }
        begun = (!closes).then_some(body.len() - rest.len());
        if closes || parts.len() >= MOST_PARTS {
            return (preamble, parts);
        }
    }
    // The end is missing.
    if let Some(start) = begun {
        parts.push(&body[start..]);
    }
    (preamble, parts)
}

/// The boundary of a message that names none or a wrong one: a line with dashes before a header.
fn guess_boundary(body: &[u8]) -> Option<&[u8]> {
    let mut rest = body;
    for _ in 0..100 {
        let (line, after) = header::next_line(rest)?;
        rest = after;
        let begins_header = after.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"content-"));
        if let Some(boundary) = line.strip_prefix(b"--").map(<[u8]>::trim_ascii_end)
            && boundary.len() > 3
            && begins_header
        {
            return Some(boundary);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies<'a>(message: &'a str) -> (&'a str, Vec<&'a str>) {
        let entity = Entity::parse(message.as_bytes(), "text/plain");
        let parts = entity.parts();
        let shown = |bytes: &'a [u8]| std::str::from_utf8(bytes).expect("text");
        (shown(parts.preamble), parts.iter().map(|part| shown(part.body)).collect())
    }

    #[test]
    fn parts_are_cut_at_whole_lines() {
        let message = "Content-Type: multipart/mixed; boundary=\"b\"\n\npre\n--b\n\none --b\n--bc\n--b \nA: b\n\ntwo\r\n--b--\nafter";
        assert_eq!(bodies(message), ("pre", vec!["one --b\n--bc", "two"]));
    }

    #[test]
    fn an_end_that_is_missing_and_a_boundary_that_is_wrong() {
        let message = "Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\n\ntwo\n";
        assert_eq!(bodies(message), ("", vec!["one", "two\n"]));
        let message = "Content-Type: multipart/mixed; boundary=x\n\n--yyyy\nContent-Type: text/plain\n\none\n--yyyy--\n";
        assert_eq!(bodies(message), ("", vec!["one"]));
        let message = "Content-Type: multipart/mixed; boundary=x\n\nall of it\n";
        assert_eq!(bodies(message), ("all of it\n", vec![]));
    }
}
