//! The answer of a server: header, then a body that may be chunked and compressed.

use std::borrow::Cow;
use std::io::Read;

use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use lookalike_core::warc::field;

use crate::budget::Budget;
use crate::reason::Reason;

pub struct Fetched<'a> {
    pub body: Cow<'a, [u8]>,
    /// The media type, such as `text/html`, in lower case; empty if unknown.
    pub kind: String,
    pub charset: Option<String>,
}

impl<'a> Fetched<'a> {
    pub fn plain(body: &'a [u8], content_type: Option<String>) -> Fetched<'a> {
        let content_type = content_type.unwrap_or_default().to_ascii_lowercase();
        let charset = content_type.split_once("charset=").map(|(_, after)| {
            after.split(';').next().unwrap_or_default().trim_matches(['"', '\'', ' ']).to_owned()
        });
        let kind = content_type.split(';').next().unwrap_or_default().trim().to_owned();
        Fetched { body: Cow::Borrowed(body), kind, charset }
    }
}

/// The page, if the answer is one; errors and redirections are not.
pub fn open<'a>(answer: &'a [u8], budget: &mut Budget) -> Result<Option<Fetched<'a>>, Reason> {
    let end = memchr::memmem::find(answer, b"\r\n\r\n").map(|at| (at, at + 4));
    let end = end.or_else(|| memchr::memmem::find(answer, b"\n\n").map(|at| (at, at + 2)));
    let Some((end, start)) = end else { return Ok(None) };
    let (header, body) = (&answer[..end], &answer[start..]);
    let status = header.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if status.split(|byte| *byte == b' ').nth(1).map(<[u8]>::trim_ascii) != Some(b"200") {
        return Ok(None);
    }
    let mut fetched = Fetched::plain(body, field(header, "content-type"));
    if field(header, "transfer-encoding")
        .is_some_and(|coding| coding.to_ascii_lowercase().contains("chunked"))
        && let Some(whole) = joined(body)
    {
        fetched.body = Cow::Owned(whole);
    }
    let coding = field(header, "content-encoding").unwrap_or_default().to_ascii_lowercase();
    let packed: &[u8] = &fetched.body;
    let unpacked = match coding.as_str() {
        // Crawlers that store the body unpacked keep the header.
        "gzip" | "x-gzip" if packed.starts_with(b"\x1f\x8b") => {
            unpack(&mut MultiGzDecoder::new(packed), budget)?
        }
        "deflate" if packed.first().is_some_and(|byte| byte & 0x0f == 8) => {
            unpack(&mut ZlibDecoder::new(packed), budget)?
        }
        "deflate" => unpack(&mut DeflateDecoder::new(packed), budget)?,
        "br" if std::str::from_utf8(packed).is_err() => {
            return Err(Reason::Unsupported("a page compressed with Brotli".to_owned()));
        }
        _ => return Ok(Some(fetched)),
    };
    fetched.body = Cow::Owned(unpacked);
    Ok(Some(fetched))
}

/// The content that could be decompressed before the end or the damage.
fn unpack(stream: &mut dyn Read, budget: &mut Budget) -> Result<Vec<u8>, Reason> {
    budget.read_what_is_there(stream, 0).map(|(bytes, _)| bytes)
}

/// The joined chunks; `None` if the body is not chunked.
fn joined(body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::with_capacity(body.len());
    let mut rest = body;
    let mut first = true;
    while let Some(line) = memchr::memchr(b'\n', &rest[..rest.len().min(64)]) {
        let digits = rest[..line].split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        let size = std::str::from_utf8(digits).ok().and_then(|digits| usize::from_str_radix(digits, 16).ok());
        let Some(size) = size else { break };
        first = false;
        rest = &rest[line + 1..];
        let (chunk, after) = rest.split_at(size.min(rest.len()));
        whole.extend_from_slice(chunk);
        if size == 0 || after.is_empty() {
            break;
        }
        let after = after.strip_prefix(b"\r").unwrap_or(after);
        rest = after.strip_prefix(b"\n").unwrap_or(after);
    }
    (!first).then_some(whole)
}
