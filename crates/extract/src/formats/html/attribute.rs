//! The attributes of a tag, in order, values as written.

use std::borrow::Cow;

/// Goes over `name attribute=value …`, which is a tag without its brackets.
pub struct Attributes<'a> {
    rest: &'a str,
}

impl<'a> Attributes<'a> {
    pub fn of(tag: &'a str) -> Self {
        let name_end = tag.find(|byte: char| is_space(byte) || byte == '/').unwrap_or(tag.len());
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
        let rest = self.rest.trim_start_matches(|character| is_space(character) || character == '/');
        if rest.is_empty() {
            self.rest = rest;
            return None;
        }
        // An attribute's name may begin with `=` but not go on with it.
        let stops = |character: char| is_space(character) || character == '=' || character == '/';
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let name_end = rest.get(first..)?.find(stops).map_or(rest.len(), |found| first + found);
        let (name, rest) = rest.split_at_checked(name_end)?;
        let Some(value) = rest.trim_start_matches(is_space).strip_prefix('=') else {
            self.rest = rest;
            return Some((name, ""));
        };
        let value = value.trim_start_matches(is_space);
        let quoted = value.strip_prefix('"').map(|inner| (inner, '"'));
        let quoted = quoted.or_else(|| value.strip_prefix('\'').map(|inner| (inner, '\'')));
        let (value, rest) = match quoted.and_then(|(inner, quote)| inner.split_once(quote)) {
            Some(parts) => parts,
            None => value.split_at(value.find(is_space).unwrap_or(value.len())),
        };
        self.rest = rest;
        Some((name, value))
    }
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\n' | '\t' | '\r' | '\x0c')
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
