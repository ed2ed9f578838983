//! Files whose header is truncated, damaged or far from their beginning. They are recognised by their
//! objects, which no other format has.

use memchr::memmem;

const HEADER: &[u8] = b"%PDF-";
/// Readers have always looked this far for the header.
const NEAR: usize = 1024;
/// How far it is searched in a file with other signs of a PDF.
const FAR: usize = 1 << 20;
/// Where the end of a file is marked as such.
const TAIL: usize = 4096;

/// Whether the header is near the beginning and followed by parts of a PDF.
pub fn is_near_start(bytes: &[u8]) -> bool {
    memmem::find(&bytes[..bytes.len().min(NEAR)], HEADER).is_some_and(|at| has_objects(&bytes[at..]))
}

/// Whether the file is a PDF without a header, or with one after much foreign content.
pub fn is_behind_other_bytes(bytes: &[u8]) -> bool {
    let tail = &bytes[bytes.len().saturating_sub(TAIL)..];
    let has_end = [&b"%%EOF"[..], b"startxref"].iter().any(|sign| memmem::find(tail, sign).is_some());
    let far = || {
        let head = &bytes[..bytes.len().min(FAR)];
        let is_line = |&at: &usize| at == 0 || matches!(head[at - 1], b'\n' | b'\r' | 0);
        memmem::find_iter(head, HEADER).find(is_line)
    };
    match first_object(&bytes[..bytes.len().min(NEAR)]) {
        // Prose about the format has objects, too, but does not begin with one.
        Some(_) => has_objects(bytes) && (has_end || memmem::find(bytes, b"/Catalog").is_some()),
        None => has_end && far().is_some_and(|at| has_objects(&bytes[at..])),
    }
}

/// The file with a proper beginning, if it does not have one.
pub fn mended(bytes: &[u8]) -> Option<Vec<u8>> {
    match memmem::find(&bytes[..bytes.len().min(FAR)], HEADER) {
        Some(0) => None,
        Some(at) => Some(bytes[at..].to_vec()),
        None => Some([b"%PDF-1.4\n", bytes].concat()),
    }
}

fn has_objects(bytes: &[u8]) -> bool {
    memmem::find(bytes, b" obj").is_some() && memmem::find(bytes, b"endobj").is_some()
}

/// Where the first object begins: two numbers and a word on a line of their own.
fn first_object(head: &[u8]) -> Option<usize> {
    memmem::find_iter(head, b" obj").find(|&at| {
        let line = head[..at].rsplit(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        let mut numbers = line.split(|&byte| byte == b' ');
        let is_number = |word: Option<&[u8]>| {
            word.is_some_and(|word| !word.is_empty() && word.iter().all(u8::is_ascii_digit))
        };
        is_number(numbers.next()) && is_number(numbers.next()) && numbers.next().is_none()
    })
}
