//! Reads a line of JSON that is an object of plain values, as most are, faster than a parser of everything.

/// Calls `each` with every key and the JSON of its value. Returns whether that was all of the line: it is not if a value
/// is an array or an object, if a key has escapes, or if the line is not JSON, which a parser can explain.
pub fn for_each_field<'a>(line: &'a str, mut each: impl FnMut(&'a str, &'a str)) -> bool {
    let mut reader = Reader { line, at: 0 };
    reader.object(&mut each).is_some()
}

struct Reader<'a> {
    line: &'a str,
    at: usize,
}

/// Each function passes what it names, and returns `None` if that is not here.
impl<'a> Reader<'a> {
    fn object(&mut self, each: &mut impl FnMut(&'a str, &'a str)) -> Option<()> {
        self.mark(b'{')?;
        if self.mark(b'}').is_some() {
            return self.end();
        }
        loop {
            self.space();
            let key = self.string()?;
            let key = key.get(1..key.len() - 1).filter(|key| !key.contains('\\'))?;
            self.mark(b':')?;
            self.space();
            each(key, self.value()?);
            if self.mark(b',').is_none() {
                self.mark(b'}')?;
                return self.end();
            }
        }
    }

    fn end(&mut self) -> Option<()> {
        self.space();
        (self.at == self.line.len()).then_some(())
    }

    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// A mark, and white space before it.
    fn mark(&mut self, mark: u8) -> Option<()> {
        self.space();
        self.byte(|byte| byte == mark)
    }

    fn byte(&mut self, is: impl Fn(u8) -> bool) -> Option<()> {
        self.peek().filter(|&byte| is(byte)).map(|_| self.at += 1)
    }

    fn value(&mut self) -> Option<&'a str> {
        let start = self.at;
        match self.peek()? {
            b'"' => return self.string(),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number(),
        }?;
        self.line.get(start..self.at)
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.line.get(self.at..)?.starts_with(word).then(|| self.at += word.len())
    }

    fn number(&mut self) -> Option<()> {
        let _ = self.byte(|byte| byte == b'-');
        match self.byte(|byte| byte == b'0') {
            Some(()) => {}
            None => self.digits()?,
        }
        if self.byte(|byte| byte == b'.').is_some() {
            self.digits()?;
        }
        if self.byte(|byte| matches!(byte, b'e' | b'E')).is_some() {
            let _ = self.byte(|byte| matches!(byte, b'+' | b'-'));
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        self.byte(|byte| byte.is_ascii_digit())?;
        while self.byte(|byte| byte.is_ascii_digit()).is_some() {}
        Some(())
    }

    /// A string, with its quotation marks.
    fn string(&mut self) -> Option<&'a str> {
        let bytes = self.line.as_bytes();
        let start = self.at;
        self.byte(|byte| byte == b'"')?;
        loop {
            self.at += plain(&bytes[self.at..]) + 1;
            match bytes.get(self.at - 1)? {
                b'"' => break,
                b'\\' => {}
                // Control characters must be escaped.
                _ => return None,
            }
            match self.peek()? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
                b'u' => {
                    let digits = bytes.get(self.at + 1..self.at + 5)?;
                    self.at += digits.iter().all(u8::is_ascii_hexdigit).then_some(5)?;
                }
                _ => return None,
            }
        }
        self.line.get(start..self.at)
    }
}

/// How many bytes there are before the first that means something within a string, or is not allowed there.
fn plain(bytes: &[u8]) -> usize {
    // Eight at a time, in one number: most texts have marks every few dozen bytes, so that finding the place matters as
    // much as passing what is before it.
    let (eights, rest) = bytes.as_chunks::<8>();
    for (number, eight) in eights.iter().enumerate() {
        let found = marks(u64::from_le_bytes(*eight));
        if found != 0 {
            return 8 * number + found.trailing_zeros() as usize / 8;
        }
    }
    let means = |byte: &u8| *byte < b' ' || *byte == b'"' || *byte == b'\\';
    8 * eights.len() + rest.iter().position(means).unwrap_or(rest.len())
}

/// The highest bit of the first of eight bytes that means something, and maybe of some after it; 0 if none does.
#[inline(always)]
fn marks(eight: u64) -> u64 {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    // A byte below the limit borrows from the next, so what is above the first found may be wrong.
    let below = |bytes: u64, limit: u8| bytes.wrapping_sub(EACH * u64::from(limit)) & !bytes;
    let equal = |byte: u8| below(eight ^ (EACH * u64::from(byte)), 1);
    (below(eight, b' ') | equal(b'"') | equal(b'\\')) & (EACH << 7)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use proptest::prelude::*;
    use serde::de::{Deserializer, MapAccess, Visitor};
    use serde_json::value::RawValue;

    use super::*;

    /// All keys and values, by the parser of everything; `None` if it refuses the line.
    fn parsed(line: &str) -> Option<Vec<(String, String)>> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Vec<(String, String)>;

            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut found = Vec::new();
                while let Some((key, value)) = map.next_entry::<Cow<'de, str>, &RawValue>()? {
                    found.push((key.into_owned(), value.get().to_owned()));
                }
                Ok(found)
            }
        }
        let mut parser = serde_json::Deserializer::from_str(line);
        let found = parser.deserialize_map(Fields).ok()?;
        parser.end().ok().map(|()| found)
    }

    /// Whether the line was read.
    fn check(line: &str) -> bool {
        let mut found = Vec::new();
        let is_read = for_each_field(line, |key, value| found.push((key.to_owned(), value.to_owned())));
        assert!(!is_read || parsed(line).as_ref() == Some(&found), "{line:?}: {found:?}");
        is_read
    }

    #[test]
    fn plain_objects_are_read_and_others_left() {
        for line in [
            "{}",
            " { } \n",
            r#"{"id": 1, "text":"a \"b\" \u00e9\\ \/","t":true,"f":false,"n":null}"#,
            r#"{"id":-0.5e+10,"x":0,"y":1E5,"z":12.30, "id":"again"}"#,
            "\t{\"a\"\n:\r\"é東 \u{7f}\"}",
        ] {
            assert!(check(line), "{line}");
        }
        for line in [
            "",
            "[]",
            "{",
            "{\"a\"",
            "{\"a\":1",
            "{\"a\":1,}",
            "{\"a\":1}x",
            "{,}",
            "{\"a\":[1]}",
            "{\"a\":{}}",
            "{\"\\u0061\":1}",
            "{\"a\":\"\\x\"}",
            "{\"a\":\"\\u12g4\"}",
            "{\"a\":\"\\u12",
            "{\"a\":\"\n\"}",
            "{\"a\u{1}\":1}",
            "{\"a\":01}",
            "{\"a\":1.}",
            "{\"a\":.5}",
            "{\"a\":+1}",
            "{\"a\":1e}",
            "{\"a\":-}",
            "{\"a\":tru}",
            "{\"a\":truex}",
            "{\"a\" 1}",
            "{a:1}",
            "{\"a\":\"b}",
            "{\"a\":\"b\\",
        ] {
            assert!(!check(line), "{line}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_a_parser_reads(
            fields in proptest::collection::vec((
                "[a-c\\\\]{0,3}",
                "-?[0-9]{1,3}(\\.[0-9]{0,2})?([eE][+-]?[0-9]{0,2})?|true|null|\\[1\\]|\"[a\\\\u00e9\"\\PC\\x00-\\x20]{0,9}\"|\"(\\\\[nu\"/]|[a0é]){0,9}\"",
            ), 0..4),
            space in "[ \\t\\n]{0,2}|x", cut in 0usize..60,
        ) {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("\"{key}\"{space}:{space}{value}")).collect();
            let line = format!("{{{space}{}{space}}}{space}", fields.join(","));
            check(&line);
            check(&line.chars().take(cut).collect::<String>());
        }

        #[test]
        fn objects_of_texts_are_read(texts in proptest::collection::btree_map("[a-z]{1,5}", "\\PC{0,40}|[\\x00-\\x7f]{0,40}", 0..5)) {
            prop_assert!(check(&serde_json::to_string(&texts).unwrap()));
        }
    }
}
