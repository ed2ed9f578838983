//! The strings of JSON, found without building a tree: no nesting is too deep, and strings before
//! an error are found as well.

use std::borrow::Cow;

/// A value that is a string; keys are only remembered for the value that follows.
pub struct Found<'a> {
    /// As written, without the quotes.
    pub raw: &'a str,
    /// The key of the value, if it is a member of an object.
    pub key: Option<&'a str>,
}

pub struct Strings<'a> {
    text: &'a str,
    at: usize,
    key: Option<&'a str>,
    depth: i64,
    broken: Option<&'static str>,
}

impl<'a> Strings<'a> {
    pub fn new(text: &'a str) -> Self {
        Strings { text, at: 0, key: None, depth: 0, broken: None }
    }

    /// The next string that is a value.
    pub fn next(&mut self) -> Option<Found<'a>> {
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let Some(step) =
                rest.iter().position(|byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']' | b','))
            else {
                if self.depth > 0 {
                    self.broken = Some("it breaks off before its end");
                }
                self.at = self.text.len();
                return None;
            };
            let sign = rest[step];
            self.at += step + 1;
            match sign {
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth -= 1;
                    self.key = None;
                }
                b',' => self.key = None,
                _ => {
                    let Some(raw) = self.string() else {
                        self.broken = Some("it breaks off within a string");
                        self.at = self.text.len();
                        return None;
                    };
                    let after = self.text.as_bytes()[self.at..].trim_ascii_start();
                    if after.first() == Some(&b':') {
                        self.key = Some(raw);
                    } else {
                        return Some(Found { raw, key: self.key.take() });
                    }
                }
            }
        }
    }

    /// The first error, once everything is read.
    pub fn broken(&self) -> Option<&'static str> {
        self.broken
    }

    /// The range from after the opening quote to after the closing one.
    fn string(&mut self) -> Option<&'a str> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start;
        loop {
            at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
            if bytes[at] == b'"' {
                break;
            }
            // An escaped character is never the end.
            at += 2;
        }
        self.at = at + 1;
        self.text.get(start..at)
    }
}

impl<'a> Found<'a> {
    pub fn value(&self) -> Cow<'a, str> {
        if !self.raw.contains('\\') {
            return Cow::Borrowed(self.raw);
        }
        // Invalid escapes and control characters are left as they are.
        let quoted = format!("\"{}\"", self.raw);
        serde_json::from_str::<String>(&quoted).map_or_else(|_| Cow::Owned(loosely(self.raw)), Cow::Owned)
    }
}

/// Unescapes what is unambiguous.
fn loosely(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut characters = raw.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n' | 'r') => text.push('\n'),
                Some('t' | 'b' | 'f') => text.push(' '),
                Some('u') => {
                    let digits: String = characters.by_ref().take(4).collect();
                    text.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
                }
                Some(other) => text.push(other),
                None => {}
            },
            other => text.push(other),
        }
    }
    text
}
