//! A file inside one wrapper that is not a container: encoded as text (uuencode, base64) or signed as a
//! whole. Also keys and encrypted messages, which look like it.

use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

use super::mail::{signed, transfer};

/// Fewer bytes of base64 could be a word.
const LEAST: usize = 120;

pub const FORMAT: Format = Format {
    kind: Kind::Encoded,
    category: Category::Other,
    summary: "What is written in letters (base64, uuencode) or signed as a whole",
    signs: &[
        Sign { stage: Stage::NearStart, recognise: |bytes, _| is_signed(bytes).then_some(Kind::Encoded) },
        Sign { stage: Stage::Syntax, recognise: |bytes, _| is_encoded(bytes).then_some(Kind::Encoded) },
    ],
    read,
    read_stream: None,
};

fn is_encoded(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    if start.starts_with(b"begin ") {
        return transfer::find_uuencoded(start).is_some_and(|found| found.start == 0);
    }
    armour(start).is_some() || is_base64(bytes)
}

/// Whether the file is a signed or encrypted message in its binary form (`.p7m`).
fn is_signed(bytes: &[u8]) -> bool {
    bytes.first() == Some(&0x30) && !matches!(signed::open_bytes(bytes), signed::Content::Other)
}

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    match signed::open_bytes(file.bytes) {
        signed::Content::Encrypted => return Err(Reason::Encrypted),
        signed::Content::Signed(bytes) => {
            out.budget.spend(bytes.len() as u64)?;
            let name = file.name.strip_suffix(".p7m").unwrap_or(file.name);
            return out.unwrapped(name, &bytes);
        }
        signed::Content::Other => {}
    }
    let start = file.bytes.trim_ascii_start();
    if let Some(reason) = armour(start) {
        return Err(reason);
    }
    let uuencoded = start.starts_with(b"begin ").then(|| transfer::find_uuencoded(start)).flatten();
    let (name, bytes) = match uuencoded {
        Some(found) => (String::from_utf8_lossy(found.name).into_owned(), transfer::uudecode(found.data)),
        None => (file.name.to_owned(), transfer::base64(file.bytes)),
    };
    out.budget.spend(bytes.len() as u64)?;
    out.unwrapped(&name, &bytes)
}

/// Why a file between lines like `-----BEGIN PGP MESSAGE-----` is not read; `None` for text that is
/// only signed.
fn armour(start: &[u8]) -> Option<Reason> {
    let line = start.strip_prefix(b"-----BEGIN ")?.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let what = line.trim_end().strip_suffix("-----")?;
    match what {
        "PGP SIGNED MESSAGE" => None,
        "PGP MESSAGE" | "ENCRYPTED MESSAGE" | "AGE ENCRYPTED FILE" => Some(Reason::Encrypted),
        what => Some(Reason::Unsupported(format!("{}, no text", what.to_lowercase()))),
    }
}

/// One line, or lines of one length with a shorter last one, of base64 digits only. A text with one long
/// word per line has lines of many lengths.
fn is_base64(bytes: &[u8]) -> bool {
    let body = bytes.trim_ascii();
    let body = body.strip_suffix(b"==").or(body.strip_suffix(b"=")).unwrap_or(body);
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    if body.len() < LEAST || !body.iter().all(|byte| is_digit(byte) || matches!(byte, b'\r' | b'\n')) {
        return false;
    }
    let mut lines = body.split(|&byte| byte == b'\n').map(|line| line.trim_ascii_end().len());
    let width = lines.next().unwrap_or_default();
    let mut others: Vec<usize> = lines.collect();
    let last = others.pop().unwrap_or_default();
    // Prose without spaces and columns of numbers have fewer different characters.
    let has = |is: fn(&u8) -> bool| body.iter().any(is);
    width >= 40
        && last <= width
        && others.iter().all(|&other| other == width)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use crate::{ExtractOutcome, Kind, Options, Reason, extract};

    fn first(bytes: &[u8]) -> Result<(Kind, String), Reason> {
        let mut outcomes = Vec::new();
        extract(bytes, "", &Options::default(), &mut |outcome| outcomes.push(outcome));
        match outcomes.remove(0) {
            ExtractOutcome::Document(document) => Ok((document.kind, document.text)),
            ExtractOutcome::Unreadable { reason, .. } => Err(reason),
        }
    }

    #[test]
    fn what_is_wrapped_in_letters_is_read() {
        assert_eq!(
            first(b"begin 644 a.txt\n+:&5L;&\\@=V]R;&0`\n`\nend\n"),
            Ok((Kind::Text, "hello world".into()))
        );
        // "All members agreed to the minutes of the last meeting.\n" three times over.
        let line = "QWxsIG1lbWJlcnMgYWdyZWVkIHRvIHRoZSBtaW51dGVzIG9mIHRoZSBsYXN0IG1lZXRpbmcu";
        let encoded = format!("{line}\n{line}\nQWdyZWVkLg==\n");
        let (kind, text) = first(encoded.as_bytes()).unwrap();
        assert_eq!(kind, Kind::Text);
        assert!(text.starts_with("All members agreed") && text.ends_with("Agreed."), "{text}");
    }

    #[test]
    fn keys_and_locked_messages_are_refused() {
        assert_eq!(
            first(b"-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n"),
            Err(Reason::Encrypted)
        );
        let key = first(b"-----BEGIN RSA PRIVATE KEY-----\nMIIC\n-----END RSA PRIVATE KEY-----\n");
        assert_eq!(key, Err(Reason::Unsupported("rsa private key, no text".to_owned())));
        let signed = first(b"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\nAll agreed.\n");
        assert!(signed.is_ok_and(|(kind, text)| kind == Kind::Text && text.contains("All agreed.")));
    }

    #[test]
    fn words_are_not_letters_of_a_code() {
        for prose in
            ["Donaudampfschifffahrtsgesellschaft\n".repeat(9), "x".repeat(500), "0123456789ABCDEF".repeat(40)]
        {
            assert_eq!(first(prose.as_bytes()).map(|(kind, _)| kind), Ok(Kind::Text), "{prose}");
        }
    }
}
