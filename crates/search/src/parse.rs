//! The query language: words, `"phrases"`, `-word`, `field:word`, `OR`.
//!
//! All parts must occur, unless joined by `OR`, which binds more tightly: `a b OR c` means a, and b or c. A word
//! that Lookalike splits (`e-mail`, `東京`) is a phrase. Nothing is a syntax error: an unclosed quote ends with the
//! query, an operator without a word is ignored, an unknown field is a word. Only the size is limited, because the
//! work grows with it.

use lookalike_core::{Error, Result};

use crate::schema::Fields;
use crate::words::words;

pub(crate) const LONGEST_QUERY: usize = 4096;
pub(crate) const MOST_WORDS: usize = 128;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parsed {
    /// At least one item of each group must match.
    pub groups: Vec<Vec<Item>>,
    /// None of these may match.
    pub excluded: Vec<Item>,
}

/// A word, or several that must follow each other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    /// A place in [`Fields::names`]; `None`: text or title.
    pub field: Option<usize>,
    pub words: Vec<String>,
}

impl Parsed {
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.excluded.is_empty()
    }
}

pub(crate) fn parse(query: &str, fields: &Fields) -> Result<Parsed> {
    if query.len() > LONGEST_QUERY {
        let length = query.len();
        return Err(Error::input(format!(
            "the query has {length} bytes; shorten it to at most {LONGEST_QUERY}"
        )));
    }
    let mut parsed = Parsed::default();
    let mut count = 0;
    let (mut joins, mut negates) = (false, false);
    for chunk in (Chunks { rest: query }) {
        let Chunk { negated, text, quoted } = chunk;
        if !quoted && !negated {
            match text {
                "OR" | "|" => {
                    joins = !parsed.groups.is_empty();
                    continue;
                }
                "AND" | "&" => continue,
                "NOT" => {
                    negates = true;
                    continue;
                }
                _ => {}
            }
        }
        let (field, text) = split_field(text, quoted, fields);
        let item = Item { field, words: words(text) };
        if item.words.is_empty() {
            continue;
        }
        count += item.words.len();
        if count > MOST_WORDS {
            return Err(Error::input(format!("the query has more than {MOST_WORDS} words; leave some out")));
        }
        if negated || negates {
            parsed.excluded.push(item);
        } else {
            match parsed.groups.last_mut() {
                Some(group) if joins => group.push(item),
                _ => parsed.groups.push(vec![item]),
            }
        }
        (joins, negates) = (false, false);
    }
    Ok(parsed)
}

/// A piece of the query: what is between spaces, or between quotes with the field before them.
struct Chunk<'a> {
    negated: bool,
    text: &'a str,
    /// Whether part of it was in quotes: then it is no operator.
    quoted: bool,
}

struct Chunks<'a> {
    rest: &'a str,
}

const QUOTES: [char; 4] = ['"', '“', '”', '„'];

impl<'a> Iterator for Chunks<'a> {
    type Item = Chunk<'a>;

    fn next(&mut self) -> Option<Chunk<'a>> {
        let rest = self.rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let start = rest.trim_start_matches('-');
        let negated = start.len() < rest.len() && !start.starts_with(char::is_whitespace);
        let end = start.find(|c: char| c.is_whitespace() || QUOTES.contains(&c)).unwrap_or(start.len());
        let is_quote = start[end..].starts_with(QUOTES);
        // A quote starts a phrase of its own, except right after the name of a field.
        if !is_quote || end > 0 && !start[..end].ends_with(':') {
            self.rest = &start[end..];
            return Some(Chunk { negated, text: &start[..end], quoted: false });
        }
        let mut inside = start[end..].chars();
        inside.next();
        let inside = inside.as_str();
        let length = inside.find(QUOTES).unwrap_or(inside.len());
        let mut after = inside[length..].chars();
        after.next();
        self.rest = after.as_str();
        let from = start.len() - inside.len();
        Some(Chunk { negated, text: &start[..from + length], quoted: true })
    }
}

/// The field that a chunk names, and the rest. Remaining quotes separate words like spaces.
fn split_field<'a>(chunk: &'a str, quoted: bool, fields: &Fields) -> (Option<usize>, &'a str) {
    if let Some((name, value)) = chunk.split_once(':')
        && let Some(place) = fields.by_query_name(name)
        && (quoted || !value.is_empty())
    {
        return (Some(place), value);
    }
    (None, chunk)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::schema::SearchSettings;

    /// The query in one line: groups apart by `;`, what one group joins by `|`.
    fn shown(query: &str) -> String {
        let fields = Fields::new(&SearchSettings::default()).unwrap();
        let parsed = parse(query, &fields).unwrap();
        let item = |item: &Item| {
            let field = item.field.map(|place| format!("{}:", fields.names[place])).unwrap_or_default();
            format!("{field}{}", item.words.join("+"))
        };
        let groups = parsed.groups.iter();
        let groups = groups.map(|group| group.iter().map(item).collect::<Vec<_>>().join("|"));
        groups
            .chain(parsed.excluded.iter().map(|each| format!("-{}", item(each))))
            .collect::<Vec<_>>()
            .join("; ")
    }

    #[test]
    fn queries_mean_what_their_writers_expect() {
        for (query, expected) in [
            ("Two Words", "two; words"),
            ("a b OR c OR d e", "a; b|c|d; e"),
            ("\"New York\" -city", "new+york; -city"),
            ("“curly quotes” x", "curly+quotes; x"),
            ("e-mail C++", "e+mail; c"),
            ("東京 タワー", "東+京; タ+ワ+ー"),
            (
                "title:Report -title:\"old one\" url:example.com/a",
                "title:report; url:example+com+a; -title:old+one",
            ),
            ("SOURCE:wire type:\"a b\"", "source:wire; type:a+b"),
            ("http://example.com", "http+example+com"),
            ("time:12:30 unknown:word", "time+12+30; unknown+word"),
            ("a AND b NOT c", "a; b; -c"),
            ("École été", "école; été"),
            ("or and not", "or; and; not"),
            ("\"OR\"", "or"),
            ("text\"a b\"", "text; a+b"),
        ] {
            assert_eq!(shown(query), expected, "{query}");
        }
    }

    #[test]
    fn odd_queries_are_read_as_well_as_can_be() {
        for (query, expected) in [
            ("", ""),
            (" \t\n", ""),
            ("- -- \" OR AND NOT | & \"\" !!! ()", "or+and+not"),
            ("\"open phrase", "open+phrase"),
            ("a\"", "a"),
            ("OR a OR", "a"),
            ("a OR OR b", "a|b"),
            ("a OR -b c", "a; c; -b"),
            ("--a", "-a"),
            ("- a", "a"),
            ("title: x", "title; x"),
            ("title:\"\" x", "x"),
            ("(a OR b) c", "a|b; c"),
            ("NOT", ""),
            ("a-b -c-d", "a+b; -c+d"),
        ] {
            assert_eq!(shown(query), expected, "{query}");
        }
    }

    #[test]
    fn the_size_is_limited_with_a_clear_error() {
        let fields = Fields::new(&SearchSettings::default()).unwrap();
        let long = parse(&"x".repeat(LONGEST_QUERY + 1), &fields).unwrap_err().to_string();
        assert!(long.contains("4096"), "{long}");
        let many = parse(&"x ".repeat(MOST_WORDS + 1), &fields).unwrap_err().to_string();
        assert!(many.contains("128 words"), "{many}");
        assert!(parse(&"x ".repeat(MOST_WORDS), &fields).is_ok());
    }

    proptest! {
        #[test]
        fn no_query_is_a_mistake(query in "\\PC{0,200}", odd in "[-\":|() a-cé東ORNT“]{0,80}") {
            let fields = Fields::new(&SearchSettings::default()).unwrap();
            prop_assert!(parse(&odd, &fields).is_ok());
            let _ = parse(&query, &fields);
        }
    }
}
