//! Header fields: found in the raw bytes, decoded only when needed.
//!
//! Nothing is copied before it is needed, since most fields of a message are of no interest.

use std::borrow::Cow;

use super::transfer;
use crate::formats::text;

/// A field as written, including folds.
struct Field<'a> {
    name: &'a [u8],
    value: &'a [u8],
    /// Where the value begins in the entity.
    at: usize,
}

#[derive(Default)]
pub struct Headers<'a>(Vec<Field<'a>>);

/// The value of `Content-Type` or `Content-Disposition`.
#[derive(Default, Debug)]
pub struct Valued {
    /// In lower case, without parameters.
    pub value: String,
    parameters: Vec<(String, String)>,
}

/// More fields than any message has.
const MOST_FIELDS: usize = 1000;

/// Cuts an entity into its header and its body.
pub fn split(bytes: &[u8]) -> (Headers<'_>, &[u8]) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut headers = Headers::default();
    let mut rest = bytes;
    while let Some((line, after)) = next_line(rest) {
        let trimmed = line.trim_ascii_end();
        if trimmed.is_empty() {
            if headers.0.is_empty() || !goes_on(line, after) {
                return (headers, after);
            }
            rest = after;
            continue;
        }
        // The rest of an encoded word that was split without a fold also belongs to its field.
        let is_cut_word = trimmed.ends_with(b"?=") && !trimmed.contains(&b' ');
        if line.starts_with(b" ") || line.starts_with(b"\t") || is_cut_word && field(trimmed).is_none() {
            if let Some(field) = headers.0.last_mut() {
                let end = bytes.len() - rest.len() + trimmed.len();
                field.value = bytes.get(field.at..end).unwrap_or(field.value);
            }
        } else if let Some((name, value)) = field(trimmed) {
            if headers.0.len() < MOST_FIELDS {
                let at = bytes.len() - rest.len() + trimmed.len() - value.len();
                headers.0.push(Field { name, value, at });
            }
        } else if !is_envelope(line) {
            // The empty line is missing.
            return (headers, rest);
        }
        rest = after;
    }
    (headers, rest)
}

/// Whether a header continues after a blank line: some gateways break folded fields with such
/// lines.
fn goes_on(blank: &[u8], after: &[u8]) -> bool {
    let next = next_line(after).map_or(&[][..], |(line, _)| line);
    let is_folded = next.starts_with(b" ") || next.starts_with(b"\t");
    let is_word = is_folded && next.trim_ascii_start().starts_with(b"=?");
    // A line of spaces does not end a header if a field follows.
    is_word || !blank.is_empty() && field(next).is_some()
}

/// A line that can be a header field, as name and value. The name consists of letters, digits and
/// dashes.
pub fn field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', &line[..line.len().min(80)])?;
    let name = line[..colon].trim_ascii_end();
    let is_name = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_graphic());
    is_name.then(|| (name, line[colon + 1..].trim_ascii_start()))
}

/// The line before a message in a mailbox.
pub fn is_envelope(line: &[u8]) -> bool {
    line.starts_with(b"From ") || line.starts_with(b">From ")
}

/// The line without its end, and what follows; `None` at the end of the bytes.
pub fn next_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    if bytes.is_empty() {
        return None;
    }
    Some(match memchr::memchr(b'\n', bytes) {
        Some(end) => (bytes[..end].strip_suffix(b"\r").unwrap_or(&bytes[..end]), &bytes[end + 1..]),
        None => (bytes, &[]),
    })
}

impl<'a> Headers<'a> {
    /// The first field of this name, undecoded.
    pub fn raw(&self, name: &str) -> Option<&'a [u8]> {
        self.0.iter().find(|field| field.name.eq_ignore_ascii_case(name.as_bytes())).map(|field| field.value)
    }

    /// The first non-empty field of this name, decoded. Raw bytes beyond ASCII are read in the
    /// encoding of the rest of the message.
    pub fn text(&self, name: &str, charset: Option<&str>) -> Option<String> {
        let mut fields = self.0.iter().filter(|field| field.name.eq_ignore_ascii_case(name.as_bytes()));
        fields.find_map(|field| Some(decoded(field.value, charset)).filter(|text| !text.is_empty()))
    }

    /// A field with parameters.
    pub fn valued(&self, name: &str) -> Option<Valued> {
        self.raw(name).map(Valued::parse)
    }

    /// The encoding that an encoded word names, as a hint for text without a declaration.
    pub fn charset_of_words(&self) -> Option<String> {
        let interesting = ["subject", "from", "to"];
        let mut values = interesting.iter().filter_map(|name| self.raw(name));
        values.find_map(|value| {
            let start = memchr::memmem::find(value, b"=?")? + 2;
            let word = value.get(start..)?;
            let end = memchr::memchr(b'?', word)?;
            let label = std::str::from_utf8(&word[..end]).ok()?;
            text::encoding_named(label).map(|_| label.to_owned())
        })
    }
}

/// A stretch of a value: bytes, and the encoding that an encoded word names for them.
type Piece<'a> = (Option<&'a [u8]>, Cow<'a, [u8]>);

/// A value for people: unfolded, with encoded words decoded.
pub fn decoded(value: &[u8], charset: Option<&str>) -> String {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let mut rest = value;
    // No word begins after this position; so each search for an end succeeds, and words are read
    // once.
    let last_end = memchr::memmem::rfind(value, b"?=").map_or(0, |at| value.len() - at);
    while let Some(start) = memchr::memmem::find(rest, b"=?").filter(|start| rest.len() - start > last_end) {
        let before = &rest[..start];
        let Some((label, bytes, after)) = word(&rest[start + 2..]) else {
            pieces.push((None, Cow::Borrowed(&rest[..start + 2])));
            rest = &rest[start + 2..];
            continue;
        };
        // White space between encoded words is not part of the text.
        let between_words = pieces.last().is_some_and(|(label, _)| label.is_some());
        if !(before.trim_ascii().is_empty() && between_words) {
            pieces.push((None, Cow::Borrowed(before)));
        }
        match pieces.last_mut() {
            // A character may be split between two words.
            Some((Some(last), piece)) if last.eq_ignore_ascii_case(label) => {
                piece.to_mut().extend_from_slice(&bytes)
            }
            _ => pieces.push((Some(label), Cow::Owned(bytes))),
        }
        rest = after;
    }
    pieces.push((None, Cow::Borrowed(rest)));
    let mut decoded = String::with_capacity(value.len());
    for (label, bytes) in &pieces {
        let label = label.map(String::from_utf8_lossy);
        decoded += &text::decode(bytes, label.as_deref().or(charset));
    }
    let mut shown = String::with_capacity(decoded.len());
    for piece in decoded.split(|character: char| character.is_whitespace() || character.is_control()) {
        if !piece.is_empty() {
            if !shown.is_empty() {
                shown.push(' ');
            }
            shown += piece;
        }
    }
    shown
}

/// `charset?B?text?=` as charset, bytes and what follows.
fn word(bytes: &[u8]) -> Option<(&[u8], Vec<u8>, &[u8])> {
    let question = memchr::memchr(b'?', &bytes[..bytes.len().min(60)])?;
    // A language may follow the encoding's name.
    let label = bytes[..question].split(|byte| *byte == b'*').next()?;
    let [method, b'?', rest @ ..] = bytes.get(question + 1..)? else { return None };
    if !matches!(method, b'B' | b'b' | b'Q' | b'q') {
        return None;
    }
    let end = memchr::memmem::find(rest, b"?=")?;
    let decoded = match method {
        b'B' | b'b' => transfer::base64(&rest[..end]),
        _ => {
            let spaced: Vec<u8> =
                rest[..end].iter().map(|byte| if *byte == b'_' { b' ' } else { *byte }).collect();
            transfer::quoted_printable(&spaced)
        }
    };
    Some((label, decoded, &rest[end + 2..]))
}

impl Valued {
    fn parse(value: &[u8]) -> Valued {
        let text = text::decode(value, None);
        let mut pieces = pieces(&text).into_iter();
        let value = pieces.next().unwrap_or_default().to_ascii_lowercase();
        let value = value.split_whitespace().next().unwrap_or_default().trim_matches('"').to_owned();
        let parameters = pieces
            .filter_map(|piece| {
                let (name, value) = piece.split_once('=')?;
                Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
            })
            .take(200)
            .collect();
        Valued { value, parameters }
    }

    /// A parameter, including those that are encoded or split as in RFC 2231.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let find = |name: &str| {
            self.parameters.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
        };
        if let Some(value) = find(name) {
            return Some(decoded(value.as_bytes(), None)).filter(|value| !value.is_empty());
        }
        let mut bytes = Vec::new();
        let mut encoded = false;
        if let Some(value) = find(&format!("{name}*")) {
            encoded = true;
            bytes.extend_from_slice(value.as_bytes());
        }
        for number in 0..self.parameters.len() {
            if let Some(value) = find(&format!("{name}*{number}*")) {
                encoded = true;
                bytes.extend_from_slice(value.as_bytes());
            } else if let Some(value) = find(&format!("{name}*{number}")) {
                bytes.extend_from_slice(value.as_bytes());
            } else {
                break;
            }
        }
        if bytes.is_empty() {
            return None;
        }
        if !encoded {
            return Some(decoded(&bytes, None));
        }
        let mut parts = bytes.splitn(3, |byte| *byte == b'\'');
        let (label, value) = match (parts.next(), parts.next(), parts.next()) {
            (Some(label), Some(_), Some(value)) => (String::from_utf8_lossy(label).into_owned(), value),
            _ => (String::new(), &bytes[..]),
        };
        let value = transfer::percent(value);
        Some(text::decode(&value, Some(&label)).into_owned())
    }
}

/// Splits at semicolons outside of quotation marks and drops the marks.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut quoted = false;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let Some(piece) = pieces.last_mut() else { break };
        match character {
            '"' => quoted = !quoted,
            '\\' if quoted => piece.extend(characters.next()),
            ';' if !quoted => pieces.push(String::new()),
            '\r' | '\n' => {}
            other => piece.push(other),
        }
    }
    pieces
}
