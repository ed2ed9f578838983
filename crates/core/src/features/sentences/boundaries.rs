//! Where sentences end.
//!
//! A sentence ends
//! - after `.`, `!`, `?` or `…`, or several, when white space, a double quotation mark or the end of
//!   the text follows; closing brackets and quotation marks still belong to it;
//! - after the full stops of scripts that put no space behind them, such as `。！？`, and after those
//!   that have no other use, such as the danda;
//! - at a blank line or a paragraph separator.
//!
//! A single `.` ends nothing after one letter (initials, `e.g.`, `U.S.`), after a common
//! abbreviation, or after `no.`, `fig.` and the like before a digit. Case plays no part, so that a
//! text in other case has the same sentences.

use crate::text::{Class, class};

/// Where each sentence of the text ends, rising; the last is the text's end.
pub fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= text.len() {
            return None;
        }
        at = next_end(text, at);
        Some(at)
    })
}

/// The end of the sentence that contains `at`.
fn next_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    let may_end = |byte: &u8| !byte.is_ascii() || matches!(byte, b'.' | b'!' | b'?' | b'\n');
    while let Some(plain) = bytes[at..].iter().position(may_end) {
        at += plain;
        let Some(character) = text[at..].chars().next() else { break };
        let after = at + character.len_utf8();
        match character {
            '\n' if is_blank_line(&bytes[after..]) => return after,
            '\u{2029}' => return after,
            _ if is_stop(character) => {
                let after_stops = skip(text, at, is_stop);
                if let Some(end) = ending(text, at, after_stops) {
                    return end;
                }
                at = after_stops;
            }
            _ => at = after,
        }
    }
    text.len()
}

/// The end of the sentence, if the stops at `start..stop` end one.
fn ending(text: &str, start: usize, stop: usize) -> Option<usize> {
    let end = skip(text, stop, is_closer);
    let (stops, closers) = (&text[start..stop], &text[stop..end]);
    let next = text[end..].chars().next();
    if stops.contains(is_unspaced_stop) {
        // The wide full stop is also the decimal point of wide numbers.
        let in_number = stops == "．" && next.is_some_and(|c| matches!(c, '0'..='9' | '０'..='９'));
        return (!in_number).then_some(end);
    }
    let quoted = closers.contains(['"', '”', '»', '」', '』']);
    if !quoted && next.is_some_and(|character| !character.is_whitespace()) {
        return None;
    }
    let abbreviated = stops == "." && closers.is_empty() && is_abbreviation(&text[..start], &text[end..]);
    (!abbreviated).then_some(end)
}

fn is_stop(character: char) -> bool {
    matches!(character, '.' | '!' | '?' | '…') || is_unspaced_stop(character)
}

fn is_unspaced_stop(character: char) -> bool {
    matches!(character, '。' | '！' | '？' | '．' | '｡' | '।' | '॥' | '؟' | '۔' | '։' | '።' | '។' | '။')
}

fn is_closer(character: char) -> bool {
    let is_quote = matches!(character, '"' | '\'' | '”' | '’' | '»' | '」' | '』');
    is_quote || matches!(character, ')' | ']' | '}' | '）' | '】' | '〕' | '》')
}

fn skip(text: &str, at: usize, wanted: impl Fn(char) -> bool) -> usize {
    text[at..].find(|character| !wanted(character)).map_or(text.len(), |rest| at + rest)
}

/// Whether only white space stands before the next line's end.
fn is_blank_line(rest: &[u8]) -> bool {
    rest.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) == Some(&b'\n')
}

/// Words that a full stop follows without ending a sentence.
const ABBREVIATIONS: [&str; 54] = [
    "al", "approx", "apr", "assn", "aug", "ave", "blvd", "bros", "ca", "capt", "cf", "cmdr", "co", "col",
    "corp", "dec", "dept", "dr", "ed", "eds", "eg", "est", "etc", "feb", "gen", "gov", "hon", "ie", "inc",
    "jan", "jr", "jul", "jun", "lt", "ltd", "mr", "mrs", "ms", "mt", "nov", "oct", "pres", "prof", "rep",
    "rev", "sen", "sep", "sept", "sgt", "sr", "st", "univ", "viz", "vs",
];

/// The same, but only before a number: otherwise these words often end a sentence.
const BEFORE_NUMBERS: [&str; 13] =
    ["art", "ch", "eq", "fig", "figs", "no", "nos", "nr", "par", "pp", "sec", "tab", "vol"];

/// Whether the text before a full stop ends with a word after which a full stop ends no sentence.
fn is_abbreviation(before: &str, after: &str) -> bool {
    const LONGEST: usize = 6;
    let mut letters = [0u8; LONGEST];
    let mut count = 0;
    for character in before.chars().rev() {
        match class(character) {
            Class::Separator => break,
            Class::Mark => continue,
            _ if count == LONGEST => return false,
            _ => {}
        }
        count += 1;
        // Words beyond ASCII are in no list, but their characters are letters, too.
        letters[LONGEST - count] =
            if character.is_ascii() { character.to_ascii_lowercase() as u8 } else { 0 };
    }
    let word = &letters[LONGEST - count..];
    let is_in = |list: &[&str]| list.iter().any(|known| known.as_bytes() == word);
    match word {
        [] => false,
        [letter] => !letter.is_ascii_digit(),
        _ => is_in(&ABBREVIATIONS) || is_in(&BEFORE_NUMBERS) && starts_with_digit(after),
    }
}

fn starts_with_digit(text: &str) -> bool {
    text.trim_start().starts_with(|character: char| character.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(text: &str) -> Vec<&str> {
        let mut start = 0;
        let cut = sentence_ends(text).map(|end| text[std::mem::replace(&mut start, end)..end].trim());
        cut.filter(|sentence| !sentence.is_empty()).collect()
    }

    #[test]
    fn worked_examples() {
        for (text, expected) in [
            ("One two. Three four! Five?", vec!["One two.", "Three four!", "Five?"]),
            (
                "Mr. Smith met Dr. J. R. Jones. They left.",
                vec!["Mr. Smith met Dr. J. R. Jones.", "They left."],
            ),
            ("It is 3.14, e.g. pi, i.e. not 3. Right.", vec!["It is 3.14, e.g. pi, i.e. not 3.", "Right."]),
            ("See no. 5 and Fig. 2. He said no. Then", vec!["See no. 5 and Fig. 2.", "He said no.", "Then"]),
            ("The U.S. army. Go to a.b.com now.", vec!["The U.S. army.", "Go to a.b.com now."]),
            (
                "He said \"Go.\" She (too.) went... Then",
                vec!["He said \"Go.\"", "She (too.)", "went...", "Then"],
            ),
            ("\"Go!\"she said. What?! No", vec!["\"Go!\"", "she said.", "What?!", "No"]),
            ("the U.S.'s army", vec!["the U.S.'s army"]),
            ("A heading\n\nA line\nand more\r\n \t\r\nEnd", vec!["A heading", "A line\nand more", "End"]),
            (
                "今日は。「いい天気！」そう。３．１４だ．終",
                vec!["今日は。", "「いい天気！」", "そう。", "３．１４だ．", "終"],
            ),
            ("यह है। वह था। क्या", vec!["यह है।", "वह था।", "क्या"]),
            ("Wait… what", vec!["Wait…", "what"]),
            ("", vec![]),
            (" . ", vec!["."]),
        ] {
            assert_eq!(sentences(text), expected, "{text:?}");
        }
    }

    #[test]
    fn case_changes_nothing() {
        let text = "Mr. Smith paid Prof. Jones in Dec. 2008. He, e.g. Smith, left. See No. 5. No. Yes.";
        let ends = |text: &str| sentence_ends(text).collect::<Vec<_>>();
        assert_eq!(ends(text), ends(&text.to_lowercase()));
        assert_eq!(ends(text), ends(&text.to_uppercase()));
    }

    #[test]
    fn ends_rise_to_the_end_of_awkward_texts() {
        for text in crate::testing::awkward_texts() {
            let ends: Vec<usize> = sentence_ends(&text).collect();
            assert!(ends.windows(2).all(|pair| pair[0] < pair[1]));
            assert_eq!(ends.last().copied().unwrap_or(0), text.len());
        }
    }
}
