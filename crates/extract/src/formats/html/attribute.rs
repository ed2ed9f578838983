//! The attributes of a tag, in order, values as written.

use std::borrow::Cow;

/// Goes over `name attribute=value …`, which is a tag without its brackets.
pub struct Attributes<'a> {
    rest: &'a str,
}

impl<'a> Attributes<'a> {
    pub fn of(tag: &'a str) -> Self {
        let name_end = tag.bytes().position(|byte| is_space(byte) || byte == b'/').unwrap_or(tag.len());
        Attributes { rest: tag.get(name_end..).unwrap_or_default() }
    }

    /// The decoded value of an attribute; the first counts.
    pub fn value(tag: &'a str, name: &str) -> Option<Cow<'a, str>> {
        let mut attributes = Attributes::of(tag);
        attributes.find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| decoded(value))
    }
}

/// A value with its character references resolved.
pub fn decoded(value: &str) -> Cow<'_, str> {
    if memchr::memchr(b'&', value.as_bytes()).is_some() {
        htmlize::unescape_attribute(value)
    } else {
        Cow::Borrowed(value)
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        // All separators are ASCII, so the end of a character can be found in the bytes.
        let rest = after(self.rest, |byte| is_space(byte) || byte == b'/');
        if rest.is_empty() {
            self.rest = rest;
            return None;
        }
        // An attribute's name may begin with `=` but not go on with it.
        let stops = |byte: u8| is_space(byte) || byte == b'=' || byte == b'/';
        let name_end = rest.bytes().skip(1).position(stops).map_or(rest.len(), |found| found + 1);
        let (name, rest) = rest.split_at_checked(name_end)?;
        let Some(value) = after(rest, is_space).strip_prefix('=') else {
            self.rest = rest;
            return Some((name, ""));
        };
        let value = after(value, is_space);
        let quote = value.bytes().next().filter(|byte| matches!(byte, b'"' | b'\''));
        let closing = quote.and_then(|quote| memchr::memchr(quote, value.as_bytes().get(1..)?));
        let (value, rest) = match closing {
            Some(length) => (value.get(1..=length)?, value.get(length + 2..)?),
            None => value.split_at_checked(value.bytes().position(is_space).unwrap_or(value.len()))?,
        };
        self.rest = rest;
        Some((name, value))
    }
}

/// The text after its first bytes of a kind.
fn after(text: &str, skipped: impl Fn(u8) -> bool) -> &str {
    let start = text.bytes().position(|byte| !skipped(byte)).unwrap_or(text.len());
    text.get(start..).unwrap_or_default()
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b'\x0c')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_and_without_quotes() {
        let tag = "a href=x/y?a=1 title='it is' hidden data-x = \"&lt;\" =odd='1'/";
        let all: Vec<_> = Attributes::of(tag).collect();
        let expected =
            [("href", "x/y?a=1"), ("title", "it is"), ("hidden", ""), ("data-x", "&lt;"), ("=odd", "1")];
        assert_eq!(all, expected);
        assert_eq!(Attributes::value(tag, "DATA-X").as_deref(), Some("<"));
        assert_eq!(Attributes::value("br", "x"), None);
    }
}
