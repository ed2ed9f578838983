//! Transfer encodings: base64, quoted-printable, uuencode. Invalid parts are skipped, since a
//! damaged message still has readable content.

use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    Plain,
    Base64,
    QuotedPrintable,
    Uuencode,
}

impl Transfer {
    pub fn named(name: &str) -> Transfer {
        match name.trim_matches(['"', '\'', ' ']).to_ascii_lowercase().as_str() {
            "base64" => Transfer::Base64,
            "quoted-printable" => Transfer::QuotedPrintable,
            "x-uuencode" | "uuencode" | "x-uue" | "uue" => Transfer::Uuencode,
            _ => Transfer::Plain,
        }
    }

    /// Decodes the bytes. Bytes that are not in the declared encoding (an archive may have decoded
    /// them and kept the header) are left as they are.
    pub fn decode<'a>(self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        match self {
            Transfer::Plain => Cow::Borrowed(bytes),
            Transfer::Base64 if is_base64(bytes) => Cow::Owned(base64(bytes)),
            Transfer::Base64 => Cow::Borrowed(bytes),
            Transfer::QuotedPrintable if memchr::memchr(b'=', bytes).is_none() => Cow::Borrowed(bytes),
            Transfer::QuotedPrintable => Cow::Owned(quoted_printable(bytes)),
            Transfer::Uuencode => match find_uuencoded(bytes) {
                Some(found) => Cow::Owned(uudecode(found.data)),
                None => Cow::Borrowed(bytes),
            },
        }
    }
}

const NONE: u8 = 0xff;

/// The value of each base64 digit.
const DIGITS: [u8; 256] = {
    let mut table = [NONE; 256];
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value = 0;
    while value < 64 {
        table[digits[value] as usize] = value as u8;
        value += 1;
    }
    table
};

pub fn base64(bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(bytes.len() / 4 * 3 + 3);
    let (mut bits, mut digits) = (0u32, 0u32);
    // A group cut short by padding or the end holds one or two bytes.
    let short = |bits: u32, digits: u32, decoded: &mut Vec<u8>| match digits {
        2 => decoded.push((bits >> 4) as u8),
        3 => decoded.extend_from_slice(&((bits >> 2) as u16).to_be_bytes()),
        _ => {}
    };
    for &byte in bytes {
        let value = DIGITS[usize::from(byte)];
        if value != NONE {
            bits = bits << 6 | u32::from(value);
            digits += 1;
            if digits == 4 {
                decoded.extend_from_slice(&bits.to_be_bytes()[1..]);
                (bits, digits) = (0, 0);
            }
        } else if byte == b'=' {
            short(bits, digits, &mut decoded);
            (bits, digits) = (0, 0);
        }
    }
    short(bits, digits, &mut decoded);
    decoded
}

pub fn quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'=', rest) {
        decoded.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(byte) = hexadecimal(rest) {
            decoded.push(byte);
            rest = &rest[2..];
            continue;
        }
        // A soft line break, perhaps with white space before the line end.
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        match rest.get(blanks) {
            Some(b'\n') => rest = &rest[blanks + 1..],
            None => rest = &[],
            Some(_) => decoded.push(b'='),
        }
    }
    decoded.extend_from_slice(rest);
    decoded
}

/// `%41` → `A`.
pub fn percent(bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        match hexadecimal(after).filter(|_| byte == b'%') {
            Some(value) => {
                decoded.push(value);
                rest = &after[2..];
            }
            None => {
                decoded.push(byte);
                rest = after;
            }
        }
    }
    decoded
}

/// A file within text, between `begin 644 name` and `end`.
pub struct Uuencoded<'a> {
    pub name: &'a [u8],
    pub data: &'a [u8],
    /// Where it begins and ends in the text.
    pub start: usize,
    pub end: usize,
}

/// The first such file. Its first line must be well-formed, so that prose is not mistaken for one.
pub fn find_uuencoded(bytes: &[u8]) -> Option<Uuencoded<'_>> {
    for at in memchr::memmem::find_iter(bytes, b"begin ") {
        if at > 0 && bytes[at - 1] != b'\n' {
            continue;
        }
        let line_end = at + memchr::memchr(b'\n', &bytes[at..])?;
        let line = bytes[at + 6..line_end].trim_ascii();
        let Some(space) = memchr::memchr(b' ', line) else { continue };
        let (mode, name) = (&line[..space], line[space..].trim_ascii());
        let is_mode = (3..=4).contains(&mode.len()) && mode.iter().all(|byte| (b'0'..=b'7').contains(byte));
        let data = &bytes[line_end + 1..];
        if !is_mode || name.is_empty() || !is_uuencoded_line(data.split(|byte| *byte == b'\n').next()?) {
            continue;
        }
        let mut length = 0;
        for line in data.split_inclusive(|byte| *byte == b'\n') {
            let trimmed = line.trim_ascii();
            if trimmed == b"end" {
                let end = line_end + 1 + length + line.len();
                return Some(Uuencoded { name, data: &data[..length], start: at, end });
            }
            if !trimmed.is_empty() && !is_uuencoded_line(line) {
                break;
            }
            length += line.len();
        }
        return Some(Uuencoded { name, data: &data[..length], start: at, end: line_end + 1 + length });
    }
    None
}

fn is_uuencoded_line(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let Some((&length, digits)) = line.split_first() else { return false };
    let wanted = usize::from(length.wrapping_sub(b' ') & 63).div_ceil(3) * 4;
    // Trailing spaces get lost, checksums get added.
    line.iter().all(|byte| (b' '..=b'`').contains(byte))
        && digits.len() <= wanted + 3
        && digits.len() + 8 >= wanted
}

pub fn uudecode(data: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(data.len() / 4 * 3);
    for line in data.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Some((&length, digits)) = line.split_first() else { continue };
        let length = usize::from(length.wrapping_sub(b' ') & 63);
        let start = decoded.len();
        for group in digits.chunks(4) {
            let value = |at: usize| u32::from(group.get(at).map_or(0, |byte| byte.wrapping_sub(b' ') & 63));
            let bits = value(0) << 18 | value(1) << 12 | value(2) << 6 | value(3);
            decoded.extend_from_slice(&bits.to_be_bytes()[1..]);
        }
        decoded.truncate(start + length);
    }
    decoded
}

/// Whether hardly any byte is foreign to base64.
fn is_base64(bytes: &[u8]) -> bool {
    let sample = &bytes[..bytes.len().min(4096)];
    let foreign = |byte: &&u8| {
        DIGITS[usize::from(**byte)] == NONE && !matches!(byte, b'=' | b'\r' | b'\n' | b' ' | b'\t')
    };
    let spaces = sample.iter().filter(|byte| **byte == b' ').count();
    (sample.iter().filter(foreign).count() + spaces) * 20 <= sample.len()
}

fn hexadecimal(bytes: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    u8::try_from(digit(0)? << 4 | digit(1)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_undone_and_damage_is_passed_over() {
        for (written, plain) in [
            (&b"SGVsbG8gd29ybGQ="[..], &b"Hello world"[..]),
            (b"SGVs\r\nbG8g\r\nd29ybGQ", b"Hello world"),
            (b"SGVsbG8=d29ybGQ=", b"Helloworld"),
            (b"SGVs!!bG8=", b"Hello"),
            (b"", b""),
        ] {
            assert_eq!(base64(written), plain, "{}", String::from_utf8_lossy(written));
        }
        for (written, plain) in
            [(&b"caf=C3=A9 =\r\n1=3D1"[..], "café 1=1"), (b"a = b =ZZ =", "a = b =ZZ "), (b"x=  \ny", "xy")]
        {
            assert_eq!(quoted_printable(written), plain.as_bytes());
        }
        assert_eq!(percent(b"a%20b%zz%4"), b"a b%zz%4");
    }

    #[test]
    fn what_is_said_to_be_base64_and_is_not_stays() {
        let plain = "Schon entschlüsselter Text, aber der Kopf sagt base64.".as_bytes();
        assert_eq!(Transfer::named(" Base64").decode(plain), plain);
        assert_eq!(&*Transfer::Base64.decode(b"SGVsbG8gd29ybGQ=\n"), b"Hello world");
    }

    #[test]
    fn uuencoded_files_are_found_and_prose_is_not() {
        let text = b"Hi,\nbegin 644 a.txt\n+:&5L;&\\@=V]R;&0`\n`\nend\nbye\n";
        let found = find_uuencoded(text).expect("a file");
        assert_eq!((found.name, &text[found.end..]), (&b"a.txt"[..], &b"bye\n"[..]));
        assert_eq!(uudecode(found.data), b"hello world");
        assert!(find_uuencoded(b"begin 644 times to say this, or\nso I thought\n").is_none());
        assert!(find_uuencoded(b"begin ").is_none());
    }
}
