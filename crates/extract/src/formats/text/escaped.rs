//! Encodings that consist of ASCII bytes and switch by escapes: ISO-2022-JP, ISO-2022-KR, HZ and
//! UTF-7. They are old, but still occur in mail archives.

use encoding_rs::{EUC_KR, GBK, ISO_2022_JP};

/// The text, if the bytes are in one of these encodings: judged by their escapes or, if those could
/// be chance, by escapes and declaration together.
pub fn decode(bytes: &[u8], declared: Option<&str>) -> Option<String> {
    let has = |needle: &[u8]| memchr::memmem::find(bytes, needle).is_some();
    if memchr::memchr(0x1b, bytes).is_some() {
        if has(b"\x1b$)C") {
            return Some(shifted(bytes, Shift::Korean));
        }
        let japanese: [&[u8]; 5] = [b"\x1b$B", b"\x1b$@", b"\x1b(J", b"\x1b(I", b"\x1b$(D"];
        if japanese.iter().any(|escape| has(escape)) {
            let bytes = without_idle_escapes(bytes);
            let (text, malformed) = ISO_2022_JP.decode_without_bom_handling(&bytes);
            // Raw bytes beyond ASCII among the escapes do not belong to this encoding.
            if !malformed || text.matches('\u{fffd}').count() * 50 < text.len() {
                return Some(text.into_owned());
            }
        }
    }
    match declared?.trim_matches(['"', '\'', ' ']).to_ascii_lowercase().as_str() {
        "hz-gb-2312" | "hz" if has(b"~{") => Some(shifted(bytes, Shift::Chinese)),
        "iso-2022-kr" if has(b"\x0e") => Some(shifted(bytes, Shift::Korean)),
        "utf-7" | "unicode-1-1-utf-7" | "x-unicode-2-0-utf-7" if bytes.is_ascii() => Some(utf7(bytes)),
        _ => None,
    }
}

/// Removes escapes that are directly followed by another, as where encoded words were joined: the
/// decoder treats them as an attack.
fn without_idle_escapes(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(0x1b, rest) {
        let (before, escape) = rest.split_at(at);
        kept.extend_from_slice(before);
        let length = if escape.starts_with(b"\x1b$(") { 4 } else { 3 }.min(escape.len());
        if escape.get(length) != Some(&0x1b) {
            kept.extend_from_slice(&escape[..length]);
        }
        rest = &escape[length..];
    }
    kept.extend_from_slice(rest);
    kept
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shift {
    /// `~{` and `~}`, as in HZ.
    Chinese,
    /// Shift out and shift in, as in ISO-2022-KR.
    Korean,
}

/// Within shifts the bytes are those of GB 2312 or KS X 1001 without the highest bit.
fn shifted(bytes: &[u8], shift: Shift) -> String {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut inside = false;
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (shift, byte, after.first()) {
            (Shift::Chinese, b'~', Some(&next @ (b'{' | b'}' | b'~' | b'\n'))) => {
                inside = if next == b'{' { true } else { inside && next != b'}' };
                if next == b'~' {
                    plain.push(b'~');
                }
                rest = &after[1..];
            }
            (Shift::Korean, 0x1b, _) if after.starts_with(b"$)C") => rest = &after[3..],
            (Shift::Korean, 0x0e, _) => inside = true,
            (Shift::Korean, 0x0f, _) => inside = false,
            (_, b'\n', _) => {
                inside = false;
                plain.push(byte);
            }
            _ => plain.push(if inside && byte > b' ' { byte | 0x80 } else { byte }),
        }
    }
    let encoding = if shift == Shift::Chinese { GBK } else { EUC_KR };
    encoding.decode_without_bom_handling(&plain).0.into_owned()
}

/// `+` begins UTF-16 in base64 without padding; anything else, or `-`, ends it.
fn utf7(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        if byte != b'+' {
            text.push(char::from(byte));
            rest = after;
            continue;
        }
        let end = after.iter().position(|byte| sextet(*byte).is_none()).unwrap_or(after.len());
        if end == 0 {
            text.push('+');
        } else {
            let (mut bits, mut held, mut units) = (0u32, 0u32, Vec::with_capacity(end / 2));
            for value in after[..end].iter().filter_map(|byte| sextet(*byte)) {
                bits = bits << 6 | u32::from(value);
                held += 6;
                if held >= 16 {
                    held -= 16;
                    units.push((bits >> held) as u16);
                    bits &= (1 << held) - 1;
                }
            }
            text.extend(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)));
        }
        rest = &after[end..];
        rest = rest.strip_prefix(b"-").unwrap_or(rest);
    }
    text
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}
