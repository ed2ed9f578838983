//! Splits markup into text and tags.
//!
//! Follows browsers where it matters: quotes hide `>`, comments end at `-->`, the content of
//! scripts ends at their end tag only. Nothing is copied, and every byte is read a bounded number
//! of times.

use std::ops::Range;

use memchr::{memchr, memchr3, memmem};

use super::element::Element;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    Text(Range<usize>),
    /// A tag from its name to before its `>`.
    Start {
        element: Element,
        tag: Range<usize>,
        /// Ends in `/>`.
        closed: bool,
    },
    /// The name.
    End {
        element: Element,
        name: Range<usize>,
    },
}

pub struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The element whose raw content comes next.
    raw: Option<Element>,
}

impl<'a> Scanner<'a> {
    pub fn new(html: &'a str) -> Self {
        Scanner { bytes: html.as_bytes(), at: 0, raw: None }
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn find_byte(&self, byte: u8, from: usize) -> Option<usize> {
        memchr(byte, self.bytes.get(from..)?).map(|found| from + found)
    }

    /// Where the next tag, comment or declaration begins.
    fn next_markup(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(found) = self.find_byte(b'<', at) {
            match self.byte(found + 1) {
                b'!' | b'?' => return found,
                b'/' if self.byte(found + 2).is_ascii_alphabetic() => return found,
                next if next.is_ascii_alphabetic() => return found,
                _ => at = found + 1,
            }
        }
        self.bytes.len()
    }

    /// The end of a comment, declaration or processing instruction that begins at `at`; the range
    /// is text if it is a section of character data.
    fn skip_declaration(&self, at: usize) -> (usize, Option<Range<usize>>) {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let past = |needle: &[u8], from: usize| {
            let found = memmem::find(rest.get(from..).unwrap_or_default(), needle);
            found.map_or(self.bytes.len(), |found| at + from + found + needle.len())
        };
        if rest.starts_with(b"<!--") {
            // `<!-->` and `<!--->` are whole comments.
            return (past(b"-->", 2), None);
        }
        if rest.starts_with(b"<![CDATA[") {
            let end = past(b"]]>", 9);
            let text = at + 9..end.saturating_sub(3).max(at + 9);
            return (end, Some(text));
        }
        (past(b">", 2), None)
    }

    /// The `>` that ends a tag whose name ends at `from`.
    fn tag_end(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            let found = at + memchr3(b'>', b'"', b'\'', self.bytes.get(at..)?)?;
            let quote = self.byte(found);
            if quote == b'>' {
                return Some(found);
            }
            // A quotation mark counts only at the beginning of a value, and only if it is closed.
            let before = self.bytes.get(at..found).unwrap_or_default().trim_ascii_end();
            at = found + 1;
            if before.last() == Some(&b'=') {
                at = self.find_byte(quote, at).map_or(at, |closing| closing + 1);
            }
        }
    }

    /// The raw content up to the end tag of `element`.
    fn raw_text(&mut self, element: Element) -> Range<usize> {
        let start = self.at;
        let mut at = start;
        while let Some(found) = self.find_byte(b'<', at) {
            if self.byte(found + 1) == b'/' && self.element_at(found + 2).0 == element {
                self.at = found;
                return start..found;
            }
            at = found + 1;
        }
        self.at = self.bytes.len();
        start..self.at
    }

    /// The element whose name begins at `at`, and where the name ends.
    fn element_at(&self, at: usize) -> (Element, usize) {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let ends = |byte: &u8| matches!(byte, b'>' | b'/' | b' ' | b'\n' | b'\t' | b'\r' | b'\x0c');
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        (Element::named(rest.get(..length).unwrap_or_default()), at + length)
    }
}

impl Iterator for Scanner<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        if let Some(element) = self.raw.take() {
            let range = self.raw_text(element);
            if !range.is_empty() {
                return Some(Token::Text(range));
            }
        }
        loop {
            if self.at >= self.bytes.len() {
                return None;
            }
            let start = self.at;
            let markup = self.next_markup(start);
            if markup > start {
                self.at = markup;
                return Some(Token::Text(start..markup));
            }
            match self.byte(start + 1) {
                b'!' | b'?' => {
                    let (end, text) = self.skip_declaration(start);
                    self.at = end;
                    if let Some(text) = text.filter(|text| !text.is_empty()) {
                        return Some(Token::Text(text));
                    }
                }
                b'/' => {
                    let (element, name_end) = self.element_at(start + 2);
                    self.at = self.find_byte(b'>', name_end).map_or(self.bytes.len(), |end| end + 1);
                    return Some(Token::End { element, name: start + 2..name_end });
                }
                _ => {
                    let (element, name_end) = self.element_at(start + 1);
                    let Some(end) = self.tag_end(name_end) else {
                        self.at = self.bytes.len();
                        return None;
                    };
                    self.at = end + 1;
                    let closed = end > name_end && self.byte(end - 1) == b'/';
                    if element.is_raw() && !closed {
                        self.raw = Some(element);
                    }
                    return Some(Token::Start { element, tag: start + 1..end, closed });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(html: &str) -> Vec<String> {
        let tokens = Scanner::new(html).map(|token| match token {
            Token::Text(range) => html[range].to_owned(),
            Token::Start { tag, closed, .. } => format!("<{}{}", &html[tag], if closed { "|" } else { "" }),
            Token::End { name, .. } => format!("</{}", &html[name]),
        });
        tokens.collect()
    }

    #[test]
    fn quotes_comments_and_raw_text() {
        assert_eq!(shown("a<b title='>' x=\"<i>\">c</b >"), ["a", "<b title='>' x=\"<i>\"", "c", "</b"]);
        assert_eq!(shown("<!doctype html><!-- <p> -->a<!-->b<?php x?>c"), ["a", "b", "c"]);
        assert_eq!(
            shown("<script>if (a</b) '</p>'</SCRIPT>x"),
            ["<script", "if (a</b) '</p>'", "</SCRIPT", "x"]
        );
        assert_eq!(shown("<![CDATA[1 < 2]]>3 < 4 <5"), ["1 < 2", "3 < 4 <5"]);
        assert_eq!(shown("<br/>x<a b"), ["<br/|", "x"]);
    }

    #[test]
    fn a_quote_without_a_partner_does_not_eat_the_page() {
        assert_eq!(shown("<a title=\"x>y</a>z"), ["<a title=\"x", "y", "</a", "z"]);
        assert_eq!(shown("<a don't>y</a>"), ["<a don't", "y", "</a"]);
    }
}
