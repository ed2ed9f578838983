//! The paper's first two phases: white space collapsed, then text and non-text apart.
//!
//! Every character goes to one of two streams of UTF-8 bytes, or to none:
//! - *text*: word characters of the text rules (letters, marks, digits) but not the underscore, and
//!   one space wherever white space stood between two of them. No space at either end.
//! - *non-text*: every other visible character, without white space; and each link as a whole, letters
//!   and all. A link starts with `http://` or `https://` in any case and runs through visible ASCII
//!   characters other than `"`, `<`, `>` and `` ` ``.
//! - neither: control characters, and characters that are ignored by default, such as zero-width
//!   spaces. So no stream ever holds a zero byte.
//!
//! Bytes are handed out one by one, because both streams grow at once and neither is ever stored.

use icu_casemap::CaseMapper;

use crate::text::{Class, class, is_ignorable};

/// Takes the bytes of one stream.
pub trait Sink {
    fn push(&mut self, byte: u8);
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Text,
    NonText,
    Space,
    Nothing,
}

/// Splits a text into the two streams; with `fold`, upper and lower case count as the same.
pub fn filter(text: &str, fold: bool, words: &mut impl Sink, symbols: &mut impl Sink) {
    let bytes = text.as_bytes();
    let folder = CaseMapper::new();
    let (mut begun, mut space) = (false, false);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() {
            let link = if byte | 0x20 == b'h' { link_length(&bytes[at..]) } else { 0 };
            if link > 0 {
                let link = &bytes[at..at + link];
                link.iter()
                    .for_each(|byte| symbols.push(if fold { byte.to_ascii_lowercase() } else { *byte }));
                at += link.len();
                continue;
            }
            at += 1;
            match ASCII[usize::from(byte)] {
                Kind::Text => {
                    if begun && space {
                        words.push(b' ');
                    }
                    (begun, space) = (true, false);
                    words.push(if fold { byte.to_ascii_lowercase() } else { byte });
                }
                Kind::NonText => symbols.push(byte),
                Kind::Space => space = true,
                Kind::Nothing => {}
            }
            continue;
        }
        let Some(character) = text[at..].chars().next() else { break };
        at += character.len_utf8();
        let shown = if fold { folder.simple_fold(character) } else { character };
        let mut buffer = [0; 4];
        let encoded = shown.encode_utf8(&mut buffer).bytes();
        match kind(character) {
            Kind::Text => {
                if begun && space {
                    words.push(b' ');
                }
                (begun, space) = (true, false);
                encoded.for_each(|byte| words.push(byte));
            }
            Kind::NonText => encoded.for_each(|byte| symbols.push(byte)),
            Kind::Space => space = true,
            Kind::Nothing => {}
        }
    }
}

const ASCII: [Kind; 128] = {
    let mut table = [Kind::NonText; 128];
    let mut code = 0;
    while code < 128 {
        let byte = code as u8;
        if byte.is_ascii_alphanumeric() {
            table[code] = Kind::Text;
        } else if matches!(byte, b' ' | b'\t'..=b'\r') {
            table[code] = Kind::Space;
        } else if byte.is_ascii_control() {
            table[code] = Kind::Nothing;
        }
        code += 1;
    }
    table
};

fn kind(character: char) -> Kind {
    if character.is_whitespace() {
        Kind::Space
    } else if character.is_control() || is_ignorable(character) {
        Kind::Nothing
    } else if class(character) == Class::Separator {
        Kind::NonText
    } else {
        Kind::Text
    }
}

/// How many bytes the link at the start has; 0 if there is none.
fn link_length(bytes: &[u8]) -> usize {
    let after = |from: usize, part: &[u8]| {
        bytes.get(from..from + part.len()).is_some_and(|found| found.eq_ignore_ascii_case(part))
    };
    if !after(0, b"http") {
        return 0;
    }
    let secure = usize::from(after(4, b"s"));
    if !after(4 + secure, b"://") {
        return 0;
    }
    let prefix = 7 + secure;
    let in_link = |byte: &&u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'`');
    match bytes[prefix..].iter().take_while(in_link).count() {
        0 => 0,
        rest => prefix + rest,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl Sink for Vec<u8> {
        fn push(&mut self, byte: u8) {
            Vec::push(self, byte);
        }
    }

    fn streams(text: &str, fold: bool) -> (String, String) {
        let (mut words, mut symbols) = (Vec::new(), Vec::new());
        filter(text, fold, &mut words, &mut symbols);
        (String::from_utf8(words).unwrap(), String::from_utf8(symbols).unwrap())
    }

    #[test]
    fn worked_examples() {
        for (text, words, symbols) in [
            ("  Hello,\t\n big   world! ", "Hello big world", ",!"),
            ("a - b_c", "a bc", "-_"),
            ("\u{200b}soft\u{ad}ware\u{7}\0", "software", ""),
            ("naïve 東京。", "naïve 東京", "。"),
            ("e\u{301} 👍 ½", "e\u{301}", "👍½"),
            ("see HTTPS://a.b/C?d=1, or http://x。次", "see or 次", "HTTPS://a.b/C?d=1,http://x。"),
            ("<a href=\"http://x.y\">t</a>", "a hrefta", "<=\"http://x.y\"></>"),
            ("http:// shttps http:/x", "http shttps httpx", "://:/"),
        ] {
            assert_eq!(streams(text, false), (words.to_owned(), symbols.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn folding_unites_cases_and_nothing_else() {
        assert_eq!(streams("ÉCOLE Http://A.b", true), streams("école http://a.B", true));
        assert_ne!(streams("a.", true), streams("a!", true));
    }

    proptest! {
        /// One character at a time, as the module's description says; links are tested above.
        #[test]
        fn equals_the_rules_followed_literally(text in "[a-zA-Z0-9_.:/<>\" \t\n\0é東\u{301}\u{200b}\u{a0}—😀]{0,80}") {
            prop_assume!(!text.to_ascii_lowercase().contains("http"));
            let is_text = |c: char| c != '_' && class(c) != Class::Separator;
            let is_gone = |c: char| c.is_control() && !c.is_whitespace() || c == '\u{200b}';
            let plain: String = text.chars().filter(|&c| is_text(c) || c.is_whitespace()).collect();
            let words: Vec<&str> = plain.split_whitespace().collect();
            let is_symbol = |c: char| !is_text(c) && !c.is_whitespace() && !is_gone(c);
            let symbols: String = text.chars().filter(|&c| is_symbol(c)).collect();
            prop_assert_eq!(streams(&text, false), (words.join(" "), symbols));
        }
    }
}
