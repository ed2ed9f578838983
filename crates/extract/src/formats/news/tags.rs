//! Reads tags that are neither proper XML nor HTML: unclosed, in any case, next to bare `<` and
//! `&`.

use std::borrow::Cow;

use crate::body::Body;
use crate::formats::text;

#[derive(Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The name in upper case, and the attributes as written.
    Open(String, &'a str),
    Close(String),
    /// Text with entities as written.
    Text(&'a str),
}

/// The longest tag.
const LONGEST_TAG: usize = 2000;

pub struct Tags<'a> {
    rest: &'a str,
}

impl<'a> Tags<'a> {
    pub fn new(text: &'a str) -> Self {
        Tags { rest: text }
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            if let Some((event, length)) = tag(self.rest) {
                self.rest = self.rest.get(length..).unwrap_or_default();
                match event {
                    Some(event) => return Some(event),
                    None => continue,
                }
            }
            // Text to the next tag; a bare "<" is part of it.
            let mut signs = memchr::memchr_iter(b'<', self.rest.as_bytes()).skip_while(|at| *at == 0);
            let next = signs.find(|at| self.rest.get(*at..).is_some_and(|rest| tag(rest).is_some()));
            let (text, rest) = self.rest.split_at_checked(next.unwrap_or(self.rest.len()))?;
            self.rest = rest;
            return Some(Event::Text(text));
        }
    }
}

/// The tag at the beginning of the text, and its length; comments and declarations give none.
fn tag(text: &str) -> Option<(Option<Event<'_>>, usize)> {
    let inside = text.strip_prefix('<')?;
    if inside.starts_with("!--") {
        return Some((None, text.find("-->").map_or(text.len(), |end| end + 3)));
    }
    if !inside.starts_with(|character: char| {
        character.is_ascii_alphabetic() || matches!(character, '/' | '!' | '?')
    }) {
        return None;
    }
    let head = inside.as_bytes();
    let end = memchr::memchr(b'>', &head[..head.len().min(LONGEST_TAG)])?;
    let inside = &inside[..end];
    if inside.starts_with('!') || inside.starts_with('?') {
        return Some((None, end + 2));
    }
    let (closes, inside) = match inside.strip_prefix('/') {
        Some(inside) => (true, inside),
        None => (false, inside),
    };
    let name_end = inside.find(|character: char| !is_name(character)).unwrap_or(inside.len());
    let (name, attributes) = inside.split_at(name_end);
    let is_tag = name.starts_with(|character: char| character.is_ascii_alphabetic())
        && (attributes.is_empty()
            || attributes.starts_with(|character: char| character.is_whitespace() || character == '/'))
        && !attributes.contains('<');
    let name = name.to_ascii_uppercase();
    is_tag.then(|| {
        (Some(if closes { Event::Close(name) } else { Event::Open(name, attributes.trim()) }), end + 2)
    })
}

fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.' | ':')
}

/// `A="x" B=y` as names in lower case and values.
pub fn attributes(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let (value, next) = match after.chars().next() {
            Some(quote @ ('"' | '\'')) => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
            _ => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        found.push((name.trim().to_ascii_lowercase(), unescaped(value).into_owned()));
        rest = next;
    }
    found
}

/// Entities of HTML, and those that only news collections have.
pub fn unescaped(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'&', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let own = text.contains("&blank;") || text.contains("&hyph;");
    let text = if own {
        Cow::Owned(text.replace("&blank;", " ").replace("&hyph;", "-"))
    } else {
        Cow::Borrowed(text)
    };
    htmlize::unescape(text)
}

/// Adds text line by line. It may begin and end in the middle of a line.
pub fn push_lines(text: &str, body: &mut Body) {
    let mut ends = 0;
    for (number, line) in text.split('\n').enumerate() {
        ends += usize::from(number > 0);
        if ends > 1 {
            body.block();
        } else if ends == 1 {
            body.line();
        }
        if !line.trim().is_empty() {
            ends = 0;
        }
        body.push(line);
    }
}

/// White space and control characters as single spaces, none at the ends.
pub fn collapsed(text: &str) -> String {
    let pieces = text.split(|character: char| character.is_whitespace() || character.is_control());
    pieces.filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The records that begin with `<name`, each as decoded text from there to its end; a record that is
/// not closed ends where the next begins. `name` as the file writes it, upper or lower case.
pub fn records<'a>(bytes: &'a [u8], name: &str) -> impl Iterator<Item = (Cow<'a, str>, &'a [u8])> {
    let wide = name.to_ascii_uppercase();
    let small = name.to_ascii_lowercase();
    let has = |name: &str| memchr::memmem::find(bytes, format!("<{name}").as_bytes());
    let written = match (has(&wide), has(&small)) {
        (Some(upper), Some(lower)) if lower < upper => small,
        (None, Some(_)) => small,
        _ => wide,
    };
    let open = memchr::memmem::Finder::new(format!("<{written}").as_bytes()).into_owned();
    let close = memchr::memmem::Finder::new(format!("</{written}>").as_bytes()).into_owned();
    // All records are in one encoding.
    let encoding = text::encoding_of(bytes, Some("windows-1252")).name();
    let begin = move |bytes: &[u8], from: usize| {
        open.find_iter(bytes.get(from..)?).map(|at| from + at).find(|at| {
            let after = bytes.get(at + open.needle().len());
            after.is_some_and(|byte| *byte == b'>' || byte.is_ascii_whitespace())
        })
    };
    let mut next = begin(bytes, 0);
    std::iter::from_fn(move || {
        let start = next?;
        next = begin(bytes, start + 1);
        let record = bytes.get(start..next.unwrap_or(bytes.len()))?;
        let record = close.find(record).map_or(record, |end| &record[..end]);
        Some((text::decode(record, Some(encoding)), record))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_signs_are_text_and_tags_need_not_be_closed() {
        let events: Vec<Event<'_>> = Tags::new("<!x><A b=1>1 < 2 <3><!-- <p> --></a>x<p").collect();
        let text = |text| Event::Text(text);
        assert_eq!(
            events,
            [Event::Open("A".into(), "b=1"), text("1 < 2 <3>"), Event::Close("A".into()), text("x<p"),]
        );
    }

    #[test]
    fn attributes_and_entities() {
        assert_eq!(
            attributes("A=\"x &amp; y\" b='c' D=e"),
            [
                ("a".to_owned(), "x & y".to_owned()),
                ("b".to_owned(), "c".to_owned()),
                ("d".to_owned(), "e".to_owned()),
            ]
        );
        assert_eq!(unescaped("a&blank;b&hyph;c &lt;AT&T>"), "a b-c <AT&T>");
    }
}
