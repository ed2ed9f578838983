//! JSON: the text of its strings, without keys and syntax; notebooks as a person reads them.
//!
//! Any number of values may follow one another, as in JSON lines; all of them are one document. A
//! truncated file is read as far as it goes and reported as such. Numbers are no text: a file of
//! measurements has nothing to compare.

mod notebook;
mod strings;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::Deserializer;

use crate::body::Body;
use crate::document::{Extracted, Tag};
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

use self::strings::Strings;
use super::text::{decode, seems_text};

/// How much of a file shows whether it begins like JSON.
const HEAD: usize = 4096;
/// A longer string without a space is encoded data, not text.
const LONGEST_WORD: usize = 200;
/// If strings are a smaller share of a file than this, they are identifiers rather than text.
const LEAST_SHARE: f64 = 0.1;

pub const JSON: Format = Format {
    kind: Kind::Json,
    category: Category::Text,
    summary: "JSON and JSON lines: the text of all strings",
    signs: &[Sign { stage: Stage::Syntax, recognise: |bytes, _| kind_of_json(bytes) }],
    read,
    read_stream: None,
};

pub const NOTEBOOK: Format = Format {
    kind: Kind::Notebook,
    category: Category::Text,
    summary: "Jupyter notebooks: prose, code and what it printed",
    signs: &[],
    read: read_notebook,
    read_stream: None,
};

/// Recognises JSON and notebooks by their beginning and, if that is not certain, by the whole file.
pub fn kind_of_json(bytes: &[u8]) -> Option<Kind> {
    let head = &bytes[..bytes.len().min(HEAD)];
    let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let is_wide = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    if !is_wide && !matches!(start.first(), Some(b'{' | b'[')) || !seems_text(head) {
        return None;
    }
    let text = if is_wide { decode(bytes, None) } else { Cow::Borrowed("") };
    let whole = if is_wide { text.as_bytes() } else { bytes };
    let whole = whole.strip_prefix(b"\xef\xbb\xbf").unwrap_or(whole).trim_ascii_start();
    if !begins_as_value(whole) && !is_whole(whole) {
        return None;
    }
    Some(if notebook::is_notebook(whole) { Kind::Notebook } else { Kind::Json })
}

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let text = decode(file.bytes, None);
    out.document(plain(&text, file.kind))
}

pub fn read_notebook(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let text = decode(file.bytes, None);
    match notebook::notebook(&text, out) {
        Some(document) => out.document(document),
        // A notebook that is truncated or nested too deep still has its strings.
        None => out.document(plain(&text, file.kind)),
    }
}

/// All strings that are text, each a block.
fn plain(text: &str, kind: Kind) -> Extracted {
    let mut document = Extracted { kind, ..Extracted::default() };
    let mut body = Body::default();
    let mut strings = Strings::new(text);
    let mut of_text = 0;
    while let Some(string) = strings.next() {
        let value = string.value();
        if is_packed(&value) {
            continue;
        }
        of_text += string.raw.len();
        if is_address(&value) {
            document.links.insert(value.split('#').next().unwrap_or_default().to_owned());
        }
        body.block();
        let is_title = string.key == Some("title") && document.title.is_none() && value.len() < 500;
        if is_title && !value.trim().is_empty() {
            document.title = Some(value.split_whitespace().collect::<Vec<_>>().join(" "));
            body.open(Tag::Heading);
        }
        body.lines(&value);
        if is_title {
            body.close(Tag::Heading);
        }
    }
    (document.text, document.marks) = body.finish();
    let written = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
    let share = of_text as f64 / written.max(1) as f64;
    if share < LEAST_SHARE && !document.text.is_empty() {
        document.doubt(0.3, format!("strings are only {:.0} % of this JSON", 100.0 * share));
    }
    if let Some(how) = strings.broken() {
        document.doubt(0.4, how);
    }
    document
}

/// Whether it begins as an object with its first key, or as an array of objects.
fn begins_as_value(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(inner) = rest.strip_prefix(b"[") {
        rest = inner.trim_ascii_start();
    }
    let Some(inner) = rest.strip_prefix(b"{") else { return false };
    let Some(key) = inner.trim_ascii_start().strip_prefix(b"\"") else { return false };
    let end = key.iter().take(HEAD).position(|&byte| byte == b'"');
    end.is_some_and(|end| key[end + 1..].trim_ascii_start().first() == Some(&b':'))
}

/// Whether the whole file consists of JSON values.
fn is_whole(bytes: &[u8]) -> bool {
    let mut values = Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
    values.next().is_some_and(|first| first.is_ok()) && values.all(|value| value.is_ok())
}

/// Keys, pictures and the like: long, and without a space or a letter beyond ASCII.
fn is_packed(value: &str) -> bool {
    value.starts_with("data:") && value.len() > LONGEST_WORD
        || value.len() > LONGEST_WORD
            && value.is_ascii()
            && value.split_ascii_whitespace().all(|word| word.len() >= 60)
}

fn is_address(value: &str) -> bool {
    (value.starts_with("http://") || value.starts_with("https://"))
        && value.len() < 2000
        && !value.contains(char::is_whitespace)
}
