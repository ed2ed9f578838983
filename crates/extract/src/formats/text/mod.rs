//! Plain text in any encoding.
//!
//! In this order: a byte order mark; the pattern of UTF-16 and UTF-32; escapes of the seven-bit
//! encodings; valid UTF-8 except for a few bytes; the declared encoding, if the bytes fit it;
//! statistics. A declaration alone is not trusted: mail and web pages are full of wrong ones.

mod ebcdic;
mod escaped;
mod wide;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{BIG5, Encoding, GB18030, GBK, UTF_8, WINDOWS_1252};

use crate::body::Body;
use crate::document::Extracted;
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

/// How much of a text is examined for its encoding.
const SAMPLE: usize = 128 << 10;

/// How many bytes beyond ASCII are enough for statistics.
const ENOUGH: usize = 4096;

pub const FORMAT: Format = Format {
    kind: Kind::Text,
    category: Category::Text,
    summary: "Plain text in any encoding",
    signs: &[Sign { stage: Stage::Rest, recognise: |_, _| Some(Kind::Text) }],
    read,
    read_stream: None,
};

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let text = decode(file.bytes, None);
    let mut body = Body::default();
    body.lines(&text);
    let (text, marks) = body.finish();
    out.document(Extracted { kind: file.kind, text, marks, ..Extracted::default() })
}

/// Notes it if many of a document's characters are unreadable: they could not be decoded, or are signs
/// of a particular font.
pub fn doubt_unreadable(document: &mut Extracted) {
    let (mut all, mut lost) = (0_usize, 0_usize);
    for character in document.text.chars().filter(|character| !character.is_whitespace()) {
        all += 1;
        lost += usize::from(matches!(character,
            '\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}'));
    }
    if lost * 4 > all && all > 0 {
        let share = 100 * lost / all;
        document.doubt(0.3, format!("{share} % of its characters are not known"));
    }
}

/// Whether the bytes can be text in some encoding: NUL bytes only as in UTF-16 and UTF-32, hardly
/// any control characters.
pub fn seems_text(bytes: &[u8]) -> bool {
    if wide::marked(bytes).is_some() {
        return true;
    }
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    if memchr::memchr(0, sample).is_some() {
        return wide::unmarked(sample).is_some();
    }
    let controls = sample.iter().filter(|&&byte| is_binary_control(byte)).count();
    controls * 50 <= sample.len()
}

/// Decodes the bytes in their declared encoding if it is known and fits, or in the one they seem to
/// have. Never fails: what cannot be decoded becomes U+FFFD.
pub fn decode<'a>(bytes: &'a [u8], declared: Option<&str>) -> Cow<'a, str> {
    if let Some(text) = wide::decode(bytes) {
        return Cow::Owned(text);
    }
    if let Some(text) = ebcdic::decode(bytes) {
        return Cow::Owned(text);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Some(text) = escaped::decode(bytes, declared) {
        return Cow::Owned(text);
    }
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    encoding_of(bytes, declared).decode_without_bom_handling(bytes).0
}

/// The text, if the bytes are UTF-32.
pub fn utf32(bytes: &[u8]) -> Option<String> {
    let wide = wide::marked(bytes).map(|(wide, _)| wide).or_else(|| wide::unmarked(bytes))?;
    matches!(wide, wide::Wide::Utf32Little | wide::Wide::Utf32Big).then(|| wide::decode(bytes)).flatten()
}

/// The encoding of text in which ASCII characters are single bytes.
pub fn encoding_of(bytes: &[u8], declared: Option<&str>) -> &'static Encoding {
    // The first bytes beyond ASCII are the best evidence, with some context before them.
    let start = Encoding::ascii_valid_up_to(bytes).saturating_sub(256);
    let sample = &bytes[start..bytes.len().min(start + SAMPLE)];
    if is_nearly_utf8(sample) {
        return UTF_8;
    }
    let declared = declared.and_then(encoding_named);
    match declared {
        Some(encoding) if fits(encoding, sample) => encoding,
        declared => detect(sample, declared),
    }
}

/// The encoding with this name; misspelt names are understood, too.
pub fn encoding_named(label: &str) -> Option<&'static Encoding> {
    let clean = |character: char| {
        character.is_whitespace() || matches!(character, '"' | '\'' | '=' | ';' | '<' | '>')
    };
    let label = label.trim_matches(clean).to_ascii_lowercase();
    let label = label.strip_prefix("charset").unwrap_or(&label).trim_matches(clean);
    let label = label.strip_suffix("_charset").unwrap_or(label);
    let encoding = match label {
        "cp936" | "ms936" | "windows-936" | "euc-cn" | "euccn" | "x-euc-cn" => Some(GBK),
        "cp950" | "ms950" | "windows-950" => Some(BIG5),
        "cp932" | "ms932" | "windows-932" | "shift-jis-2004" => Some(encoding_rs::SHIFT_JIS),
        "cp949" | "ms949" | "uhc" => Some(encoding_rs::EUC_KR),
        "utf-8-sig" | "utf-8mb4" | "utf8mb4" => Some(UTF_8),
        other => {
            // cp1252 is known as windows-1252, latin-1 as latin1.
            Encoding::for_label(other.as_bytes())
                .or_else(|| Encoding::for_label(other.replace("cp125", "windows-125").as_bytes()))
                .or_else(|| Encoding::for_label(other.replace("latin-", "latin").as_bytes()))
                .or_else(|| Encoding::for_label(other.replace("iso8859_", "iso-8859-").as_bytes()))
        }
    };
    // "replacement" in the browsers' list stands for text that `escaped` decodes or nobody does.
    encoding.filter(|encoding| *encoding != encoding_rs::REPLACEMENT && encoding.is_ascii_compatible())
}

/// Control characters that no text has. Backspace, escape and shift occur in texts of terminals and
/// in seven-bit encodings; DOS ended its files with 0x1a.
fn is_binary_control(byte: u8) -> bool {
    matches!(byte, 0..=7 | 0x10..=0x19 | 0x1c..=0x1f | 0x7f)
}

/// Whether everything except a few stray bytes, or a truncated character at the end, is UTF-8.
fn is_nearly_utf8(sample: &[u8]) -> bool {
    let (mut characters, mut broken, mut seen, mut cut) = (0usize, 0usize, 0, false);
    for chunk in sample.utf8_chunks() {
        seen += chunk.valid().len() + chunk.invalid().len();
        characters += chunk.valid().bytes().filter(|byte| *byte >= 0xc0).count();
        if !chunk.invalid().is_empty() {
            broken += 1;
            cut = seen == sample.len();
        }
    }
    characters >= 16 * broken || (broken == 1 && cut && characters > 0)
}

/// Whether the sample can be in the declared encoding.
fn fits(encoding: &'static Encoding, sample: &[u8]) -> bool {
    if encoding == UTF_8 {
        return false;
    }
    if encoding.is_single_byte() {
        // Ignorant senders declare Latin-1. In its texts few letters beyond ASCII are neighbours,
        // in East Asian ones almost all bytes are.
        return !is_western(encoding) || !is_in_pairs(sample);
    }
    if encoding == GBK || encoding == GB18030 {
        // Almost any pair of bytes is a character there; text consists mostly of the common ones.
        let (common, all) = count_common_gb(sample);
        if all > 4 && common * 2 < all {
            return false;
        }
    }
    let beyond_ascii = sample.iter().filter(|byte| **byte >= 0x80).count();
    broken(encoding, sample) <= 1 + beyond_ascii / 40
}

/// By statistics; if they find nothing that fits better, by the declaration.
fn detect(sample: &[u8], declared: Option<&'static Encoding>) -> &'static Encoding {
    // Statistics are slow, and certain after some pages.
    let mut beyond_ascii = sample.iter().enumerate().filter(|(_, byte)| **byte >= 0x80);
    let enough = beyond_ascii.nth(ENOUGH).map_or(sample.len(), |(at, _)| at);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&sample[..enough], enough == sample.len() && enough < SAMPLE);
    let guess = detector.guess(None, Utf8Detection::Allow);
    match declared.filter(|declared| *declared != UTF_8) {
        // A single-byte guess is the detector's last resort, and weak evidence for a few bytes.
        Some(declared) if broken(guess, sample) >= broken(declared, sample) && guess.is_single_byte() => {
            declared
        }
        Some(declared) if broken(guess, sample) > broken(declared, sample) => declared,
        _ => guess,
    }
}

fn is_western(encoding: &'static Encoding) -> bool {
    [
        WINDOWS_1252,
        encoding_rs::ISO_8859_15,
        encoding_rs::ISO_8859_2,
        encoding_rs::WINDOWS_1250,
        encoding_rs::MACINTOSH,
    ]
    .contains(&encoding)
}

/// Whether most bytes beyond ASCII have a neighbour beyond ASCII.
fn is_in_pairs(sample: &[u8]) -> bool {
    let (mut paired, mut all) = (0usize, 0usize);
    for run in sample.split(u8::is_ascii).filter(|run| !run.is_empty()) {
        all += run.len();
        if run.len() > 1 {
            paired += run.len();
        }
    }
    all > 3 && paired * 3 > all * 2
}

/// How many characters are of the first level of GB 2312, and how many there are except symbols.
fn count_common_gb(sample: &[u8]) -> (usize, usize) {
    let (mut common, mut all) = (0, 0);
    let mut rest = sample;
    while let [lead, tail @ ..] = rest {
        rest = match tail {
            [trail, after @ ..] if *lead >= 0x81 => {
                if !(0xa1..=0xa9).contains(lead) {
                    all += 1;
                    common += usize::from((0xb0..=0xd7).contains(lead) && *trail >= 0xa1);
                }
                after
            }
            _ => tail,
        };
    }
    (common, all)
}

fn broken(encoding: &'static Encoding, sample: &[u8]) -> usize {
    let (text, malformed) = encoding.decode_without_bom_handling(sample);
    if malformed { text.matches('\u{fffd}').count() } else { 0 }
}

#[cfg(test)]
mod tests;
