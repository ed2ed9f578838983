//! The syntax of web archives (WARC 1.0 and 1.1, ISO 28500): where the header of a record ends, what its fields
//! say, and where the next record begins.
//!
//! Two readers share it: that of corpora, for texts that others extracted (WET), and that of documents, for pages as
//! they were fetched.

mod members;

use memchr::memmem;

pub use self::members::{Members, Packing};

/// The longest header of a record.
pub const LONGEST_HEADER: usize = 64 << 10;

/// What the first line of a record looks like after the record before.
pub const NEXT: &[u8] = b"\nWARC/1.";

/// Whether bytes begin with a record.
pub fn is_warc(bytes: &[u8]) -> bool {
    bytes.starts_with(b"WARC/")
}

/// The value of a field in a header, of a record as of an HTTP answer, if it is there.
pub fn field(header: &[u8], name: &str) -> Option<String> {
    header.split(|byte| *byte == b'\n').find_map(|line| {
        let colon = memchr::memchr(b':', line)?;
        let is_it = line[..colon].trim_ascii().eq_ignore_ascii_case(name.as_bytes());
        is_it.then(|| String::from_utf8_lossy(line[colon + 1..].trim_ascii()).into_owned())
    })
}

/// Where the header ends and the body begins.
pub fn header_end(bytes: &[u8]) -> Option<(usize, usize)> {
    let bytes = &bytes[..bytes.len().min(LONGEST_HEADER)];
    let strict = memmem::find(bytes, b"\r\n\r\n").map(|at| (at, at + 4));
    let loose = memmem::find(bytes, b"\n\n").map(|at| (at, at + 2));
    match (strict, loose) {
        (Some(strict), Some(loose)) => Some(strict.min(loose)),
        (strict, loose) => strict.or(loose),
    }
}

/// Whether a body is followed by the next record or the end.
pub fn is_followed(rest: &[u8]) -> bool {
    let next = rest.trim_ascii_start();
    next.is_empty() || next.starts_with(b"WARC/") || b"WARC/".starts_with(next)
}

/// The type of the first record at the beginning of a file that does not describe the file itself (`warcinfo`), in
/// small letters; `None` if no other record begins there.
pub fn first_type(start: &[u8]) -> Option<String> {
    let mut rest = start;
    loop {
        let (end, _) = header_end(rest)?;
        let kind = field(&rest[..end], "warc-type").unwrap_or_default().to_ascii_lowercase();
        if kind != "warcinfo" {
            return Some(kind);
        }
        rest = &rest[memmem::find(&rest[end..], NEXT)? + end + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_record_of_its_own_tells_what_a_file_holds() {
        let info = "WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 3\r\n\r\na:b\r\n\r\n";
        let text = "WARC/1.0\r\nwarc-type:Conversion\r\n\r\nbody";
        assert_eq!(first_type(format!("{info}{info}{text}").as_bytes()).as_deref(), Some("conversion"));
        assert_eq!(first_type(text.as_bytes()).as_deref(), Some("conversion"));
        assert_eq!(first_type(info.as_bytes()), None);
        assert_eq!(first_type(b"WARC/1.0\r\nWARC-Type: resp"), None, "a header that is cut");
        assert_eq!(first_type(b"WARC/1.0\n\n").as_deref(), Some(""));
    }

    #[test]
    fn fields_are_found_whatever_their_case_and_space() {
        let header = b"WARC/1.0\r\nA: one:two \r\n b :\tthree\nC\r\nd:";
        assert_eq!(field(header, "a").as_deref(), Some("one:two"));
        assert_eq!(field(header, "B").as_deref(), Some("three"));
        assert_eq!(field(header, "c"), None);
        assert_eq!(field(header, "d").as_deref(), Some(""));
    }
}
